"""Rules of inclusion as they stand in ``study.toml``: a column, a sign, a value."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import pandas as pd

_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    "<=": operator.le, ">=": operator.ge, "!=": operator.ne, "<": operator.lt, ">": operator.gt, "=": operator.eq,
}  # fmt: skip
_RULE = re.compile(r"^\s*(?P<column>.+?)\s*(?P<sign><=|>=|!=|==|<|>|=)\s*(?P<value>.*?)\s*$")


class Comparison(NamedTuple):
    """One rule.

    Attributes:
        text: as it was written.
        column, sign, value: its parts; the value is a number where the sign orders.
    """

    text: str
    column: str
    sign: str
    value: str | float

    @property
    def orders(self) -> bool:
        """Whether the column must hold numbers."""
        return isinstance(self.value, float)

    def holds(self, values: pd.Series) -> pd.Series:
        """Whether each value meets the rule; one that is missing does not.

        Args:
            values: numbers where the rule orders, else texts, compared without case and outer spaces.
        """
        if not self.orders:
            values = values.str.strip().str.casefold()
        met = _SIGNS[self.sign](values, self.value)
        return pd.Series(met, index=values.index).where(values.notna(), False).astype(bool)


def parse(text: str) -> Comparison:
    """A rule from its text.

    Raises:
        ValueError: it is no comparison, or orders by something that is no number.
    """
    found = _RULE.match(text)
    if found is None or found["value"] == "":
        raise ValueError(f"{text!r} is no comparison such as 'followers < 1000000' or 'active = yes'")
    column, sign, value = found["column"], found["sign"].replace("==", "="), found["value"].strip("\"'")
    if sign in ("=", "!="):
        return Comparison(text.strip(), column, sign, value.strip().casefold())
    try:
        return Comparison(text.strip(), column, sign, float(value.replace("_", "").replace(",", "")))
    except ValueError:
        raise ValueError(f"{text!r} compares with {value!r}, which is no number") from None
