import numpy as np
import pytest
from scipy.special import expit, logit

import comoderate.metrics as m
from comoderate.calibration import folds_of
from comoderate.review import ExpectedError, Hybrid, Toxicity, Uncertainty, advise, cross_fitted_scores
from comoderate.review.advice import crossings, usable
from comoderate.review.registry import strategies


def miscalibrated(n=1500, seed=0):
    """A scorer that is far too sure of abuse: the paper's strategies read the wrong posts."""
    rng = np.random.default_rng(seed)
    p = rng.beta(1, 1.5, n)
    y = (rng.random(n) < expit(1.5 * logit(p) - 2.5)).astype(float)
    return y, p


def test_the_better_strategy_is_found_with_certainty():
    y, p = miscalibrated()
    got = advise(y, p, fold=folds_of(1500), review_fraction=0.1, replicates=100, random_state=0)
    assert got.best in {"expected_error", "expected_cost"}
    assert got.certain
    assert got.compared[0].name == got.best
    assert got.compared[0].gain.low > 0
    by_name = {row.name: row for row in got.compared}
    assert by_name[got.baseline].gain.value == 0.0
    assert got.baseline in {"toxicity", "uncertainty"}
    assert got.tenth_more.low <= got.tenth_more.value <= got.tenth_more.high
    assert got.tenth_more.value > 0
    assert got.left_out["weak_arms"] == "needs arm_accuracy"
    values = [row.value.value for row in got.compared]
    assert values == sorted(values, reverse=True)
    assert all(len(row.curve) == len(got.fractions) for row in got.compared)


def test_no_label_has_a_part_in_the_score_of_its_own_post():
    y, p = miscalibrated(300)
    fold = folds_of(300)
    options = {
        "fold": fold,
        "strategies": {"expected_error": ExpectedError(), "hybrid": Hybrid()},
        "review_fraction": 0.1,
        "objective": m.oracle_collaborative_accuracy,
    }
    before = cross_fitted_scores(y, p, **options)
    turned = np.where(fold == 0, 1 - y, y)
    after = cross_fitted_scores(turned, p, **options)
    for name in before:
        np.testing.assert_array_equal(before[name][fold == 0], after[name][fold == 0])


def test_any_metric_of_the_pair_can_be_the_objective_and_weights_and_clusters_count():
    y, p = miscalibrated(400)
    rng = np.random.default_rng(0)
    got = advise(
        y,
        p,
        fold=folds_of(400),
        review_fraction=0.1,
        objective=m.oracle_collaborative_auroc,
        strategies={"toxicity": Toxicity(), "uncertainty": Uncertainty()},
        sample_weight=rng.exponential(size=400),
        cluster=rng.integers(0, 100, 400),
        replicates=30,
        extras={"members": rng.random((3, 400))},
    )
    assert {row.name for row in got.compared} == {"toxicity", "uncertainty"}
    assert got.best == got.baseline
    assert got.certain
    with pytest.raises(ValueError, match="review_fraction"):
        advise(y, p, fold=folds_of(400), review_fraction=1.0)


def test_what_a_strategy_needs_decides_whether_it_takes_part():
    kept, left_out = usable(strategies(), {"members": [[0.1]]})
    assert {"member_variance", "mutual_information"} <= kept.keys()
    assert left_out.keys() == {"rater_disagreement", "weak_arms", "even_errors"}


def test_curves_that_change_places():
    got = crossings("a", "b", [0.0, 0.01, 0.1, 1.0], [0, 0.5, 0.6, 1.0], [0, 0.4, 0.7, 1.0])
    assert [(c.below, c.above) for c in got] == [("a", "b")]
    assert got[0].review_fraction == pytest.approx(10**-1.5)
    assert crossings("a", "b", [0.1, 0.2], [1, 1], [0, np.nan]) == []


@pytest.mark.slow
def test_picking_the_best_does_not_flatter_it():
    rng = np.random.default_rng(0)
    false_alarms = 0
    for _ in range(60):
        p = rng.random(300)
        y = (rng.random(300) < 0.5).astype(float)
        names = {f"random_{i}": _Fixed(f"random_{i}", rng.random(300)) for i in range(8)}
        names |= {"toxicity": _Fixed("toxicity", rng.random(300))}
        got = advise(
            y, p, fold=folds_of(300), review_fraction=0.2, strategies=names, baselines=("toxicity",), replicates=100
        )
        false_alarms += got.certain and got.best != "toxicity"
    assert false_alarms <= 7


class _Fixed:
    def __init__(self, name, scores):
        self.name, self.scores = name, scores

    def score(self, y_proba, **extras):
        return self.scores

    def explain(self):
        return "fixed"


def test_readings_cost_capacity():
    y, p = miscalibrated(600)
    options = {"fold": folds_of(600), "replicates": 5, "random_state": 0}
    among = {"toxicity": Toxicity(), "uncertainty": Uncertainty()}
    twice = advise(y, p, review_fraction=0.2, readings=np.full(600, 2), strategies=among, **options)
    once = advise(y, p, review_fraction=0.1, strategies=among, **options)
    for mine, other in zip(twice.compared, once.compared, strict=True):
        assert mine.name == other.name
        assert mine.value.value == pytest.approx(other.value.value)
    # A strategy that sends posts to two moderators reads fewer of them.
    doubtful = 1 + (p > np.median(p))
    dear = advise(y, p, review_fraction=0.1, readings=doubtful, strategies=among, **options)
    values = {row.name: row.value.value for row in dear.compared}
    assert values["toxicity"] < {row.name: row.value.value for row in once.compared}["toxicity"]
