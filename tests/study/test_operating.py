"""Three outcomes in a study: thresholds that keep a promise, what becomes of posts, and costs."""

import numpy as np
import pytest

from comoderate import metrics
from comoderate.study import Study, cases, operating
from comoderate.study.review_sections import acting_section

TOML = """[review]
min_precision = 0.5
max_false_positive_rate = 0.4
"""


@pytest.fixture
def case(changing, little):
    little.edit(changing, "[review]\n", TOML)
    little.edit(
        changing, "audit_share = 0.25\n",
        "audit_share = 0.25\n[review.cost]\nmissed = 5.0\nwrongly_removed = 1.0\nminute = 0.5\ncurrency = 'EUR'\n",
    )  # fmt: skip
    return cases.case_of(Study.open(changing), "abusive")


def test_thresholds_by_group_with_pooling(case):
    found = operating.operate(case, "expected_error", posts=400)
    table = found.thresholds
    assert table[["domain", "group"]].to_numpy().tolist()[0] == ["all", "all"]
    assert set(table.loc[table["domain"] == "platform", "group"]) == {"river", "square"}
    river = table[table["group"] == "river"].iloc[0]
    assert river["pooled"]  # one post in ten: too few labels
    assert river["act_above"] == table["act_above"].iloc[0]
    assert any("'river'" in text and "threshold of all" in text for text in found.warnings)
    whole = table.iloc[0]
    assert whole["precision_low"] >= 0.5
    assert whole["false_positive_rate_high"] <= 0.4
    above = case.proba > whole["act_above"]
    assert np.average(case.y[above], weights=case.weight[above]) == pytest.approx(whole["precision"])


def test_outcomes_of_the_plans_add_up(case):
    found = operating.operate(case, "expected_error", posts=400)
    wide = found.outcomes.pivot(index="plan", columns="metric", values="value")
    np.testing.assert_allclose(wide[["acted", "reviewed", "left"]].sum(axis=1), 1)
    accuracy = metrics.accuracy(case.y, case.proba, sample_weight=case.weight)
    assert wide.loc[operating.ALONE, "accuracy"] == pytest.approx(accuracy)
    score = case.scores(["expected_error"])["expected_error"]
    pair = metrics.oracle_collaborative_accuracy(
        case.y, case.proba, score, review_fraction=case.review_fraction, sample_weight=case.weight
    )
    assert wide.loc[operating.TOGETHER, "accuracy"] == pytest.approx(pair)
    assert wide.loc[operating.THREE, "reviewed"] == pytest.approx(case.review_fraction)
    assert wide.loc[operating.ALONE, "reviewed"] == 0


def test_costs_are_for_all_posts(case):
    costs = operating.operate(case, "expected_cost", posts=400).costs.set_index("plan")
    for row in costs.itertuples():
        assert row.mistakes == pytest.approx(5 * row.missed + row.wrongly_removed)
        assert row.reading == pytest.approx(0.5 * row.reviewed)
        assert row.hours == pytest.approx(row.reviewed / 60)
        assert row.total == pytest.approx(row.mistakes + row.reading)
    assert costs.loc[operating.TOGETHER, "reviewed"] == pytest.approx(20)
    assert set(costs["currency"]) == {"EUR"}


def test_no_bound_no_threshold(ran):
    study = Study.open(ran)
    assert study.result("thresholds").empty
    assert set(study.result("outcomes")["plan"]) == {operating.ALONE, operating.TOGETHER}
    assert study.result("costs")["currency"].isna().all()
    section = acting_section(study.result("thresholds"), study.result("outcomes"), study.result("costs"))
    assert section is None


def test_words_of_the_section(case):
    found = operating.operate(case, "expected_error", posts=400)
    section = acting_section(found.thresholds, found.outcomes, found.costs)
    assert section.sentences[0].startswith("For “abusive”, posts above ")
    assert any("river" in text for text in section.sentences)
    assert [caption for caption, _ in section.tables][-1].endswith("EUR")
    never = acting_section(found.thresholds.assign(act_above=np.inf), found.outcomes, found.costs)
    assert "nothing is acted on unread" in never.sentences[0]


def test_a_promise_that_no_labels_keep(changing, little):
    little.edit(changing, "[review]\n", "[review]\nmin_precision = 0.999\n")
    study = Study.open(changing)
    study.advise()
    assert np.isinf(study.result("thresholds")["act_above"]).all()
