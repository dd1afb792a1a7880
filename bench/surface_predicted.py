"""Surfaces whose attributes are predicted: HateCheck by functionality and target group, the group guessed from texts.

Usage: python bench/surface_predicted.py DATA [known] [seeds]

DATA holds ``hatecheck`` and ``davidson``. The classifier under assessment is a TF-IDF model of davidson's hate speech.
1,500 random cases are judged; of ``known`` of these (400) the target group is known, too, and one model for each group
learns from them. Prints, for every calibration and assignment and for the true groups: the errors × 100 of the
accuracies of arms with 10 cases or more, against those over all cases; the same for the groups alone; coverage and
width of 95 % intervals; and the log-likelihood of the true group on the cases where it was not known.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from surface_real import hatecheck

from comoderate.study import Study, surfaces

GROUPS = ("gay people", "women", "Muslims", "disabled people", "black people", "trans people", "immigrants")
SHORT = [name.split()[0].lower() for name in GROUPS]
TOML = """
[study]
title = "HateCheck by predicted groups"
seed = {seed}
format = 1

[posts]
path = "posts.csv"
attributes = {{ functionality = "functionality", truth = "group" }}
scores = {{ classifier = "score" }}
length = false

[annotations.gold]
form = "wide"
path = "gold.csv"
cohort = "authors"
rater = "authors"
columns = {{ bad = "bad", group = "group" }}

[codebook.question.bad]
text = "Is it hateful?"
answers = ["no", "yes"]

[codebook.question.group]
text = "Whom is it about?"
answers = {answers}

[target.bad]
question = "bad"
positive = ["yes"]

[sample.judged]
design = "uniform"
size = 1500

[sample.known]
design = "uniform"
of = "judged"
size = {known}

[scorer.classifier]
kind = "recorded"

[surface]
min_posts = 10
attributes = ["functionality", "group"]
{surface}
"""
GROUP = """
[target.{short}]
question = "group"
positive = ["{name}"]

[scorer.about_{short}]
kind = "tfidf_logistic"
target = "{short}"
sample = "known"
compare = false
"""
SETTINGS = {
    "true groups": None,
    "hard": ("raw", "hard"),
    **{f"{kind}, {way}": (kind, way) for way in ("fractional", "em") for kind in ("raw", "temperature", "full")},
}


def settings(wanted):
    if wanted is None:
        return 'attribute.group = { kind = "category", column = "truth", rare = 1 }'
    listed = ", ".join(f'"{name}" = "about_{short}"' for name, short in zip(GROUPS, SHORT, strict=True))
    return (
        f'calibration = "{wanted[0]}"\nassignment = "{wanted[1]}"\n\n'
        f'[surface.attribute.group]\nkind = "predicted"\nscorers = {{ {listed} }}\nrest = "none"'
    )


def errors(study, posts, right):
    """Mean squared errors × 100 by arm and by group, coverage, width, log-likelihood."""
    result = study.surface("classifier")
    arms = result.arms.set_index(["functionality", "group"])
    by = right.groupby([posts["functionality"], posts["group"]])
    true = by.mean()[by.size() >= 10]
    found = arms.reindex(true.index)
    value = found["value"].fillna(result.about.value)
    inside = (found["low"] - 1e-9 <= true) & (true <= found["high"] + 1e-9)
    cells = result.arms.assign(total=result.arms["value"] * result.arms["posts"]).groupby("group")
    group = cells["total"].sum() / cells["posts"].sum()
    apart = right.groupby(posts["group"]).mean()
    belief = surfaces.assessed(study, "classifier").arms.belief
    said = np.nan
    if belief is not None:
        codes = belief.arms
        encoder = surfaces.assessed(study, "classifier").arms.encoder
        names = {tuple(encoder.values(arm)): number for number, arm in enumerate(codes)}
        at = [names.get(pair, -1) for pair in zip(posts["functionality"], posts["group"], strict=True)]
        dense = belief.proba.toarray()
        mine = np.where(np.array(at) >= 0, dense[np.arange(len(at)), at], 0.0)
        known = posts["post_id"].isin(study.sample("known")["post_id"]).to_numpy()
        said = float(np.log(np.maximum(mine[~known], 1e-3)).mean())
    return [
        100 * float(((value - true) ** 2).mean()), 100 * float(((group.reindex(apart.index) - apart) ** 2).mean()),
        float(inside[found["low"].notna()].mean()), float((found["high"] - found["low"]).mean()), said,
    ]  # fmt: skip


def play(posts, bad, known, seed):
    posts = posts.assign(group=posts["group"].fillna("none"))
    right = pd.Series(((posts["score"] > 0.5) == bad).to_numpy(dtype=float), index=posts.index)
    gold = posts[["post_id", "group"]].assign(bad=bad.map({True: "yes", False: "no"}))
    groups = "".join(GROUP.format(short=short, name=name) for short, name in zip(SHORT, GROUPS, strict=True))
    with tempfile.TemporaryDirectory() as folder:
        posts.to_csv(Path(folder) / "posts.csv", index=False)
        gold.to_csv(Path(folder) / "gold.csv", index=False)
        for name, wanted in SETTINGS.items():
            text = TOML.format(seed=seed, known=known, answers=[*GROUPS, "none"], surface=settings(wanted))
            (Path(folder) / "study.toml").write_text(text + groups)
            yield name, errors(Study.open(folder), posts, right)


def main(data, known=400, seeds=3):
    posts, bad, _ = hatecheck(data)
    posts = posts.assign(post_id=posts["post_id"].map("{:05d}".format))
    table = pd.DataFrame(
        [(name, *row) for seed in range(seeds) for name, row in play(posts, bad, known, seed)],
        columns=["", "arms", "groups", "coverage", "width", "log-likelihood"],
    )
    print(table.groupby("", sort=False).mean().round(3).to_string())


if __name__ == "__main__":
    main(Path(sys.argv[1]), *map(int, sys.argv[2:]))
