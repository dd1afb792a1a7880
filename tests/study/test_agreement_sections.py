"""The report's sections on what raters did."""

from comoderate.report import ReportSection
from comoderate.study import Study
from comoderate.study.agreement_sections import agreement_sections, condition_words
from comoderate.study.rater_sections import group_section, rater_section


def test_a_condition_in_words():
    said = condition_words({"problem": ["some", "much"]})
    assert "problem" in said
    assert "some" in said
    assert "much" in said


def test_sections_of_a_study(ran):
    found = [section for section in agreement_sections(Study.open(ran)) if section is not None]
    assert found
    assert all(isinstance(section, ReportSection) for section in found)


def test_raters_one_by_one_and_no_groups_where_nothing_is_known_of_raters(ran):
    study = Study.open(ran)
    assert isinstance(rater_section(study), ReportSection)
    assert group_section(study) is None
