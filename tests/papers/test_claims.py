import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from comoderate.metrics import Estimate
from comoderate.papers.claims import Verdict, paired, shown, table


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=8), st.floats(-5, 5))
def test_paired_is_the_paired_t_interval(values, shift):
    other = [value + shift + (i % 3) for i, value in enumerate(values)]
    found = paired(other, values)
    known = stats.ttest_rel(other, values).confidence_interval()
    assert found.value == pytest.approx(np.mean(np.subtract(other, values)))
    if found.se > 1e-9:
        assert (found.low, found.high) == pytest.approx((known.low, known.high))


def test_one_run_has_no_interval():
    found = paired([1.0], [0.5])
    assert found.value == 0.5
    assert np.isnan(found.low)
    assert Verdict("c", "w", "m", found).verdict == "open"


def test_runs_that_are_missing_are_left_out():
    assert paired([1.0, np.nan, 2.0], [0.0, 0.0, 1.0]).n == 2
    assert np.isnan(paired([np.nan], [1.0]).value)


def test_verdicts_follow_the_interval():
    def verdict(low, high):
        return Verdict("c", "w", "m", Estimate((low + high) / 2, 1.0, low, high)).verdict

    assert [verdict(0.1, 1.0), verdict(-1.0, -0.1), verdict(-1.0, 1.0)] == ["holds", "fails", "open"]


def test_tables_have_a_row_a_verdict():
    verdicts = [Verdict("c", "w", "m", paired([1.0, 2.0], [0.0, 0.5]), "1 → 2")]
    assert table(verdicts).loc[0, ["claim", "published", "runs"]].tolist() == ["c", "1 → 2", 2]
    assert "(" in shown(verdicts).loc[0, "difference"]
    assert "low" not in shown(verdicts)
