"""The demonstration: a synthetic study with known truth, from posts to report, with no data of one's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from comoderate.corpus import atomic_path
from comoderate.errors import ComoderateError
from comoderate.study.loading import FILE
from comoderate.study.settings import FORMAT
from comoderate.study.stages import Listener
from comoderate.study.starting import IGNORED
from comoderate.study.study import Study
from comoderate.study.synthetic import ANSWERS, LEXICON, TYPES, Synthetic, make_study
from comoderate.study.toml_text import table_lines

BASE, ENRICHED, EXPERTS = 3_000, 600, 1_000
BY = ("target_group", "platform", "length")
_MARK = "made by `comoderate demo`"


def make_demo(folder: Path, *, seed: int = 1, listener: Listener | None = None) -> Study:
    """Make the synthetic study in ``folder`` and run the whole loop on it.

    Volunteers and experts label the posts that the study itself has drawn. A demonstration that is already there is
    gone on with if it has the same seed.

    Args:
        folder: where; any other study there is refused.
        seed: of posts, raters and study.
        listener: hears how work goes on.

    Raises:
        ComoderateError: the folder holds something else.
    """
    study = prepare(folder, seed=seed, listener=listener)
    study.run()
    return study


def prepare(folder: Path, *, seed: int = 1, listener: Listener | None = None) -> Study:
    """Make the synthetic study, draw its samples and have them labelled; all that is left is to run it.

    Arguments and errors are those of :func:`make_demo`.
    """
    new = _may_write(folder, seed)
    synthetic = make_study(seed)
    if new:
        _write_study(folder, synthetic)
    study = Study.open(folder, listener=listener)
    for sample, cohort in (("main", "volunteers"), ("experts", "experts")):
        drawn = study.draw(sample)["post_id"]
        _write(synthetic.annotate(drawn, cohort), folder / f"{cohort}.csv")
    return Study.open(folder, listener=listener)


def compare(study: Study) -> pd.DataFrame:
    """Each estimate of prevalence beside the truth: the estimate's columns, truth, and covered (bool)."""
    keys = ["target", "cohort", "domain", "group"]
    truth = pd.read_csv(study.folder / "truth.csv", dtype={"group": str})
    table = study.result("prevalence").merge(truth, on=keys, how="inner", validate="one_to_one")
    return table.assign(covered=table["truth"].between(table["low"], table["high"]))


def _may_write(folder: Path, seed: int) -> bool:
    """Whether the study is still to be written: not where it stands there; an error where anything else does."""
    path = folder / FILE
    if path.exists():
        found = path.read_text(encoding="utf-8")
        if _MARK not in found:
            raise ComoderateError("the folder holds another study", where=path, do="name an empty folder")
        if found != _settings(seed):
            raise ComoderateError(
                "the folder holds another demonstration", where=path, do="remove the folder, or name another"
            )
        return False
    if folder.exists() and any(folder.iterdir()):
        raise ComoderateError("the folder is not empty", where=folder, do="name an empty folder")
    return True


def _write_study(folder: Path, synthetic: Synthetic) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text(IGNORED, encoding="utf-8")
    _write(synthetic.posts.drop(columns="day"), folder / "posts.csv")
    _write(synthetic.totals, folder / "totals.csv")
    _write(truths(synthetic), folder / "truth.csv")
    (folder / FILE).write_text(_settings(synthetic.seed), encoding="utf-8")


def _write(frame: pd.DataFrame, path: Path) -> None:
    with atomic_path(path) as temporary:
        frame.to_csv(temporary, index=False)


def truths(synthetic: Synthetic) -> pd.DataFrame:
    """What a cohort's majority would say of all posts in the world: target, cohort, domain, group, truth."""
    known = synthetic.truth["prevalence"].rename(columns={"truth": "cohort", "value": "truth"})
    known = known[known["cohort"].isin(["volunteers", "experts"]) & known["domain"].isin(["all", *BY])]
    frame: pd.DataFrame = known[["target", "cohort", "domain", "group", "truth"]]
    return frame.reset_index(drop=True)


def _settings(seed: int) -> str:
    return "\n".join(_lines(seed)) + "\n"


def _lines(seed: int) -> Iterator[str]:
    yield f"# {_MARK}: invented posts, invented raters, and a truth that is known\n"
    yield from table_lines(
        "study",
        title="Abuse of people in public life: a synthetic study",
        question="How much abuse do four groups of people in public life receive, and what finds it?",
        description="Posts, raters and words are invented. On burst days only a part of the posts is in hand. The "
        "truth is what most of three raters of a cohort would say of every post in the world.",
        seed=seed,
        format=FORMAT,
    )
    yield from table_lines(
        "posts", path="posts.csv", created_at="created_at", author="author", views="views", length=False,
        attributes={name: name for name in BY},
    )  # fmt: skip
    yield from table_lines("totals", path="totals.csv")
    for cohort in ("volunteers", "experts"):
        yield from table_lines(
            f"annotations.{cohort}", form="long", path=f"{cohort}.csv", cohort=cohort, rater_id="rater_id",
            question="question", answer="answer", created_at="created_at", seconds="seconds", source="sample",
        )  # fmt: skip
    yield from table_lines("codebook", name="demo", version="1")
    yield from table_lines(
        "codebook.question.problem", kind="ordinal", answers=list(ANSWERS),
        text="Does the post contain problematic or abusive content?",
    )  # fmt: skip
    yield from table_lines(
        "codebook.question.type", kind="multiple", answers=list(TYPES), text="Which kinds?",
        when={"problem": list(ANSWERS[1:])},
    )  # fmt: skip
    yield from table_lines("target.abusive", question="problem", at_least="Problematic", cohort="volunteers")
    yield from table_lines("target.severe", question="problem", at_least="Abusive", cohort="volunteers")
    yield from table_lines(
        "sample.main", design="stratified", size=BASE, enrich={"scorer": "words", "size": ENRICHED},
        estimand="all posts of the 60 days, those out of reach included",
    )  # fmt: skip
    yield from table_lines("sample.experts", design="uniform", of="main", size=EXPERTS)
    yield from table_lines("scorer.words", kind="lexicon", words=list(LEXICON))
    yield from table_lines("scorer.bayes", kind="naive_bayes")
    yield from table_lines("scorer.regression", kind="tfidf_logistic")
    yield from table_lines("evaluate", samples={"experts": "experts"}, by=list(BY))
    yield from table_lines("review", capacity=500)
