import pandas as pd
import pytest

from comoderate.report import ReportContent


def test_a_frame_without_its_columns_is_refused(make):
    with pytest.raises(ValueError, match="'agreement' lacks the columns cohort"):
        make(agreement=make().agreement.drop(columns="cohort"))


def test_an_empty_frame_is_as_good_as_none(make):
    assert make(queue=pd.DataFrame()).frame("queue") is None
    assert make(queue=None).frame("queue") is None


def test_title_time_and_version_are_enough():
    assert ReportContent(title="t", generated="2026-11-30", version="0").targets == ()


def test_a_cohort_is_people_under_whatever_name(make):
    assert "workers" in make(prevalence=make().prevalence.assign(cohort="workers")).people


def test_missing_numbers_may_be_none(make):
    frame = make().prevalence.astype({"value": object})
    frame.loc[0, "value"] = None
    assert make(prevalence=frame).frame("prevalence")["value"].isna().sum() == 2
