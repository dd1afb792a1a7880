import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.sampling import design_effect, hajek_mean, kish_effective_size


@given(st.lists(st.floats(0.1, 100), min_size=1, max_size=20))
def test_kish_between_one_and_n(weights):
    assert 1 - 1e-9 <= kish_effective_size(weights) <= len(weights) + 1e-9


def test_kish():
    assert kish_effective_size([2, 2, 2]) == pytest.approx(3)
    assert kish_effective_size([1, np.nan, 1]) == pytest.approx(2)
    assert math.isnan(kish_effective_size([0.0]))
    with pytest.raises(ValueError, match="0 or more"):
        kish_effective_size([-1.0])


def test_design_effect_is_one_without_a_design():
    y = np.tile([0, 0, 0, 1], 100)
    assert design_effect(hajek_mean(y, np.ones(400))) == pytest.approx(400 / 399)
    assert math.isnan(design_effect(hajek_mean(np.zeros(5), np.ones(5))))
