import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.sampling import independent_union, nested_union, poisson_pps, second_phase, union_inclusion


def test_union_matches_simulated_draws():
    generator = np.random.default_rng(1)
    total, hand, base, rate = 60, 40, 10, 0.5
    positive = np.arange(total) < 18
    hits = np.zeros(total)
    for _ in range(6000):
        collected = generator.permutation(total)[:hand]
        first, rest = collected[:base], collected[base:]
        rest = rest[positive[rest]]
        taken = rest[generator.random(len(rest)) < rate]
        hits[first] += 1
        hits[taken] += 1
    negative, pos = union_inclusion(total, hand, base, rate)
    assert hits[~positive].mean() / 6000 == pytest.approx(float(negative), abs=0.004)
    assert hits[positive].mean() / 6000 == pytest.approx(float(pos), abs=0.006)


def test_union_formula_and_census():
    negative, positive = union_inclusion([100, 50], [100, 20], [10, 5], [1.0, 0.0])
    np.testing.assert_allclose(negative, [0.1, 0.1])
    np.testing.assert_allclose(positive, [1.0, 0.1])
    assert np.isnan(union_inclusion([0], [0], [0], 1.0)[0][0])


@pytest.mark.parametrize(
    ("args", "message"),
    [((5, 6, 1, 1), "totals must be at least"), ((9, 6, 7, 1), "base_drawn"), ((9, 6, 1, 1.5), "enriched_rate")],
)
def test_union_refuses_counts_out_of_order(args, message):
    with pytest.raises(ValueError, match=message):
        union_inclusion(*args)


def test_other_unions():
    np.testing.assert_allclose(independent_union([0.5, 0.0], [0.5, 0.2]), [0.75, 0.2])
    np.testing.assert_allclose(nested_union([0.5, 0.0], [0.1, 0.2]), [0.5, 0.2])
    np.testing.assert_allclose(second_phase([0.5, 1.0], [0.1, 0.2]), [0.05, 0.2])
    with pytest.raises(ValueError, match="inclusion"):
        second_phase([0.0], [1.0])
    with pytest.raises(ValueError, match="inclusion"):
        independent_union([1.2])


@given(
    st.lists(st.one_of(st.just(0.0), st.floats(1e-3, 100)), min_size=1, max_size=30), st.floats(0, 1), st.floats(0, 1)
)
def test_poisson_pps_sums_to_the_expected_size(sizes, share, part):
    reachable = np.count_nonzero(sizes)
    expected = share * reachable
    least = part * expected / len(sizes)
    pi = poisson_pps(sizes, expected, least=least)
    assert np.all((pi >= least - 1e-12) & (pi <= 1))
    assert pi.sum() == pytest.approx(expected, rel=1e-6, abs=1e-9)
    free = (pi < 1) & (pi > least)
    ratio = (pi[free] - least) / np.array(sizes)[free]
    assert np.allclose(ratio, ratio[:1], rtol=1e-6) if free.any() else True


def test_poisson_pps_takes_giants_with_certainty():
    np.testing.assert_allclose(poisson_pps([100, 1, 1], 2), [1, 0.5, 0.5])
    with pytest.raises(ValueError, match="expected"):
        poisson_pps([1, 1], 3)
    with pytest.raises(ValueError, match="size"):
        poisson_pps([-1], 1)
