"""Turning the cells of a source file into times, numbers and probabilities; a bad cell is named by column and row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from comoderate.errors import ComoderateError

_YEAR_9999 = 253_402_300_800.0
ROW = "(row)"
"""In place of a column of ids: posts are named by their row."""

_TRUE = {"1", "1.0", "true", "yes", "y", "t"}
_WHOLE = "write a whole number, 0 or more"
_FALSE = {"0", "0.0", "false", "no", "n", "f"}


class Cells:
    """The columns of one batch of a file.

    Args:
        frame: the batch, as the file has it.
        file: the file's name, for error messages.
        first_row: number of the batch's first record, from 1.
    """

    def __init__(self, frame: pd.DataFrame, file: str, first_row: int) -> None:
        self.frame, self.file, self.first_row = frame, file, first_row

    def refuse(self, what: str, column: str, bad: pd.Series, do: str | None = None) -> None:
        """Raise for the first row marked in ``bad``, if any; ``{}`` in ``what`` becomes the cell's content."""
        if bad.any():
            at = int(np.flatnonzero(bad.to_numpy())[0])
            shown = repr(self.frame[column].iloc[at])[:60]
            where = f"{self.file}, column {column}, row {self.first_row + at}"
            raise ComoderateError(what.replace("{}", shown), where=where, do=do)

    def texts(self, column: str) -> pd.Series:
        """The column as text; None where a cell is empty."""
        values = self.frame[column]
        texts: pd.Series = values.map(_text, na_action="ignore").astype(object)
        return texts.where(values.notna(), None)

    def numbers(self, column: str) -> pd.Series:
        """The column as float64; NaN where a cell is empty."""
        values = self.frame[column]
        numbers = pd.to_numeric(values, errors="coerce").astype("float64")
        self.refuse(
            "{} is not a number", column, (numbers.isna() & values.notna()) | np.isinf(numbers), "write a number"
        )
        return numbers

    def probabilities(self, column: str, *, missing: bool = False) -> pd.Series:
        """The column as float64, every value in [0, 1]; NaN where a cell is empty, if that may be."""
        numbers = self.numbers(column)
        if not missing:
            do = "give every post a probability, or set missing_score = 'keep' under [posts]"
            self.refuse("the probability is missing", column, numbers.isna(), do)
        self.refuse("{} is no probability", column, (numbers < 0) | (numbers > 1), "probabilities lie in [0, 1]")
        return numbers

    def counts(self, column: str, of: str = "votes") -> pd.Series:
        """The column as whole numbers, 0 where a cell is empty; ``of`` says what is counted."""
        numbers = self.numbers(column).fillna(0)
        self.refuse(f"{{}} is not a number of {of}", column, (numbers < 0) | (numbers != numbers.round()), _WHOLE)
        return numbers.astype("int64")

    def ticks(self, column: str) -> pd.Series:
        """The column as bool: 1, true and yes are ticks, 0, false, no and empty cells none."""
        words = self.texts(column).fillna("0").str.strip().str.lower()
        self.refuse("{} is neither 1 nor 0", column, ~words.isin(_TRUE | _FALSE), "tick with 1, leave open with 0")
        return words.isin(_TRUE)

    def times(self, column: str) -> pd.Series:
        """The column as UTC times, from ISO 8601 or seconds since 1970; NaT where a cell is empty."""
        values = self.frame[column]
        found = _times(values)
        self.refuse("{} is not a time", column, found.isna() & values.notna(), "write ISO 8601 or seconds since 1970")
        return found.astype("datetime64[us, UTC]")

    def ids(self, columns: str | list[str]) -> pd.Series:
        """The id of each record: one column's text, or one text made from several columns."""
        if columns == ROW:
            last = self.first_row + len(self.frame)
            return pd.Series([str(row) for row in range(self.first_row, last)], index=self.frame.index, dtype=object)
        if isinstance(columns, str):
            ids = self.texts(columns)
            self.refuse("the id is missing", columns, ids.isna() | (ids.str.strip() == ""), "give every post an id")
            return ids
        parts = [self.texts(column).fillna("") for column in columns]
        joined = parts[0]
        for part in parts[1:]:
            joined = joined + "\x1f" + part
        return joined


def _times(values: pd.Series) -> pd.Series:
    """Times in UTC; NaT where a value is none."""
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        return pd.Series(pd.to_datetime(values, utc=True))
    seconds = pd.to_numeric(values, errors="coerce").astype("float64")
    written: Any = pd.to_datetime(values.where(seconds.isna(), None), utc=True, errors="coerce", format="ISO8601")
    if seconds.isna().all():
        return pd.Series(written)
    fits = seconds.abs() < _YEAR_9999
    micros = (seconds.where(fits, 0.0) * 1e6).round().astype("int64").astype("datetime64[us]")
    return pd.Series(micros.dt.tz_localize("UTC").where(fits, written.astype("datetime64[us, UTC]")))


def _text(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
