"""Periods in which posts are counted."""

from comoderate.study.scale import PERIODS, periods


def test_half_a_minute_only_where_posts_come_in_it():
    assert list(periods(10, 40)) == ["day", "365 days", "all 10 days"]
    assert list(periods(10, 28_800)) == [*PERIODS, "all 10 days"]
    assert periods(1, 5)["all 1 day"] == 1
