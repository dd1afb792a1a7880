"""Writing posts: checked, deduplicated, whole or not at all, in memory that does not grow with the posts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import pandas as pd

from comoderate.corpus.datasets import finish
from comoderate.corpus.duplicates import Rule, drop_duplicates
from comoderate.corpus.files import atomic_folder
from comoderate.corpus.parts import write_parts
from comoderate.errors import ComoderateError

POST_TYPES = {
    "post_id": "string", "text": "string", "created_at": "timestamp", "day": "string", "views": "double",
    "u": "double", "author": "string", "thread": "string", "row": "int64",
}  # fmt: skip
"""Types of the columns that Comoderate knows; an attribute is text."""


def post_type(name: str) -> str:
    """The type of a column of posts; ``score_…`` holds the recorded probabilities of another service."""
    return "double" if name.startswith("score_") else POST_TYPES.get(name, "string")


class ImportCounts(NamedTuple):
    """How many posts were read, written, and dropped by which rule."""

    read: int
    written: int
    dropped_duplicates: int
    dropped_missing_text: int
    dropped_missing_time: int = 0


def write_posts(
    batches: Iterable[pd.DataFrame],
    folder: Path | str,
    *,
    where: str,
    duplicates: Rule = "refuse",
    missing_text: Literal["refuse", "drop"] = "refuse",
    missing_time: Literal["keep", "drop"] = "keep",
    names: Mapping[str, str] | None = None,
    progress: Callable[[int], None] | None = None,
    metadata: Mapping[str, str],
) -> ImportCounts:
    """Write the posts of a study to ``folder``; on any error, Ctrl-C included, ``folder`` stays as it was.

    Args:
        batches: frames with the same columns: ``post_id``, ``u``, ``row`` (number of the source's record), and where
            the source has them ``text``, ``created_at`` (UTC), ``day`` (``YYYY-MM-DD``), ``views``, ``author``,
            ``thread`` (both already hashed), and attributes as text.
        folder: the study's ``posts``.
        where: name of the source, for error messages.
        duplicates: which of several posts with one id to keep, or ``refuse``. Looked at after ``missing_text``.
        missing_text: what to do with a post whose text is missing or blank.
        missing_time: what to do with a post whose ``created_at`` is NaT.
        names: what the source calls a column, for error messages, where it is another name.
        progress: called after every batch with the number of posts read so far.
        metadata: texts for the manifest.

    Raises:
        ComoderateError: a post without an id, without text or with a repeated id, where that is refused; no post left.
        ValueError: the frames' columns are not those above.
    """
    intake = _Intake(where, missing_text, missing_time, progress, names or {})
    with atomic_folder(folder) as temporary:
        first, frames = _peek(intake.accepted(batches), where)
        write_parts(frames, temporary, {str(name): post_type(str(name)) for name in first.columns})
        if intake.read == intake.textless + intake.timeless:
            what = "any text" if intake.textless else "a time"
            raise ComoderateError(f"no post has {what}", where=where)
        repeated = drop_duplicates(temporary, rule=duplicates, where=where)
        manifest = finish(temporary, "posts", metadata)
    return ImportCounts(intake.read, manifest.rows, repeated, intake.textless, intake.timeless)


def _peek(frames: Iterator[pd.DataFrame], where: str) -> tuple[pd.DataFrame, Iterator[pd.DataFrame]]:
    """The first frame, and all of them."""
    first = next(frames, None)
    if first is None:
        raise ComoderateError("there are no posts", where=where)
    missing = {"post_id", "u", "row"} - set(first.columns)
    if missing:
        raise ValueError(f"posts lack the columns {sorted(missing)}")
    return first, _again(first, frames)


def _again(first: pd.DataFrame, rest: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """A frame and those after it."""
    yield first
    yield from rest


class _Intake:
    """Checks frames on their way in and counts."""

    def __init__(
        self,
        where: str,
        missing_text: str,
        missing_time: str,
        progress: Callable[[int], None] | None,
        names: Mapping[str, str],
    ) -> None:
        self.where, self.progress, self.names = where, progress, names
        self.missing_text, self.missing_time = missing_text, missing_time
        self.read = self.textless = self.timeless = 0

    def accepted(self, batches: Iterable[pd.DataFrame]) -> Iterator[pd.DataFrame]:
        """The frames without the posts that the rules drop."""
        for frame in batches:
            self._require_ids(frame)
            kept = self._with_text(frame) if "text" in frame else frame
            timed = kept[kept["created_at"].notna()] if self.missing_time == "drop" and "created_at" in kept else kept
            self.read += len(frame)
            self.textless += len(frame) - len(kept)
            self.timeless += len(kept) - len(timed)
            yield timed
            if self.progress is not None:
                self.progress(self.read)

    def _require_ids(self, frame: pd.DataFrame) -> None:
        """Refuse a post without an id."""
        absent = _blank(frame["post_id"])
        if absent.any():
            raise ComoderateError(
                "a post has no id", where=self._place("post_id", frame, absent), do="give every post an id of its own"
            )

    def _with_text(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Apply the rule on missing text."""
        absent = _blank(frame["text"])
        if absent.any() and self.missing_text == "refuse":
            raise ComoderateError(
                "a post has no text", where=self._place("text", frame, absent),
                do="set missing_text = 'drop' under [posts] to leave such posts out",
            )  # fmt: skip
        return frame[~absent]

    def _place(self, column: str, frame: pd.DataFrame, absent: pd.Series) -> str:
        """File, column and row of the first post marked."""
        return f"{self.where}, column {self.names.get(column, column)}, row {frame['row'][absent].iloc[0]}"


def _blank(values: pd.Series) -> pd.Series:
    """Where a text is missing, empty or white space."""
    return values.fillna("").str.strip().eq("")
