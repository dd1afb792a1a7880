"""The population: people with attributes, who of them counts, and which posts mention them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from comoderate import __version__
from comoderate.corpus import read_batches, read_frame, write_batches, write_frame
from comoderate.errors import ComoderateError
from comoderate.study.comparisons import Comparison, parse
from comoderate.study.loading import FILE
from comoderate.study.posts import post_ids as ids_of
from comoderate.study.values import ROW, Cells

if TYPE_CHECKING:
    from comoderate.study.settings import PopulationSettings
    from comoderate.study.study import Study

MEMBERS, MENTIONS = "members.parquet", "mentions.parquet"
SCHEMA = {"post_id": "string", "handle": "string"}
_HANDLE = re.compile(r"(?<![\w@/.])@(\w{1,50})")
_NAME = re.compile(r"\w+(?:[.\-]\w+)*")
SHOWN = 5
"""Handles that a warning names."""


def normal(handles: pd.Series) -> pd.Series:
    """Handles without ``@`` and case."""
    return handles.str.strip().str.removeprefix("@").str.casefold()


def read_members(path: Path, settings: PopulationSettings) -> pd.DataFrame:
    """Everyone in the file: handle, row, excluded (the first rule that is not met, or None), attributes.

    Raises:
        ComoderateError: no such file or column, a missing or repeated handle, a value that is no number where a rule
            needs one.
    """
    rules = [parse(text) for text in settings.include]
    columns = [settings.handle, *settings.attributes.values(), *(rule.column for rule in rules)]
    pieces = []
    for batch in read_batches(path, list(dict.fromkeys(columns))):
        cells = Cells(batch.frame, path.name, batch.first_row)
        handles = normal(cells.texts(settings.handle).fillna("").astype(str))
        cells.refuse("the handle is missing", settings.handle, handles == "", "give everyone a handle")
        piece = pd.DataFrame({"handle": handles, "row": range(cells.first_row, cells.first_row + len(handles))})
        piece["excluded"] = _first_unmet(cells, rules)
        for name, column in settings.attributes.items():
            piece[name] = cells.texts(column)
        pieces.append(piece)
    members = pd.concat(pieces, ignore_index=True)
    repeated = members[members["handle"].duplicated()]
    if len(repeated):
        again = repeated.iloc[0]
        raise ComoderateError(
            f"the handle {again['handle']!r} occurs twice",
            where=f"{path.name}, column {settings.handle}, row {again['row']}",
            do="keep one row a person",
        )
    return members


def _first_unmet(cells: Cells, rules: list[Comparison]) -> pd.Series:
    """The first rule that each person fails; None for those who meet all."""
    unmet = pd.Series(None, index=cells.frame.index, dtype=object)
    for rule in reversed(rules):
        values = cells.numbers(rule.column) if rule.orders else cells.texts(rule.column).astype("string")
        unmet = unmet.where(rule.holds(values), rule.text)
    return unmet


def exclusions(members: pd.DataFrame, rules: tuple[str, ...]) -> pd.DataFrame:
    """Who was left out and why, in the order of the rules: reason, people, left."""
    rows, left = [], len(members)
    for rule in rules:
        out = int((members["excluded"] == rule.strip()).sum())
        left -= out
        rows.append({"reason": f"not: {rule.strip()}", "people": out, "left": left})
    silent = members["excluded"].isna() & (members["posts"] == 0)
    rows.append({"reason": "mentioned in no post in hand", "people": int(silent.sum()), "left": left - silent.sum()})
    first = {"reason": "in the list", "people": len(members), "left": len(members)}
    return pd.DataFrame([first, *rows])


def make(study: Study) -> dict[str, Any]:
    """Read the population, find its mentions, and write both; gives counts and warnings."""
    own = study.settings.population
    assert own is not None
    path = study.folder / own.path
    members = read_members(path, own)
    counted = members.loc[members["excluded"].isna(), "handle"]
    if counted.empty:
        raise ComoderateError(
            "the rules of inclusion leave nobody", where=f"{study.folder / FILE}, population.include",
            do="relax a rule",
        )  # fmt: skip
    found: dict[str, int] = dict.fromkeys(counted, 0)
    metadata = {"version": __version__}
    write_batches(_counted(_mentions(study), found), study.folder / MENTIONS, metadata, schema=SCHEMA)
    members["posts"] = members["handle"].map(found).fillna(0).astype("int64")
    if not members["posts"].sum():
        raise ComoderateError(
            f"no post mentions any of the {len(counted)} people of the population", where=path,
            do="check the column of handles, and where mentions come from ([mentions])",
        )  # fmt: skip
    write_frame(members, study.folder / MEMBERS, metadata)
    summary = {"people": len(members), "counted": len(counted), "mentions": int(members["posts"].sum())}
    return {**summary, "warnings": _unmatched(members, path)}


def _unmatched(members: pd.DataFrame, path: Path) -> list[str]:
    """A line on handles that occur in no post."""
    silent = members[members["excluded"].isna() & (members["posts"] == 0)]
    if silent.empty:
        return []
    shown = [f"@{row.handle} (row {row.row})" for row in silent.head(SHOWN).itertuples()]
    more = f" and {len(silent) - SHOWN} more" if len(silent) > SHOWN else ""
    people = int(members["excluded"].isna().sum())
    text = f"{len(silent)} of {people} handles of {path.name} occur in no post: {', '.join(shown)}{more}"
    return [f"{text}; check their spelling"]


def _counted(batches: Iterator[pd.DataFrame], found: dict[str, int]) -> Iterator[pd.DataFrame]:
    """Mentions of people who count, once a post and person, counted on the way."""
    for batch in batches:
        mine = batch.assign(handle=normal(batch["handle"].astype("string")))
        mine = mine[mine["handle"].isin(list(found))].drop_duplicates()
        for handle, count in mine["handle"].value_counts().items():
            found[str(handle)] += int(count)
        yield mine[["post_id", "handle"]].astype(object)


def _mentions(study: Study) -> Iterator[pd.DataFrame]:
    """post_id, handle of every mention, by a file, a column of the posts' file, or the texts."""
    s = study.settings
    if s.mentions.path is not None:
        path = study.folder / s.mentions.path
        for batch in read_batches(path, [s.mentions.post_id, s.mentions.handle]):
            cells = Cells(batch.frame, path.name, batch.first_row)
            ids, handles = cells.ids(s.mentions.post_id), cells.texts(s.mentions.handle)
            yield pd.DataFrame({"post_id": ids, "handle": handles}).dropna()
    elif s.mentions.column is not None:
        yield from _from_column(study, s.mentions.column)
    elif "text" in study.posts().columns:
        for frame in study.posts().iter_frames(["post_id", "text"]):
            yield _spread(frame["post_id"], frame["text"].map(_HANDLE.findall, na_action="ignore"))
    else:
        raise ComoderateError(
            "the posts have no text to find mentions in", where=study.folder / FILE, do="add [mentions] path or column"
        )


def _from_column(study: Study, column: str) -> Iterator[pd.DataFrame]:
    posts = study.settings.posts
    path = study.source("posts", posts.path)
    if path is None or not path.exists():
        raise ComoderateError(
            "the file of posts is needed once more for its column of mentions", where=path or study.folder / FILE,
            do="give --posts FILE",
        )  # fmt: skip
    ids = posts.post_id if isinstance(posts.post_id, list) else [posts.post_id]
    columns = [name for name in (*ids, column) if name != ROW]
    for batch in read_batches(path, columns, format=posts.format, encoding=posts.encoding):
        cells = Cells(batch.frame, path.name, batch.first_row)
        handles = cells.texts(column).map(_NAME.findall, na_action="ignore")
        yield _spread(ids_of(cells, posts.post_id), handles)


def _spread(post_ids: pd.Series, handles: pd.Series) -> pd.DataFrame:
    """A row for every handle of every post."""
    return pd.DataFrame({"post_id": post_ids, "handle": handles}).explode("handle").dropna()


def mentions(study: Study, post_ids: pd.Series) -> pd.DataFrame:
    """The mentions in these posts: post_id, handle, and the attributes of who is mentioned."""
    own = study.settings.population
    assert own is not None
    found = read_frame(study.folder / MENTIONS, post_ids=post_ids).drop_duplicates()
    members = read_frame(study.folder / MEMBERS, ["handle", *own.attributes])
    return found.merge(members, on="handle", how="left")
