"""What every aggregator keeps, whichever it is."""

from __future__ import annotations

import numpy as np
import pytest

from comoderate.agreement import DawidSkene, HierarchicalDawidSkene, Majority, OneCoinDawidSkene
from comoderate.agreement.aggregator import labels_of

AGGREGATORS = [Majority, DawidSkene, OneCoinDawidSkene, HierarchicalDawidSkene]
every = pytest.mark.parametrize("kind", AGGREGATORS)


@every
def test_shapes_and_ranges(kind, crowd):
    made = kind()
    labels = made.fit_predict(crowd.item, crowd.rater, crowd.answer, n_items=402, n_raters=22, n_categories=3)
    assert labels is made.labels_
    assert made.labels_.shape == (402,)
    assert made.probas_.shape == (402, 3)
    np.testing.assert_allclose(made.probas_[:400].sum(axis=1), 1)
    assert np.isnan(made.probas_[400:]).all()
    assert (made.labels_[400:] == -1).all()
    assert made.skills_.shape == (22,)
    assert np.isnan(made.skills_[20:]).all()
    assert ((made.skills_[:20] >= 0) & (made.skills_[:20] <= 1)).all()
    assert made.prior_.sum() == pytest.approx(1)


@every
def test_order_of_annotations_does_not_matter(kind, crowd):
    order = np.random.default_rng(0).permutation(crowd.item.size)
    one = kind().fit(crowd.item, crowd.rater, crowd.answer)
    two = kind().fit(crowd.item[order], crowd.rater[order], crowd.answer[order])
    np.testing.assert_allclose(one.probas_, two.probas_, atol=1e-8)
    np.testing.assert_allclose(one.skills_, two.skills_, atol=1e-8)


@every
def test_skills_follow_the_truth(kind, crowd):
    made = kind().fit(crowd.item, crowd.rater, crowd.answer)
    assert np.corrcoef(made.skills_, crowd.knows)[0, 1] > 0.85
    assert (made.labels_ == crowd.truth).mean() > 0.8


@every
def test_known_labels_stay(kind, crowd):
    truth = np.where(np.arange(400) % 4 == 0, 1 - crowd.truth, -1)
    made = kind().fit(crowd.item, crowd.rater, crowd.answer, truth=truth)
    np.testing.assert_array_equal(made.labels_[::4], truth[::4])
    assert (made.probas_[np.arange(0, 400, 4), truth[::4]] == 1).all()


@every
def test_weights_repeat_items(kind, crowd):
    kept = crowd.item < 60
    item, rater, answer = crowd.item[kept], crowd.rater[kept], crowd.answer[kept]
    weight = np.random.default_rng(0).integers(1, 4, 60)
    copies = np.concatenate([np.flatnonzero(item == i) for i in range(60) for _ in range(weight[i])])
    fresh = np.repeat(np.arange(weight.sum()), 3)
    one = kind().fit(item, rater, answer, sample_weight=weight)
    two = kind().fit(fresh, rater[copies], answer[copies])
    first = np.concatenate([[0], np.cumsum(weight)[:-1]])
    np.testing.assert_allclose(one.probas_, two.probas_[first], atol=1e-8)
    np.testing.assert_allclose(one.skills_, two.skills_, atol=1e-8)
    np.testing.assert_allclose(one.prior_, two.prior_, atol=1e-8)


@every
def test_one_category(kind):
    made = kind().fit([0, 0, 1], [0, 1, 0], [0, 0, 0])
    np.testing.assert_array_equal(made.labels_, [0, 0])


@every
def test_constructor_only_stores(kind):
    made = kind()
    assert not [name for name in vars(made) if name.endswith("_")]


def test_labels_of_ordinal_posteriors():
    probas = np.array([[0.4, 0.25, 0.35], [np.nan] * 3, [0.1, 0.1, 0.8]])
    np.testing.assert_array_equal(labels_of(probas, ordinal=False), [0, -1, 2])
    np.testing.assert_array_equal(labels_of(probas, ordinal=True), [1, -1, 2])
