import numpy as np
import pytest

from comoderate.review import Strategy, strategies


def test_the_simple_strategies():
    p = np.array([0.1, 0.5, 0.8])
    known = strategies()
    np.testing.assert_array_equal(known["toxicity"].score(p), p)
    np.testing.assert_allclose(known["uncertainty"].score(p), p * (1 - p))
    np.testing.assert_array_equal(known["random"].score(p), known["random"].score(p))
    np.testing.assert_array_equal(known["random"].score(p, u=[0.3, 0.2, 0.1]), [0.3, 0.2, 0.1])


def test_probabilities_are_checked():
    with pytest.raises(ValueError, match=r"\[0, 1\]"):
        strategies()["toxicity"].score([1.5])


def test_a_new_strategy_needs_three_members():
    class Longest:
        name = "longest"

        def score(self, y_proba, *, length, **extras):
            return np.asarray(length, dtype=float)

        def explain(self):
            return "a long post"

    assert isinstance(Longest(), Strategy)
