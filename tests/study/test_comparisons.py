"""Rules of inclusion: what they accept and whom they let through."""

import pandas as pd
import pytest

from comoderate.study.comparisons import parse


def test_texts_are_compared_without_case():
    rule = parse("active = Yes")
    assert rule.holds(pd.Series(["yes", " YES", "no", None], dtype="string")).tolist() == [True, True, False, False]
    assert parse("protected != yes").holds(pd.Series(["yes", "no", None], dtype="string")).tolist() == [
        False, True, False,
    ]  # fmt: skip
    assert not rule.orders


def test_numbers_are_ordered():
    rule = parse("followers < 1,000_000")
    assert rule.orders
    assert rule.holds(pd.Series([999_999.0, 1e6, None])).tolist() == [True, False, False]
    assert parse("age >= 18").holds(pd.Series([17.0, 18.0])).tolist() == [False, True]
    assert parse('city == "New York"').value == "new york"


@pytest.mark.parametrize("text", ["followers", "followers < many", "= 4", "age >", ""])
def test_what_is_no_comparison_is_refused(text):
    with pytest.raises(ValueError, match="compar"):
        parse(text)
