"""The posts of a study, opened."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from comoderate.corpus.datasets import arrow_batches, part_paths, read_manifest, read_rows
from comoderate.corpus.engine import connect, read_parts
from comoderate.corpus.files import to_pandas

if TYPE_CHECKING:
    import ibis
    from ibis.backends import BaseBackend


class Posts:
    """The dataset that :func:`~comoderate.corpus.write_posts` made, never loaded whole unless asked for.

    Attributes:
        folder: where it is.
        manifest: what its manifest says.

    Raises:
        ComoderateError: there are no whole posts in the folder, or a newer version wrote them.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.manifest = read_manifest(folder, do="run comoderate import")

    def count(self) -> int:
        """How many posts there are."""
        return self.manifest.rows

    def __len__(self) -> int:
        return self.count()

    @property
    def columns(self) -> list[str]:
        """The columns' names."""
        return list(self.manifest.columns)

    @property
    def digest(self) -> str:
        """Digest of the posts' values, the same for the same posts in the same order."""
        return self.manifest.digest

    def frame(self, columns: Sequence[str] | None = None, post_ids: Iterable[str] | None = None) -> pd.DataFrame:
        """All posts in the order of the import; or those of ``post_ids`` in that order, unknown ids left out.

        Raises:
            ComoderateError: a column is missing (names the nearest).
        """
        names = self.columns if columns is None else list(columns)
        if post_ids is None:
            return to_pandas(self._arrow(arrow_batches(self.folder, names, manifest=self.manifest), names))
        return read_rows(self.folder, post_ids, names)

    def iter_frames(self, columns: Sequence[str] | None = None, batch_rows: int = 50_000) -> Iterator[pd.DataFrame]:
        """All posts in frames of at most ``batch_rows``, in the order of the import."""
        return map(to_pandas, arrow_batches(self.folder, columns, batch_rows=batch_rows, manifest=self.manifest))

    def daily_counts(self) -> pd.DataFrame:
        """``day, N``: posts a day, in the order of the days; posts without a date are not in it."""
        if "day" not in self.manifest.columns:
            return pd.DataFrame({"day": pd.Series(dtype=object), "N": pd.Series(dtype="int64")})
        counts: Counter[str] = Counter()
        for batch in arrow_batches(self.folder, ["day"], manifest=self.manifest):
            for found in pc.value_counts(batch.column("day").drop_null()).to_pylist():
                counts[found["values"]] += found["counts"]
        days = sorted(counts)
        return pd.DataFrame({"day": days, "N": [counts[day] for day in days]})

    def table(self, backend: BaseBackend | None = None) -> ibis.Table:
        """The posts as a lazy Ibis table, on DuckDB or on a backend of :func:`~comoderate.corpus.connect`."""
        backend = connect() if backend is None else backend
        return read_parts(backend, part_paths(self.folder, self.manifest))

    def _arrow(self, batches: Iterable[pa.RecordBatch], names: list[str]) -> pa.Table:
        """Record batches as one table, of the right columns even where there is no batch."""
        stored = pq.read_schema(part_paths(self.folder, self.manifest)[0])
        return pa.Table.from_batches(batches, schema=pa.schema([stored.field(name) for name in names]))
