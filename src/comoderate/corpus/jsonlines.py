"""Records from JSON lines: one object a line, values of the types they have there."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from comoderate.corpus.columns import require_columns
from comoderate.corpus.sources import open_binary, open_text
from comoderate.errors import ComoderateError

Record = dict[str, Any]


def json_frames(path: Path, columns: Sequence[str] | None, *, batch_rows: int, encoding: str) -> Iterator[pd.DataFrame]:
    """Frames of at most ``batch_rows`` records; a key that a record lacks is None there.

    All columns are of objects, so that a long whole number (an id) never becomes a float. Without ``columns``, a
    frame has every key seen so far.

    Raises:
        ComoderateError: a line is not a JSON object, no record has a wanted key, bytes that are not text.
    """
    seen: dict[str, None] = {}
    checked = columns is None
    with open_text(path, encoding) as text:
        for chunk in _chunks(_records(text, path), batch_rows):
            for record in chunk:
                seen.update(dict.fromkeys(record))
            if not checked:
                _check_keys(columns or (), list(seen), path)
                checked = True
            names = list(seen) if columns is None else list(columns)
            yield pd.DataFrame({name: [record.get(name) for record in chunk] for name in names}, dtype=object)


def _records(text: Iterator[str], path: Path) -> Iterator[Record]:
    """The objects of the lines, blank lines left out."""
    for number, line in enumerate(text, start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except json.JSONDecodeError as error:
            raise ComoderateError(f"this is not JSON ({error.msg})", where=f"{path}, line {number}") from None
        if not isinstance(record, dict):
            array = isinstance(record, list)
            what = "a JSON array, not JSON lines" if array else "not a JSON object"
            raise ComoderateError(what, where=f"{path}, line {number}", do="write one object {…} on each line")
        yield record


def _check_keys(wanted: Sequence[str], seen: list[str], path: Path) -> None:
    """Refuse a key that the first records lack and that the rest of the file nowhere mentions."""
    absent = [name for name in wanted if name not in seen]
    if absent:
        with open_binary(path) as file:
            quoted = {name: json.dumps(name, ensure_ascii=False).encode() for name in absent}
            for line in file:
                for name in [n for n, mark in quoted.items() if mark in line]:
                    del quoted[name]
                if not quoted:
                    return
        require_columns(list(quoted), seen, where=path)


def _chunks(records: Iterator[Record], size: int) -> Iterator[list[Record]]:
    """Lists of at most ``size`` records."""
    chunk: list[Record] = []
    for record in records:
        chunk.append(record)
        if len(chunk) == size:
            yield chunk
            chunk = []
    if chunk:
        yield chunk
