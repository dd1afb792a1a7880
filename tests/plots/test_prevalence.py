import numpy as np
import pandas as pd
import pytest

from comoderate.plots import PrevalenceDisplay


def test_rows_are_named_by_what_differs():
    frame = pd.DataFrame(
        {"target": "a", "sample": "main", "cohort": ["v", "e"], "unit": "posts", "domain": "all", "group": "all",
         "value": [0.1, None], "low": [0.05, None], "high": [0.2, None], "few": [False, True]}
    )  # fmt: skip
    display = PrevalenceDisplay.from_frame(frame)
    assert display.names == ["v", "e"]
    assert "v 10 % (5 to 20); e undefined" in display.describe()
    texts = [t.get_text() for t in display.plot().axes[0].texts]
    assert texts == ["undefined"]


def test_many_rows_are_told_by_their_extremes():
    value = np.linspace(0.1, 0.5, 20)
    display = PrevalenceDisplay([f"g{i}" for i in range(20)], value, value, value)
    assert "lowest and highest" in display.describe()
    assert "g0 " in display.describe()
    assert "g10 " not in display.describe()


def test_the_axis_has_a_unit():
    display = PrevalenceDisplay(["a"], [0.1], [0.0], [0.2], unit="mentions")
    assert display.plot().axes[0].get_xlabel() == "share of mentions (%), with interval"


def test_sizes_must_match():
    with pytest.raises(ValueError, match="low has 2 entries, but 1 are needed"):
        PrevalenceDisplay(["a"], [0.1], [0.0, 0.1], [0.2])


def test_cohorts_share_the_row_of_a_group():
    rows = [("main", "volunteers", "a"), ("main", "volunteers", "b"), ("second", "experts", "a")]
    frame = pd.DataFrame(rows, columns=["sample", "cohort", "group"])
    frame = frame.assign(target="t", unit="posts", domain="d", value=0.1, low=0.05, high=0.2)
    display = PrevalenceDisplay.from_frame(frame)
    assert display.names == ["a", "b", "a"]
    assert display.series == ["volunteers", "volunteers", "experts"]
    axes = display.plot().axes[0]
    assert [t.get_text() for t in axes.get_yticklabels()] == ["a", "b"]
    assert [t.get_text() for t in axes.get_legend().get_texts()] == ["volunteers", "experts"]


def test_a_series_entry_an_estimate():
    with pytest.raises(ValueError, match="series has 1 entries"):
        PrevalenceDisplay(["a", "b"], [0, 0], [0, 0], [0, 0], series=["x"])
