"""Progress to the planned standard error."""

import math

import pytest

from comoderate.metrics import Estimate
from comoderate.study import Study
from comoderate.study.progress import COLUMNS, needed, progress_table, spread


def test_a_row_a_target_and_cohort(ran):
    study = Study.open(ran)
    table = progress_table(study)
    assert tuple(table.columns) == COLUMNS
    assert len(table) == 4
    row = table[(table["target"] == "abusive") & (table["cohort"] == "volunteers")].iloc[0]
    labelled = study.labelled_with_warnings("abusive", "main", "volunteers").frame
    assert row["drawn"] == len(labelled)
    assert row["labelled"] == labelled["y"].notna().sum()
    assert row["value"] == study.prevalence("abusive", "main", "volunteers")["value"].iloc[0]
    plan = study.plan().table.set_index("sample")
    assert row["planned_se"] == plan.loc["main", "se"]
    assert row["se_at_end"] == pytest.approx(row["se"] * math.sqrt(row["labelled"] / row["drawn"]))
    threat = table[table["target"] == "threat"]
    assert threat["planned_se"].isna().all()


def test_labels_needed_follow_the_square_root():
    assert needed(100, 1000, 0.02, 0.01) == (300, None)
    assert needed(400, 600, 0.01, 0.01) == (0, None)
    more, why = needed(100, 50, 0.02, 0.01)
    assert more == 300
    assert "50 more posts only" in why
    for done, error, planned in ((10, 0.1, 0.01), (100, math.nan, 0.01), (100, 0.1, math.nan)):
        assert needed(done, 70, error, planned)[0] == 70


def test_no_positive_yet_is_not_certainty():
    none = Estimate(0.0, 0.0, 0.0, 0.06, 0.95)
    assert spread(none) == pytest.approx(0.06 / 3.92, rel=1e-3)
    assert spread(Estimate(0.1, 0.02, 0.06, 0.14)) == 0.02
    assert math.isnan(spread(Estimate.undefined("nothing")))
