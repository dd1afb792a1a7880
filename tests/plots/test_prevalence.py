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
    assert display.plot().axes[0].get_xlabel() == "share of mentions (%)"


def test_sizes_must_match():
    with pytest.raises(ValueError, match="low has 2 entries, but 1 are needed"):
        PrevalenceDisplay(["a"], [0.1], [0.0, 0.1], [0.2])
