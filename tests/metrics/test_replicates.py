import numpy as np
import pytest

from comoderate.metrics import poisson_replicates


def test_weights_multiply_poisson_draws_of_mean_and_variance_one():
    draws = np.array(list(poisson_replicates(2000, 50, random_state=0)))
    assert draws.shape == (50, 2000)
    assert draws.mean() == pytest.approx(1.0, abs=0.02)
    assert draws.var() == pytest.approx(1.0, abs=0.02)
    weight = np.arange(2000.0)
    np.testing.assert_array_equal(list(poisson_replicates(weight, 50, random_state=0)), draws * weight)


def test_clusters_are_drawn_as_a_whole():
    names = np.array(["a", "b", "a", "c", "b"])
    for vector in poisson_replicates(5, 20, cluster=names, random_state=1):
        assert vector[0] == vector[2]
        assert vector[1] == vector[4]


def test_wrong_lengths_are_refused():
    with pytest.raises(ValueError, match="cluster"):
        next(poisson_replicates(5, 1, cluster=[1, 2]))
