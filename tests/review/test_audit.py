import numpy as np
import pytest

from comoderate.review import Uncertainty, rank, shares_apart, with_audit


def ten_weeks(rng, capacity=100, share=0.2):
    """Ten weeks of a stream whose base rate drifts; each week's queue is read, a part of it drawn at random."""
    labels, audits, chances, truth, size = [], [], [], 0.0, 0
    for week in range(10):
        p = rng.beta(0.5 + week / 20, 6, 1000)
        y = rng.random(1000) < p
        order = rank(Uncertainty().score(p))
        queue = with_audit(order, rng.random(1000), capacity=capacity, audit_share=share)
        labels.append(y[queue.post])
        audits.append(queue.is_audit)
        chances.append(queue.pi)
        truth, size = truth + y.sum(), size + len(y)
    return (np.concatenate(part) for part in (labels, audits, chances)), truth / size


def test_reviewed_posts_mislead_and_the_audit_slice_covers():
    rng = np.random.default_rng(0)
    held, bias, rounds = 0, [], 150
    for _ in range(rounds):
        (y, audit, pi), truth = ten_weeks(rng)
        got = shares_apart(y.astype(float), audit, pi)
        held += got.audit.covers(truth)
        bias.append(got.queue.value - truth)
    assert min(bias) > 0.15
    assert 0.91 <= held / rounds <= 0.99


def test_the_queue_has_no_interval_and_says_why():
    got = shares_apart([1, 0, 1, 1], [True, True, False, False], [0.5, 0.5, np.nan, np.nan])
    assert got.audit.value == 0.5
    assert got.queue.value == 1.0
    assert np.isnan(got.queue.low)
    assert "chosen by their scores" in got.queue.reason


def test_days_with_different_audits_are_weighted():
    got = shares_apart([1, 0], [True, True], [0.1, 0.4])
    assert got.audit.value == pytest.approx(0.8)
    assert got.audit.n_effective == pytest.approx(12.5**2 / (100 + 6.25))


def test_nothing_reviewed_is_undefined():
    got = shares_apart([], [], [])
    assert np.isnan(got.audit.value)
    assert np.isnan(got.queue.value)
    for bad in ([0.0], [1.5], [np.nan], [0.1, 0.2]):
        with pytest.raises(ValueError, match="pi"):
            shares_apart([1], [True], bad)
