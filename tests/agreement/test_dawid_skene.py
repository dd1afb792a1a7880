from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from crowdkit.aggregation import DawidSkene as CrowdKit
from hypothesis import given
from hypothesis import strategies as st
from tests.agreement import brute
from tests.agreement.crowds import simulate_crowd

from comoderate.agreement import DawidSkene, Majority, OneCoinDawidSkene
from comoderate.agreement import dawid_skene as module


def test_reference(reference):
    item, rater = np.nonzero(~np.isnan(reference.ratings))
    answer = np.searchsorted(reference.categories, reference.ratings[item, rater])
    labels = DawidSkene(n_iter=100, tol=1e-5, smoothing=1e-10).fit_predict(item, rater, answer)
    np.testing.assert_array_equal(reference.categories[labels], reference.libraries["crowdkit.DawidSkene"])


@given(st.integers(0, 10_000), st.integers(1, 6))
def test_brute_force(seed, n_iter):
    crowd = simulate_crowd(n_items=15, n_raters=4, shares=(0.5, 0.3, 0.2), seed=seed)
    made = DawidSkene(n_iter=n_iter, tol=0, smoothing=0.01).fit(crowd.item, crowd.rater, crowd.answer, n_categories=3)
    if crowd.answer.max() == 2:
        slow = brute.dawid_skene(crowd.item, crowd.rater, crowd.answer, n_iter=n_iter, smoothing=0.01)
        np.testing.assert_allclose(made.probas_, slow, atol=1e-6)


def test_crowdkit():
    crowd = simulate_crowd(n_items=2000, n_raters=40, per_item=4, shares=(0.6, 0.3, 0.1))
    frame = pd.DataFrame({"task": crowd.item, "worker": crowd.rater, "label": crowd.answer})
    known = CrowdKit(n_iter=20, tol=0).fit_predict(frame).sort_index().to_numpy()
    labels = DawidSkene(n_iter=20, tol=0).fit_predict(crowd.item, crowd.rater, crowd.answer)
    assert (labels == known).mean() >= 0.999


def test_blocks_change_nothing(crowd, monkeypatch):
    whole = DawidSkene().fit(crowd.item, crowd.rater, crowd.answer)
    monkeypatch.setattr(module, "BLOCK", 33)
    parts = DawidSkene().fit(crowd.item, crowd.rater, crowd.answer)
    np.testing.assert_allclose(whole.probas_, parts.probas_, atol=1e-10)
    np.testing.assert_allclose(whole.log_likelihood_, parts.log_likelihood_)


@given(st.integers(0, 10_000))
def test_likelihood_rises(seed):
    crowd = simulate_crowd(n_items=80, n_raters=6, seed=seed)
    made = DawidSkene(n_iter=30, tol=0, smoothing=1e-9).fit(crowd.item, crowd.rater, crowd.answer)
    assert (np.diff(made.log_likelihood_) > -1e-6).all()


def test_stops_when_nothing_changes(crowd):
    made = DawidSkene(n_iter=500).fit(crowd.item, crowd.rater, crowd.answer)
    assert made.n_iter_ == len(made.log_likelihood_) < 500


def test_matrices_are_learnt():
    crowd = simulate_crowd(n_items=3000, n_raters=8, per_item=6, low=0.5)
    made = DawidSkene().fit(crowd.item, crowd.rater, crowd.answer)
    right = crowd.knows + (1 - crowd.knows) / 2
    np.testing.assert_allclose(made.confusion_[:, 0, 0], right, atol=0.06)
    np.testing.assert_allclose(made.confusion_.sum(axis=2), 1)
    np.testing.assert_allclose(made.prior_, [0.6, 0.4], atol=0.03)


def test_bad_raters_beat_the_majority_not_the_model():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 1000)
    item, rater = np.repeat(np.arange(1000), 5), np.tile(np.arange(5), 1000)
    right = np.array([0.95, 0.95, 0.1, 0.5, 0.5])[rater]
    answer = np.where(rng.random(item.size) < right, truth[item], 1 - truth[item])
    model = (DawidSkene().fit_predict(item, rater, answer) == truth).mean()
    votes = (Majority().fit_predict(item, rater, answer) == truth).mean()
    assert model > 0.95 > votes + 0.1


def test_anchors_set_the_meaning_of_classes():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 600)
    item, rater = np.repeat(np.arange(600), 3), np.tile(np.arange(3), 600)
    answer = np.where(rng.random(item.size) < 0.15, truth[item], 1 - truth[item])
    expert = np.arange(0, 600, 5)
    item, rater = np.append(item, expert), np.append(rater, np.full(expert.size, 3))
    answer, cohort = np.append(answer, truth[expert]), np.append(np.zeros(1800, int), np.ones(expert.size, int))
    blind = DawidSkene().fit_predict(item, rater, answer, cohort=cohort)
    led = DawidSkene(anchors=(1,)).fit(item, rater, answer, cohort=cohort)
    assert (blind == truth).mean() < 0.5
    assert (led.labels_ == truth).mean() > 0.9
    assert led.skills_[3] > 0.9
    assert (led.skills_[:3] < 0.25).all()
    gold = np.where(np.arange(600) % 5 == 0, truth, -1)
    crowd = cohort == 0
    known = DawidSkene().fit_predict(item[crowd], rater[crowd], answer[crowd], truth=gold)
    assert (known == truth).mean() > 0.9


def test_ordinal_labels_are_medians():
    crowd = simulate_crowd(n_items=300, shares=(0.4, 0.3, 0.3), low=0.2, high=0.6)
    made = DawidSkene(ordinal=True).fit(crowd.item, crowd.rater, crowd.answer)
    below = np.cumsum(made.probas_, axis=1)
    rows = np.arange(300)
    assert (below[rows, made.labels_] >= 0.5 - 1e-9).all()
    lower = np.where(made.labels_ > 0, below[rows, made.labels_ - 1], 0)
    assert (lower < 0.5).all()


def test_one_coin_spreads_errors_alike():
    crowd = simulate_crowd(shares=(0.4, 0.3, 0.3))
    made = OneCoinDawidSkene().fit(crowd.item, crowd.rater, crowd.answer)
    diagonal = np.einsum("rtt->rt", made.confusion_)
    np.testing.assert_allclose(diagonal, np.repeat(diagonal[:, :1], 3, axis=1))
    np.testing.assert_allclose(made.confusion_[:, 0, 1], made.confusion_[:, 2, 0])
    np.testing.assert_allclose(made.skills_, diagonal[:, 0])


@pytest.mark.parametrize("options", [{"n_iter": 0}, {"smoothing": 0.0}, {"anchor_accuracy": 1.0}])
def test_bad_options(options):
    with pytest.raises(ValueError, match="n_iter"):
        DawidSkene(**options).fit([0], [0], [0])


def test_nothing_to_learn_from():
    with pytest.raises(ValueError, match="no item"):
        DawidSkene().fit([], [], [], n_items=3, n_categories=2)


def test_certain_raters_do_not_overflow():
    item, rater = np.repeat(np.arange(50), 40), np.tile(np.arange(40), 50)
    made = DawidSkene(smoothing=1e-12).fit(item, rater, item % 2)
    np.testing.assert_array_equal(made.labels_, np.arange(50) % 2)
    assert np.isfinite(made.log_likelihood_).all()
