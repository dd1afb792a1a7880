"""The posts that a sample may draw, as a lazy table: counted, drawn from and looked up without ever being held."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.corpus.datasets import iter_dataset, part_paths
from comoderate.corpus.draw import Quota, below, strata_spans, top_k
from comoderate.corpus.engine import arrow_batches_of, evaluated_once, read_parts
from comoderate.corpus.enriching import More, Phases, top_k_enriched
from comoderate.corpus.mapping import Fn, map_batches
from comoderate.corpus.posts import Posts

if TYPE_CHECKING:
    import ibis
    from ibis.backends import BaseBackend

ALL = "all"
"""The stratum of every post, where there are no strata."""

COLUMNS = ("post_id", "stratum", "cluster", "u")
SCHEMA = {"post_id": "string", "stratum": "string", "cluster": "string", "u": "double", "amount": "double"}


class Candidates:
    """Posts with stratum, cluster and random number, on DuckDB or Spark.

    Attributes:
        table: post_id, stratum, cluster, u; ``amount`` where posts have sizes, ``called`` after :meth:`called`.
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
        amount: str | None = None,
    ) -> Candidates:
        """The posts of a study.

        Args:
            posts: the dataset.
            backend: as :func:`comoderate.corpus.connect` gives.
            stratum: column of the stratum; one stratum :data:`ALL` where None.
            cluster: column of the cluster.
            among: a Parquet file with ``post_id``, one or more rows a post; other posts are no candidates.
            amount: a column of sizes, views say; 0 where there is none.
        """
        import ibis

        rows = posts.table(backend)
        if among is not None:
            rows = rows.semi_join(read_parts(backend, [among]), "post_id")
        home = ibis.literal(ALL) if stratum is None else rows[stratum]
        unit = ibis.null("string") if cluster is None else rows[cluster]
        found = rows.select(rows["post_id"], stratum=home, cluster=unit, u=rows["u"], **_amount(rows, amount))
        return cls(found)

    @contextlib.contextmanager
    def kept(self) -> Iterator[Candidates]:
        """The same, with what was joined to them joined once, until the block ends."""
        with evaluated_once(self.table) as table:
            yield Candidates(table)

    def called(self, scores: Path, threshold: float) -> Candidates:
        """With a column ``called``: whether a dataset of scores (post_id, proba) gives more than ``threshold``.

        A post whose score failed is not called positive.
        """
        found = self._scores(scores)
        over = found.filter((found["proba"] > threshold) & ~found["proba"].isnan()).select(positive="post_id")
        joined = self.table.left_join(over, self.table["post_id"] == over["positive"])
        return Candidates(joined.select(*self.table.columns, called=joined["positive"].notnull()))

    def sized(self, scores: Path) -> Candidates:
        """With a column ``amount``: the probability of a dataset of scores, 0 where it failed."""
        found = self._scores(scores)
        other = found.select("post_id", **_amount(found, "proba"))
        return Candidates(self.table.inner_join(other, "post_id").select(*self.table.columns, "amount"))

    def mapped(self, fn: Fn, out: Path) -> Candidates:
        """The same posts after ``fn``, which gives each batch another random number, say; kept as a dataset ``out``.

        Args:
            fn: from a frame of the columns of a batch to one; picklable for Spark.
            out: a folder, which the caller removes.
        """
        map_batches(self.table, fn, {name: SCHEMA[name] for name in self.table.columns}, out, kind="candidates")
        return Candidates(read_parts(self.table.get_backend(), part_paths(out)))

    def counts(self) -> pd.Series:
        """Posts by stratum, in the order of the strata; posts without one are not counted."""
        table = self.table.filter(self.table["stratum"].notnull())
        found: pd.DataFrame = table.group_by("stratum").aggregate(n=table.count()).execute()
        return found.set_index("stratum")["n"].astype("int64").sort_index()

    def spans(self) -> pd.DataFrame:
        """Of every stratum the number of posts and the extremes of their random numbers: stratum, N, low, high."""
        return strata_spans(self.table)

    def draw(self, quota: Quota, *, spans: pd.DataFrame | None = None) -> pd.DataFrame:
        """As :func:`comoderate.corpus.top_k`: post_id, stratum, u, cluster."""
        return top_k(self.table, quota, also=["cluster"], spans=spans)

    def draw_enriched(self, quota: Quota, more: More, *, spans: pd.DataFrame | None = None) -> Phases:
        """As :func:`comoderate.corpus.top_k_enriched`, after :meth:`called`: post_id, stratum, u, called, cluster."""
        return top_k_enriched(self.table, quota, more, also=["cluster"], spans=spans)

    def all(self) -> pd.DataFrame:
        """Every candidate: post_id, stratum, cluster, u."""
        found: pd.DataFrame = self.table.select(*COLUMNS).execute()
        return found

    def amounts(self) -> NDArray[np.float64]:
        """All amounts, smallest first: eight bytes a post."""
        found, at = np.empty(int(self.table.count().execute())), 0
        for batch in arrow_batches_of(self.table.select("amount"), 250_000):
            found[at : at + len(batch)] = batch.column(0).to_numpy(zero_copy_only=False)
            at += len(batch)
        found.sort()
        return found

    def below(self, factor: float, least: float, *, limit: float, most: float) -> pd.DataFrame:
        """Posts whose random number is below, or hardly above, ``factor`` times their amount and ``least``.

        Args:
            factor: chance for each unit of the amount.
            least: chance of a post of no amount.
            limit: posts of this amount or more are always there.
            most: the largest chance of any post, so that posts that none can reach are not joined with anything.

        Returns:
            post_id, stratum, cluster, u, amount; the caller compares the last digits.
        """
        table = self.table.filter(below(self.table["u"], most))
        chance = table["amount"] * factor + least
        near = table.filter((table["u"] <= chance * (1 + 1e-9)) | (table["amount"] >= limit * (1 - 1e-9)))
        found: pd.DataFrame = near.select(*COLUMNS, "amount").execute()
        return found

    def score_sums(self, scores: Path) -> pd.DataFrame:
        """As :func:`score_sums`, of the candidates in each stratum: stratum, posts, scored, total.

        The probabilities are added as decimals of fifteen digits, so that the order of the rows changes nothing.
        """
        import ibis

        joined = self.table.select("post_id", "stratum").inner_join(self._scores(scores), "post_id")
        proba = joined["proba"]
        known = proba.notnull() & ~proba.isnan()
        exact = ibis.ifelse(known, proba, 0.0).cast("decimal(18, 15)")
        sums = {"posts": joined.count(), "scored": known.sum(), "total": exact.sum()}
        found: pd.DataFrame = joined.group_by("stratum").aggregate(**sums).execute()
        found = found.astype({"posts": "int64", "scored": "int64", "total": "float64"})
        return found.sort_values("stratum", ignore_index=True)

    def _scores(self, folder: Path) -> ibis.Table:
        return read_parts(self.table.get_backend(), part_paths(folder))


def score_sums(scores: Path) -> pd.DataFrame:
    """Over all rows of a dataset of scores, streamed: posts, scored (with a probability), total (of these); one row."""
    batches = (part["proba"] for part in iter_dataset(scores, ["proba"]))
    sums = np.sum([(len(part), part.count(), part.sum()) for part in batches], axis=0)
    found = pd.DataFrame([sums], columns=pd.Index(["posts", "scored", "total"]))
    return found.astype({"posts": "int64", "scored": "int64"})


def _amount(table: ibis.Table, column: str | None) -> dict[str, ibis.Value]:
    """A column as sizes, 0 where there is none; nothing where no column is named."""
    import ibis

    if column is None:
        return {}
    value = table[column].cast("float64")
    return {"amount": ibis.cases((value.isnull() | value.isnan(), 0.0), else_=value)}
