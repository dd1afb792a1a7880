import numpy as np
import pytest

from comoderate.surface import ArmCalibration
from comoderate.surface.calibrate import pair_design

ARMS = np.array([[i, j, k] for i in range(2) for j in range(3) for k in range(2)])


def world(size, seed=0, sharp=3.0):
    """Correlated attributes, and models of them that are far too sure."""
    rng = np.random.default_rng(seed)
    joint = np.exp(1.5 * (ARMS[:, 0] == ARMS[:, 1]) + 1.5 * (ARMS[:, 0] == ARMS[:, 2]))
    gold = ARMS[rng.choice(len(ARMS), size, p=joint / joint.sum())]
    probabilities = []
    for k, values in enumerate((2, 3, 2)):
        logit = rng.normal(0, 1, (size, values)) + 1.2 * np.eye(values)[gold[:, k]]
        weight = np.exp(sharp * logit)
        probabilities.append(weight / weight.sum(axis=1, keepdims=True))
    return probabilities, gold


def test_each_step_explains_new_examples_better():
    train, test = world(400), world(2000, seed=1)
    score = {
        kind: ArmCalibration(kind=kind).fit(*train, arms=ARMS).log_likelihood(*test) for kind in ("raw", "temp", "full")
    }
    assert score["raw"] < score["temp"] - 0.1
    assert score["temp"] < score["full"] - 0.05


def test_raw_is_the_product_of_the_models():
    probabilities, gold = world(20)
    p = ArmCalibration(kind="raw").fit(probabilities, gold, arms=ARMS).predict_proba(probabilities)
    product = np.prod([m[:, ARMS[:, k]] for k, m in enumerate(probabilities)], axis=0)
    assert p == pytest.approx(product / product.sum(axis=1, keepdims=True))


def test_temperatures_undo_too_much_confidence():
    fitted = ArmCalibration(kind="temp").fit(*world(2000, sharp=4.0), arms=ARMS)
    assert (fitted.temperature_ < 0.6).all()
    assert fitted.potential_ == pytest.approx(np.zeros(len(ARMS)))


def test_a_sampled_partition_function_is_near_the_exact_one():
    train, test = world(400), world(1000, seed=1)
    exact = ArmCalibration().fit(*train, arms=ARMS).log_likelihood(*test)
    sampled = ArmCalibration(max_arms=9).fit(*train, arms=ARMS).log_likelihood(*test)
    raw = ArmCalibration(kind="raw").fit(*train, arms=ARMS).log_likelihood(*test)
    assert sampled > raw + 0.7 * (exact - raw)


def test_the_pool_may_take_part():
    train, pool, test = world(60), world(1000, seed=2), world(1000, seed=1)
    with_pool = ArmCalibration().fit(*train, arms=ARMS, pool=pool[0])
    assert with_pool.log_likelihood(*test) > ArmCalibration(kind="raw").fit(*train, arms=ARMS).log_likelihood(*test)


def test_design_has_every_value_and_pair_once():
    design = pair_design(ARMS)
    assert design.shape == (12, 2 + 3 + 2 + 6 + 4 + 6)
    assert (design.sum(axis=1) == 6).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "other"}, "kind must be"),
        ({"penalty": 0.0}, "penalty"),
    ],
)
def test_bad_options_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        ArmCalibration(**change).fit(*world(5), arms=ARMS)


def test_bad_input_is_refused():
    probabilities, gold = world(5)
    with pytest.raises(ValueError, match="one of the arms"):
        ArmCalibration().fit(probabilities, gold, arms=ARMS[:1])
    with pytest.raises(ValueError, match="3 arrays"):
        ArmCalibration().fit(probabilities[:2], gold, arms=ARMS)
    with pytest.raises(ValueError, match="without a column"):
        ArmCalibration().fit([probabilities[0], probabilities[0], probabilities[2]], gold, arms=ARMS)
    with pytest.raises(ValueError, match=r"in \[0, 1\]"):
        ArmCalibration().fit([p * 3 for p in probabilities], gold, arms=ARMS)
