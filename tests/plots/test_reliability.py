import pytest

from comoderate.plots import Bins, ReliabilityDisplay


def test_a_lower_panel_only_where_weights_are_known():
    assert ReliabilityDisplay([Bins("m", [0.5], [0.5])]).panels == 1
    assert ReliabilityDisplay([Bins("m", [0.5], [0.5], weight=[1.0])]).panels == 2


def test_bins_are_told():
    display = ReliabilityDisplay([Bins("m", [0.1, 0.9], [0.2, float("nan")])])
    assert "m: 20.0 % at 10.0 %." in display.describe()


def test_sizes_must_match():
    with pytest.raises(ValueError, match="observed of m has 1 entries"):
        ReliabilityDisplay([Bins("m", [0.1, 0.9], [0.2])])
