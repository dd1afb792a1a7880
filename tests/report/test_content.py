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
