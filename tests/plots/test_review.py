import pandas as pd
import pytest

from comoderate.plots import ReviewCurveDisplay


def test_a_panel_a_metric_on_a_log_axis(reviewed):
    axes = ReviewCurveDisplay(reviewed).plot().axes
    assert len(axes) == 3
    assert all(ax.get_xscale() == "log" for ax in axes)
    assert [ax.get_ylabel() for ax in axes] == ["Right decisions (%)", "AUROC of the pair", "Review efficiency (%)"]


def test_solid_is_uncertainty_and_dashed_is_toxicity(reviewed):
    lines = ReviewCurveDisplay(reviewed, metrics=["review_efficiency"]).plot().axes[0].lines
    assert {line.get_label(): line.get_linestyle() for line in lines} == {"uncertainty": "-", "toxicity": "--"}


def test_colour_tells_scorers_apart(reviewed):
    both = pd.concat([reviewed, reviewed.assign(scorer="other")])
    lines = ReviewCurveDisplay(both, metrics=["review_efficiency"]).plot().axes[0].lines
    colours = {line.get_label(): line.get_color() for line in lines}
    assert colours["bayes, uncertainty"] == colours["bayes, toxicity"] != colours["other, toxicity"]


def test_new_strategies_get_styles_of_their_own(reviewed):
    more = pd.concat([reviewed, reviewed.assign(strategy="expected error"), reviewed.assign(strategy="random")])
    lines = ReviewCurveDisplay(more, metrics=["review_efficiency"]).plot().axes[0].lines
    assert len({(line.get_linestyle(), line.get_color()) for line in lines}) == 4


def test_a_missing_metric_is_refused(reviewed):
    with pytest.raises(ValueError, match="review_effectiveness"):
        ReviewCurveDisplay(reviewed, metrics=["review_effectiveness"])
