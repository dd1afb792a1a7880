"""Drawing a base sample B and an enrichment F from generated posts: `python bench/corpus_draw.py [posts] [rounds]`.

Every contender draws 2 % of every day from the same Parquet parts in a process of its own, so that the peak of memory
is its own; contenders take turns, and the ratios are of the best times in one run. Times leave imports out.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from corpus_data import frames, peak_megabytes

from comoderate.corpus import Posts, connect, map_batches, read_manifest, read_parts, top_k, write_posts

SHARE = 0.02
FLAGGED = 0.05


def quotas(posts: Posts, share: float) -> dict[str, int]:
    days = posts.daily_counts()
    return dict(zip(days["day"], (days["N"] * share).astype(int), strict=True))


def uniform(posts: Posts, folder: Path) -> pd.DataFrame:
    return top_k(posts.table(), quotas(posts, SHARE), by="day")


def enriched(posts: Posts, folder: Path) -> pd.DataFrame:
    """As many posts as B, half of what is flagged, from what B left."""
    base = pd.read_parquet(folder / "B.parquet")["post_id"]
    table = posts.table()
    return top_k(table.filter(table.flagged == "yes"), quotas(posts, SHARE), by="day", exclude=base)


def enriched_by_scores(posts: Posts, folder: Path) -> pd.DataFrame:
    """The same where the verdict comes from a dataset of scores that has to be joined."""
    base = pd.read_parquet(folder / "B.parquet")["post_id"]
    backend = connect()
    table = posts.table(backend)
    names = read_manifest(folder / "scores").parts
    scores = read_parts(backend, [folder / "scores" / name for name in names])
    flagged = table.inner_join(scores.filter(scores.proba > 0.5)[["post_id"]], "post_id")
    return top_k(flagged, quotas(posts, SHARE), by="day", exclude=base)


def on_spark(posts: Posts, folder: Path) -> pd.DataFrame:
    """B by the same code; the memory and processor time printed are Python's, not those of Java."""
    return top_k(posts.table(connect("spark", master="local[2]")), quotas(posts, SHARE), by="day")


def with_pandas(posts: Posts, folder: Path) -> pd.DataFrame:
    parts = [pd.read_parquet(posts.folder / name, columns=["post_id", "day", "u"]) for name in posts.manifest.parts]
    frame = pd.concat(parts, ignore_index=True)
    quota = (frame.groupby("day")["u"].size() * SHARE).astype(int)
    ranked = frame.sort_values(["day", "u"])
    return ranked[ranked.groupby("day").cumcount() < ranked["day"].map(quota)]


def duckdb_window(posts: Posts, folder: Path, order: str = "hash(post_id)") -> pd.DataFrame:
    import duckdb

    days = posts.daily_counts()
    quota = days.assign(k=(days["N"] * SHARE).astype(int))
    with duckdb.connect() as con:
        con.register("quota", quota)
        return con.execute(
            "SELECT post_id, day FROM (SELECT post_id, p.day, k, "
            f"row_number() OVER (PARTITION BY p.day ORDER BY {order})"
            f" AS r FROM read_parquet('{posts.folder}/part-*.parquet') p JOIN quota USING (day)) WHERE r <= k"
        ).df()


def duckdb_window_on_u(posts: Posts, folder: Path) -> pd.DataFrame:
    return duckdb_window(posts, folder, "u, post_id")


CONTENDERS: dict[str, Callable[[Posts, Path], pd.DataFrame]] = {
    "top_k, B": uniform,
    "top_k, F after B": enriched,
    "top_k, F by joined scores": enriched_by_scores,
    "top_k on Spark, B": on_spark,
    "pandas, B": with_pandas,
    "DuckDB window and hash, B": duckdb_window,
    "DuckDB window on u, B": duckdb_window_on_u,
}


def one(name: str, folder: Path) -> None:
    """Run one contender and print what it took."""
    if "Spark" in name:
        connect("spark", master="local[2]")
    elif "pandas" not in name:
        connect().disconnect()
    posts = Posts(folder / "posts")
    start, worked = time.perf_counter(), time.process_time()
    drawn = CONTENDERS[name](posts, folder)
    seconds, worked = time.perf_counter() - start, time.process_time() - worked
    peak = peak_megabytes()
    if name == "top_k, B":
        drawn.to_parquet(folder / "B.parquet")
    print(json.dumps({"seconds": seconds, "worked": worked, "megabytes": peak, "drawn": len(drawn)}))


def prepare(folder: Path, n: int) -> None:
    """Write the posts and a dataset of scores."""
    write_posts(frames(n, text=False), folder / "posts", where="generated", metadata={})
    table = Posts(folder / "posts").table().select("post_id", "flagged")
    map_batches(
        table, lambda f: f[["post_id"]].assign(proba=(f["flagged"] == "yes") * 0.9),
        {"post_id": "string", "proba": "double"}, folder / "scores",
    )  # fmt: skip


def compare(folder: Path, rounds: int) -> None:
    """Let the contenders take turns, then print best times and ratios."""
    found: dict[str, list[dict[str, float]]] = {name: [] for name in CONTENDERS}
    for _ in range(rounds):
        for name, results in found.items():
            run = subprocess.run(
                [sys.executable, __file__, "one", name, str(folder)], check=True, capture_output=True, text=True
            )
            results.append(json.loads(run.stdout))
    ours = min(r["seconds"] for r in found["top_k, B"])
    for name, results in found.items():
        seconds, worked = (min(r[key] for r in results) for key in ("seconds", "worked"))
        peak, drawn = max(r["megabytes"] for r in results), results[0]["drawn"]
        print(
            f"{name:<28} {drawn:>9,} drawn {seconds:7.2f} s  {seconds / ours:5.2f} x"
            f"  {worked:7.2f} s of processors  {peak:6.0f} MB"
        )


def main() -> None:
    if sys.argv[1:2] == ["one"]:
        return one(sys.argv[2], Path(sys.argv[3]))
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 14_500_000
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder), n)
        return compare(Path(folder), int(sys.argv[2]) if len(sys.argv) > 2 else 3)


if __name__ == "__main__":
    main()
