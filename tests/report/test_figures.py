import numpy as np
import pandas as pd

from comoderate.plots import BandDisplay, PrevalenceDisplay
from comoderate.report import figures


def test_days_are_a_band_and_groups_a_forest(make):
    frame = make().prevalence
    days = figures.prevalence(frame[frame["domain"] == "day"], {}, "by day")
    groups = figures.prevalence(frame[frame["domain"] == "target_group"], {}, "by group")
    assert isinstance(days.displays[0], BandDisplay)
    assert isinstance(groups.displays[0], PrevalenceDisplay)


def test_groups_with_few_labels_have_no_band(make):
    frame = make().prevalence
    days = frame[frame["domain"] == "day"].reset_index(drop=True)
    days.loc[[3, 4], "few"] = True
    (display,) = figures.prevalence(days, {}, "by day").displays
    assert np.flatnonzero(np.isnan(display.low[0])).tolist() == [3, 4]
    assert np.isfinite(display.y[0]).all()


def test_a_single_share_or_too_many_need_no_figure(make):
    frame = make().prevalence
    assert figures.prevalence(frame.head(1), {}, "one") is None
    many = pd.concat([frame[frame["domain"] == "target_group"]] * 9, ignore_index=True)
    assert figures.prevalence(many, {}, "many") is None


def test_equal_answers_are_not_drawn_as_agreement_beyond_chance(make):
    frame = make().agreement.assign(statistic="percent_agreement")
    assert figures.agreement(frame) is None


def test_people_alone_need_no_curves(make):
    curves = make().curves
    alone = curves[curves["scorer"] == "volunteers"]
    assert figures.scorers(alone, None, "t", ["volunteers"]) is None
    assert len(figures.scorers(curves, None, "t", ["volunteers"]).displays) == 2


def test_undefined_review_metrics_have_no_panel(make):
    frame = make().review
    frame.loc[frame["metric"] == "review_efficiency", "value"] = float("nan")
    assert len(figures.review(frame, "t").displays) == 2
