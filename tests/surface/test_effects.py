import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.surface import in_words, main_effects, pair_effects

ARMS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def test_an_additive_surface_has_no_pair_effects():
    effects = main_effects(ARMS, [0.9, 0.8, 0.7, 0.6])
    assert effects[0].attributes == (0,)
    assert effects[0].values == (1,)
    assert effects[0].difference == pytest.approx(-0.1)
    assert [e.difference for e in pair_effects(ARMS, [0.9, 0.8, 0.7, 0.6])] == pytest.approx([0] * 4)


def test_a_pocket_is_found_as_a_pair():
    worst = pair_effects(ARMS, [0.9, 0.9, 0.9, 0.5])[0]
    assert worst.values in {(1, 1), (0, 0)}
    assert worst.difference == pytest.approx(-0.1)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 5)), min_size=4, max_size=4))
def test_main_effects_average_to_nothing(rows):
    mean, weight = zip(*rows)
    for attribute in (0, 1):
        own = [e for e in main_effects(ARMS, mean, weight=weight) if e.attributes == (attribute,)]
        assert sum(e.difference * e.weight for e in own) == pytest.approx(0, abs=1e-9)
        assert sum(e.weight for e in own) == pytest.approx(1)


def test_effects_in_words():
    names, value = ["group", "length"], lambda k, v: [["men", "women"], ["short", "long"]][k][v]
    effects = main_effects(ARMS, [0.9, 0.8, 0.7, 0.6])
    told = in_words(effects[0], names, value)
    assert told == "Where group is “women”, the accuracy is 65 %: 10.0 points below the mean."
    told = in_words(effects[0], names, value, rate="false-positive rate")
    assert told == "Where group is “women”, the false-positive rate is 35 %: 10.0 points above the mean."
    pair = pair_effects(ARMS, [0.9, 0.9, 0.9, 0.5])[-1]
    assert "above what the two values alone would give" in in_words(pair, names, value)


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="one value for each"):
        main_effects(ARMS, [0.5])
    with pytest.raises(ValueError, match="not be negative"):
        main_effects(ARMS, [0.5] * 4, weight=[-1, 1, 1, 1])
    with pytest.raises(ValueError, match="codes of values"):
        main_effects([[-1]], [0.5])
