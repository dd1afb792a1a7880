"""How fast, and in how much memory, posts are imported: `python bench/corpus_import.py [posts] [folder]`.

Each size runs in a process of its own; what counts is that the peak does not grow with the posts.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from corpus_data import frames, peak_megabytes

from comoderate.corpus import read_batches, write_posts


def write_csv(path: Path, n: int) -> None:
    """A CSV of generated posts."""
    for number, frame in enumerate(frames(n)):
        frame[["post_id", "day", "flagged", "text"]].to_csv(
            path, mode="a" if number else "w", header=number == 0, index=False
        )


def import_csv(path: Path, folder: Path) -> None:
    """Import as a study does: read, add u and row, write."""
    rng = np.random.default_rng(1)

    def posts() -> pd.DataFrame:
        for batch in read_batches(path):
            rows = batch.first_row + np.arange(len(batch.frame))
            yield batch.frame.assign(u=rng.random(len(rows)), row=rows)

    start = time.perf_counter()
    counts = write_posts(posts(), folder, where=path.name, metadata={})
    seconds = time.perf_counter() - start
    peak = peak_megabytes()
    print(f"{counts.written:>12,} posts  {seconds:7.1f} s  {counts.written / seconds:>10,.0f} posts/s  {peak:6.0f} MB")


def main() -> None:
    if len(sys.argv) == 4:
        return import_csv(Path(sys.argv[2]), Path(sys.argv[3]))
    for n in [int(sys.argv[1])] if len(sys.argv) > 1 else [100_000, 1_000_000, 4_000_000]:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "posts.csv"
            write_csv(source, n)
            subprocess.run([sys.executable, __file__, "one", str(source), str(Path(folder) / "posts")], check=True)
    return None


if __name__ == "__main__":
    main()
