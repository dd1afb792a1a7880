import numpy as np
import pytest

from comoderate.surface import EmpiricalBayes, arm_posterior, fit_latent, fractional_counts

ARMS = np.arange(4)[:, None]
TRUTH = np.array([0.95, 0.2, 0.9, 0.4])


def world(seed, size=1500):
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 4, size)
    logit = rng.normal(0, 1, (size, 4)) + 1.5 * np.eye(4)[gold]
    # The exact posterior of the arm given these noisy observations.
    weight = np.exp(1.5 * logit)
    return weight / weight.sum(axis=1, keepdims=True), (rng.random(size) < TRUTH[gold]).astype(float)


def test_latent_arms_beat_fractional_counts():
    errors = []
    for seed in range(3):
        proba, correct = world(seed)
        plain = EmpiricalBayes().fit(ARMS, *fractional_counts(proba, correct)).predict(ARMS).mean
        surface = EmpiricalBayes()
        counts = fit_latent(surface, ARMS, proba, correct, n_iter=60)
        assert counts.n.sum() == pytest.approx(len(correct))
        assert counts.c.sum() == pytest.approx(correct.sum())
        errors.append([np.mean((m - TRUTH) ** 2) for m in (plain, surface.predict(ARMS).mean)])
    plain, latent = np.mean(errors, axis=0)
    assert latent < 0.3 * plain


def test_certain_arms_are_counted():
    counts = fractional_counts(np.eye(4)[[0, 0, 2]], [1, 0, 1])
    assert counts.n.tolist() == [2, 0, 1, 0]
    assert counts.c.tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("proba", "correct", "message"),
    [
        ([[0.5, 0.4]], [1], "sum to 1"),
        ([[0.5, 0.5]], [2], r"in \[0, 1\]"),
        ([[0.5, 0.5]], [1, 0], "one value for each"),
    ],
)
def test_bad_input_is_refused(proba, correct, message):
    with pytest.raises(ValueError, match=message):
        fractional_counts(proba, correct)


def test_arms_and_columns_must_agree():
    with pytest.raises(ValueError, match="2 columns for 4 arms"):
        fit_latent(EmpiricalBayes(), ARMS, [[0.5, 0.5]], [1])


def test_weights_count_as_effective_numbers():
    proba, correct = np.eye(4)[[0, 0, 1]], [1, 0, 1]
    same = fractional_counts(proba, correct, weight=[2.0, 2.0, 5.0])
    assert np.allclose(same, fractional_counts(proba, correct))
    uneven = fractional_counts(proba, correct, weight=[3.0, 1.0, 5.0])
    assert uneven.n.tolist() == pytest.approx([16 / 10, 1, 0, 0])
    assert uneven.c.tolist() == pytest.approx([12 / 10, 1, 0, 0])
    latent = fit_latent(EmpiricalBayes(), ARMS, proba, correct, weight=[3.0, 1.0, 5.0])
    assert np.allclose(latent, uneven)
    with pytest.raises(ValueError, match="one positive value"):
        fractional_counts(proba, correct, weight=[1.0, 0.0, 1.0])


def test_an_answer_says_something_of_the_arm():
    found = arm_posterior([[0.5, 0.5], [0.5, 0.5]], [1, 0], [0.9, 0.1])
    assert np.allclose(found, [[0.9, 0.1], [0.1, 0.9]])
