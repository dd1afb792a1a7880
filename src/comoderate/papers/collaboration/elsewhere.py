"""Out of domain beyond the paper: HateCheck's cases, each written to test one function of a classifier.

They are no stream of posts that anybody moderates, so that only the models are measured on them and no review.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from comoderate.papers.benchmark import Run
from comoderate.papers.collaboration import claims, pages
from comoderate.papers.collaboration.environments import Posts, labelled
from comoderate.papers.collaboration.evaluation import Environment, Floats
from comoderate.papers.files import read_table

NAME = "hatecheck"
FILE = "hatecheck/test_suite_cases.csv"
REPLICATES = 200


def hatecheck(run: Run) -> Posts | None:
    """The cases, hateful ones toxic; None, and a note, where they are not there.

    Args:
        run: notes what is missing.
    """
    path = run.file(FILE)
    if path is None:
        return None
    frame = read_table(path, ["test_case", "label_gold"])
    frame = frame.assign(hateful=frame["label_gold"].eq("hateful").astype(float))
    return labelled("HateCheck", f"{len(frame):,} cases, toxic where hateful", frame, "test_case", "hateful")


def measured(run: Run, posts: Posts, probas: Mapping[str, Floats], seed: int) -> dict[str, Any]:
    """What the models reach on the cases, in the form of the paper's environments without review.

    Args:
        run: its cells and corrections.
        posts: the cases.
        probas: for each model (n,) probabilities.
        seed: of the models and of the replicates.
    """
    own = {
        "posts": posts.what, "n": len(posts.texts), "seed": seed, "replicates": REPLICATES,
        "corrected": sorted(run.corrected), "scores": pages.digest(probas),
    }  # fmt: skip
    return {
        "environment": NAME, "title": "on HateCheck's cases", "posts": posts.name, "n": len(posts.texts), "seed": seed,
        "again": len(run.seeds) > 1, "one_rule": True, "extra": {"claims": [], "changes": []},
        **run.cells.get(f"{NAME}-{seed}", own, partial(_measure, run, posts, probas, seed)),
    }  # fmt: skip


def _measure(run: Run, posts: Posts, probas: Mapping[str, Floats], seed: int) -> dict[str, Any]:
    own, n = Environment(posts, replicates=REPLICATES, seed=seed, corrected=run.corrected), len(posts.texts)
    tables = {model: own.table(proba) for model, proba in probas.items()}
    return {
        "positives": float(posts.weight @ posts.y / posts.weight.sum()), "table": pages.table_rows(tables, n),
        "claims": claims.of_models(tables, n),
    }  # fmt: skip
