"""Tables as others publish them: read whole, or one line that says what is wrong with the file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from comoderate.errors import ComoderateError

AS_PUBLISHED = "take the file as it was published, unpacked"
TEXTS = ("comment_text", "comment", "text")
"""Columns of posts' texts. A comment that says "NA" or "null" says that, and is not missing."""


def read_table(path: Path, names: Sequence[str] = (), *, sep: str = ",") -> pd.DataFrame:
    """A table with a head; texts as they stand, empty where there is none.

    Args:
        path: of the file.
        names: columns that it must have.
        sep: between columns.

    Raises:
        ComoderateError: there is no such file, it is no such table, or a column is not there.
    """
    try:
        frame = pd.read_csv(path, sep=sep, low_memory=False, converters=dict.fromkeys(TEXTS, str))
    except FileNotFoundError:
        raise ComoderateError("there is no such file", where=path, do="it belongs to the ones beside it") from None
    except (ValueError, UnicodeDecodeError) as error:
        first = str(error).splitlines()[0]
        raise ComoderateError(f"the file is no table: {first}", where=path, do=AS_PUBLISHED) from None
    for name in names:
        if name not in frame.columns:
            raise ComoderateError(f"there is no column {name!r}", where=path, do=f"it needs {', '.join(names)}")
    return frame


def shares(path: Path, frame: pd.DataFrame, name: str) -> pd.Series:
    """A column of numbers in [0, 1], of a table or of some of its rows.

    Raises:
        ComoderateError: a value is missing or is not between 0 and 1; with its row.
    """
    found = pd.to_numeric(frame[name], errors="coerce")
    wrong = ~found.between(0, 1)
    if wrong.any():
        row, value = frame.index[wrong][0], frame[name][wrong].iloc[0]
        raise ComoderateError(
            f"column {name!r} holds '{value}', which is no number from 0 to 1",
            where=f"{path}, row {int(row) + 2}", do=AS_PUBLISHED,
        )  # fmt: skip
    return found.astype("float64")
