"""Importing posts: from the columns of a file to the study's dataset of posts."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from comoderate import __version__
from comoderate.corpus import ImportCounts, read_batches, write_posts
from comoderate.errors import ComoderateError
from comoderate.sampling import uniform
from comoderate.study import pushed
from comoderate.study.privacy import hash_people
from comoderate.study.settings import PostsSettings
from comoderate.study.values import ROW, Cells

FIRST_PHASE = "draw"
"""The purpose of the random number that is stored with every post."""

SHORT, LONG = 60, 160
"""Characters: texts below ``SHORT`` are short, from ``LONG`` on long."""


def import_posts(
    path: Path | None,
    settings: PostsSettings,
    folder: Path,
    *,
    seed: int,
    key: bytes,
    progress: Callable[[int], None] | None = None,
    forgotten: Callable[[pd.Series], pd.Series] | None = None,
    inbox: Sequence[Path] = (),
) -> ImportCounts:
    """Read the file at ``path`` and write the study's posts, whole or not at all.

    Args:
        path: the source; None where all posts were pushed.
        settings: names of its columns and rules for bad rows.
        folder: the study's ``posts``.
        seed: the study's seed, for the stored random number.
        key: secret for hashes of authors and threads.
        progress: called with the number of posts read so far.
        forgotten: says which ids were forgotten on request and must not come back.
        inbox: files of pushed posts, which come after the source's.

    Raises:
        ComoderateError: with file, column and row, where the source breaks a rule.
    """
    sources = [(path, settings)] if path is not None else []
    sources += [(one, pushed.settings_of(settings)) for one in inbox]
    where = path.name if path is not None else pushed.INBOX
    return write_posts(
        _all_frames(sources, seed, key, forgotten),
        folder,
        where=where,
        duplicates=settings.duplicates,
        missing_text=settings.missing_text,
        missing_time="drop" if settings.missing_time == "drop" else "keep",
        names={"text": settings.text} if settings.text else None,
        progress=progress,
        metadata={"seed": str(seed), "version": __version__, "source": where},
    )


def needed_columns(settings: PostsSettings) -> list[str]:
    """The columns of the source that the settings name, each once."""
    ids = settings.post_id if isinstance(settings.post_id, list) else [settings.post_id]
    single = (settings.text, settings.created_at, settings.author, settings.thread, settings.views)
    named = [*ids, *(c for c in single if c), *settings.attributes.values(), *settings.scores.values()]
    return [column for column in dict.fromkeys(named) if column != ROW]


def post_ids(cells: Cells, columns: str | list[str]) -> pd.Series:
    """Ids of posts; those of several columns become a short digest of all of them."""
    ids = cells.ids(columns)
    if isinstance(columns, str):
        return ids
    short = {value: hashlib.blake2b(value.encode(), digest_size=8).hexdigest() for value in ids.unique()}
    return ids.map(short)


def _all_frames(
    sources: Sequence[tuple[Path, PostsSettings]],
    seed: int,
    key: bytes,
    forgotten: Callable[[pd.Series], pd.Series] | None,
) -> Iterator[pd.DataFrame]:
    """The frames of all sources; rows are numbered on from one to the next."""
    before = 0
    for path, settings in sources:
        last = 0
        for frame in _frames(path, settings, seed, key, forgotten):
            last = int(frame["row"].max()) if len(frame) else last
            yield frame.assign(row=frame["row"] + before) if before else frame
        before += last


def _frames(
    path: Path, settings: PostsSettings, seed: int, key: bytes, forgotten: Callable[[pd.Series], pd.Series] | None
) -> Iterator[pd.DataFrame]:
    columns = needed_columns(settings)
    for batch in read_batches(path, columns, format=settings.format, encoding=settings.encoding):
        cells = Cells(batch.frame, path.name, batch.first_row)
        frame = _standard(cells, settings, seed, key)
        yield frame if forgotten is None else frame[~forgotten(frame["post_id"])]


def _standard(cells: Cells, s: PostsSettings, seed: int, key: bytes) -> pd.DataFrame:
    """One batch under the study's own column names."""
    frame = pd.DataFrame({"post_id": post_ids(cells, s.post_id)})
    frame["row"] = np.arange(cells.first_row, cells.first_row + len(frame))
    frame["u"] = uniform(seed, FIRST_PHASE, frame["post_id"])
    if s.text:
        frame["text"] = cells.texts(s.text)
        if s.length:
            frame["length"] = text_length(frame["text"])
    if s.created_at:
        frame["created_at"] = _dates(cells, s.created_at, refuse=s.missing_time == "refuse")
        frame["day"] = frame["created_at"].dt.strftime("%Y-%m-%d")
    if s.views:
        frame["views"] = cells.numbers(s.views)
        cells.refuse("{} is negative", s.views, frame["views"] < 0, "views are 0 or more")
    for name, column in (("author", s.author), ("thread", s.thread)):
        if column:
            frame[name] = hash_people(cells.texts(column), key, name)
    for name, column in s.attributes.items():
        frame[name] = cells.texts(column)
    for name, column in s.scores.items():
        frame[f"score_{name}"] = cells.probabilities(column, missing=s.missing_score == "keep")
    return frame


def _dates(cells: Cells, column: str, *, refuse: bool) -> pd.Series:
    times = cells.times(column)
    if refuse:
        do = "give every post a time, or set missing_time = 'drop' under [posts] to leave such posts out"
        cells.refuse("the time is missing", column, times.isna(), do)
    return times


def text_length(texts: pd.Series) -> pd.Series:
    """``short``, ``medium`` or ``long``, by the number of characters."""
    length = texts.str.len()
    names = np.select([length < SHORT, length < LONG, length >= LONG], ["short", "medium", "long"], default="")
    return pd.Series(names, index=texts.index, dtype=object).where(length.notna(), None)


def read_totals(path: Path, day: str, total: str) -> pd.Series:
    """Daily totals of the world: a whole number for each day (index, ``YYYY-MM-DD``, sorted); ``attrs`` say where.

    Raises:
        ComoderateError: an unreadable day, a total that is no whole number, or a day that occurs twice.
    """
    pieces = []
    for batch in read_batches(path, [day, total]):
        cells = Cells(batch.frame, path.name, batch.first_row)
        times = cells.times(day)
        cells.refuse("the day is missing", day, times.isna())
        cells.refuse("the total is missing", total, cells.numbers(total).isna(), "give every day a total")
        pieces.append(pd.Series(cells.counts(total, of="posts").to_numpy(), index=times.dt.strftime("%Y-%m-%d")))
    totals = pd.concat(pieces)
    repeated = totals.index[totals.index.duplicated()]
    if len(repeated):
        raise ComoderateError(
            f"the day {repeated[0]} occurs twice", where=f"{path.name}, column {day}", do="keep one row a day"
        )
    found = totals.sort_index().rename("N").rename_axis("day")
    found.attrs["where"] = f"{path.name}, column {total}"
    return found
