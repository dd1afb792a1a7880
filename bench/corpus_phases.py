"""Memory and time of a study's draws, design by design: `python bench/corpus_phases.py [posts] [rounds] [folder]`.

Each design draws from generated posts in a process of its own, as a study does: candidates, strata, inclusion
probabilities; designs take turns, and times are medians of the rounds, without imports. An enriched draw stands beside
the uniform draw of as many posts in all: its own 1 % and what the enrichment adds. "another number" is a second sample,
whose random numbers are computed post by post; it runs once. ``folder`` keeps the posts for another run.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from corpus_data import frames, peak_megabytes

from comoderate.corpus import Posts, map_batches, write_posts

TOML = """
[study]
title = "generated"

[posts]
text = ""
created_at = "at"
views = "views"

[codebook.question.q]
text = "?"
answers = ["no", "yes"]

[target.t]
question = "q"
positive = ["yes"]

[sample.uniform]
design = "uniform"
size = {size}

[sample.uniform_of_enriched]
design = "uniform"
size = {twice}

[sample.uniform_of_census]
design = "uniform"
size = {all}

[sample.stratified]
size = {size}

[sample.enriched]
size = {size}
enrich = {{ scorer = "words", size = {size} }}

[sample.census_of_flagged]
size = {size}
enrich = {{ scorer = "words", size = "all" }}

[sample.poisson]
design = "poisson"
size = {size}
proportional_to = "views"

[sample.poisson_by_score]
design = "poisson"
size = {size}
proportional_to = "words"

[scorer.words]
kind = "lexicon"
words = ["never"]
"""


def prepare(folder: Path, n: int) -> None:
    """Posts, scores that flag one in twenty, and a study.toml; what is there already stays."""
    sizes = {"size": n // 100, "twice": n // 50, "all": round(n * (0.01 + 0.05 * 0.99))}
    (folder / "study.toml").write_text(TOML.format(**sizes))
    if (folder / "scores").exists():
        return
    with_views = (frame.assign(views=np.arange(len(frame)) % 997.0) for frame in frames(n, text=False))
    write_posts(with_views, folder / "posts", where="generated", metadata={})
    table = Posts(folder / "posts").table().select("post_id", "flagged")
    scored = lambda f: f[["post_id"]].assign(proba=(f["flagged"] == "yes") * 0.9)  # noqa: E731
    map_batches(table, scored, {"post_id": "string", "proba": "double"}, folder / "scores" / "words")


def one(folder: Path, name: str, purpose: str) -> None:
    """Draw one sample and print what it took."""
    from comoderate.corpus import connect
    from comoderate.study import Study, phases

    study = Study.open(folder)
    connect().disconnect()
    study.artefacts.finish("scores:words", "generated", {"folder": "words"})
    start, worked = time.perf_counter(), time.process_time()
    drawn = phases.draw(study, name, purpose=purpose)
    seconds, worked = time.perf_counter() - start, time.process_time() - worked
    print(json.dumps([len(drawn.posts), seconds, worked, peak_megabytes()]))


UNIFORM = {"enriched": "uniform_of_enriched", "census_of_flagged": "uniform_of_census"}
"""The uniform draw of as many posts as an enriched one has in all."""
CASES = (
    "uniform", "uniform_of_enriched", "stratified", "enriched", "uniform_of_census", "census_of_flagged", "poisson",
    "poisson_by_score",
)  # fmt: skip


def drawn(folder: Path, name: str, purpose: str = "draw") -> list[float]:
    """Posts, wall seconds, processor seconds and megabytes of one draw in a process of its own."""
    run = subprocess.run(
        [sys.executable, __file__, "one", str(folder), name, purpose], check=True, capture_output=True, text=True
    )
    found: list[float] = json.loads(run.stdout)
    return found


def compare(folder: Path, rounds: int) -> None:
    """Let the designs take turns, then print their medians, and an enriched draw by its uniform one."""
    found: dict[str, list[list[float]]] = {name: [] for name in CASES}
    for _ in range(rounds):
        for name, results in found.items():
            results.append(drawn(folder, name))
    found["stratified, another number"] = [drawn(folder, "stratified", "another")]
    for name, results in found.items():
        posts, seconds, worked, _ = np.median(results, axis=0)
        peak = max(result[3] for result in results)
        print(f"{name:<28} {posts:>9,.0f} drawn {seconds:7.2f} s {worked:7.2f} s of processors {peak:6.0f} MB")
    for name, plain in UNIFORM.items():
        ratio = np.median(np.array(found[name]) / np.array(found[plain]), axis=0)
        print(f"{name} by {plain}: {ratio[1]:.2f} x by the clock, {ratio[2]:.2f} x by processors")


def main() -> None:
    if sys.argv[1:2] == ["one"]:
        return one(Path(sys.argv[2]), sys.argv[3], sys.argv[4])
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 14_500_000
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(sys.argv[3] if len(sys.argv) > 3 else scratch)
        folder.mkdir(exist_ok=True, parents=True)
        prepare(folder, n)
        print(f"{n:,} posts")
        compare(folder, int(sys.argv[2]) if len(sys.argv) > 2 else 3)
    return None


if __name__ == "__main__":
    main()
