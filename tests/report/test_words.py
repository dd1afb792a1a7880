import pandas as pd
import pytest

from comoderate.report.words import as_day, estimate, is_missing, level, listed, whole


@pytest.mark.parametrize(
    ("group", "day"),
    [
        ("2026-11-30", "2026-11-30"),
        (pd.Timestamp("2026-11-30"), "2026-11-30"),
        ("2026-W48", "2026-11-23"),
        ("2026-11", "2026-11-01"),
        ("women", None),
        ("Wednesday", None),
        (None, None),
    ],
)
def test_as_day(group, day):
    assert as_day(group) == day


def test_an_undefined_estimate_says_why():
    row = pd.Series({"value": None, "low": None, "high": None, "reason": "no labels"})
    assert estimate(row) == "undefined (no labels)"
    assert estimate(row.replace({"no labels": None})) == "undefined"


def test_lists_read_like_a_sentence():
    assert [listed("a"), listed("ab"), listed("abc"), listed("")] == ["a", "a and b", "a, b and c", ""]


def test_missing_is_missing_in_every_guise():
    assert all(map(is_missing, (None, float("nan"), pd.NA, pd.NaT)))
    assert not any(map(is_missing, (0, "", "nan", False)))
    assert whole(pd.NA) == "unknown"


def test_levels_are_named_once():
    assert level(pd.DataFrame({"level": [0.95, 0.95, 0.9]})) == "95 % and 90 %"
