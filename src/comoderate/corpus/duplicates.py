"""Repeated post ids among Parquet parts: found in bounded memory, refused or removed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from comoderate.corpus.engine import duck
from comoderate.errors import ComoderateError

Rule = Literal["refuse", "first", "last"]


def drop_duplicates(folder: Path, *, rule: Rule, where: str) -> int:
    """Apply a rule to posts whose id occurs more than once in the parts of ``folder``; gives how many were dropped.

    Raises:
        ComoderateError: ``rule`` is ``refuse`` and an id is repeated; names the first and its rows.
    """
    parts = sorted(folder.glob("part-*.parquet"))
    repeated = _repeated(parts, folder)
    if repeated.empty:
        return 0
    if rule == "refuse":
        raise _refusal(repeated, where)
    surplus = repeated[repeated.duplicated("post_id", keep=rule)]
    for part, path in enumerate(parts):
        places = surplus["place"][surplus["part"] == part].to_numpy()
        if len(places):
            _rewrite(path, places)
    return len(surplus)


def _repeated(parts: Sequence[Path], folder: Path) -> pd.DataFrame:
    """``post_id, row, part, place`` of all posts with a repeated id, in the order of the import.

    Ids are grouped by a 64-bit hash first, so that what is held is eight bytes a post; the few that share a hash are
    compared in full.
    """
    with duck(temporary=folder / "spill", memory="256MB") as con:
        files = [str(part) for part in parts]
        con.execute(
            "CREATE TEMP TABLE suspects AS SELECT h FROM (SELECT hash(post_id) AS h FROM read_parquet(?)) "
            "GROUP BY h HAVING count(*) > 1", [files],
        )  # fmt: skip
        found: pd.DataFrame = con.execute(
            "SELECT post_id, row, list_position(?, filename) - 1 AS part, file_row_number AS place "
            "FROM read_parquet(?, filename = true, file_row_number = true) "
            "WHERE hash(post_id) IN (SELECT h FROM suspects) ORDER BY part, place", [files, files],
        ).df()  # fmt: skip
    return found[found.duplicated("post_id", keep=False)].reset_index(drop=True)


def _refusal(repeated: pd.DataFrame, where: str) -> ComoderateError:
    """The error that names the first repeated id and its rows."""
    first = repeated["post_id"].iloc[0]
    shown = first if len(first) <= 60 else f"{first[:59]}…"
    rows = repeated.loc[repeated["post_id"] == first, "row"].tolist()
    ids = repeated["post_id"].nunique()
    more = "" if ids == 1 else f"; {ids:,} ids are repeated in all"
    places = ", ".join(str(row) for row in rows[:5]) + (", …" if len(rows) > 5 else "")
    return ComoderateError(
        f"post_id {shown!r} is repeated in rows {places}{more}", where=where,
        do="set duplicates = 'first' or 'last' to keep one of each",
    )  # fmt: skip


def _rewrite(part: Path, places: np.ndarray) -> None:
    """Write a part again without the rows at ``places``, a row group at a time."""
    smaller, start = part.with_suffix(".smaller"), 0
    with pq.ParquetFile(part) as file, pq.ParquetWriter(smaller, file.schema_arrow, compression="zstd") as writer:
        for group in range(file.num_row_groups):
            table = file.read_row_group(group)
            keep = np.ones(table.num_rows, dtype=bool)
            keep[places[(places >= start) & (places < start + table.num_rows)] - start] = False
            writer.write_table(table.filter(pa.array(keep)))
            start += table.num_rows
    smaller.replace(part)
