"""How numbers are written: as many digits as the interval supports, '7.1 % (6.6 to 7.6)', never more."""

from __future__ import annotations

import math

MINUS = "\N{MINUS SIGN}"


def _fixed(number: float, digits: int) -> str:
    """``number`` with ``digits`` decimals, thousands separated, a true minus sign, and no '-0.0'."""
    text = f"{number:,.{digits}f}"
    bare = text.removeprefix("-")
    return text if text == bare else bare if not bare.strip("0.,") else MINUS + bare


def _digits(half_width: float, fewest: int, most: int) -> int:
    """Decimals that show the first significant digit of ``half_width``, within bounds."""
    if not half_width > 0:
        return fewest
    return min(max(-math.floor(math.log10(half_width)), fewest), most)


def _digits_alone(percentage: float) -> int:
    """Decimals for a percentage without an interval: two significant digits below 1 %, else one decimal."""
    if percentage == 0:
        return 0
    return 1 if abs(percentage) >= 1 else _digits(abs(percentage), 1, 3) + 1


def _half_width(low: float, high: float) -> float:
    return (high - low) / 2 if math.isfinite(low) and math.isfinite(high) else math.nan


def count(number: float) -> str:
    """A whole number with thousands separated, or 'unknown' where it is NaN."""
    return "unknown" if number is None or math.isnan(number) else _fixed(float(number), 0)


def percent(value: float, low: float = math.nan, high: float = math.nan) -> str:
    """A share as a percentage, with its interval where one is given.

    Args:
        value: the share, 0 to 1 (other values are written all the same); NaN gives 'undefined'.
        low, high: ends of the interval as shares; NaN where unknown.
    """
    if not math.isfinite(value):
        return "undefined"
    half = _half_width(100 * low, 100 * high)
    if math.isnan(half):
        return f"{_fixed(100 * value, _digits_alone(100 * value))} %"
    digits = 0 if half >= 3 and abs(value) >= 0.1 else _digits(half / 2, 1, 3)
    return f"{_fixed(100 * value, digits)} % ({_fixed(100 * low, digits)} to {_fixed(100 * high, digits)})"


def share(value: float) -> str:
    """A share that is exact, such as a review fraction: '5 %', '0.1 %'; without an interval and without rounding."""
    return f"{float(f'{100 * value:.9g}'):g} %"


def number(value: float, low: float = math.nan, high: float = math.nan) -> str:
    """A coefficient (kappa, an area under a curve) with two to four decimals, and its interval where one is given."""
    if not math.isfinite(value):
        return "undefined"
    half = _half_width(low, high)
    digits = _digits(half, 2, 4)
    if math.isnan(half):
        return _fixed(value, digits)
    return f"{_fixed(value, digits)} ({_fixed(low, digits)} to {_fixed(high, digits)})"


def shorten(label: str, limit: int = 30) -> str:
    """``label`` on one line, without control characters, cut to ``limit`` characters with an ellipsis."""
    clean = "".join(c if c.isprintable() else " " for c in str(label)).strip()
    return clean if len(clean) <= limit else clean[: limit - 1].rstrip() + "…"
