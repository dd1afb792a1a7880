"""Moderators' decisions on the queue: kept as annotations by source, and told apart in what they can measure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pandas as pd

from comoderate import __version__, review
from comoderate.annotation import Row
from comoderate.codebook import Codebook, Target
from comoderate.corpus import read_batches, read_frame, write_frame
from comoderate.errors import ComoderateError
from comoderate.study import cases, ratings
from comoderate.study.starting import file_columns
from comoderate.study.values import Cells

if TYPE_CHECKING:
    from comoderate.study.study import Study

COLUMNS = ("post_id", "target", "action", "answer", "actor", "decided_at", "source", "pi", "rank")
AUDIT = ("target", "slice", "posts", "value", "low", "high", "says", "method", "reason")
WORDS = ("positive", "negative")
PREFIX = "decision/"


class DecisionCounts(NamedTuple):
    """What an import of decisions did: rows in the file, of the audit, of the queue; rows appended and withdrawn."""

    decisions: int
    audit: int
    queue: int
    appended: int
    withdrawn: int


def import_decisions(study: Study, path: Path) -> DecisionCounts:
    """Add the decisions in a file to the study's; a later decision of a moderator on a post replaces an earlier one.

    The file has the columns post_id, decision (an answer to the target's question, ``positive`` or ``negative``) and
    moderator, and may have decided_at. Whether a post belongs to the audit is what the queue says, not the file.

    Raises:
        ComoderateError: a decision on a post that was never queued, or one that is no answer.
    """
    s, name = study.settings, cases.target_of(study)
    new = read_answers(path, s.codebook, s.target[name], name)
    before = decisions(study)
    known = _queued(study, before)
    _refuse_unknown(new, known, path)
    new = new.merge(known, on=["post_id", "target"], how="left")
    appended, withdrawn = keep(study, pd.concat([before, new[list(COLUMNS)]]) if len(before) else new[list(COLUMNS)])
    audit = int((new["source"] == "audit").sum())
    return DecisionCounts(len(new), audit, len(new) - audit, appended, withdrawn)


def keep(study: Study, every: pd.DataFrame) -> tuple[int, int]:
    """Make the study's decisions exactly these, the last of a moderator on a post each: annotations and the file.

    Returns:
        Annotations appended, annotations withdrawn.
    """
    merged = every.drop_duplicates(["post_id", "target", "actor"], keep="last", ignore_index=True)
    with study.store() as store:
        counts = store.replace(PREFIX, _rows(merged, study))
    write_frame(merged, study.folder / "decisions.parquet", {"version": __version__})
    return counts


def decisions(study: Study) -> pd.DataFrame:
    """All decisions on queues so far: post_id, target, action, answer, actor, decided_at, source, pi, rank."""
    path = study.folder / "decisions.parquet"
    return read_frame(path) if path.exists() else pd.DataFrame(columns=list(COLUMNS))


def audit_table(study: Study) -> pd.DataFrame:
    """The share of positives in the audit slice, which speaks of the stream, and in the queue, which does not.

    A row a target and slice. Where several moderators decided on a post, the target's rule for raters decides.
    """
    rows: list[dict[str, Any]] = []
    held = decisions(study)
    for name, part in held.groupby("target", sort=False):
        target = study.settings.target[str(name)]
        positive = part["answer"].isin(target.positive_answers(study.settings.codebook))
        posts = part.assign(positive=positive).groupby("post_id", sort=False)
        counts = posts["positive"].agg(["sum", "size"])
        y = ratings.label(counts["sum"].to_numpy(), counts["size"].to_numpy(), target)
        is_audit = (posts["source"].first() == "audit").to_numpy()
        pi, decided = posts["pi"].first().to_numpy(dtype=np.float64), ~np.isnan(y)
        apart = review.shares_apart(y[decided], is_audit[decided], pi[decided], level=study.settings.evaluate.level)
        for slice_, found, says in (
            ("audit", apart.audit, "share of positives in the stream that the queue was made of"),
            ("queue", apart.queue, "share among the posts that the strategy chose, and of nothing else"),
        ):
            rows.append({"target": name, "slice": slice_, "posts": found.n, "says": says, **found.as_dict()})
    return pd.DataFrame(rows) if rows else pd.DataFrame(columns=list(AUDIT))


def read_answers(
    path: Path,
    codebook: Codebook,
    target: Target,
    name: str,
    *,
    said: str = "decision",
    who: str = "moderator",
    by: str | None = None,
) -> pd.DataFrame:
    """Answers to a target's question in a CSV: post_id, target, action, answer, actor, decided_at, row.

    Args:
        path: the file, with post_id, and the columns that ``said`` and ``who`` name.
        codebook, target, name: whose question is answered, by its answers or by ``positive`` and ``negative``.
        said: column of the answer.
        who: column of who gave it.
        by: who gave it where the file has no such column; rows without an answer are then left out, as posts that
            nobody has come to yet. None: the column must be there, and every row has an answer.

    Raises:
        ComoderateError: with column and row, a cell that is no answer; or a question that cannot be answered so.
    """
    _check_question(codebook, target, name)
    question = codebook.question[target.question]
    positive = target.positive_answers(codebook)
    negative = [answer for answer in question.answers if answer not in positive]
    meaning = {**{answer: answer for answer in question.answers}, **dict(zip(WORDS, (positive[0], negative[0])))}
    alone = by is not None and who not in file_columns(path)
    frames = []
    for batch in read_batches(path, ["post_id", said, *([] if alone else [who])]):
        cells = Cells(batch.frame, path.name, batch.first_row)
        text = cells.texts(said)
        empty = text.isna() | (text.str.strip() == "")
        if by is None:
            cells.refuse(f"the {said} is missing", said, empty, "decide on every post of the file")
        advice = f"write {', '.join(map(repr, meaning))}"
        cells.refuse(f"{{}} is no {said}", said, ~empty & ~text.isin(list(meaning)), advice)
        actor = pd.Series(by, index=text.index, dtype=object) if alone else cells.texts(who)
        cells.refuse(f"the {who} is missing", who, ~empty & actor.isna(), f"name every {who}")
        answer = text.map(meaning)
        frame = pd.DataFrame(
            {
                "post_id": cells.ids("post_id"),
                "target": name,
                "action": np.where(answer.isin(positive), "positive", "negative"),
                "answer": answer,
                "actor": actor,
                "decided_at": pd.Timestamp.now(tz="UTC").floor("s"),
                "row": np.arange(batch.first_row, batch.first_row + len(text)),
            }
        )
        frames.append(frame[~empty])
    return pd.concat(frames, ignore_index=True)


def _check_question(codebook: Codebook, target: Target, name: str) -> None:
    question = codebook.question[target.question]
    if question.kind in {"multiple", "text"} or question.when is not None:
        raise ComoderateError(
            f"decisions on target {name!r} cannot be kept: its question {target.question!r} takes several answers, or"
            " is asked only after another",
            do="review a target whose question has one answer and is asked of every post",
        )


def _queued(study: Study, before: pd.DataFrame) -> pd.DataFrame:
    """Every post that was ever queued: post_id, target, source, pi, rank; the queue at its first decision counts."""
    columns = ["post_id", "target", "source", "pi", "rank"]
    path = study.folder / "queue" / "review.parquet"
    frames = [before[columns], *([read_frame(path)[columns]] if path.exists() else [])]
    held = [frame for frame in frames if len(frame)]
    if not held:
        raise ComoderateError("there is no queue yet", where=study.folder, do="run `comoderate review` first")
    return pd.concat(held).drop_duplicates(["post_id", "target"], ignore_index=True)


def _refuse_unknown(new: pd.DataFrame, known: pd.DataFrame, path: Path) -> None:
    ids = set(known.loc[known["target"].isin(new["target"]), "post_id"])
    strange = new[~new["post_id"].isin(ids)]
    if len(strange):
        first = strange.iloc[0]
        raise ComoderateError(
            f"the post {first['post_id']!r} is not in the queue",
            where=f"{path.name}, column post_id, row {first['row']}",
            do="import decisions on posts of queue/review.parquet before the queue is made anew",
        )


def _rows(merged: pd.DataFrame, study: Study) -> Iterator[Row]:
    s = study.settings
    one: Any
    for one in merged.itertuples():
        question = s.target[str(one.target)].question
        name = "\x1f".join(map(str, (one.target, one.post_id, one.actor, one.answer)))
        yield {
            "response_id": PREFIX + hashlib.blake2b(name.encode(), digest_size=20).hexdigest(),
            "post_id": one.post_id,
            "rater_id": one.actor,
            "cohort": s.review.cohort,
            "source": one.source,
            "codebook": s.codebook.label,
            "question": question,
            "answer": one.answer,
            "created_at": pd.Timestamp(one.decided_at).to_pydatetime(),
            "seconds": None,
        }
