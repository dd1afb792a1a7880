import numpy as np
import pandas as pd

from comoderate.plots import DailyVolumeDisplay


def test_days_are_sorted_and_summed():
    display = DailyVolumeDisplay(["2026-01-02", "2026-01-01"], [20, 10], [20, 10], [2, 1])
    assert list(display.total) == [10, 20]
    assert "2 days from 2026-01-01 to 2026-01-02" in display.describe()
    assert "posts: 30 in all, 10 to 20 a day" in display.describe()


def test_one_line_where_all_posts_are_in_hand():
    axes = DailyVolumeDisplay(["2026-01-01", "2026-01-02"], [20, 10], [20, 10], [2, 1]).plot().axes[0]
    assert [line.get_label() for line in axes.lines] == ["all posts, all in hand", "drawn"]


def test_a_log_axis_only_where_it_is_needed():
    wide = DailyVolumeDisplay(["2026-01-01"], [100_000], [10_000], [12])
    narrow = DailyVolumeDisplay(["2026-01-01"], [100], [50], [12])
    assert wide.plot().axes[0].get_yscale() == "log"
    assert narrow.plot().axes[0].get_yscale() == "linear"


def test_from_a_frame_with_timestamps_and_undated_posts():
    frame = pd.DataFrame({"day": [pd.Timestamp("2026-01-01"), pd.NaT], "N": [3, 1], "in_hand": [3, 1], "drawn": [1, 0]})
    display = DailyVolumeDisplay.from_frame(frame)
    assert list(display.day) == [np.datetime64("2026-01-01")]


def test_lines_break_where_days_are_missing():
    days = ["2026-01-01", "2026-01-02", "2026-01-03", "2026-03-01"]
    line = DailyVolumeDisplay(days, [1, 2, 3, 4], [1, 1, 1, 1], [1, 1, 1, 1]).plot().axes[0].lines[0]
    assert np.isnan(line.get_ydata()).sum() == 1


def test_strata_that_are_no_days_are_left_out():
    frame = pd.DataFrame({"day": ["all", "2026-01-01"], "N": [3, 1], "in_hand": [3, 1], "drawn": [1, 0]})
    assert list(DailyVolumeDisplay.from_frame(frame).total) == [1]
