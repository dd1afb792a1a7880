import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.plots.numbers import count, number, percent, share, shorten


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.071, 0.066, 0.076, "7.1 % (6.6 to 7.6)"),
        (0.0042, 0.0031, 0.0053, "0.42 % (0.31 to 0.53)"),
        (0.66, 0.62, 0.7, "66 % (62 to 70)"),
        (0.073, 0.043, 0.125, "7.3 % (4.3 to 12.5)"),
        (0.12, 0.03, 0.21, "12 % (3 to 21)"),
        (0.912, 0.905, 0.919, "91.2 % (90.5 to 91.9)"),
        (1.0, 0.98, 1.0, "100.0 % (98.0 to 100.0)"),
        (0.0, 0.0, 0.0, "0.0 % (0.0 to 0.0)"),
        (0.071, math.nan, math.nan, "7.1 %"),
        (0.00042, math.nan, math.nan, "0.042 %"),
        (0, math.nan, math.nan, "0 %"),
        (math.nan, 0.1, 0.2, "undefined"),
    ],
)
def test_percent(value, low, high, text):
    assert percent(value, low, high) == text


@pytest.mark.parametrize(
    ("value", "low", "high", "text"),
    [
        (0.31, 0.28, 0.34, "0.31 (0.28 to 0.34)"),
        (0.912, 0.905, 0.919, "0.912 (0.905 to 0.919)"),
        (-0.07, -0.12, -0.02, "−0.07 (−0.12 to −0.02)"),
        (-0.001, math.nan, math.nan, "0.00"),
        (math.nan, math.nan, math.nan, "undefined"),
    ],
)
def test_number(value, low, high, text):
    assert number(value, low, high) == text


@pytest.mark.parametrize(("value", "text"), [(0.05, "5 %"), (0.001, "0.1 %"), (0.15, "15 %"), (0.0005, "0.05 %")])
def test_share_is_exact(value, text):
    assert share(value) == text


def test_count():
    assert count(14_500_000) == "14,500,000"
    assert count(math.nan) == "unknown"


@given(st.floats(0, 1), st.floats(1e-6, 0.5))
def test_what_is_written_lies_within_a_digit_of_the_truth(value, half):
    text = percent(value, value - half, value + half)
    found = [float(x.replace("−", "-")) for x in re.findall(r"[−\d.]+", text)]
    assert found[0] == pytest.approx(100 * value, abs=max(50 * half, 0.0006))


def test_shorten_makes_one_printable_line():
    assert shorten("a\nb\x00c") == "a b c"
    assert shorten("x" * 40, 10) == "x" * 9 + "…"
