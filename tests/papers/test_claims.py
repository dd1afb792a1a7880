import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from comoderate.metrics import Estimate
from comoderate.papers.claims import Verdict, paired, saved, section, shown, summary, table, told


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

    assert verdict(-1.0, -1e-17) == "open"
    assert [verdict(0.1, 1.0), verdict(-1.0, -0.1), verdict(-1.0, 1.0)] == ["holds", "does not hold", "open"]


def test_tables_have_a_row_a_verdict():
    verdicts = [Verdict("c", "w", "m", paired([1.0, 2.0], [0.0, 0.5]), "1 → 2")]
    assert table(verdicts).loc[0, ["claim", "published", "n"]].tolist() == ["c", "1 → 2", 2]
    assert "(" in shown(verdicts).loc[0, "difference"]
    assert "low" not in shown(verdicts)


@given(st.lists(st.floats(0.1, 10), min_size=2, max_size=6), st.floats(0.2, 2.0))
def test_a_saving_is_one_less_the_mean_ratio(errors, ratio):
    better = [ratio * error for error in errors]
    found = saved(better, errors)
    assert found.value == pytest.approx(1 - ratio)
    assert found.low <= found.value + 1e-9
    assert found.high >= found.value - 1e-9
    assert found.low == pytest.approx(1 - ratio, abs=1e-6)


def test_a_saving_turns_round_with_its_sides():
    one, other = saved([1.0, 2.0], [2.0, 3.0]), saved([2.0, 3.0], [1.0, 2.0])
    assert (1 - one.value) * (1 - other.value) == pytest.approx(1)
    assert (1 - one.low) * (1 - other.high) == pytest.approx(1)


def test_a_summary_says_of_every_claim_where_it_holds():
    verdicts = [
        Verdict("it helps", "here", "error", Estimate(0.2, 0.05, 0.1, 0.3), share=True),
        Verdict("it helps", "there", "error", Estimate(-0.2, 0.05, -0.3, -0.1), share=True),
        Verdict("it hurts", "here", "a", Estimate(0.0, 0.05, -0.1, 0.1)),
        Verdict("it hurts", "here", "b", Estimate.undefined("too few posts")),
    ]
    assert summary(verdicts).splitlines() == [
        "- It helps: **holds** on here; **does not hold** on there.", "- It hurts: **open** on here (a, b).",
    ]  # fmt: skip
    told = section(verdicts, counted="posts")
    assert told.shown["difference"].tolist()[0] == "+20 % (+10 to +30)"
    assert told.shown["difference"].tolist()[-1] == "unknown: too few posts"
    assert "posts" in told.shown


def test_what_is_but_rounding_is_told_as_nothing():
    assert told(-1.11e-17, -2.5e-17, 0.000125) == "+0 (+0 to +0.000125)"
    assert told(-0.0012, -0.2, 0.1, share=True) == "+0 % (-20 to +10)"
    assert told(0.5, np.nan, np.nan) == "+0.5"
