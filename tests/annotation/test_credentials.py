"""Invitations, sessions and tokens open what they should, as long as they should; only hashes are stored."""

from datetime import timedelta

import pytest
from sqlalchemy import text

from comoderate.annotation import (
    NotAllowed,
    NotFound,
    add_rater,
    api_token,
    api_tokens,
    close_session,
    close_sessions,
    create_api_token,
    create_invitation,
    find_invitation,
    invitations,
    open_session,
    redeem_invitation,
    revoke_api_token,
    revoke_invitation,
    session_rater,
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
    who = add_rater(db).rater_id
    secrets = [
        create_invitation(db, role="volunteer", cohort="crowd")[0],
        open_session(db, who),
        create_api_token(db, scopes=["posts"], label="bot")[0],
    ]
    with db.reading() as connection:
        tables = ("invitations", "sessions", "api_tokens", "journal")
        stored = str([connection.execute(text(f"SELECT * FROM {table}")).all() for table in tables])
    assert not any(secret in stored for secret in secrets)
