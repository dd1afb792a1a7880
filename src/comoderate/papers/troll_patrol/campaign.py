"""A whole campaign as a study: posts in hand, samples drawn, volunteers and experts heard, scorers compared."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.corpus import atomic_path
from comoderate.models import KINDS, NaiveBayes, TfidfLogistic
from comoderate.papers.troll_patrol.raters import COHORTS, Ratings
from comoderate.papers.troll_patrol.service import serving
from comoderate.papers.troll_patrol.sources import ANSWERS, Floats, World
from comoderate.study import Study
from comoderate.study.stages import Listener
from comoderate.study.toml_text import table_lines

FROZEN = {"frozen": True, "pooling": "mean", "validation_share": 0.0, "epochs": 30, "batch_size": 32}
"""The fine-tuned model in small: its encoder stays as it is, so that a CPU trains five folds in a minute."""

Corpora = Mapping[str, tuple[list[str], Floats]]
ADDRESS = "COMODERATE_BENCHMARK_SERVICE"
"""The environment variable that holds the local service's address, which differs from run to run."""


@dataclass(frozen=True)
class Sizes:
    """How much of a world is collected and drawn.

    Attributes:
        cap: posts in hand a day, at most.
        base: posts of the unbiased sample.
        enriched: posts that the filter adds.
        experts: posts for the experts.
    """

    cap: int
    base: int
    enriched: int
    experts: int


def sizes(world: World) -> Sizes:
    """A cap that bursts exceed, a fifth of the world in the base sample, a twentieth more by the filter."""
    n = len(world.posts)
    volume = days(world).value_counts()
    return Sizes(int(volume.quantile(0.8)), n // 5, n // 20, n // 12)


def days(world: World) -> pd.Series:
    """The day of every post."""
    return world.posts["created_at"].str[:10]


def in_hand(world: World, cap: int, *, seed: int) -> NDArray[np.bool_]:
    """(n,) which posts were collected: at most ``cap`` a day, at random."""
    rng: np.random.Generator = np.random.default_rng([seed, 41])
    order = pd.Series(rng.random(len(world.posts))).groupby(days(world).to_numpy()).rank(method="first")
    return np.asarray(order.to_numpy() <= cap)


def run(
    world: World, ratings: Mapping[str, Ratings], corpora: Corpora, folder: Path, *, seed: int, small: bool,
    corrected: Collection[str], listener: Listener,
) -> Study:  # fmt: skip
    """Make the campaign's study in ``folder`` and run it; what is there already is kept.

    Args:
        world: all posts.
        ratings: each cohort's answers on all of them, revealed only for the posts drawn.
        corpora: what trains the filters.
        folder: of the study.
        seed: of collection, draws and folds.
        small: whether the fine-tuned model is a frozen encoder, which a CPU trains in minutes.
        corrected: names of corrections.
        listener: hears how work goes on.
    """
    size = sizes(world)
    if not (folder / "posts.csv").exists():
        _write_posts(folder, world, corpora, size, seed=seed)
    with _service(corpora):
        for heard, sample in zip(COHORTS, ("main", "experts"), strict=True):
            # Experts are drawn from what volunteers have labelled, so their answers are imported later.
            _write_settings(folder, world, size, COHORTS[:1], seed=seed, small=small, corrected=corrected)
            drawn = Study.open(folder, listener=listener).draw(sample)["post_id"]
            _csv(ratings[heard].rows(world, drawn, heard), folder / f"{heard}.csv")
        _write_settings(folder, world, size, COHORTS, seed=seed, small=small, corrected=corrected)
        study = Study.open(folder, listener=listener)
        study.evaluate()
        study.estimate()
        study.agree()
    return study


@contextmanager
def _service(corpora: Corpora) -> Iterator[None]:
    """The local service under its address: TF-IDF regression trained on another corpus than the campaign's."""
    texts, labels = corpora["filter"]
    with serving(TfidfLogistic().fit(texts, labels)) as address:
        os.environ[ADDRESS] = address
        try:
            yield
        finally:
            del os.environ[ADDRESS]


def _write_posts(folder: Path, world: World, corpora: Corpora, size: Sizes, *, seed: int) -> None:
    held = in_hand(world, size.cap, seed=seed)
    posts = world.posts.loc[held, ["post_id", "text", "created_at", "group"]].reset_index(drop=True)
    texts = posts["text"].tolist()
    posts["bayes"] = NaiveBayes().fit(*corpora["filter"]).predict_proba(texts)
    posts["davidson"] = KINDS["davidson_features"]().fit(*corpora["davidson"]).predict_proba(texts)
    totals = days(world).value_counts().sort_index().rename_axis("day").reset_index(name="N")
    folder.mkdir(parents=True, exist_ok=True)
    _csv(totals, folder / "totals.csv")
    _csv(posts, folder / "posts.csv")


def _write_settings(
    folder: Path, world: World, size: Sizes, cohorts: Sequence[str], *, seed: int, small: bool,
    corrected: Collection[str],
) -> None:  # fmt: skip
    lines = _lines(world, size, cohorts, seed=seed, small=small, corrected=corrected)
    with atomic_path(folder / "study.toml") as temporary:
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _csv(frame: pd.DataFrame, path: Path) -> None:
    text = frame.to_csv(index=False)
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _lines(
    world: World, size: Sizes, cohorts: Sequence[str], *, seed: int, small: bool, corrected: Collection[str]
) -> Iterator[str]:
    yield from table_lines(
        "study", title=f"A campaign on {world.name}", question="How much abuse is there, and what finds it?",
        description=f"{world.what}; raters and days as the benchmark makes them.", seed=seed, format=1,
    )  # fmt: skip
    yield from table_lines(
        "posts", path="posts.csv", created_at="created_at", attributes={"group": "group"},
        scores={"bayes": "bayes", "davidson": "davidson"},
    )  # fmt: skip
    yield from table_lines("totals", path="totals.csv")
    for cohort in cohorts:
        yield from table_lines(
            f"annotations.{cohort}", form="long", path=f"{cohort}.csv", cohort=cohort, rater_id="rater_id",
            question="question", answer="answer", source="sample",
        )  # fmt: skip
    yield from table_lines("codebook", name="troll-patrol", version="1")
    yield from table_lines(
        "codebook.question.problem", kind="ordinal", answers=ANSWERS,
        text="Does the post contain problematic or abusive content?",
    )  # fmt: skip
    yield from table_lines(
        "codebook.question.type", kind="multiple", answers=world.types, text="Which kinds?",
        when={"problem": list(ANSWERS[1:])},
    )  # fmt: skip
    yield from table_lines("target.abusive", question="problem", at_least="Problematic", cohort="volunteers")
    yield from table_lines("target.severe", question="problem", at_least="Abusive", cohort="volunteers")
    yield from table_lines(
        "sample.main", design="stratified", size=size.base, enrich={"scorer": "bayes", "size": size.enriched},
        finite=True, estimand="all posts of the campaign's days, those out of reach included",
    )  # fmt: skip
    yield from table_lines(
        "sample.experts", of="main", size=size.experts, rated=3, flagged_by=["bayes", "davidson"], design="stratified",
        finite=True,
    )  # fmt: skip
    yield from _scorers(small, corrected)
    only = None if "cross-fitted" in corrected else [4]
    samples = {"experts": "experts"} if "experts" in cohorts else None
    yield from table_lines("evaluate", samples=samples, folds=5, only_folds=only)


def _scorers(small: bool, corrected: Collection[str]) -> Iterator[str]:
    service = {"url": f"${{{ADDRESS}}}", "request": {"texts": "{texts}"}, "batch_size": 50}
    rule = {
        "when": {"answers[*].category": ["Basic Negative"], "answers[*].emotion": ["Anger", "Disgust"]},
        "proba": 1.0,
    }
    yield from table_lines("scorer.bayes", kind="recorded")
    yield from table_lines(
        "scorer.categories", kind="http", sends_text=True, service={**service, "rules": [rule], "otherwise": 0.0}
    )
    yield from table_lines("scorer.davidson", kind="recorded")
    yield from table_lines(
        "scorer.service", kind="http", sends_text=True, service={**service, "answer": ["answers[*].score"]}
    )
    folds = [] if "cross-fitted" in corrected else [0, 1, 2, 3]
    yield from table_lines("scorer.bert", kind="troll_patrol", options=FROZEN if small else None, folds=folds or None)
