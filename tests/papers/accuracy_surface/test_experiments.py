import numpy as np
import pytest

from comoderate.papers.accuracy_surface import experiments, pages
from comoderate.papers.accuracy_surface.estimators import CORRECTIONS, NAMES, OURS, estimators
from comoderate.papers.accuracy_surface.worlds import synthetic

ON = frozenset(CORRECTIONS)
FAST = ("CPredictor", "Beta-I", OURS)


@pytest.fixture(scope="module")
def world():
    return synthetic("smooth", seed=0, size=6000)


def rows(world):
    return [
        {"world": "smooth", "estimator": name, "labels": size, "seed": seed,
         **experiments.estimation(world, name, size, seed=seed, corrected=ON)}
        for name in FAST for size in (500, 1000) for seed in (0, 1)
    ]  # fmt: skip


def test_all_estimators_are_made_both_ways():
    for corrected in (ON, frozenset()):
        assert tuple(estimators(corrected, 0)) == NAMES


def test_the_warm_start_adds_a_tenth_of_an_example_everywhere():
    n, c = experiments.warm(np.array([2.0, 0.0]), np.array([1.0, 0.0]), frozenset())
    assert n.tolist() == [2.1, 0.1]
    assert c.tolist() == [1.05, 0.05]
    assert experiments.warm(n, c, {"labels-only"})[0] is n


def test_our_surface_beats_independent_arms(world):
    ours = experiments.estimation(world, OURS, 1000, seed=0, corrected=ON)
    beta = experiments.estimation(world, "Beta-I", 1000, seed=0, corrected=ON)
    assert ours["macro"] < beta["macro"]
    assert 0.85 < ours["coverage"] <= 1


def test_a_processes_estimator_runs_as_published_and_corrected():
    small = synthetic("smooth", seed=1, size=300)
    found = experiments.estimation(small, "BetaGP-SLP", 100, seed=0, corrected=ON)
    assert 0 < found["macro"] < 30


def test_exploration_ends_at_the_labels_asked_for(world):
    curve = experiments.exploration(world, "Beta-I", "variance", start=500, stop=730, batch=100, seed=0, corrected=ON)
    assert curve["labels"] == [500, 600, 700, 730]
    assert all(value > 0 for value in curve["macro"])


def test_calibrated_attributes_fit_better(world):
    raw, temp = (
        experiments.calibration(world, kind, [1000], start=500, seed=0, corrected=ON) for kind in ("raw", "temp")
    )
    assert temp["log_likelihood"] > raw["log_likelihood"]
    assert temp["labels"] == [1000]


def test_attribute_models_give_probabilities(world):
    for table in experiments.attribute_models(world, np.random.default_rng(0)):
        np.testing.assert_allclose(table.sum(axis=1), 1)


def test_the_page_names_the_best_and_judges_claims(world):
    curve = {"labels": [500, 600], "macro": [3.0, 2.0], "worst": [5.0, 4.0]}
    curves = [
        {"world": "smooth", "estimator": OURS, "strategy": strategy, "seed": seed, **curve}
        for strategy in ("error_reduction", "random") for seed in (0, 1)
    ]  # fmt: skip
    calibrated = [
        {"world": "smooth", "kind": kind, "seed": 0, **curve, "log_likelihood": [-3.0, -3.0]}
        for kind in experiments.KINDS
    ]
    sections = pages.arrange([world], rows(world), curves, calibrated, labels=1000)
    titles = [section.title for section in sections]
    assert titles[0] == "Which claims hold here"
    assert any("Table 2" in title for title in titles)
    table = next(section for section in sections if section.name == "table-2")
    assert any(f"smooth ({OURS})" in sentence for sentence in table.sentences)
    for section in sections:
        for figure in section.figures:
            assert figure.display.svg().startswith("<svg")


def test_sizes_leave_a_third_unlabelled(world):
    assert list(experiments.label_sizes(world, (500, 4000, 4001))) == [500, 4000]
