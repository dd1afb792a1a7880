"""Importing annotations: from tables of five forms to rows of the annotation store."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.annotation import Row, Store
from comoderate.codebook import Codebook
from comoderate.corpus import read_batches
from comoderate.errors import ComoderateError
from comoderate.study.posts import post_ids
from comoderate.study.settings import AnnotationsSettings
from comoderate.study.values import ROW, Cells

PREFIX = "import/"
"""How the ids of imported answers begin."""


class AnnotationCounts(NamedTuple):
    """What an import of annotations did: answers in the file, rows appended and withdrawn, answers dropped by rule."""

    answers: int
    appended: int
    withdrawn: int
    dropped_duplicates: int
    dropped_unknown_posts: int


def import_annotations(
    store: Store,
    name: str,
    path: Path,
    settings: AnnotationsSettings,
    *,
    codebook: Codebook,
    known_posts: pd.Index,
    post_id: str | list[str],
    forgotten: Callable[[pd.Series], pd.Series] | None = None,
) -> AnnotationCounts:
    """Make the annotations of the import ``name`` exactly what the file at ``path`` says, by appending.

    Args:
        store: the study's annotations.
        name: the import's name in ``study.toml``.
        path: the source.
        settings: its form, columns and rules.
        codebook: every answer must be in it.
        known_posts: ids of the posts that were imported.
        post_id: the columns of the id, where ``settings`` names none.
        forgotten: says which posts were forgotten on request; what the file says of them is passed over.

    Raises:
        ComoderateError: with file, column and row, where the source breaks a rule; the store is then as it was.
    """
    reader = _Reader(path, settings, codebook, settings.post_id or post_id)
    answers = pd.concat(list(reader.frames()), ignore_index=True)
    total = len(answers)
    if forgotten is not None:
        answers = answers[~forgotten(answers["post_id"])]
    answers, unknown = _known(answers, known_posts, settings, path)
    answers, repeated = _once(answers, settings, codebook, path)
    appended, withdrawn = store.replace(f"import/{name}/", _rows(answers, name, settings, codebook))
    return AnnotationCounts(total, appended, withdrawn, repeated, unknown)


class _Reader:
    """Reads a file of one form into frames: row, post_id, rater_id, question, answer, vote, created_at, seconds."""

    def __init__(self, path: Path, settings: AnnotationsSettings, codebook: Codebook, post_id: str | list[str]) -> None:
        self.path, self.s, self.codebook, self.post_id = path, settings, codebook, post_id

    def frames(self) -> Iterator[pd.DataFrame]:
        s = self.s
        for batch in read_batches(self.path, self._columns(), format=s.format, encoding=s.encoding):
            cells = Cells(batch.frame, self.path.name, batch.first_row)
            pieces = list(self._pieces(cells))
            frame = pd.concat(pieces, ignore_index=True) if pieces else pd.DataFrame()
            yield frame.sort_values("row", kind="stable") if len(frame) else self._base(cells).iloc[:0]

    def _columns(self) -> list[str]:
        s = self.s
        ids = self.post_id if isinstance(self.post_id, list) else [self.post_id]
        one_hot = [column for answers in s.answers.values() for column in answers.values()]
        single = [c for c in (s.rater_id, s.question, s.answer, s.created_at, s.seconds) if c]
        named = [*ids, *single, *s.columns.values(), *s.rater_columns.values(), *one_hot]
        return [column for column in dict.fromkeys(named) if column != ROW]

    def _base(self, cells: Cells) -> pd.DataFrame:
        frame = pd.DataFrame({"post_id": post_ids(cells, self.post_id)})
        frame.insert(0, "row", np.arange(cells.first_row, cells.first_row + len(frame)))
        frame["rater_id"] = self.s.rater
        if self.s.rater_id:
            frame["rater_id"] = cells.texts(self.s.rater_id)
            cells.refuse("the rater is missing", self.s.rater_id, frame["rater_id"].isna(), "name every rater")
        frame["created_at"] = cells.times(self.s.created_at) if self.s.created_at else pd.NaT
        frame["seconds"] = cells.numbers(self.s.seconds) if self.s.seconds else np.nan
        return frame.assign(question="", answer=None, vote=0)

    def _pieces(self, cells: Cells) -> Iterator[pd.DataFrame]:
        base = self._base(cells)
        if self.s.form == "long":
            yield from self._long(cells, base)
        elif self.s.form == "wide":
            for question, column in self.s.columns.items():
                yield self._answered(cells, base, question, column)
        elif self.s.form == "raters":
            assert self.s.rater_question is not None
            for rater, column in self.s.rater_columns.items():
                yield self._answered(cells, base.assign(rater_id=rater), self.s.rater_question, column)
        else:
            for question, columns in self.s.answers.items():
                yield from self._spread(cells, base, question, columns)

    def _long(self, cells: Cells, base: pd.DataFrame) -> Iterator[pd.DataFrame]:
        assert self.s.question is not None
        assert self.s.answer is not None
        questions = cells.texts(self.s.question)
        known = ", ".join(self.codebook.question)
        unknown = ~questions.isin(list(self.codebook.question))
        cells.refuse("{} is no question of the codebook", self.s.question, unknown, f"it has: {known}")
        for question in questions.unique():
            mine = questions == question
            part = Cells(cells.frame.where(mine), cells.file, cells.first_row)
            yield self._answered(part, base, question, self.s.answer)

    def _answered(self, cells: Cells, base: pd.DataFrame, question: str, column: str) -> pd.DataFrame:
        answers = cells.texts(column)
        answers = answers.replace({old: new or None for old, new in self.s.recode.get(question, {}).items()})
        if self.codebook.question[question].kind != "text":
            allowed = self.codebook.question[question].answers
            wrong = answers.notna() & ~answers.isin(allowed)
            cells.refuse(f"{{}} is no answer to {question!r}", column, wrong, f"the codebook has: {', '.join(allowed)}")
        return base.assign(question=question, answer=answers)[answers.notna()]

    def _spread(
        self, cells: Cells, base: pd.DataFrame, question: str, columns: dict[str, str]
    ) -> Iterator[pd.DataFrame]:
        if self.s.form == "one-hot":
            ticks = pd.DataFrame({answer: cells.ticks(column) for answer, column in columns.items()})
            if self.codebook.question[question].kind != "multiple":
                several = ticks.sum(axis=1) > 1
                advice = "tick one answer a row"
                cells.refuse(f"two answers to {question!r} are ticked", next(iter(columns.values())), several, advice)
            counts = ticks.astype("int64")
        else:
            counts = pd.DataFrame({answer: cells.counts(column) for answer, column in columns.items()})
        for answer in columns:
            votes = counts[answer].to_numpy()
            repeated = base.loc[base.index.repeat(votes)].assign(question=question, answer=answer)
            starts = np.repeat(np.cumsum(votes) - votes, votes)
            yield repeated.assign(vote=np.arange(len(repeated)) - starts)


def _known(
    answers: pd.DataFrame, known: pd.Index, settings: AnnotationsSettings, path: Path
) -> tuple[pd.DataFrame, int]:
    missing = ~answers["post_id"].isin(known)
    if missing.any() and settings.unknown_posts == "refuse":
        first = answers[missing].iloc[0]
        raise ComoderateError(
            f"the post {first['post_id']!r} was not imported",
            where=f"{path.name}, row {first['row']}",
            do="set unknown_posts = 'drop' to leave such annotations out",
        )
    return answers[~missing], int(missing.sum())


def _once(
    answers: pd.DataFrame, settings: AnnotationsSettings, codebook: Codebook, path: Path
) -> tuple[pd.DataFrame, int]:
    """Keep one judgement a rater and post (and question, in the long form)."""
    unnamed = settings.rater_id is None and settings.rater is None and settings.form != "raters"
    if answers.empty or (unnamed and settings.form != "counts"):
        return answers, 0
    last = settings.duplicates == "last"
    if settings.form == "long":
        several = answers["question"].map(lambda q: codebook.question[q].kind == "multiple")
        judgement = answers.assign(_answer=answers["answer"].where(several, ""))
        key = ["post_id", "rater_id", "question", "_answer"]
        repeated = judgement.duplicated(key, keep="last" if last else "first")
    else:
        rows = answers.groupby(["post_id", "rater_id"], sort=False, dropna=False)["row"].transform(
            "max" if last else "min"
        )
        repeated = answers["row"] != rows
    if repeated.any() and settings.duplicates == "refuse":
        again = answers[repeated].iloc[0]
        who = "the votes on" if unnamed else f"rater {again['rater_id']!r} judged"
        raise ComoderateError(
            f"{who} post {again['post_id']!r} {'stand' if unnamed else ''} twice".replace("  ", " "),
            where=f"{path.name}, row {again['row']}",
            do="set duplicates = 'first' or 'last' to keep one judgement",
        )
    return answers[~repeated], int(repeated.sum())


def _rows(answers: pd.DataFrame, name: str, settings: AnnotationsSettings, codebook: Codebook) -> Iterator[Row]:
    fixed = {"cohort": settings.cohort, "source": settings.source, "codebook": codebook.label}
    columns = ["post_id", "rater_id", "question", "answer", "vote", "row"]
    times = pd.to_datetime(answers["created_at"], utc=True).astype(object)
    times = times.where(times.notna(), None)
    seconds = answers["seconds"].astype("float64").astype(object).where(answers["seconds"].notna(), None)
    for values, time, took in zip(answers[columns].to_numpy(dtype=object), times, seconds, strict=True):
        row: Row = {**fixed, **dict(zip(columns[:4], values, strict=False)), "created_at": time, "seconds": took}
        row["response_id"] = f"{PREFIX}{name}/{_digest(values, *fixed.values(), time, took)}"
        yield row


def withdraw_others(store: Store, names: Iterable[str]) -> int:
    """Withdraw the annotations of imports that the study no longer has; gives how many."""
    ids = store.snapshot()["response_id"]
    imported = {one.split("/")[1] for one in ids[ids.str.startswith(PREFIX)]}
    return sum(store.replace(f"{PREFIX}{name}/", ())[1] for name in sorted(imported - set(names)))


def _digest(values: NDArray[np.object_], *more: object) -> str:
    """Names an answer by all that is stored of it; where the rater is unknown, by its row as well."""
    parts = (*(values[:5] if values[1] is not None else values), *more)
    return hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=10).hexdigest()
