"""Asking a file for columns by name, with the nearest existing name where one is missing."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from comoderate.errors import ComoderateError

SHOWN = 12


def require_columns(wanted: Sequence[str], existing: Sequence[str], *, where: Path | str) -> None:
    """Check that every wanted column exists, exactly once.

    Raises:
        ComoderateError: a wanted column is missing (names the nearest existing one) or occurs twice.
    """
    for name in wanted:
        if name not in existing:
            raise ComoderateError(f"there is no column {name!r}", where=where, do=_advice(name, existing))
        if existing.count(name) > 1:
            places = ", ".join(str(i + 1) for i, other in enumerate(existing) if other == name)
            raise ComoderateError(
                f"several columns are named {name!r} (columns {places})", where=where, do="rename all but one of them"
            )


def _advice(name: str, existing: Sequence[str]) -> str:
    """What to do about a missing column."""
    folded = {other.casefold(): other for other in reversed(existing)}
    close = difflib.get_close_matches(name.casefold(), list(folded), n=1, cutoff=0.5)
    if close:
        return f"the nearest is {folded[close[0]]!r}"
    more = ", …" if len(existing) > SHOWN else ""
    return "it has " + ", ".join(repr(other) for other in existing[:SHOWN]) + more
