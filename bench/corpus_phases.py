"""Memory and time of a study's whole draws, design by design: `python bench/corpus_phases.py [posts]`.

Each design draws 1 % from generated posts in a process of its own, as a study does: candidates, strata, inclusion
probabilities. "another number" is a second sample, whose random numbers are computed post by post.
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

[scorer.words]
kind = "lexicon"
words = ["never"]
"""


def prepare(folder: Path, n: int) -> None:
    """Posts, scores that flag one in twenty, and a study.toml."""
    with_views = (frame.assign(views=np.arange(len(frame)) % 997.0) for frame in frames(n, text=False))
    write_posts(with_views, folder / "posts", where="generated", metadata={})
    table = Posts(folder / "posts").table().select("post_id", "flagged")
    scored = lambda f: f[["post_id"]].assign(proba=(f["flagged"] == "yes") * 0.9)  # noqa: E731
    map_batches(table, scored, {"post_id": "string", "proba": "double"}, folder / "scores" / "words")
    (folder / "study.toml").write_text(TOML.format(size=n // 100))


def one(folder: Path, name: str, purpose: str) -> None:
    """Draw one sample and print what it took."""
    from comoderate.study import Study, phases

    study = Study.open(folder)
    study.artefacts.finish("scores:words", "generated", {"folder": "words"})
    start, worked = time.perf_counter(), time.process_time()
    drawn = phases.draw(study, name, purpose=purpose)
    seconds, worked = time.perf_counter() - start, time.process_time() - worked
    print(json.dumps([len(drawn.posts), seconds, worked, peak_megabytes()]))


def main() -> None:
    if sys.argv[1:2] == ["one"]:
        return one(Path(sys.argv[2]), sys.argv[3], sys.argv[4])
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 14_500_000
    cases = [(name, "draw") for name in ("uniform", "stratified", "enriched", "census_of_flagged", "poisson")]
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder), n)
        print(f"{n:,} posts")
        for name, purpose in [*cases, ("stratified", "another")]:
            run = subprocess.run(
                [sys.executable, __file__, "one", folder, name, purpose], check=True, capture_output=True, text=True
            )
            drawn, seconds, worked, peak = json.loads(run.stdout)
            label = name if purpose == "draw" else f"{name}, another number"
            print(f"{label:<28} {drawn:>8,} drawn {seconds:7.2f} s {worked:7.2f} s of processors {peak:6.0f} MB")
    return None


if __name__ == "__main__":
    main()
