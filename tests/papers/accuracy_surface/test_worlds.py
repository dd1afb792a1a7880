import numpy as np
import pandas as pd
import pytest

from comoderate.papers.accuracy_surface.worlds import from_frame, synthetic


@pytest.mark.parametrize("kind", ["smooth", "rough", "pockets"])
def test_synthetic_worlds_are_consistent_and_reproducible(kind):
    one, two = synthetic(kind, seed=1, size=3000), synthetic(kind, seed=1, size=3000)
    assert one.arms.shape == (576, 6)
    assert one.pool.sum() == 3000
    np.testing.assert_array_equal(one.correct, two.correct)
    known = one.pool > 0
    np.testing.assert_allclose(one.truth[known], one.right[known] / one.pool[known])
    assert np.isnan(one.truth[~known]).all()
    assert 0.3 < one.correct.mean() < 0.99


def test_counts_of_the_whole_pool_are_the_pool():
    world = synthetic("smooth", seed=0, size=500)
    n, c = world.counts(np.arange(500))
    np.testing.assert_array_equal(n, world.pool)
    np.testing.assert_array_equal(c, world.right)


def test_a_frame_becomes_arms():
    frame = pd.DataFrame({"a": ["x", "x", "y"], "b": ["u", "u", "v"], "correct": [True, False, True]})
    world = from_frame("w", "three", frame, ["a", "b"])
    assert len(world.arms) == 2
    assert sorted(world.truth) == [0.5, 1.0]
