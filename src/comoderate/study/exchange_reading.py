"""Annotations from files of other tools, or from our own exports: one row an answer, with its place in the file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from comoderate.annotation import Row
from comoderate.codebook import Codebook
from comoderate.corpus import read_batches
from comoderate.errors import ComoderateError
from comoderate.study.exchange_forms import CROWD_KIT, FORMS, LONG, Form, unguard
from comoderate.study.values import Cells

CHUNK = 1 << 20
MOST_TASK = 64 << 20
"""Characters of a file of tasks that are read at a time, and the most that one task may take."""


class Found(NamedTuple):
    """An answer, with ``None`` for what the file does not say, and where it stands."""

    row: Row
    where: str


def form_of(path: Path) -> Form:
    """The form of a file, by its first bytes and its columns.

    Raises:
        ComoderateError: none of the forms.
    """
    if first_character(path) in "[{":
        return "label-studio"
    names = list(next(iter(read_batches(path, batch_rows=1))).frame.columns)
    if {"task", "worker", "label"} <= set(names):
        return "crowd-kit"
    if {"post_id", "question", "answer"} <= set(names):
        return "long"
    if "post_id" in names:
        return "wide"
    raise ComoderateError("the file has none of the forms that can be read", where=path, do=f"see {', '.join(FORMS)}")


def first_character(path: Path) -> str:
    """The first character of a file that is not white space; empty where there is none, or the file is no text."""
    if not path.is_file():
        raise ComoderateError("there is no such file", where=path, do="check the path")
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        return file.read(1_000).strip()[:1] or " "


def read(path: Path, form: Form, codebook: Codebook) -> Iterator[Found]:
    """The answers in a file, in bounded memory; keys as a row of the store, None for what the file does not say.

    Raises:
        ComoderateError: with the place, where the file breaks the form.
    """
    if form == "label-studio":
        return _tasks(path, codebook)
    readers: dict[str, Callable[[Cells, Codebook], Iterator[Found]]] = {
        "long": _long, "crowd-kit": _crowd_kit, "wide": _wide,
    }  # fmt: skip
    return _tabular(path, readers[form], codebook)


def _tabular(path: Path, reader: Callable[[Cells, Codebook], Iterator[Found]], codebook: Codebook) -> Iterator[Found]:
    for batch in read_batches(path, batch_rows=5_000):
        yield from reader(Cells(_with_raters(batch.frame, codebook), path.name, batch.first_row), codebook)


def _with_raters(frame: pd.DataFrame, codebook: Codebook) -> pd.DataFrame:
    """The frame with ``rater`` as ``rater_id``, as files for ``comoderate assess`` call it."""
    plain = "rater" in frame and "rater_id" not in frame and "rater" not in codebook.question
    return frame.rename(columns={"rater": "rater_id"}) if plain else frame


def _records(cells: Cells, names: dict[str, str], required: tuple[str, ...]) -> list[tuple[Row, str]]:
    """The named columns as dictionaries (our name → value, None where there is no such column), and their places."""
    for column in required:
        if column not in cells.frame:
            raise ComoderateError(f"the column {column!r} is missing", where=cells.file, do="name it so")
    columns: dict[str, Any] = {}
    for column, name in names.items():
        if column not in cells.frame:
            continue
        if name == "created_at":
            times = cells.times(column)
            columns[name] = times.astype(object).where(times.notna(), None)
        elif name == "seconds":
            numbers = cells.numbers(column)
            columns[name] = numbers.astype(object).where(numbers.notna(), None)
        else:
            columns[name] = cells.texts(column).map(unguard, na_action="ignore")
    table = pd.DataFrame(columns, dtype=object)
    table = table.where(table.notna(), None)
    empty = dict.fromkeys(names.values())
    rows = ({**empty, **dict(zip(table.columns, values, strict=True))} for values in table.itertuples(index=False))
    return [(row, f"{cells.file}, row {cells.first_row + at}") for at, row in enumerate(rows)]


def _long(cells: Cells, _: Codebook) -> Iterator[Found]:
    names = {name: name for name in LONG}
    for row, where in _records(cells, names, ("post_id", "question", "answer")):
        if row["answer"] is not None:
            yield Found(row, where)


def _crowd_kit(cells: Cells, codebook: Codebook) -> Iterator[Found]:
    renamed = {"task": "post_id", "worker": "rater_id", "label": "answer"}
    names = {name: renamed.get(name, name) for name in CROWD_KIT}
    only = next(iter(codebook.question)) if len(codebook.question) == 1 else None
    for row, where in _records(cells, names, ("task", "worker", "label")):
        if row["answer"] is not None:
            yield Found({**row, "question": row["question"] or only}, where)


def _wide(cells: Cells, codebook: Codebook) -> Iterator[Found]:
    fixed = ("post_id", "rater_id", "cohort", "source", "codebook", "created_at", "seconds", "detail")
    asked = [name for name in codebook.question if name in cells.frame]
    if not asked and "detail" not in cells.frame:
        raise ComoderateError(
            "no column is a question of the codebook", where=cells.file,
            do=f"name a column of answers as its question: {', '.join(codebook.question)}",
        )  # fmt: skip
    names = {name: name for name in fixed} | {name: f"answer to {name}" for name in asked}
    for row, where in _records(cells, names, ("post_id",)):
        given = {name: row.pop(f"answer to {name}") for name in asked}
        detail = _json(row.pop("detail") or "{}", where, dict)
        for name, cell in given.items():
            if cell is not None:
                several = codebook.question[name].kind == "multiple"
                answers = _several(cell) if several else [cell]
                yield from _answers(row, name, answers, detail.get(name), where)
        for name in detail:
            if name not in codebook.question and isinstance(detail[name], list):
                yield from _answers(row, name, [one[3] for one in detail[name] if len(one) > 3], detail[name], where)


def _several(cell: str) -> list[str]:
    """Several answers in one cell: a JSON list, or one answer."""
    if cell.startswith("["):
        try:
            found = json.loads(cell)
        except json.JSONDecodeError:
            return [cell]
        if isinstance(found, list):
            return [str(one) for one in found]
    return [cell]


def _answers(base: Row, question: str, answers: list[str], detail: Any, where: str) -> Iterator[Found]:
    """A row an answer, with id, time and seconds of its own where the file has them."""
    held = detail if isinstance(detail, list) and len(detail) == len(answers) else [None] * len(answers)
    for answer, own in zip(answers, held, strict=True):
        row = {**base, "response_id": None, "question": question, "answer": answer}
        if isinstance(own, list) and len(own) >= 3:
            row |= {"response_id": own[0], "created_at": _time(own[1], where), "seconds": _seconds(own[2], where)}
        yield Found(row, where)


def _time(value: Any, where: str) -> datetime | None:
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(str(value).strip())
    except ValueError:
        raise ComoderateError(f"{str(value)[:40]!r} is not a time", where=where, do="write ISO 8601") from None
    return time.astimezone(UTC) if time.tzinfo else time.replace(tzinfo=UTC)


def _seconds(value: Any, where: str) -> float | None:
    if value is None:
        return None
    try:
        return float(value)
    except (TypeError, ValueError):
        raise ComoderateError(f"{str(value)[:40]!r} is not a number", where=where, do="write seconds") from None


def _json(text: str, where: str, kind: type) -> Any:
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        found = None
    if not isinstance(found, kind):
        raise ComoderateError("the column detail is not what an export writes", where=where, do="leave the column out")
    return found


# ------------------------------------------------------------------ Label Studio


def _tasks(path: Path, codebook: Codebook) -> Iterator[Found]:
    for number, task in enumerate(json_items(path), start=1):
        where = f"{path.name}, task {number}"
        if not isinstance(task, dict) or not isinstance(task.get("data"), dict):
            raise ComoderateError("this is no task of Label Studio", where=where, do="export as JSON, not JSON-MIN")
        post_id = task["data"].get("post_id")
        if post_id is None:
            raise ComoderateError("the task's data has no post_id", where=where, do="put post_id into data")
        for one in _objects(task.get("annotations")):
            if not one.get("was_cancelled"):
                yield from _annotation(str(post_id), one, where)


def _objects(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _annotation(post_id: str, one: dict[str, Any], where: str) -> Iterator[Found]:
    told = one["meta"] if isinstance(one.get("meta"), dict) else {}
    who = told.get("rater_id", _person(one.get("completed_by")))
    base: Row = {
        "post_id": post_id,
        "rater_id": None if who is None else str(who),
        **{name: told.get(name) for name in ("cohort", "source", "codebook")},
        "created_at": _time(one.get("created_at"), where),
        "seconds": _seconds(one.get("lead_time"), where),
    }
    for result in _objects(one.get("result")):
        value = result["value"] if isinstance(result.get("value"), dict) else {}
        given = value.get("choices", value.get("text"))
        answers = given if isinstance(given, list) else [] if given is None else [given]
        meta = result["meta"] if isinstance(result.get("meta"), dict) else {}
        question = str(result.get("from_name", ""))
        yield from _answers(base, question, [str(answer) for answer in answers], meta.get("answers"), where)


def _person(value: Any) -> Any:
    return value.get("email", value.get("id")) if isinstance(value, dict) else value


def json_items(path: Path) -> Iterator[Any]:
    """The items of a JSON list in a file, one by one; a file with one object is a list of it.

    Raises:
        ComoderateError: this is no JSON list, or one that was cut off.
    """
    decoder, buffer, opened, unended = json.JSONDecoder(), "", False, False
    with path.open(encoding="utf-8-sig") as file:
        more = True
        while more:
            chunk = _chunk(file, path)
            buffer, more = buffer + chunk, bool(chunk)
            if not opened:
                buffer = buffer.lstrip()
                opened = bool(buffer)
                unended = buffer.startswith("[")
                buffer = buffer.removeprefix("[")
            while buffer := buffer.lstrip(" \t\r\n,"):
                if buffer[0] == "]":
                    return
                try:
                    item, end = decoder.raw_decode(buffer)
                except json.JSONDecodeError:
                    break
                yield item
                buffer = buffer[end:]
            if len(buffer) > MOST_TASK:
                break
    if buffer.strip():
        raise ComoderateError("this is no JSON list of tasks", where=path, do="export as JSON from Label Studio")
    if unended:
        raise ComoderateError("the list of tasks has no end", where=path, do="the file was cut off: copy it whole")


def _chunk(file: Any, path: Path) -> str:
    try:
        return str(file.read(CHUNK))
    except UnicodeDecodeError:
        raise ComoderateError("the file is not UTF-8", where=path, do="save it as UTF-8") from None
