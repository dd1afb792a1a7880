"""Invitations, sessions and tokens open what they should, as long as they should; only hashes are stored."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from comoderate.annotation import (
    Conflict,
    NotAllowed,
    NotFound,
    add_rater,
    api_token,
    api_tokens,
    change_password,
    close_session,
    close_sessions,
    create_api_token,
    create_invitation,
    create_reset,
    find_invitation,
    find_reset,
    invitations,
    open_session,
    redeem_invitation,
    redeem_reset,
    revoke_api_token,
    revoke_invitation,
    session_rater,
    stream_journal,
    update_rater,
)


def test_an_invitation_gives_its_role_and_is_used_up(db, little_campaign):
    c = little_campaign
    secret, made = create_invitation(
        db, role="expert", cohort="experts", campaign="soups", uses=2, expires_at=c.later(days=1), now=c.NOON
    )
    assert find_invitation(db, secret, now=c.NOON) == made
    assert find_invitation(db, secret + "x", now=c.NOON) is None
    joined = redeem_invitation(db, secret, language="pt", login="lena", now=c.NOON)
    assert (joined.role, joined.cohort, joined.language, joined.login) == ("expert", "experts", "pt", "lena")
    assert find_invitation(db, secret, now=c.later(days=2)) is None
    with pytest.raises(NotAllowed):
        redeem_invitation(db, secret, now=c.later(days=2))
    redeem_invitation(db, secret, now=c.NOON)
    with pytest.raises(NotAllowed):
        redeem_invitation(db, secret, now=c.NOON)
    assert [(found.used, found.uses_left) for found in invitations(db)] == [(2, 0)]


def test_an_open_invitation_works_until_revoked(db):
    secret, made = create_invitation(db, role="volunteer", cohort="crowd", uses=None)
    for _ in range(3):
        redeem_invitation(db, secret)
    revoke_invitation(db, made.invitation_id)
    with pytest.raises(NotAllowed):
        redeem_invitation(db, secret)
    with pytest.raises(NotFound):
        revoke_invitation(db, "nothing")


def test_an_invitation_says_why_it_opens_nothing(db, little_campaign):
    c = little_campaign
    asked = {"role": "volunteer", "cohort": "crowd", "now": c.NOON}
    spent, _ = create_invitation(db, **asked, expires_at=c.later(days=1))
    ended, made = create_invitation(db, **asked)
    late, _ = create_invitation(db, **asked, uses=2, expires_at=c.later(days=1))
    who = redeem_invitation(db, spent, now=c.later(minutes=5))
    redeem_invitation(db, late, now=c.later(minutes=6))
    revoke_invitation(db, made.invitation_id)
    states = {"used": spent, "withdrawn": ended, "expired": late}
    assert find_invitation(db, late, now=c.NOON).state(now=c.NOON) == "open"
    for state, secret in states.items():
        assert find_invitation(db, secret, now=c.later(days=2)) is None
        assert find_invitation(db, secret, over=True).state(now=c.later(days=2)) == state
    assert find_invitation(db, "guess", over=True) is None
    assert find_invitation(db, spent, over=True).used_at == c.later(minutes=5)
    first = next(stream_journal(db, event="joined"))
    assert (first.actor, first.subject) == (who.rater_id, find_invitation(db, spent, over=True).invitation_id)


def test_an_invitation_can_have_a_secret_that_is_told_again(db):
    assert create_invitation(db, role="volunteer", cohort="crowd", secret="s" * 32)[0] == "s" * 32
    with pytest.raises(Conflict):
        create_invitation(db, role="volunteer", cohort="crowd", secret="s" * 32)


def test_a_link_for_a_new_password_works_once_and_for_a_day(db, little_campaign):
    c = little_campaign
    who, boss = add_rater(db, login="lena", password_hash="old").rater_id, add_rater(db, role="coordinator").rater_id
    first = create_reset(db, who, actor=boss, now=c.NOON)
    second = create_reset(db, who, actor=boss, now=c.NOON)
    assert find_reset(db, first, now=c.NOON) is None
    assert find_reset(db, second, now=c.NOON).rater_id == who
    assert find_reset(db, second, now=c.later(days=1)) is None
    session = open_session(db, who, now=c.NOON)
    for secret in (first, "guess"):
        with pytest.raises(NotAllowed):
            redeem_reset(db, secret, password_hash="new", now=c.NOON)
    with pytest.raises(NotAllowed):
        redeem_reset(db, second, password_hash="new", now=c.later(days=1))
    assert redeem_reset(db, second, password_hash="new", now=c.NOON).password_hash == "new"
    assert session_rater(db, session, now=c.NOON) is None
    with pytest.raises(NotAllowed):
        redeem_reset(db, second, password_hash="again", now=c.NOON)
    noted = [(entry.event, entry.actor) for entry in stream_journal(db, subject=who)]
    assert noted == [("password link made", boss)] * 2 + [("password reset", who)]


def test_a_changed_password_ends_sessions_and_links(db):
    who = add_rater(db, login="lena", password_hash="old").rater_id
    session, link = open_session(db, who), create_reset(db, who)
    assert change_password(db, who, password_hash="new").password_hash == "new"
    assert session_rater(db, session) is find_reset(db, link) is None
    assert [entry.event for entry in stream_journal(db, actor=who)] == ["password changed"]


def test_no_link_for_those_who_may_not_sign_in(db):
    with pytest.raises(NotAllowed):
        create_reset(db, add_rater(db).rater_id)
    with pytest.raises(NotFound):
        create_reset(db, "nobody")
    who = add_rater(db, login="lena").rater_id
    link = create_reset(db, who)
    update_rater(db, who, active=False)
    assert find_reset(db, link) is None
    with pytest.raises(NotAllowed):
        redeem_reset(db, link, password_hash="new")
    with pytest.raises(NotAllowed):
        create_reset(db, who)


def test_a_taken_name_does_not_use_an_invitation(db):
    add_rater(db, login="lena")
    secret, _ = create_invitation(db, role="volunteer", cohort="crowd")
    with pytest.raises(Exception, match="taken"):
        redeem_invitation(db, secret, login="lena")
    assert redeem_invitation(db, secret, login="otto").login == "otto"


def test_sessions_end_by_time_by_hand_and_when_a_rater_is_barred(db, little_campaign):
    c = little_campaign
    who = add_rater(db).rater_id
    one, two, three = (open_session(db, who, hours=1, now=c.NOON) for _ in range(3))
    assert session_rater(db, one, now=c.NOON).rater_id == who
    assert session_rater(db, one, now=c.NOON + timedelta(hours=2)) is None
    assert session_rater(db, "guess", now=c.NOON) is None
    close_session(db, one)
    assert session_rater(db, one, now=c.NOON) is None
    update_rater(db, who, active=False)
    assert session_rater(db, two, now=c.NOON) is None
    update_rater(db, who, active=True)
    assert session_rater(db, two, now=c.NOON) is not None
    close_sessions(db, who)
    assert session_rater(db, two, now=c.NOON) is session_rater(db, three, now=c.NOON) is None


def test_a_token_has_scopes_and_an_end(db, little_campaign):
    c = little_campaign
    secret, made = create_api_token(
        db, scopes=["queue", "posts"], label="bot", expires_at=c.later(days=1), actor="boss", now=c.NOON
    )
    assert api_token(db, secret, now=c.NOON) == made
    assert made.scopes == ("posts", "queue")
    assert api_token(db, secret, now=c.later(days=2)) is None
    revoke_api_token(db, made.token_id)
    assert api_token(db, secret, now=c.NOON) is None
    assert [token.revoked for token in api_tokens(db)] == [True]


def test_no_secret_is_in_the_database(db):
    who = add_rater(db, login="lena").rater_id
    secrets = [
        create_reset(db, who),
        create_invitation(db, role="volunteer", cohort="crowd")[0],
        open_session(db, who),
        create_api_token(db, scopes=["posts"], label="bot")[0],
    ]
    with db.reading() as connection:
        tables = ("invitations", "sessions", "resets", "api_tokens", "journal")
        stored = str([connection.execute(text(f"SELECT * FROM {table}")).all() for table in tables])
    assert not any(secret in stored for secret in secrets)
