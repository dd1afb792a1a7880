"""The posts that a sample may draw, as a lazy table: counted, drawn from and looked up without ever being held."""

from __future__ import annotations

import contextlib
import secrets
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.corpus.datasets import part_paths, read_dataset
from comoderate.corpus.draw import Quota, top_k
from comoderate.corpus.engine import evaluated_once, read_parts
from comoderate.corpus.mapping import Fn, map_batches
from comoderate.corpus.posts import Posts

if TYPE_CHECKING:
    import ibis
    from ibis.backends import BaseBackend

ALL = "all"
"""The stratum of every post, where there are no strata."""

COLUMNS = ("post_id", "stratum", "cluster", "u")
SCHEMA = {"post_id": "string", "stratum": "string", "cluster": "string", "u": "double"}


class Candidates:
    """Posts with stratum, cluster and random number, on DuckDB or Spark.

    Attributes:
        table: post_id, stratum, cluster, u, and ``amount`` after :meth:`sized`.
    """

    def __init__(self, table: ibis.Table) -> None:
        self.table = table

    @classmethod
    def of(
        cls,
        posts: Posts,
        backend: BaseBackend,
        *,
        stratum: str | None = None,
        cluster: str | None = None,
        among: Path | None = None,
    ) -> Candidates:
        """The posts of a study.

        Args:
            posts: the dataset.
            backend: as :func:`comoderate.corpus.connect` gives.
            stratum: column of the stratum; one stratum :data:`ALL` where None.
            cluster: column of the cluster.
            among: a Parquet file with ``post_id``, one or more rows a post; other posts are no candidates.
        """
        import ibis

        rows = posts.table(backend)
        if among is not None:
            rows = rows.semi_join(read_parts(backend, [among]), "post_id")
        home = ibis.literal(ALL) if stratum is None else rows[stratum]
        unit = ibis.null("string") if cluster is None else rows[cluster]
        return cls(rows.select(rows["post_id"], rows["u"], stratum=home, cluster=unit)[list(COLUMNS)])

    @contextlib.contextmanager
    def kept(self) -> Iterator[Candidates]:
        """The same, with what was joined to them joined once, until the block ends."""
        with evaluated_once(self.table) as table:
            yield Candidates(table)

    def flagged(self, scores: Path, threshold: float) -> Candidates:
        """Those to which a dataset of scores (post_id, proba) gives more than ``threshold``; failed scores don't."""
        found = self._scores(scores)
        called = found.filter((found["proba"] > threshold) & ~found["proba"].isnan()).select("post_id")
        return Candidates(self.table.inner_join(called, "post_id").select(*self.table.columns))

    def sized(self, posts: Posts, *, scores: Path | None = None) -> Candidates:
        """With a column ``amount``: the probability of a dataset of scores, or the views, 0 where there are none."""
        import ibis

        other, name = (
            (posts.table(self.table.get_backend()), "views") if scores is None else (self._scores(scores), "proba")
        )
        value = other[name].cast("float64")
        amount = ibis.cases((value.isnull() | value.isnan(), 0.0), else_=value)
        other = other.select("post_id", amount=amount)
        return Candidates(self.table.inner_join(other, "post_id").select(*self.table.columns, "amount"))

    def mapped(self, fn: Fn, out: Path) -> Candidates:
        """The same posts after ``fn``, which gives each batch another random number, say; kept as a dataset ``out``.

        Args:
            fn: from a frame of the columns of a batch to one; picklable for Spark.
            out: a folder, which the caller removes.
        """
        map_batches(self.table, fn, SCHEMA, out, kind="candidates")
        return Candidates(read_parts(self.table.get_backend(), part_paths(out)))

    def counts(self) -> pd.Series:
        """Posts by stratum, in the order of the strata; posts without one are not counted."""
        table = self.table.filter(self.table["stratum"].notnull())
        found: pd.DataFrame = table.group_by("stratum").aggregate(n=table.count()).execute()
        return found.set_index("stratum")["n"].astype("int64").sort_index()

    def draw(self, quota: Quota, *, exclude: Sequence[str] | pd.Series | None = None) -> pd.DataFrame:
        """As :func:`comoderate.corpus.top_k`: post_id, stratum, u."""
        return top_k(self.table, quota, exclude=exclude)  # type: ignore[arg-type]

    def among(self, post_ids: Sequence[str] | pd.Series) -> pd.DataFrame:
        """The candidates among these ids: post_id, stratum, cluster, u, in no particular order."""
        import ibis

        ids = pd.DataFrame({"post_id": pd.Series(list(post_ids), dtype=object)})
        if ids.empty:
            return pd.DataFrame(columns=pd.Index(COLUMNS))
        found: pd.DataFrame = self.table.semi_join(ibis.memtable(ids), "post_id").select(*COLUMNS).execute()
        return found

    def all(self) -> pd.DataFrame:
        """Every candidate: post_id, stratum, cluster, u."""
        found: pd.DataFrame = self.table.select(*COLUMNS).execute()
        return found

    def amounts(self) -> NDArray[np.float64]:
        """All amounts, smallest first: eight bytes a post."""
        column = self.table.select("amount").to_pyarrow()["amount"]
        found = np.concatenate([np.zeros(0), *(chunk.to_numpy(zero_copy_only=False) for chunk in column.chunks)])
        found.sort()
        return found

    def filtered(self, fn: Fn, scratch: Path) -> pd.DataFrame:
        """What ``fn`` keeps of each batch, with the column ``pi`` that it adds: post_id, stratum, cluster, u, pi."""
        out = scratch / f"kept-{secrets.token_hex(4)}"
        try:
            map_batches(self.table, fn, {**SCHEMA, "pi": "double"}, out, kind="candidates")
            return read_dataset(out)
        finally:
            shutil.rmtree(out, ignore_errors=True)

    def _scores(self, folder: Path) -> ibis.Table:
        return read_parts(self.table.get_backend(), part_paths(folder))
