"""A paper's claims, each put to the test: the difference that the claim is about, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import t as student

from comoderate.metrics import Estimate
from comoderate.papers.results import Section

TINY = 1e-9
"""Differences that are nothing but rounding."""
WORDS = ("holds", "does not hold", "open")
RULE = (
    "Each row is a difference with its 95 % interval, positive where the claim holds. A claim *holds* or *does not "
    "hold* where the interval leaves out 0; otherwise the question is *open* on this data."
)


class Verdict(NamedTuple):
    """What a run says of a claim.

    Attributes:
        claim: the claim, in our words.
        where: on which data.
        measure: of which the difference is.
        difference: positive where the claim holds.
        published: what the paper says, if a number.
        share: whether the difference is a share, to be shown in per cent.
    """

    claim: str
    where: str
    measure: str
    difference: Estimate
    published: str = ""
    share: bool = False

    @property
    def verdict(self) -> str:
        """One of :data:`WORDS`, by the interval."""
        if not np.isfinite(self.difference.low):
            return "open"
        return "holds" if self.difference.low > TINY else "does not hold" if self.difference.high < -TINY else "open"


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


def saved(better: ArrayLike, worse: ArrayLike, *, level: float = 0.95) -> Estimate:
    """The share of an error that is saved in paired runs: 1 − exp(mean of log ratios), with Student's interval.

    Seeds differ in how hard they are; a ratio is comparable from one to the next where a difference is not.

    Args:
        better: (n,) errors, positive, of what the claim calls better.
        worse: (n,) of the other.
        level: of the interval.
    """
    found = paired(np.log(np.asarray(worse, dtype=np.float64)), np.log(np.asarray(better, dtype=np.float64)))
    value, low, high = (float(-np.expm1(-one)) for one in (found.value, found.low, found.high))
    return replace(found, value=value, se=float(found.se * (1 - value)), low=low, high=high, level=level)


def table(verdicts: Sequence[Verdict]) -> pd.DataFrame:
    """A row a claim and data set, with the numbers."""
    rows = [
        {
            "claim": one.claim, "where": one.where, "measure": one.measure, "published": one.published,
            "difference": one.difference.value, "low": one.difference.low, "high": one.difference.high,
            "n": one.difference.n, "verdict": one.verdict,
        }
        for one in verdicts
    ]  # fmt: skip
    return pd.DataFrame(rows)


def shown(verdicts: Sequence[Verdict], *, counted: str = "n") -> pd.DataFrame:
    """The same for readers.

    Args:
        verdicts: of a run.
        counted: what n counts, as the head of its column.
    """
    frame = table(verdicts).assign(difference=[_interval(one) for one in verdicts])
    frame["published"] = [one.published or None for one in verdicts]
    return frame.drop(columns=["low", "high"]).rename(columns={"n": counted})


def _interval(one: Verdict) -> str:
    found = one.difference
    if not np.isfinite(found.value):
        return f"unknown: {found.reason}" if found.reason else "unknown"
    return told(found.value, found.low, found.high, share=one.share)


def told(value: float, low: float, high: float, *, share: bool = False) -> str:
    """A difference and its interval in words: "+0.12 (+0.03 to +0.2)", or in per cent; what is but rounding is 0.

    Args:
        value, low, high: the difference and the ends of its interval, NaN where there is none.
        share: whether they are shares.
    """
    whole = (0.0 if abs(one) < TINY else one for one in (value, low, high))
    middle, first, last = (f"{100 * v:+z.0f}" if share else f"{v:+.3g}" for v in whole)
    return middle + (" %" if share else "") + (f" ({first} to {last})" if np.isfinite(low) else "")


def summary(verdicts: Sequence[Verdict]) -> str:
    """A list, an item a claim: where it holds, where it does not, where that is open."""
    lines = []
    for claim in dict.fromkeys(one.claim for one in verdicts):
        own = [one for one in verdicts if one.claim == claim]
        several = len({one.measure for one in own}) > 1
        parts = []
        for word in WORDS:
            places: dict[str, list[str]] = {}
            for one in own:
                if one.verdict == word:
                    places.setdefault(one.where, []).append(one.measure)
            told = [f"{where} ({', '.join(names)})" if several else where for where, names in places.items()]
            parts += [f"**{word}** on {', '.join(told)}"] if told else []
        lines.append(f"- {claim[0].upper()}{claim[1:]}: {'; '.join(parts)}.")
    return "\n".join(lines)


def section(verdicts: Sequence[Verdict], *, counted: str, sentences: Sequence[str] = ()) -> Section:
    """The part of a page that judges the claims.

    Args:
        verdicts: of a run.
        counted: what n counts, as the head of its column.
        sentences: how the intervals come about.
    """
    told = [RULE, *sentences, summary(verdicts)]
    return Section("Which claims hold here", told, "claims", table(verdicts), shown(verdicts, counted=counted))
