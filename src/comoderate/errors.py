"""The errors that a user can mend: one line that says what is wrong, where, and what to do."""

from __future__ import annotations

from pathlib import Path


class ComoderateError(Exception):
    """Something in the user's input or study is wrong, and the message says how to mend it.

    Args:
        what: what is wrong, without a full stop at the end.
        where: the place: a file, or a file with column and row (``posts.csv, column text, row 17``).
        do: what the user can do about it.
    """

    def __init__(self, what: str, *, where: str | Path | None = None, do: str | None = None) -> None:
        self.what, self.where, self.do = what, None if where is None else str(where), do
        line = what if self.where is None else f"{self.where}: {what}"
        super().__init__(line if do is None else f"{line}. {do[0].upper()}{do[1:]}")


class CannotTrainError(ComoderateError):
    """The labels that there are do not suffice to train a scorer; a study goes on without it."""


class CannotScoreError(ComoderateError):
    """A prediction service gives no more answers: out of order, refused, or the budget is spent; a study goes on."""
