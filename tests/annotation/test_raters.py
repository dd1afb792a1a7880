"""Raters are random ids with a role, a cohort and what they have done to begin."""

import pytest

from comoderate.annotation import (
    Conflict,
    NotFound,
    add_rater,
    count_raters,
    rater,
    rater_by_login,
    raters,
    record_consent,
    record_qualification,
    record_tutorial,
    stream_journal,
    update_rater,
)
from comoderate.errors import ComoderateError


def test_a_rater_comes_back_as_added_and_changed(db, little_campaign):
    c = little_campaign
    new = add_rater(db, role="expert", cohort="experts", language="ar", login="lena", password_hash="$argon2id$x")
    assert rater(db, new.rater_id) == rater_by_login(db, "lena") == new
    assert rater_by_login(db, "otto") is None
    assert (new.opted_out, new.active, new.qualified, new.consented_at) == ((), True, None, None)
    changed = update_rater(db, new.rater_id, actor="boss", opted_out=["salt", "pepper"], exposure_cap=5, login="otto")
    assert (changed.opted_out, changed.exposure_cap) == (("pepper", "salt"), 5)
    assert rater_by_login(db, "otto") == changed
    assert record_consent(db, new.rater_id, version="3", now=c.NOON).consented_at == c.NOON
    assert record_tutorial(db, new.rater_id, codebook="c@1", now=c.NOON).tutorial_codebook == "c@1"
    record_qualification(db, new.rater_id, codebook="c@1", score=0.5, passed=False)
    passed = record_qualification(db, new.rater_id, codebook="c@1", score=0.9, passed=True)
    assert (passed.qualified, passed.qualification_score, passed.qualification_tries) == (True, 0.9, 2)
    events = [entry.event for entry in stream_journal(db, subject=new.rater_id)]
    assert events == ["rater changed", "consented", "finished tutorial", "took qualification", "took qualification"]


def test_names_are_taken_once(db):
    first, second = add_rater(db, login="lena"), add_rater(db)
    with pytest.raises(Conflict, match="taken"):
        add_rater(db, login="lena")
    with pytest.raises(Conflict, match="taken"):
        update_rater(db, second.rater_id, login="lena")
    update_rater(db, first.rater_id, login=None)
    assert update_rater(db, second.rater_id, login="lena").login == "lena"
    assert count_raters(db) == 2


@pytest.mark.parametrize(("one", "other"), [("Lena", "lENA"), ("Straße", "STRASSE"), ("Zoë", "zoe\u0308"), ("Ⅳ", "iv")])
def test_case_makes_no_other_name(db, one, other):
    first, second = add_rater(db, login=one), add_rater(db)
    assert rater_by_login(db, other) == rater_by_login(db, one) == rater_by_login(db, one, exact=True) == first
    assert rater_by_login(db, other, exact=True) is None
    for change in (lambda: add_rater(db, login=other), lambda: update_rater(db, second.rater_id, login=other)):
        with pytest.raises(Conflict, match="taken"):
            change()
    assert update_rater(db, first.rater_id, login=other).login == other
    update_rater(db, first.rater_id, login=None)
    assert update_rater(db, second.rater_id, login=one).login == one


def test_raters_come_in_pages(db):
    people = sorted(add_rater(db, cohort=f"c{k % 2}").rater_id for k in range(5))
    add_rater(db, role="moderator")
    page = raters(db, role="volunteer", limit=3)
    rest = raters(db, role="volunteer", after=page[-1].rater_id)
    assert [found.rater_id for found in (*page, *rest)] == people
    assert len(raters(db, cohort="c0")) == 3
    assert (count_raters(db), count_raters(db, role="moderator")) == (6, 1)


def test_what_cannot_be_is_refused(db):
    someone = add_rater(db).rater_id
    with pytest.raises(ComoderateError, match="no role"):
        add_rater(db, role="king")
    with pytest.raises(ComoderateError, match="no role"):
        update_rater(db, someone, role="king")
    with pytest.raises(ComoderateError, match="cannot be changed"):
        update_rater(db, someone, name="x")
    with pytest.raises(NotFound):
        update_rater(db, "nobody", cohort="x")
    assert update_rater(db, someone) == rater(db, someone)
