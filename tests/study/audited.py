"""A study that only assesses: 720 invented posts, a recorded service that fails on some, and nobody's labels yet.

The fixture ``audited`` gives it to tests; it is not imported by name.
"""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from tests.study import little

GROUPS, TOPICS = ("bakers", "ferrymen", "gardeners"), ("weather", "prices", "music", "trains")
SAYINGS = ("the bread was fine and the queue was short", "who took my umbrella again", "that is a nice hat you have")

TOML = """
[study]
title = "An audit"
seed = 3
format = 1

[posts]
path = "posts.csv"
created_at = "created_at"
attributes = { group = "group", topic = "topic", stars = "stars", harm = "harm" }
scores = { service = "service", older = "older" }

[codebook.question.rude]
text = "Is it rude?"
answers = ["no", "yes"]

[target.rude]
question = "rude"
positive = ["yes"]

[sample.all]
design = "census"

[scorer.service]
kind = "recorded"

[scorer.older]
kind = "recorded"

[surface]
attributes = ["group", "topic"]
min_posts = 10
scorers = ["service"]

[assess]
next = 60
"""

JUDGES = """
[annotations.judges]
form = "wide"
path = "judged.csv"
cohort = "judges"
rater = "judge"
columns = { rude = "verdict" }
"""
"""Further settings, under which every post of :func:`judged` has a label."""


@cache
def posts() -> pd.DataFrame:
    """The posts as their file has them, with a column ``rude``, the truth, that the file lacks."""
    rng = np.random.default_rng(8)
    n = 720
    group = np.asarray(GROUPS)[rng.integers(0, 3, n)].astype(object)
    group[rng.random(n) < 0.05] = None
    topic = np.asarray(TOPICS)[rng.integers(0, 4, n)]
    rude = rng.random(n) < 0.35
    fails = np.where(group == "ferrymen", 0.3, 0.05) + np.where((group == "bakers") & (topic == "music"), 0.5, 0.0)
    wrong, wrong_before = rng.random(n) < fails, rng.random(n) < 0.3
    harm = np.where(rng.random(n) < 0.4, np.round(rng.random(n) * wrong, 3), np.nan)
    return pd.DataFrame(
        {
            "post_id": [f"p{number:03d}" for number in range(n)],
            "text": [f"{SAYINGS[number % 3]}, {topic[number]} {number}" for number in range(n)],
            "created_at": [f"2026-05-{1 + number // 72:02d}T09:00:00Z" for number in range(n)],
            "group": group,
            "topic": topic,
            "stars": rng.integers(0, 500, n),
            "harm": harm,
            "service": np.where(rude != wrong, 0.8, 0.2),
            "older": np.where(rude != wrong_before, 0.9, 0.1),
            "rude": rude,
        }
    )


@cache
def _begun() -> Path:
    """The folder of the study with its posts imported and an empty database, which most tests need first."""
    from comoderate.study import Study

    study = Study.open(_files(little.kept("audited") / "study", TOML))
    study.import_posts()
    study.store().close()
    return study.folder


def write(folder: Path, *, toml: str = TOML) -> Path:
    """Write the study's files, in a new folder with its posts imported; gives the folder."""
    if not (folder / "study.toml").exists():
        shutil.copytree(_begun(), folder, dirs_exist_ok=True)
    return _files(folder, toml)


def _files(folder: Path, toml: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    posts().drop(columns="rude").to_csv(folder / "posts.csv", index=False)
    (folder / "study.toml").write_text(toml.lstrip())
    return folder


def judged(folder: Path) -> Path:
    """Write what judges say of every post, the truth, as ``JUDGES`` reads it; gives the folder."""
    verdict = posts()["rude"].map({True: "yes", False: "no"})
    pd.DataFrame({"post_id": posts()["post_id"], "verdict": verdict}).to_csv(folder / "judged.csv", index=False)
    return folder


def answers(batch: pd.DataFrame, path: Path, *, rater: str | None = None) -> Path:
    """A file of right answers to a batch of posts."""
    truth = posts().set_index("post_id")["rude"].map({True: "yes", False: "no"})
    table = batch[["post_id"]].assign(answer=batch["post_id"].map(truth))
    (table if rater is None else table.assign(rater=rater)).to_csv(path, index=False)
    return path
