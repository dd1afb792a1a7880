"""What is known about raters: read from a file, kept in the study as ``labels/raters.parquet``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from comoderate import __version__
from comoderate.corpus import read_batches, read_frame, write_frame
from comoderate.errors import ComoderateError
from comoderate.study.settings import RatersSettings
from comoderate.study.values import Cells

if TYPE_CHECKING:
    from comoderate.study.study import Study

FILE = "labels/raters.parquet"


def make(study: Study, source: Path | None) -> dict[str, Any]:
    """Read what is known about raters, and keep it in the study."""
    own = study.settings.raters
    assert own is not None
    if source is None or not source.exists():
        raise ComoderateError("there is no file of raters", where=source or study.folder, do="check path in [raters]")
    table = read_raters(source, own)
    write_frame(table, study.folder / FILE, {"version": __version__})
    return {"raters": len(table)}


def attribute(study: Study, name: str) -> pd.Series:
    """An attribute of raters, by rater_id.

    Raises:
        ComoderateError: the study does not have it.
    """
    known = {} if study.settings.raters is None else study.settings.raters.attributes
    if name not in known:
        listed = ", ".join(known) or "none"
        raise ComoderateError(
            f"raters have no attribute {name!r}",
            where=study.folder / "study.toml",
            do=f"those under [raters] are: {listed}",
        )
    return read_frame(study.folder / FILE).set_index("rater_id")[name]


def read_raters(path: Path, settings: RatersSettings) -> pd.DataFrame:
    """rater_id and attributes, a row a rater, attributes as text and None where missing.

    Raises:
        ComoderateError: with file, column and row, where a rater is missing or occurs with two sets of attributes.
    """
    columns = list(dict.fromkeys([settings.rater_id, *settings.attributes.values()]))
    batches = read_batches(path, columns, format=settings.format, encoding=settings.encoding)
    table = pd.concat([_frame(Cells(b.frame, path.name, b.first_row), settings) for b in batches], ignore_index=True)
    distinct = table.drop_duplicates(["rater_id", *settings.attributes])
    again = distinct.duplicated("rater_id")
    if again.any() and settings.duplicates == "refuse":
        first = distinct[again].iloc[0]
        raise ComoderateError(
            f"rater {first['rater_id']!r} has two different sets of attributes",
            where=f"{path.name}, row {first['row']}",
            do="set duplicates = 'first' or 'last' under [raters]",
        )
    kept = table.drop_duplicates("rater_id", keep="last" if settings.duplicates == "last" else "first")
    return kept.drop(columns="row").reset_index(drop=True)


def _frame(cells: Cells, settings: RatersSettings) -> pd.DataFrame:
    raters = cells.texts(settings.rater_id)
    cells.refuse("the rater is missing", settings.rater_id, raters.isna(), "name every rater")
    found = {name: cells.texts(column) for name, column in settings.attributes.items()}
    rows = np.arange(cells.first_row, cells.first_row + len(raters))
    return pd.DataFrame({"row": rows, "rater_id": raters, **found})
