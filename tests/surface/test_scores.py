import numpy as np
import pytest

from comoderate.surface import surface_scores


def test_scores_equal_their_definitions():
    rng = np.random.default_rng(0)
    truth, mean, size = rng.random(80), rng.random(80), rng.integers(0, 40, 80)
    low, high = mean - 0.2, mean + 0.3
    s = surface_scores(truth, mean, pool_size=size, low=low, high=high, tail=10)
    judged = [i for i in range(80) if size[i] >= 5]
    error = {i: (mean[i] - truth[i]) ** 2 for i in judged}
    assert s.n_arms == len(judged)
    assert s.macro == pytest.approx(np.mean(list(error.values())))
    assert s.worst == pytest.approx(np.mean([error[i] for i in sorted(judged, key=lambda i: truth[i])[:10]]))
    assert s.least_frequent == pytest.approx(np.mean([error[i] for i in sorted(judged, key=lambda i: size[i])[:10]]))
    assert s.micro == pytest.approx(sum(error[i] * size[i] for i in judged) / sum(size[i] for i in judged))
    assert s.coverage == pytest.approx(np.mean([low[i] <= truth[i] <= high[i] for i in judged]))
    assert s.width == pytest.approx(0.5)


def test_without_judged_arms_all_is_undefined():
    s = surface_scores([0.5], [0.5], pool_size=[2])
    assert s.n_arms == 0
    assert np.isnan(s.macro)


def test_shapes_must_agree():
    with pytest.raises(ValueError, match="one length"):
        surface_scores([0.5, 0.6], [0.5], pool_size=[2])
