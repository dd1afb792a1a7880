from __future__ import annotations

import numpy as np
import pytest
from tests.agreement.crowds import simulate_crowd

from comoderate.agreement import DawidSkene, HierarchicalDawidSkene, Majority
from comoderate.agreement.hierarchical import STRENGTHS


def two_cohorts(seed=0, n_raters=300):
    crowd = simulate_crowd(n_items=500, n_raters=n_raters, per_item=4, low=0.0, high=1.0, seed=seed)
    rng = np.random.default_rng(seed + 1)
    careful = np.arange(n_raters) < n_raters // 2
    right = np.where(careful, 0.92, 0.55)[crowd.rater]
    answer = np.where(rng.random(crowd.item.size) < right, crowd.truth[crowd.item], 1 - crowd.truth[crowd.item])
    return crowd.item, crowd.rater, answer, careful[crowd.rater].astype(int), crowd.truth


def test_cohorts_matrices_are_learnt():
    item, rater, answer, cohort, _ = two_cohorts()
    made = HierarchicalDawidSkene().fit(item, rater, answer, cohort=cohort)
    assert made.cohort_confusion_[1, 0, 0] == pytest.approx(0.92, abs=0.06)
    assert made.cohort_confusion_[0, 0, 0] == pytest.approx(0.55, abs=0.12)
    assert np.isin(made.strengths_, STRENGTHS).all()


def test_helps_where_raters_have_few_posts():
    better = []
    for seed in range(4):
        item, rater, answer, cohort, truth = two_cohorts(seed)
        own = (DawidSkene().fit_predict(item, rater, answer) == truth).mean()
        shrunk = (HierarchicalDawidSkene().fit_predict(item, rater, answer, cohort=cohort) == truth).mean()
        better.append(shrunk - own)
    assert np.mean(better) > 0.02


def test_limits():
    item, rater, answer, cohort, _ = two_cohorts(n_raters=20)
    same = HierarchicalDawidSkene(strength=1e9).fit(item, rater, answer, cohort=cohort)
    np.testing.assert_allclose(same.confusion_[:10], same.cohort_confusion_[[1] * 10], atol=1e-4)
    free = HierarchicalDawidSkene(strength=1e-9, smoothing=1e-9).fit(item, rater, answer, cohort=cohort)
    plain = DawidSkene(smoothing=1e-9).fit(item, rater, answer)
    assert (free.labels_ == plain.labels_).mean() > 0.98


def test_alike_raters_are_shrunk_more_than_different_ones():
    alike = simulate_crowd(n_items=2000, n_raters=40, low=0.7, high=0.7)
    different = simulate_crowd(n_items=2000, n_raters=40, low=0.0, high=1.0)
    found = [HierarchicalDawidSkene().fit(c.item, c.rater, c.answer).strengths_[0] for c in (alike, different)]
    assert found[0] > 3 * found[1]


def test_good_raters_with_few_posts_are_no_worse_than_the_majority():
    crowd = simulate_crowd(n_items=600, n_raters=120, per_item=3, low=0.75, high=0.75)
    votes = (Majority().fit_predict(crowd.item, crowd.rater, crowd.answer) == crowd.truth).mean()
    shrunk = (HierarchicalDawidSkene().fit_predict(crowd.item, crowd.rater, crowd.answer) == crowd.truth).mean()
    assert shrunk >= votes - 0.01
