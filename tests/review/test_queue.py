import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.review import rank, with_audit


def test_rank_puts_the_largest_first_and_breaks_ties_by_the_smallest_number():
    np.testing.assert_array_equal(rank([0.1, 0.9, 0.5]), [1, 2, 0])
    np.testing.assert_array_equal(rank([1.0, 1.0, 2.0], tie_breaker=[0.7, 0.2, 0.9]), [2, 1, 0])


@given(st.integers(0, 40), st.integers(0, 50), st.floats(0, 1), st.integers(0, 99))
def test_a_queue_is_the_audit_and_the_top_of_the_rest(n, capacity, share, seed):
    rng = np.random.default_rng(seed)
    order, u = rng.permutation(n), rng.random(n)
    queue = with_audit(order, u, capacity=capacity, audit_share=share)
    size = min(capacity, n)
    drawn = int(np.ceil(share * size - 1e-9))
    assert len(queue.post) == len(set(queue.post.tolist())) == size
    assert queue.is_audit.sum() == drawn
    audit = np.argsort(u)[:drawn]
    np.testing.assert_array_equal(queue.post[queue.is_audit], audit)
    rest = [i for i in order if i not in set(audit.tolist())][: size - drawn]
    np.testing.assert_array_equal(queue.post[~queue.is_audit], rest)
    np.testing.assert_allclose(queue.pi[queue.is_audit], drawn / max(n, 1))
    assert np.isnan(queue.pi[~queue.is_audit]).all()


def test_audits_are_spread_through_the_queue():
    queue = with_audit(np.arange(100), np.random.default_rng(0).random(100), capacity=40, audit_share=0.1)
    np.testing.assert_array_equal(np.flatnonzero(queue.is_audit), [0, 10, 20, 30])


@pytest.mark.parametrize(
    "bad", [{"order": [0, 0]}, {"capacity": -1}, {"audit_share": 1.5}, {"u": [0.1]}, {"u": [0.1, np.nan]}]
)
def test_bad_input_is_refused(bad):
    arguments = {"order": [0, 1], "u": [0.1, 0.2], "capacity": 1, "audit_share": 0.5} | bad
    with pytest.raises(ValueError):
        with_audit(arguments.pop("order"), arguments.pop("u"), **arguments)


@given(st.integers(1, 40), st.integers(0, 90), st.floats(0, 1), st.integers(0, 99))
def test_capacity_in_readings(n, capacity, share, seed):
    rng = np.random.default_rng(seed)
    order, u, wanted = rng.permutation(n), rng.random(n), rng.integers(1, 3, n)
    queue = with_audit(order, u, capacity=capacity, audit_share=share, readings=wanted)
    assert queue.readings.sum() == min(capacity, wanted.sum())
    assert (queue.readings >= 1).all()
    assert (queue.readings <= wanted[queue.post]).all()
    assert len(set(queue.post.tolist())) == len(queue.post)
    once = with_audit(order, u, capacity=capacity, audit_share=share)
    # How many audit posts there are, and which, does not depend on who wants two readings.
    np.testing.assert_array_equal(queue.post[queue.is_audit], once.post[once.is_audit])
    np.testing.assert_array_equal(queue.pi[queue.is_audit], once.pi[once.is_audit])
    own = [i for i in order if i not in set(queue.post[queue.is_audit].tolist())]
    np.testing.assert_array_equal(queue.post[~queue.is_audit], own[: (~queue.is_audit).sum()])


def test_a_post_wants_at_least_one_reading():
    with pytest.raises(ValueError, match="at least 1"):
        with_audit([0, 1], [0.1, 0.2], capacity=1, readings=[0, 1])
