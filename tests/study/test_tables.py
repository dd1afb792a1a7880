"""The study's tables of results."""

import numpy as np
import pytest

from comoderate.study import Study, tables

ESTIMATE = {"value", "se", "low", "high", "level", "method", "n", "n_effective", "reason"}


@pytest.fixture(scope="module")
def study(ran):
    return Study.open(ran)


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("prevalence", {"target", "sample", "cohort", "unit", "domain", "group", "few"}),
        ("agreement", {"question", "cohort", "statistic", "n_items", "n_annotations", "n_raters"}),
        ("evaluation", {"target", "sample", "truth", "scorer", "domain", "group", "metric", "few"}),
        ("review", {"target", "sample", "truth", "scorer", "strategy", "review_fraction", "metric"}),
    ],
)
def test_columns(study, name, columns):
    assert columns | ESTIMATE <= set(study.result(name))


def test_prevalence_of_every_target_and_cohort_each_on_its_own_sample(study):
    table = study.result("prevalence")
    whole = table[table["domain"] == "all"]
    assert set(zip(whole["target"], whole["sample"], whole["cohort"], strict=True)) == {
        (target, sample, cohort)
        for target in ("abusive", "threat")
        for sample, cohort in (("main", "volunteers"), ("experts", "experts"))
    }
    never_asked = whole[(whole["target"] == "threat") & (whole["cohort"] == "experts")]
    assert never_asked["value"].isna().all()
    assert never_asked["n"].item() == 0
    assert never_asked["reason"].notna().all()


def test_prevalence_is_the_weighted_mean_of_the_labels(study):
    rows = study.labelled_with_warnings("abusive", "main").frame
    rows = rows[rows["weight"] > 0]
    table = study.prevalence("abusive", "main", by=["platform"])
    assert table["value"][0] == pytest.approx(np.average(rows["y"], weights=rows["weight"]))
    assert table["few"].tolist() == [False, True, False]


def test_by_is_computed_anew_and_not_stored(study):
    table = tables.prevalence(study, ("day",))
    assert set(table["domain"]) == {"all", "day"}
    assert "day" not in set(study.result("prevalence")["domain"])


def test_a_cohort_without_labels_of_both_classes_measures_nobody(study):
    assert tables.measure(study, "threat", "experts") is None
    assert tables.measure(study, "abusive", "experts") is not None
    assert "threat" not in set(study.result("evaluation").query("truth == 'experts'")["target"])


def test_curves_belong_to_the_evaluation(study):
    curves, table = study.result("curves"), study.result("evaluation")
    keys = ["target", "sample", "truth", "scorer"]
    assert set(map(tuple, curves[keys].to_numpy())) == set(map(tuple, table[keys].to_numpy()))
    assert set(curves["kind"]) == {"precision-recall", "roc"}
