import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.metrics import oracle_collaborative_accuracy
from comoderate.review import Hybrid, Toxicity, Uncertainty, rank


@given(st.integers(2, 16), st.integers(0, 500), st.sampled_from([0.25, 0.5, 0.75]))
def test_the_queue_is_a_union_of_both_tops(n, seed, share):
    p = np.random.default_rng(seed).random(n)
    order = rank(Hybrid(share=share).score(p))
    toxic, unsure = rank(p), rank(p * (1 - p))
    for k in range(1, n):
        chosen = set(order[:k].tolist())
        splits = [set(toxic[:a].tolist()) | set(unsure[:b].tolist()) for a in range(k + 1) for b in range(k + 1)]
        assert chosen in splits


def test_the_ends_are_the_two_strategies():
    p = np.random.default_rng(0).random(50)
    np.testing.assert_array_equal(rank(Hybrid(share=1.0).score(p)), rank(Toxicity().score(p)))
    np.testing.assert_array_equal(rank(Hybrid(share=0.0).score(p)), rank(Uncertainty().score(p)))


def test_the_share_is_tuned_on_labels():
    rng = np.random.default_rng(0)
    p = rng.random(2000)
    y = (rng.random(2000) < np.where(p > 0.8, 0.3, p)).astype(float)
    tuned = Hybrid().fit(y, p, review_fraction=0.1)
    values = {
        share: oracle_collaborative_accuracy(y, p, Hybrid(share=share).score(p), review_fraction=0.1)
        for share in tuned.shares
    }
    assert values[tuned.share] == max(values.values())
    assert Hybrid().fit([1, 1], [0.2, 0.3], review_fraction=0.5, threshold=0.4).share == 0.0
    with pytest.raises(ValueError, match="shares"):
        Hybrid(share=1.2)
