"""A paper's claims, each put to the test: the difference that the claim is about, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import t as student

from comoderate.metrics import Estimate


class Verdict(NamedTuple):
    """What a run says of a claim.

    Attributes:
        claim: the claim, in our words.
        where: on which data.
        measure: of which the difference is.
        difference: positive where the claim holds.
        published: what the paper says, if a number.
    """

    claim: str
    where: str
    measure: str
    difference: Estimate
    published: str = ""

    @property
    def verdict(self) -> str:
        """``holds``, ``fails`` or ``open``, by the interval."""
        if not np.isfinite(self.difference.low):
            return "open"
        return "holds" if self.difference.low > 0 else "fails" if self.difference.high < 0 else "open"


def paired(better: ArrayLike, worse: ArrayLike, *, level: float = 0.95) -> Estimate:
    """The mean difference of paired runs (the same seeds), with Student's interval.

    Args:
        better: (n,) values of what the claim calls better; larger is better.
        worse: (n,) of the other.
        level: of the interval.
    """
    difference = np.asarray(better, dtype=np.float64) - np.asarray(worse, dtype=np.float64)
    difference = difference[np.isfinite(difference)]
    n = len(difference)
    if n == 0:
        return Estimate.undefined(reason="neither was run", level=level)
    value = float(difference.mean())
    if n == 1:
        return Estimate(value, np.nan, np.nan, np.nan, level, "paired runs", 1, 1.0, "one run has no spread")
    error = float(difference.std(ddof=1) / np.sqrt(n))
    half = float(student.ppf((1 + level) / 2, n - 1)) * error
    return Estimate(value, error, value - half, value + half, level, "paired runs, Student's t", n, float(n), "")


def table(verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """A row a claim and data set, with the numbers."""
    rows = [
        {
            "claim": one.claim, "where": one.where, "measure": one.measure, "published": one.published,
            "difference": one.difference.value, "low": one.difference.low, "high": one.difference.high,
            "runs": one.difference.n, "verdict": one.verdict,
        }
        for one in verdicts
    ]  # fmt: skip
    return pd.DataFrame(rows)


def shown(verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """The same for readers."""
    frame = table(verdicts)
    interval = [
        f"{one.value:+.3g}" + (f" ({one.low:+.3g} to {one.high:+.3g})" if np.isfinite(one.low) else "")
        for one in (verdict.difference for verdict in verdicts)
    ]
    return frame.assign(difference=interval).drop(columns=["low", "high"])
