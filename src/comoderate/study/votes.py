"""Who answered what on which post: the answers of one cohort to one question, as codes for the statistics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.agreement import counts_from_annotations
from comoderate.codebook import Codebook
from comoderate.study.ratings import answered, asked

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class Votes:
    """The answers of one cohort to one question, a row a judgement.

    Attributes:
        question, cohort: whose answers to what.
        kind: of the question.
        answers: the question's answers, in the codebook's order.
        posts: ids of the posts that were judged.
        item: (n,) position of each judgement's post in ``posts``.
        raters: ids of raters; None where some are unknown.
        rater: (n,) position in ``raters``; None likewise.
        answer: (n,) position in ``answers``; for a question with several answers, the row of ``sets``.
        sets: for a question with several answers, (m, q) booleans: the distinct sets of answers that were given.
        seconds: (n,) time taken, NaN where unknown.
        created_at: (n,) seconds since 1970, NaN where unknown.
    """

    question: str
    cohort: str
    kind: str
    answers: tuple[str, ...]
    posts: pd.Index
    item: Codes
    raters: pd.Index | None
    rater: Codes | None
    answer: Codes
    sets: NDArray[np.bool_] | None
    seconds: NDArray[np.float64]
    created_at: NDArray[np.float64]

    @property
    def counts(self) -> NDArray[np.float64]:
        """(posts, answers) votes; for a question with several answers (posts, sets)."""
        width = len(self.answers) if self.sets is None else max(len(self.sets), 1)
        return counts_from_annotations(self.item, self.answer, n_items=len(self.posts), n_categories=width)

    def counts_of(self, answer: int) -> NDArray[np.float64]:
        """(posts, 2) judgements without and with one of several answers."""
        assert self.sets is not None
        ticked = self.sets[self.answer, answer].astype(np.int64)
        return counts_from_annotations(self.item, ticked, n_items=len(self.posts), n_categories=2)

    @property
    def n_raters(self) -> float:
        """How many raters; NaN where unknown."""
        return float("nan") if self.raters is None else float(len(self.raters))


def counts_by_post(post_id: pd.Series, code: Codes, n_categories: int) -> tuple[pd.Index, NDArray[np.float64]]:
    """Ids of posts, and their votes (posts, n_categories)."""
    item, posts = pd.factorize(post_id)
    return pd.Index(posts), counts_from_annotations(item, code, n_items=len(posts), n_categories=n_categories)


def all_votes(annotations: pd.DataFrame, codebook: Codebook, questions: tuple[str, ...] = ()) -> Iterator[Votes]:
    """The votes of every cohort that answered a question, question by question; free texts are left out.

    Args:
        annotations: a snapshot, without what must not count.
        codebook: the questions.
        questions: only these; by default all.
    """
    for name in questions or tuple(codebook.question):
        question = codebook.question[name]
        if question.kind == "text":
            continue
        mine = answered(annotations, codebook, name)
        for cohort in mine["cohort"].unique():
            own = mine[mine["cohort"] == cohort]
            if question.kind == "multiple":
                invited = asked(annotations[annotations["cohort"] == cohort], codebook, name)
                yield _several(own, invited, name, cohort, question.answers)
            else:
                codes = pd.Index(question.answers).get_indexer(own["answer"])
                yield _votes(own, codes, None, name, cohort, question.kind, question.answers)


def _several(own: pd.DataFrame, invited: pd.DataFrame, question: str, cohort: str, answers: tuple[str, ...]) -> Votes:
    """A judgement for everyone who was asked, with the set of answers that they ticked, be it empty."""
    keys = ["post_id", "rater_id"]
    ticks = pd.crosstab([own["post_id"], own["rater_id"]], own["answer"]).reindex(columns=list(answers), fill_value=0)
    timed = own.groupby(keys, sort=False)[["seconds", "created_at"]].first()
    table = invited[keys].drop_duplicates().set_index(keys)
    held = ticks.reindex(table.index, fill_value=0).to_numpy() > 0
    rows = table.join(timed).reset_index()
    if not len(rows):
        sets, codes = np.zeros((0, len(answers)), dtype=bool), np.zeros(0, dtype=np.int64)
    else:
        sets, codes = np.unique(held, axis=0, return_inverse=True)
    return _votes(rows, codes.reshape(-1), sets, question, cohort, "multiple", answers)


def _votes(
    rows: pd.DataFrame,
    answer: Codes,
    sets: NDArray[np.bool_] | None,
    question: str,
    cohort: str,
    kind: str,
    answers: tuple[str, ...],
) -> Votes:
    item, posts = pd.factorize(rows["post_id"])
    rater, raters = (None, None)
    if rows["rater_id"].notna().all():
        rater, raters = pd.factorize(rows["rater_id"])
    times = pd.to_datetime(rows["created_at"], utc=True)
    seconds = (times - pd.Timestamp(0, tz="UTC")).dt.total_seconds()
    return Votes(
        question=question,
        cohort=str(cohort),
        kind=kind,
        answers=answers,
        posts=pd.Index(posts),
        item=item.astype(np.int64),
        raters=None if raters is None else pd.Index(raters),
        rater=None if rater is None else rater.astype(np.int64),
        answer=np.asarray(answer, dtype=np.int64),
        sets=sets,
        seconds=rows["seconds"].to_numpy(dtype=np.float64),
        created_at=np.asarray(seconds, dtype=np.float64),
    )
