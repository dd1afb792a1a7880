"""Scoring at scale: memory that does not grow, and what a service's cache costs: `python bench/scoring.py`.

Posts are scored in two sizes, each in a process of its own; what counts is the difference of the peaks. A local service
then answers as fast as it can, once through the network and once from the cache.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from corpus_data import frames, peak_megabytes

from comoderate import models
from comoderate.corpus import Posts, write_dataset, write_posts
from comoderate.corpus.resuming import resumable
from comoderate.models.batch import SCHEMA

SIZES = (50_000, 400_000)
ASKED = 20_000
SERVER = Path(__file__).parent.parent / "tests" / "models" / "services" / "server.py"


def score(folder: Path, n: int) -> None:
    """Score n posts by naive Bayes, in chunks that are kept."""
    write_posts(frames(n), folder / "posts", where="generated", metadata={})
    rude, kind = ["you are a dolt", "get lost you clown"], ["lovely morning all", "see you at the match"]
    models.NaiveBayes(min_count=1).fit(rude + kind, [1, 1, 0, 0]).save(folder / "model", card={})
    before, began = peak_megabytes(), time.perf_counter()
    posts = Posts(folder / "posts").iter_frames(["post_id", "text"], batch_rows=5_000)
    batches = resumable(posts, models.BatchScorer(folder / "model"), SCHEMA, folder / "work")
    manifest = write_dataset(batches, folder / "scores", {}, schema=SCHEMA)
    seconds = time.perf_counter() - began
    rate, peak = manifest.rows / seconds, peak_megabytes()
    print(f"{manifest.rows:>9,} posts  {rate:>8,.0f} posts/s  {before:5.0f} → {peak:5.0f} MB")


def ask(folder: Path) -> None:
    """Ask a local service for many texts, and the cache for the same."""
    spec = importlib.util.spec_from_file_location("server", SERVER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    texts = [f"text number {number}" for number in range(ASKED)]
    with module.Server() as server:
        service = models.Service(
            url=server.url, request={"texts": "{texts}"}, answer=("scores[*]",), batch_size=100, concurrency=4
        )
        for name in ("service", "cache"):
            with models.ServiceScorer(service, folder) as scorer:
                began = time.perf_counter()
                scorer.predict(texts)
                print(f"{name:>8}: {ASKED / (time.perf_counter() - began):>8,.0f} texts/s")
    size = sum(file.stat().st_size for file in folder.glob("*.db")) / ASKED
    print(f"{size:.0f} bytes a text on disk")


def main() -> None:
    if len(sys.argv) == 3:
        return score(Path(sys.argv[1]), int(sys.argv[2]))
    for n in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, __file__, folder, str(n)], check=True)
    with tempfile.TemporaryDirectory() as folder:
        ask(Path(folder))
    return None


if __name__ == "__main__":
    main()
