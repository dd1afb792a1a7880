"""Scorers side by side against one cohort's labels, weighted to the real stream, with intervals."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate import metrics
from comoderate.errors import ComoderateError
from comoderate.metrics import Estimate
from comoderate.sampling import replicate_weights
from comoderate.study.estimating import FEW, domain_values

Floats = NDArray[np.float64]
CURVE_POINTS = 400


class Evaluation:
    """The labelled posts of one sample and cohort, and the replicate weights that all scorers share.

    Args:
        labelled: as :func:`comoderate.study.labelled.join` gives.
        posts: the same posts, row for row, with attributes and day.
        replicates: bootstrap replicates.
        level: nominal coverage.
        seed: of the bootstrap.
    """

    def __init__(
        self, labelled: pd.DataFrame, posts: pd.DataFrame, *, replicates: int, level: float, seed: int
    ) -> None:
        use = (labelled["weight"] > 0).to_numpy()
        self.rows = labelled[use].reset_index(drop=True)
        self.posts = posts[use].reset_index(drop=True)
        self.y = self.rows["y"].to_numpy(dtype=np.float64)
        self.weight = self.rows["weight"].to_numpy(dtype=np.float64)
        self.level = level
        cluster = self.rows["cluster"] if self.rows["cluster"].notna().any() else None
        self.replicates = list(
            replicate_weights(
                self.weight,
                stratum=self.rows["stratum"].to_numpy(dtype=str),
                cluster=None if cluster is None else cluster.fillna(self.rows["post_id"]).to_numpy(dtype=str),
                n_replicates=replicates,
                random_state=seed,
            )
        )

    def subset(self, inside: NDArray[np.bool_]) -> Evaluation:
        """The same evaluation on some of its posts, with the same replicates."""
        part = copy(self)
        part.rows, part.posts = self.rows[inside].reset_index(drop=True), self.posts[inside].reset_index(drop=True)
        part.y, part.weight = self.y[inside], self.weight[inside]
        part.replicates = [weight[inside] for weight in self.replicates]
        return part

    def scored(self, proba: Floats) -> tuple[Floats, Evaluation]:
        """The posts on which a scorer did not fail: their probabilities, and the evaluation on them."""
        known = ~np.isnan(proba)
        return (proba, self) if known.all() else (proba[known], self.subset(known))

    def reweighted(self, factor: Floats) -> Evaluation:
        """The same evaluation with the weights of its posts, and all replicates, times ``factor`` (n,)."""
        part = copy(self)
        part.weight = self.weight * factor
        part.rows = self.rows.assign(weight=part.weight)
        part.replicates = [weight * factor for weight in self.replicates]
        return part

    def compare(self, proba: Floats, by: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
        """Rows domain, group, metric, the fields of an Estimate, few: for all posts and for each group.

        Precision and recall are those at the threshold with the best F1 on all posts; groups keep that threshold.

        Args:
            proba: (n,) probabilities of the posts in ``rows``.
            by: groupings.
        """
        everyone = np.ones(len(self.y), dtype=bool)
        threshold = metrics.best_f1(self.y, proba, sample_weight=self.weight).threshold
        yield from self._rows("all", "all", self._best(proba) | self._ranking(proba, everyone), len(self.y))
        for domain in by:
            groups = domain_values(self.posts, domain)
            for group in sorted(groups.dropna().unique()):
                inside = (groups == group).to_numpy()
                found = self._at(proba, threshold, inside) | self._ranking(proba, inside)
                yield from self._rows(domain, str(group), found, int(inside.sum()))

    def curves(self, proba: Floats) -> Iterator[pd.DataFrame]:
        """Precision–recall and ROC curves: frames kind, x, y, threshold, thinned to what a figure can show."""
        precision_recall = metrics.precision_recall_curve(self.y, proba, sample_weight=self.weight)
        yield _curve("precision-recall", precision_recall.recall, precision_recall.precision, precision_recall)
        roc = metrics.roc_curve(self.y, proba, sample_weight=self.weight)
        yield _curve("roc", roc.false_positive_rate, roc.true_positive_rate, roc)

    def estimate(self, fn: Any, *arrays: NDArray[Any], **options: Any) -> list[Estimate]:
        """Estimates of a metric on all posts, with the shared replicates."""
        found = metrics.estimate(
            fn, *arrays, sample_weight=self.weight, replicates=self.replicates, level=self.level, **options
        )
        return found if isinstance(found, list) else [found]

    def _best(self, proba: Floats) -> dict[str, Estimate]:
        found = self.estimate(metrics.best_f1, self.y, proba)
        return dict(zip(("f1", "precision", "recall", "threshold"), found, strict=True))

    def _ranking(self, proba: Floats, inside: NDArray[np.bool_]) -> dict[str, Estimate]:
        return {
            "average_precision": self._inside(metrics.average_precision, proba, inside),
            "auroc": self._inside(metrics.auroc, proba, inside),
        }

    def _at(self, proba: Floats, threshold: float, inside: NDArray[np.bool_]) -> dict[str, Estimate]:
        named = {"precision": metrics.precision, "recall": metrics.recall, "f1": metrics.f1}
        return {name: self._inside(fn, proba, inside, threshold=threshold) for name, fn in named.items()}

    def _inside(self, fn: Any, proba: Floats, inside: NDArray[np.bool_], **options: Any) -> Estimate:
        weights = (weight[inside] for weight in self.replicates)
        found = metrics.estimate(
            fn, self.y[inside], proba[inside], sample_weight=self.weight[inside], replicates=weights, level=self.level,
            **options,
        )  # fmt: skip
        assert isinstance(found, Estimate)
        return found

    def _rows(self, domain: str, group: str, found: dict[str, Estimate], n: int) -> Iterator[dict[str, Any]]:
        few = n < FEW
        for metric, estimate in found.items():
            yield {"domain": domain, "group": group, "metric": metric, **estimate.as_dict(), "few": few}


def _curve(kind: str, x: Floats, y: Floats, curve: Any) -> pd.DataFrame:
    frame = pd.DataFrame({"kind": kind, "x": x, "y": y, "threshold": curve.threshold})
    if len(frame) <= CURVE_POINTS:
        return frame
    keep = np.unique(np.linspace(0, len(frame) - 1, CURVE_POINTS).round().astype(int))
    return frame.iloc[keep]


def failures(scores: pd.DataFrame) -> pd.Series[bool]:
    """Which rows of a scorer's table are posts on which it failed: no probability, and an error instead."""
    if "error" not in scores:
        return pd.Series(False, index=scores.index)
    return scores["proba"].isna() & scores["error"].notna() & scores["error"].ne("")


PARTS = ("total", "aleatoric", "epistemic")
"""Columns of scores on how sure a scorer is; only some methods give them."""


def scored_parts(scores: pd.DataFrame) -> dict[str, Floats]:
    """(n,) each: those parts of a scorer's uncertainty that it gives for all the posts."""
    held = {name: scores[name].to_numpy(dtype=np.float64) for name in PARTS if name in scores}
    return {name: values for name, values in held.items() if not np.isnan(values).any()}


def scores_of(rows: pd.DataFrame, scores: pd.DataFrame, scorer: str) -> Floats:
    """(n,) probabilities of the posts in ``rows``; NaN where the scorer failed on a post and says so.

    Args:
        rows: with post_id.
        scores: post_id, proba, seen, and where the scorer can fail error.
        scorer: its name, for messages.

    Raises:
        ComoderateError: a post has no score, or the scorer was trained on it.
    """
    found = rows[["post_id"]].merge(scores, on="post_id", how="left")
    lacking = found["proba"].isna() & ~failures(found)
    if lacking.any():
        missing = found.loc[lacking, "post_id"].iloc[0]
        raise ComoderateError(
            f"scorer {scorer!r} has no probability for post {missing!r}", do="run `comoderate score` again"
        )
    seen = found["seen"].eq(True)
    if seen.any():
        raise ComoderateError(
            f"scorer {scorer!r} was trained on {int(seen.sum())} of the {len(found)} posts that are to measure it",
            do="name folds that it was not trained on in only_folds under [evaluate]",
        )
    return found["proba"].to_numpy(dtype=np.float64)
