"""Moderators who err, and a capacity of posts a day."""

import numpy as np
import pandas as pd
import pytest

from comoderate import metrics, review
from comoderate.errors import ComoderateError
from comoderate.study import Study, cases, moderating
from comoderate.study.review_sections import days_section, erring_section


def test_confusion_of_one_volunteer_against_experts(ran):
    study = Study.open(ran)
    table = moderating.confusion(study, "abusive", "volunteers", "experts")
    shares = table / table.sum(axis=1, keepdims=True)
    assert shares[1, 1] == pytest.approx(0.83, abs=0.08)  # volunteers are made to see 85 % of what is positive
    assert shares[0, 0] == pytest.approx(0.93, abs=0.05)


def test_too_few_posts_with_both_labels(ran, monkeypatch):
    monkeypatch.setattr(moderating, "FEW", 10_000)
    with pytest.raises(ComoderateError, match="were labelled by volunteers and by experts"):
        moderating.confusion(Study.open(ran), "abusive", "volunteers", "experts")


def test_moderators_from_a_cohort(changing, little):
    little.edit(
        changing, "audit_share = 0.25\n", 'audit_share = 0.25\n[review.moderators]\nfrom = "volunteers"\nreadings = 3\n'
    )
    study = Study.open(changing)
    study.advise()
    table = study.result("erring")
    assert 0.7 < table["sensitivity"].iloc[0] < 0.95
    assert set(table["readings"]) == {3}
    section = erring_section(table, study.review().pipe(lambda _: study.result("review")))
    assert "3 moderators read each post" in section.sentences[0]


def test_an_unknown_cohort_is_refused(changing, little):
    little.edit(changing, "audit_share = 0.25\n", 'audit_share = 0.25\n[review.moderators]\nfrom = "volonteers"\n')
    with pytest.raises(ComoderateError, match=r"review.moderators.from: there is no cohort 'volonteers'"):
        Study.open(changing)


def test_moderators_who_are_always_right_are_the_oracle(ran):
    case = cases.case_of(Study.open(ran), "abusive")
    table = moderating.erring_table(case, review.Moderators(), ("uncertainty",))
    score = case.scores(["uncertainty"])["uncertainty"]
    for name in moderating.WITHOUT_ORACLE:
        expected = getattr(metrics, name)(
            case.y, case.proba, score, review_fraction=[0.05, 0.2], sample_weight=case.weight
        )
        np.testing.assert_allclose(table.loc[table["metric"] == name, "value"], expected)
    worse = moderating.erring_table(case, review.Moderators(sensitivity=0.6, specificity=0.7), ("uncertainty",))
    assert (worse["value"] <= table["value"] + 1e-12).all()


def test_a_capacity_of_posts_a_day(changing, little):
    little.edit(changing, "[review]\n", "[review]\nper_day = 4\nmax_wait = 2\n")
    study = Study.open(changing)
    study.advise()
    days, summary = study.result("stream_days"), study.result("stream").iloc[0]
    assert len(days) == little.DAYS
    assert days["arrived"].sum() == little.DAYS * little.A_DAY == summary["arrived"]
    assert (days["read"] <= 4).all()
    assert days["read"].sum() == summary["read"] == 40
    assert days["sent_at_once"].sum() == pytest.approx(40, abs=8)
    assert summary["longest_wait"] <= 2
    assert "At 4 readings a day, 40 of 400" in days_section(study.result("stream"), days).sentences[0]
    told = study.artefacts.record("advice")["summary"]["warnings"]
    assert any("a capacity of 20, 0.05 of all posts, where 4 a day would read 0.1 of them" in text for text in told)
    little.edit(changing, "capacity = 20\n", "")
    assert cases.capacity_of(Study.open(changing)) == 40
    little.edit(changing, "per_day = 4", "per_day = 4_000")
    assert cases.capacity_of(Study.open(changing)) == 400
    little.edit(changing, "per_day = 4_000\n", "")
    assert cases.capacity_of(Study.open(changing)) == 20  # a twentieth


def test_days_with_room_to_spare():
    days = pd.Series(["2026-01-01"] * 3 + [None, "2026-01-03"])
    table, summary = moderating.stream_tables(days, np.arange(5.0), strategy="x", per_day=5, max_wait=None)
    assert table["arrived"].tolist() == [3, 0, 1]
    assert table["read"].tolist() == [3, 0, 1]
    assert table["sent_at_once"].tolist() == [3, 0, 1]
    assert summary["never_read"].item() == 0


def test_skills_that_a_model_learnt_need_no_other_cohort(changing, little):
    little.edit(changing, "[target.abusive]\n", '[target.abusive]\naggregation = "dawid_skene"\n')
    little.edit(changing, "audit_share = 0.25\n", 'audit_share = 0.25\n[review.moderators]\nfrom = "volunteers"\n')
    study = Study.open(changing)
    study.advise()
    table = study.result("erring")
    learnt = moderating.skills(study, "abusive", "volunteers")
    shares = learnt / learnt.sum(axis=1, keepdims=True)
    assert learnt.sum() == pytest.approx(1)
    assert table["sensitivity"].iloc[0] == pytest.approx(shares[1, 1])
    assert table["specificity"].iloc[0] == pytest.approx(shares[0, 0])
    measured = moderating.confusion(study, "abusive", "volunteers", "experts")
    measured = measured / measured.sum(axis=1, keepdims=True)
    assert shares[1, 1] == pytest.approx(measured[1, 1], abs=0.15)
    assert shares[0, 0] == pytest.approx(measured[0, 0], abs=0.1)
