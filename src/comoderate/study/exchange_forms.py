"""Annotations in the forms that other tools read: as pieces of text, so that any number of them fits in memory."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, Literal

from comoderate.annotation import Row
from comoderate.codebook import Codebook

Form = Literal["long", "wide", "label-studio", "crowd-kit"]
FORMS: tuple[Form, ...] = ("long", "wide", "label-studio", "crowd-kit")
SUFFIX: dict[str, str] = {"long": "csv", "wide": "csv", "label-studio": "json", "crowd-kit": "csv"}

ABOUT = ("cohort", "source", "codebook")
LONG = ("response_id", "post_id", "rater_id", *ABOUT, "question", "answer", "created_at", "seconds")
CROWD_KIT = ("task", "worker", "label", "question", *ABOUT, "created_at", "seconds", "response_id")
"""The names that crowd-kit's aggregators look for come first; they ignore the others."""

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_GUARDED = re.compile(r"'+[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?$")


def guard(cell: str) -> str:
    """A cell that no spreadsheet takes for a formula: one that begins like one gets an apostrophe in front."""
    return f"'{cell}" if _FORMULA.match(cell) and not _NUMBER.match(cell) else cell


def unguard(cell: str) -> str:
    """What :func:`guard` was given."""
    return cell[1:] if _GUARDED.match(cell) else cell


def moment(value: datetime | None) -> str | None:
    """A time as ISO 8601 in UTC; a database without time zones keeps UTC."""
    if value is None:
        return None
    known = value if value.tzinfo else value.replace(tzinfo=UTC)
    return known.astimezone(UTC).isoformat().replace("+00:00", "Z")


def pieces(rows: Iterable[Row], form: Form, codebook: Codebook) -> Iterator[str]:
    """The rows as pieces of a file of the form.

    Args:
        rows: annotations, with a key ``text`` where texts are wanted; for ``wide`` and ``label-studio`` those of a post
            and rater together.
        form: see :data:`FORMS`.
        codebook: the questions, which are the columns of ``wide``.
    """
    makers: dict[str, Callable[[Iterable[Row], Codebook], Iterator[str]]] = {
        "long": _long, "wide": _wide, "label-studio": _label_studio, "crowd-kit": _crowd_kit,
    }  # fmt: skip
    return makers[form](rows, codebook)


def _long(rows: Iterable[Row], _: Codebook) -> Iterator[str]:
    return _csv(LONG, (_plain(row) for row in rows))


def _crowd_kit(rows: Iterable[Row], _: Codebook) -> Iterator[str]:
    renamed = (_plain(row) for row in rows)
    names = {"task": "post_id", "worker": "rater_id", "label": "answer"}
    return _csv(CROWD_KIT, ({**row, **{new: row[old] for new, old in names.items()}} for row in renamed))


def _wide(rows: Iterable[Row], codebook: Codebook) -> Iterator[str]:
    names = ("post_id", "rater_id", *ABOUT, *codebook.question, "created_at", "seconds", "detail")
    return _csv(names, (_judgement_cells(one, codebook) for one in judgements(rows, codebook)))


def _plain(row: Row) -> Row:
    return {**row, "created_at": moment(row["created_at"])}


def _csv(names: tuple[str, ...], rows: Iterable[Row]) -> Iterator[str]:
    """A heading and a line a row; a column ``text`` is last where the first row has one."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    heading = names
    for number, row in enumerate(rows):
        if number == 0:
            heading = (*names, "text") if "text" in row else names
            writer.writerow(heading)
        writer.writerow([guard(value) if isinstance(value := row.get(name), str) else value for name in heading])
        if buffer.tell() > 60_000:
            yield _taken(buffer)
    if buffer.tell() == 0:
        writer.writerow(heading)
    yield _taken(buffer)


def _taken(buffer: io.StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text


# ------------------------------------------------------------------ judgements: one rater's answers on one post


def judgements(rows: Iterable[Row], codebook: Codebook) -> Iterator[list[Row]]:
    """The rows in groups: one rater's answers on one post, for one reason, to one version of the codebook.

    A second answer to a question with one answer starts another judgement, and so does every vote without a rater.
    """
    for _, block in groupby(rows, key=lambda row: (row["post_id"], row["cohort"], row["rater_id"])):
        held: list[list[Row]] = []
        for row in block:
            fitting = (one for one in held if row["rater_id"] is not None and _fits(row, one, codebook))
            judgement = next(fitting, None)
            if judgement is None:
                held.append([row])
            else:
                judgement.append(row)
        yield from held


def _fits(row: Row, judgement: list[Row], codebook: Codebook) -> bool:
    first = judgement[0]
    if (row["source"], row["codebook"]) != (first["source"], first["codebook"]):
        return False
    question = codebook.question.get(row["question"])
    several = question is not None and question.kind == "multiple"
    return all(several and one["answer"] != row["answer"] for one in judgement if one["question"] == row["question"])


def _judgement_cells(rows: list[Row], codebook: Codebook) -> Row:
    """A row of the wide form; answers to questions that the codebook no longer has are in ``detail``."""
    first = rows[0]
    given: dict[str, list[str]] = {}
    detail: dict[str, list[list[Any]]] = {}
    for row in rows:
        given.setdefault(row["question"], []).append(row["answer"])
        told = [row["response_id"], moment(row["created_at"]), row["seconds"]]
        unknown = row["question"] not in codebook.question
        detail.setdefault(row["question"], []).append([*told, row["answer"]] if unknown else told)
    cells: Row = {name: first[name] for name in ("post_id", "rater_id", *ABOUT)}
    for name, question in codebook.question.items():
        answers = given.get(name)
        if answers is not None:
            cells[name] = json.dumps(answers, ensure_ascii=False) if question.kind == "multiple" else answers[0]
    times = [row["created_at"] for row in rows if row["created_at"] is not None]
    seconds = [row["seconds"] for row in rows if row["seconds"] is not None]
    cells |= {"created_at": moment(times[0]) if times else None, "seconds": seconds[0] if seconds else None}
    cells["detail"] = json.dumps(detail, ensure_ascii=False, separators=(",", ":"))
    return {**cells, "text": first["text"]} if "text" in first else cells


# ------------------------------------------------------------------ Label Studio


def _label_studio(rows: Iterable[Row], codebook: Codebook) -> Iterator[str]:
    """A list of tasks, one a post. ``completed_by`` is left out, for Label Studio refuses people that it does not know;
    who answered is under ``meta``.
    """
    start = "["
    made = judgements(rows, codebook)
    for number, (post_id, held) in enumerate(groupby(made, key=lambda one: one[0]["post_id"]), start=1):
        together = list(held)
        data = {"post_id": post_id}
        if "text" in together[0][0]:
            data["text"] = together[0][0]["text"]
        task = {"id": number, "data": data, "annotations": [_annotation(one, codebook) for one in together]}
        yield f"{start}\n{json.dumps(task, ensure_ascii=False)}"
        start = ","
    yield "[]\n" if start == "[" else "\n]\n"


def _annotation(rows: list[Row], codebook: Codebook) -> dict[str, Any]:
    first = rows[0]
    by_question: dict[str, list[Row]] = {}
    for row in rows:
        by_question.setdefault(row["question"], []).append(row)
    seconds = [row["seconds"] for row in rows if row["seconds"] is not None]
    return {
        "created_at": moment(first["created_at"]),
        "lead_time": seconds[0] if seconds else None,
        "was_cancelled": False,
        "ground_truth": first["source"] == "gold",
        "meta": {name: first[name] for name in ("rater_id", *ABOUT)},
        "result": [_result(name, given, codebook) for name, given in by_question.items()],
    }


def _result(name: str, rows: list[Row], codebook: Codebook) -> dict[str, Any]:
    question = codebook.question.get(name)
    free = question is not None and question.kind == "text"
    answers = [row["answer"] for row in rows]
    return {
        "from_name": name,
        "to_name": "text",
        "type": "textarea" if free else "choices",
        "value": {"text": answers} if free else {"choices": answers},
        "meta": {"answers": [[row["response_id"], moment(row["created_at"]), row["seconds"]] for row in rows]},
    }
