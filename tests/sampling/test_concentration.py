import numpy as np
import pytest

from comoderate.sampling import concentration


def world(seed=0, people=150, posts=20_000):
    generator = np.random.default_rng(seed)
    fame = generator.pareto(1.5, people) + 1
    target = generator.choice(people, posts, p=fame / fame.sum())
    return target, (generator.random(posts) < 0.15).astype(float)


def test_share_of_the_named_is_not_flattered():
    target, y = world()
    errors, apparent, hits = [], [], []
    for r in range(60):
        index = np.random.default_rng(r).permutation(len(y))[:1500]
        got = concentration(y[index], np.ones(1500), target[index], n_replicates=40, random_state=r)
        truth = y[np.isin(target, got.named)].sum() / y.sum()
        errors.append(got.share.value - truth)
        apparent.append(got.apparent - truth)
        hits.append(got.share.covers(truth))
        assert len(got.named) == 10
    assert abs(np.mean(errors)) < 0.5 * np.mean(apparent)
    assert abs(np.mean(errors)) < 0.015
    assert np.mean(hits) >= 0.85


def test_fewer_targets_than_asked_for():
    got = concentration([1, 0, 1, 0], np.ones(4), ["a", "a", "b", "c"], random_state=0)
    assert sorted(got.named) == ["a", "b"]
    assert got.apparent == 1.0
    assert got.share.value == 1.0


def test_no_abuse_and_bad_input():
    got = concentration([0.0, 0.0], [1.0, 1.0], [1, 2])
    assert got.named == []
    assert got.share.reason == "no abuse in the sample"
    with pytest.raises(ValueError, match="most"):
        concentration([1.0], [1.0], [1], most=0)


def test_weights_and_unlabelled_rows():
    w = np.array([1.0, 1.0, 8.0, np.nan, 2.0])
    got = concentration([1, 1, 1, np.nan, 0], w, ["a", "a", "b", "c", "c"], most=1, n_replicates=20, random_state=1)
    assert got.named == ["b"]
    assert got.apparent == pytest.approx(0.8)
