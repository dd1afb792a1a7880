"""A base sample B and an enrichment F from generated posts: `python bench/corpus_draw.py [posts] [rounds] [folder]`.

Every contender draws 2 % of every day (B), or that and as many flagged posts again (F), from the same Parquet parts in
a process of its own, so that the peak of memory is its own; contenders take turns, and the ratios are of the best times
in one run. Times leave imports out. ``folder`` keeps the posts for another run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import ibis
import pandas as pd
from corpus_data import frames, peak_megabytes

from comoderate.corpus import (
    Posts,
    connect,
    map_batches,
    read_manifest,
    read_parts,
    strata_spans,
    top_k,
    top_k_enriched,
    write_posts,
)

SHARE = 0.02


def stratified(posts: Posts, folder: Path) -> pd.DataFrame:
    return by_day(posts.table())


def by_day(table: ibis.Table) -> pd.DataFrame:
    spans = strata_spans(table, by=["day"])
    return top_k(table, quotas(spans), by="day", spans=spans)


def quotas(spans: pd.DataFrame) -> dict[str, int]:
    return dict(zip(spans["day"], (spans["N"] * SHARE).astype(int), strict=True))


def uniform(posts: Posts, folder: Path) -> pd.DataFrame:
    """A plain random sample of as many posts as B and F have together."""
    table = posts.table().mutate(stratum=ibis.literal("all"))
    spans = strata_spans(table)
    return top_k(table, {"all": 2 * int(spans["N"].sum() * SHARE)}, spans=spans)


def both(table: ibis.Table, called: ibis.Table) -> pd.DataFrame:
    """B, and as many flagged posts again, from what B left; ``called`` is ``table`` with the verdicts."""
    spans = strata_spans(table, by=["day"])
    quota = quotas(spans)
    found = top_k_enriched(called, quota, lambda left: {day: quota[day] for day in left.index}, by="day", spans=spans)
    return pd.concat([found.base, found.extra], ignore_index=True)


def enriched(posts: Posts, folder: Path) -> pd.DataFrame:
    """The verdict is a column of the posts."""
    table = posts.table()
    return both(table, table.mutate(called=table["flagged"] == "yes"))


def enriched_by_scores(posts: Posts, folder: Path) -> pd.DataFrame:
    """The verdict comes from a dataset of scores that has to be joined."""
    over, table = called_by_scores(posts, folder)
    joined = table.left_join(over, table["post_id"] == over["positive"])
    return both(table, joined.select("post_id", "day", "u", called=joined["positive"].notnull()))


def called_by_scores(posts: Posts, folder: Path) -> tuple[ibis.Table, ibis.Table]:
    """Ids of flagged posts by their scores, and the posts, on one engine."""
    backend = connect()
    names = read_manifest(folder / "scores").parts
    scores = read_parts(backend, [folder / "scores" / name for name in names])
    return scores.filter(scores.proba > 0.5).select(positive="post_id"), posts.table(backend)


def two_draws(posts: Posts, folder: Path) -> pd.DataFrame:
    """The same posts by two draws, one after the other, as before both came from one pass."""
    called, table = called_by_scores(posts, folder)
    spans = strata_spans(table, by=["day"])
    base = top_k(table, quotas(spans), by="day", spans=spans)
    flagged = table.inner_join(called, table["post_id"] == called["positive"]).select("post_id", "day", "u")
    return pd.concat([base, top_k(flagged, quotas(spans), by="day", exclude=base["post_id"])], ignore_index=True)


def on_spark(posts: Posts, folder: Path) -> pd.DataFrame:
    """B by the same code; the memory and processor time printed are Python's, not those of Java."""
    return by_day(posts.table(connect("spark", master="local[2]")))


def with_pandas(posts: Posts, folder: Path) -> pd.DataFrame:
    parts = [pd.read_parquet(posts.folder / name, columns=["post_id", "day", "u"]) for name in posts.manifest.parts]
    frame = pd.concat(parts, ignore_index=True)
    quota = (frame.groupby("day")["u"].size() * SHARE).astype(int)
    ranked = frame.sort_values(["day", "u"])
    return ranked[ranked.groupby("day").cumcount() < ranked["day"].map(quota)]


def duckdb_window(posts: Posts, folder: Path, order: str = "hash(post_id)") -> pd.DataFrame:
    import duckdb

    source = f"read_parquet('{posts.folder}/part-*.parquet')"
    with duckdb.connect() as con:
        return con.execute(
            f"WITH quota AS (SELECT day, floor(count(*) * {SHARE}) AS k FROM {source} GROUP BY day) "
            "SELECT post_id, day FROM (SELECT post_id, p.day, k, "
            f"row_number() OVER (PARTITION BY p.day ORDER BY {order})"
            f" AS r FROM {source} p JOIN quota USING (day)) WHERE r <= k"
        ).df()


def duckdb_window_on_u(posts: Posts, folder: Path) -> pd.DataFrame:
    return duckdb_window(posts, folder, "u, post_id")


UNIFORM, B = "uniform, as many as B and F", "top_k, B"
CONTENDERS: dict[str, Callable[[Posts, Path], pd.DataFrame]] = {
    UNIFORM: uniform,
    B: stratified,
    "B and F, one pass": enriched,
    "B and F, joined scores": enriched_by_scores,
    "B and F, two draws": two_draws,
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
    print(json.dumps({"seconds": seconds, "worked": worked, "megabytes": peak, "drawn": len(drawn)}))


def prepare(folder: Path, n: int) -> None:
    """Write the posts and a dataset of scores; what is there already stays."""
    if (folder / "scores").exists():
        return
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
    fastest = {name: [min(r[key] for r in results) for key in ("seconds", "worked")] for name, results in found.items()}
    print("by the clock and by processors: seconds, x uniform, x B")
    for name, results in found.items():
        shown = "   ".join(
            f"{mine:7.2f} s {mine / plain:5.2f} x {mine / base:5.2f} x"
            for mine, plain, base in zip(fastest[name], fastest[UNIFORM], fastest[B], strict=True)
        )
        peak, drawn = max(r["megabytes"] for r in results), results[0]["drawn"]
        print(f"{name:<28} {drawn:>9,} drawn {shown} {peak:6.0f} MB")


def main() -> None:
    if sys.argv[1:2] == ["one"]:
        return one(sys.argv[2], Path(sys.argv[3]))
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 14_500_000
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(sys.argv[3] if len(sys.argv) > 3 else scratch)
        folder.mkdir(exist_ok=True, parents=True)
        prepare(folder, n)
        return compare(folder, int(sys.argv[2]) if len(sys.argv) > 2 else 3)


if __name__ == "__main__":
    main()
