"""Advice on review in a study: what is compared, calibrated by cross-fitting, and what follows in the queue."""

import numpy as np
import pandas as pd
import pytest

from comoderate import metrics, review
from comoderate.calibration import Frugal
from comoderate.errors import ComoderateError
from comoderate.study import Study, advising, cases, making_review, strategies
from comoderate.study.review_sections import main_curves
from comoderate.study.review_wording import advice_sentences
from comoderate.study.settings import ReviewSettings


@pytest.fixture(scope="module")
def study(ran):
    return Study.open(ran)


@pytest.fixture(scope="module")
def case(study):
    return cases.case_of(study, "abusive")


def test_the_case_holds_labelled_posts_with_weights_and_scores_of_other_folds(study, case):
    table = study.labelled_with_warnings("abusive", "main", "volunteers").frame
    kept = table[table["weight"] > 0]
    assert len(case.y) == len(kept)
    np.testing.assert_allclose(case.weight, kept["weight"])
    assert case.review_fraction == pytest.approx(20 / 400)
    assert case.attributes == ("platform",)
    assert set(case.group("platform")) == {"river", "square"}


def test_calibration_takes_no_part_of_a_posts_own_fold(case):
    fold = case.fold[0]
    others = case.fold != fold
    fitted = Frugal().fit(case.proba[others], case.y[others], sample_weight=case.weight[others])
    np.testing.assert_allclose(case.calibrated[~others], fitted.predict(case.proba[~others]))


def test_calibrated_probabilities_mean_what_they_say(case):
    assert np.average(case.calibrated, weights=case.weight) == pytest.approx(
        np.average(case.y, weights=case.weight), abs=0.03
    )


def test_strategies_follow_from_what_the_study_has(study, case):
    names = set(case.strategies())
    assert (
        set(strategies.ALWAYS) | {"rater_disagreement", "even_errors", "weak_arms"} == names
    )  # no costs: no expected_cost
    assert "member_variance" not in names


def test_the_shares_of_raters_are_predicted_where_raters_differ(case):
    share = case.found.rows["y_soft"].to_numpy()
    assert np.average(case.soft, weights=case.weight) == pytest.approx(np.average(share, weights=case.weight), abs=0.05)


def test_the_table_of_the_advice_has_the_values_of_the_metric(study, case):
    table = study.result("advice")
    assert tuple(table.columns) == advising.ADVICE
    values = table[table["metric"] == "value"].set_index("strategy")["value"]
    score = case.scores(["expected_error"])["expected_error"]
    expected = metrics.oracle_collaborative_accuracy(
        case.y, case.proba, score, review_fraction=0.05, sample_weight=case.weight
    )
    assert values["expected_error"] == pytest.approx(expected)
    assert values.max() == values[table["best"].iloc[0]]
    gain = table[table["metric"] == "gain"].set_index("strategy")["value"]
    base = table["baseline"].iloc[0]
    assert gain[base] == 0
    np.testing.assert_allclose(gain, values - values[base], atol=1e-12)
    assert set(values.index) == set(case.strategies())


def test_more_capacity_never_hurts_an_oracle(study):
    table = study.result("advice")
    more = table[table["metric"] == "tenth_more"]
    assert len(more) == 1
    assert more["value"].item() >= 0


def test_groups_share_the_readings(study, case):
    table = study.review_groups(["platform"])
    wide = table.pivot(index="group", columns="metric", values="value")
    assert wide["load_share"].sum() == pytest.approx(1)
    assert wide["share"].sum() == pytest.approx(1)
    assert wide["share"] @ wide["load"] == pytest.approx(case.review_fraction)
    assert (wide["error_after"] <= wide["error_before"]).all()
    pd.testing.assert_frame_equal(table, study.result("review_groups"))


def test_groups_by_an_unknown_attribute_are_refused(study):
    with pytest.raises(ComoderateError, match="there is no attribute 'platfrom'"):
        study.review_groups(["platfrom"])


def test_reliability_of_every_scorer_and_of_the_calibrated_one(study):
    table = study.result("reliability")
    mine = table[table["target"] == "abusive"]
    assert set(mine["scorer"]) == {"words", "bayes", "service"}
    assert mine[mine["calibrated"]]["scorer"].nunique() == 1
    assert ((mine["low"] <= mine["observed"] + 1e-12) & (mine["observed"] <= mine["high"] + 1e-12)).all()
    sums = mine.groupby(["scorer", "calibrated"])["weight"].sum()
    np.testing.assert_allclose(sums, 1)


def test_the_curves_hold_more_strategies_of_the_chosen_scorer_and_figures_only_some(study):
    table, advice = study.result("review"), study.result("advice")
    chosen = table[(table["scorer"] == "service") & (table["truth"] == "volunteers")]
    assert set(chosen["strategy"]) >= set(making_review.CURVES)
    assert set(table.loc[table["scorer"] == "bayes", "strategy"]) == set(strategies.BASELINES)
    assert main_curves(table, advice)["strategy"].nunique() <= 3


OTHERS = ("expected_auroc_gain", "hybrid", "random")  # through the same code as those that are always tested


@pytest.mark.parametrize(
    "strategy",
    ["auto", "expected_error", "even_errors", *(pytest.param(name, marks=pytest.mark.slow) for name in OTHERS)],
)
def test_a_queue_by_each_strategy(changing, little, strategy):
    little.edit(changing, "[review]\n", f'[review]\nstrategy = "{strategy}"\n')
    study = Study.open(changing)
    study.review()
    queue = study.queue()
    assert len(queue) == 20
    own = queue[queue["source"] == "queue"]
    assert own["review_score"].is_monotonic_decreasing
    assert own["reason"].nunique() == 1
    used = study.result("advice")["used"].iloc[0]
    assert used == (study.result("advice")["best"].iloc[0] if strategy == "auto" else strategy)


def test_posts_without_labels_are_calibrated_on_all_labelled_ones(study, case):
    stream = study.scores("service")
    given = case.stream_extras(stream)["calibrated"]
    at = stream["post_id"].isin(case.found.rows["post_id"]).to_numpy()
    fitted = Frugal().fit(case.proba, case.y, sample_weight=case.weight).predict(stream["proba"].to_numpy())
    np.testing.assert_allclose(given[~at], fitted[~at])
    mine = pd.Series(case.calibrated, index=case.found.rows["post_id"])
    np.testing.assert_allclose(given[at], mine.reindex(stream["post_id"][at]))


def test_objectives(changing, little):
    little.edit(
        changing,
        "[review]\n",
        '[review.cost]\nmissed = 5.0\nwrongly_removed = 1.0\nminute = 0.5\n[review]\nobjective = "cost"\n',
    )
    study = Study.open(changing)
    table = study.advise()
    assert set(table["objective"]) == {"cost"}
    case = cases.case_of(study, "abusive")
    values = table[table["metric"] == "value"].set_index("strategy")["value"]
    expected = review.review_saving(
        case.y, case.proba, case.scores(["expected_cost"])["expected_cost"], review_fraction=case.review_fraction,
        missed=5.0, removed=1.0, minute=0.5, sample_weight=case.weight,
    )  # fmt: skip
    assert values["expected_cost"] == pytest.approx(expected)
    assert "money saved a post" in advice_sentences(table, study.result("crossings"))[0]


def test_costs_are_needed_where_they_count():
    with pytest.raises(ValueError, match=r"review\.cost"):
        ReviewSettings(objective="cost")
    with pytest.raises(ValueError, match=r"review\.cost"):
        ReviewSettings(strategy="expected_cost")


def test_words(study):
    advice, crossings = study.result("advice"), study.result("crossings")
    told = advice_sentences(advice, crossings)
    best = advice["best"].iloc[0]
    assert told[0].startswith("With 5 % of posts read, ")
    assert told[1].startswith("A tenth more readings would add ")
    assert any("study.toml" in text for text in told) == (best != "uncertainty")
    none = advice_sentences(advice.iloc[:0], crossings)
    assert len(none) == 1
    assert none[0].startswith("No advice")
    sure = advice.assign(best="expected_error", baseline="toxicity", certain=True)
    assert "use expected error (" in advice_sentences(sure, crossings)[0]
    assert "chance" not in advice_sentences(sure, crossings)[0]
    unsure = advice_sentences(sure.assign(certain=False), crossings)[0]
    assert "and that may be chance." in unsure
    assert unsure.endswith("The queue follows it.") == (sure["used"].iloc[0] == "expected_error")


def test_without_labels_of_both_classes_the_queue_falls_back(changing, little, monkeypatch):
    little.edit(changing, "[review]\n", '[review]\nstrategy = "expected_error"\n')
    little.edit(changing, "capacity = 20", "capacity = 300")
    study = Study.open(changing)
    monkeypatch.setattr(cases, "sample_case", lambda *_: None)
    told = making_review.advice(study)
    assert told["warnings"][0].startswith("abusive: no advice on review, for no scorer has labelled")
    assert told["warnings"][1] == "threat: no advice on review, for no scorer gives its probability"
    made = making_review.review(study)
    assert made["strategy"] == "uncertainty"
    assert "where 300 were asked for, for other posts have a label already" in made["warnings"][0]
    assert study.result("advice").empty
    assert study.review_groups(["platform"]).empty
