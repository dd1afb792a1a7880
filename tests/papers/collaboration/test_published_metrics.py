import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate import metrics
from comoderate.papers.collaboration.published_metrics import binned_auroc, binned_oracle_auroc


@given(st.integers(0, 2**32 - 1))
def test_spread_scores_lose_nothing_to_bins(seed):
    rng = np.random.default_rng(seed)
    score = rng.permutation(np.arange(1, 60) / 199.0 * 3 + 1e-4)
    y = (rng.random(59) < 0.4).astype(int)
    y[:2] = [0, 1]
    found = binned_auroc(y, score, sample_weight=np.ones(59))
    assert found == pytest.approx(metrics.auroc(y, score))


def test_saturated_scores_lose_area():
    rng = np.random.default_rng(0)
    logit = rng.normal(-6, 3, 4000)
    y = (rng.random(4000) < 1 / (1 + np.exp(-logit))).astype(int)
    score = 1 / (1 + np.exp(-4 * logit))
    assert binned_auroc(y, score, sample_weight=np.ones(4000)) < metrics.auroc(y, score) - 0.01


def test_reviewed_posts_get_their_label():
    y, p = np.array([1, 0, 1, 0]), np.array([0.1, 0.2, 0.8, 0.9])
    found = binned_oracle_auroc(y, p, np.array([3.0, 1.0, 2.0, 4.0]), review_fraction=0.5, sample_weight=np.ones(4))
    assert found == pytest.approx(1.0)
