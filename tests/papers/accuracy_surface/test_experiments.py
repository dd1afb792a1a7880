import numpy as np
import pytest

from comoderate.errors import ComoderateError
from comoderate.papers.accuracy_surface import beside, corrections, experiments, pages, paper
from comoderate.papers.accuracy_surface.estimators import CORRECTIONS, NAMES, OURS, estimators
from comoderate.papers.accuracy_surface.worlds import synthetic
from comoderate.papers.benchmark import Options, Run
from comoderate.papers.cells import Cells
from comoderate.study.stages import Silent

ON = frozenset(CORRECTIONS)
FAST = ("CPredictor", "Beta-I", OURS)


@pytest.fixture(scope="module")
def world():
    return synthetic("smooth", seed=0, size=6000)


@pytest.fixture(scope="module")
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


def test_the_page_names_the_best_and_judges_claims(world, rows):
    curve = {"labels": [500, 600], "macro": [3.0, 2.0], "worst": [5.0, 4.0]}
    curves = [
        {"world": "smooth", "estimator": OURS, "strategy": strategy, "seed": seed, **curve}
        for strategy in ("error_reduction", "random") for seed in (0, 1)
    ]  # fmt: skip
    calibrated = [
        {"world": "smooth", "kind": kind, "seed": 0, **curve, "log_likelihood": [-3.0, -3.0]}
        for kind in experiments.KINDS
    ]
    table = {row["estimator"]: row for row in rows if (row["labels"], row["seed"]) == (1000, 0)}
    changed = [
        {"off": off, **table[name], "seed": seed, "macro": 1.0 + seed + (off != corrections.NONE)}
        for name in FAST for off in (corrections.NONE, corrections.ALL) for seed in (0, 1)
    ]  # fmt: skip
    found = pages.Found([world], rows, curves, calibrated, changed, "smooth")
    sections = pages.arrange(found, labels=1000, off=[])
    titles = [section.title for section in sections]
    assert titles[0] == "Which claims hold here"
    assert {"Figure 3, published beside measured", "What the corrections change"} <= set(titles)
    assert any("Table 2" in title for title in titles)
    table = next(section for section in sections if section.name == "table-2")
    assert any(f"smooth ({OURS})" in sentence for sentence in table.sentences)
    for section in sections:
        for figure in section.figures:
            assert figure.display.svg().startswith("<svg")


def test_sizes_leave_a_third_unlabelled(world):
    assert list(experiments.label_sizes(world, (500, 4000, 4001))) == [500, 4000]


def test_the_papers_services_stand_beside_ours():
    here = beside.Here("estimation", "Title", ("Beta-I", "BetaGP"), {"toy": {"Beta-I": 2.0, "BetaGP": 1.0}}, ["Told."])
    found = beside.section(here)
    assert found.shown["source"].tolist() == ["published"] * 4 + ["here"]
    assert found.shown["BetaGP saves of Beta-I"].tolist() == ["+11 %", "+1 %", "+3 %", "+17 %", "+50 %"]
    assert found.sentences[-1] == "BetaGP saves 1 to 17 % of Beta-I's error in the paper, and 50 % here."
    assert beside.published_savings("estimation", "Comoderate", "Beta-I") == ""


@pytest.mark.slow
def test_corrections_are_turned_off_one_by_one_on_the_same_labels(tmp_path):
    small = synthetic("smooth", seed=1, size=300)
    run = Run(Options(data=tmp_path, out=tmp_path), Cells(tmp_path, Silent()), (0,), ON)
    table = {name: {"macro": 1.0, "worst": 1.0, "coverage": 0.9} for name in NAMES}
    one = next(row for row in corrections.rows(run, small, 100, 0, table) if row["off"] == "conjugate")
    assert one["estimator"] == corrections.WHOLE
    assert one["macro"] > 0
    assert (tmp_path / "corrections" / "smooth-BetaGP-SLP-conjugate-0.json").is_file()


def test_no_data_at_all_is_one_line(tmp_path):
    run = Run(Options(data=tmp_path, out=tmp_path, only=frozenset({"celeba"})), Cells(tmp_path, Silent()), (0,), ON)
    with pytest.raises(ComoderateError, match="none of the data sets is here"):
        paper.sections(run)
