"""How a study writes its numbers for people: one way for shares, counts and ratios, and tables that end."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from comoderate.plots import count, number, percent

LARGEST = 30
"""Groups that a page shows of an attribute; all of them are in the tables beside it."""


def share(row: Any) -> str:
    """A share with its interval: '7.1 % (6.6 to 7.6)'."""
    return percent(float(row.value), float(row.low), float(row.high))


def amount(row: Any) -> str:
    """A count with its interval: '1,234 (1,100 to 1,380)'; below 10 with as many decimals as the interval supports."""
    value, low, high = float(row.value), float(row.low), float(row.high)
    if math.isnan(value) or abs(value) < 10:
        return number(value, low, high)
    return count(value) if math.isnan(low) else f"{count(value)} ({count(low)} to {count(high)})"


def total(value: float) -> str:
    """A known number of posts, with decimals below 10."""
    return count(value) if value >= 10 or float(value).is_integer() else number(value)


def ratio(row: Any) -> str:
    """A ratio with its interval: '1.84 × (1.52 to 2.23)'."""
    return number(float(row.value), float(row.low), float(row.high))


def more_or_less(row: Any) -> str:
    """A relative risk in words: '84 % (52 to 123) more'."""
    if row.value >= 1:
        return f"{percent(row.value - 1, row.low - 1, row.high - 1)} more"
    return f"{percent(1 - row.value, 1 - row.high, 1 - row.low)} less"


def few(table: pd.DataFrame) -> pd.Series:
    """A note for groups with few labels."""
    return table["few"].astype(bool).map({True: "few labels", False: ""})


def largest(table: pd.DataFrame, *, size: str = "n") -> tuple[pd.DataFrame, dict[str, str]]:
    """The :data:`LARGEST` groups of every attribute, and by attribute a sentence where there are more.

    Args:
        table: a row a group, with ``domain`` and ``group``; days and weeks stay whole.
        size: column by which groups are large.
    """
    if table.empty:
        return table, {}
    sizes = table.groupby(["domain", "group"], sort=False, dropna=False)[size].max()
    kept, told = [], {}
    for domain, own in sizes.groupby(level="domain", sort=False):
        if len(own) > LARGEST and domain not in ("day", "week"):
            told[str(domain)] = (
                f"{str(domain).replace('_', ' ').capitalize()} has {len(own):,} groups; the {LARGEST} with most labels "
                "are shown here, and all of them are in the folder tables beside this page."
            )
            own = own.nlargest(LARGEST)
        kept += list(own.index)
    wanted = pd.MultiIndex.from_frame(table[["domain", "group"]]).isin(kept)
    return table[wanted].reset_index(drop=True), told
