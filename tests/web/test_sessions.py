"""The session's cookie."""

from __future__ import annotations

import time

import pytest
from itsdangerous import URLSafeTimedSerializer

from comoderate.web.sessions import Session, SessionCookie


def test_a_session_is_read_back_and_a_forged_or_old_one_is_not():
    cookies = SessionCookie(None, key=b"k" * 32, max_age=100, secure=False)
    session = Session(secret="s", language="ar")
    header = cookies.cookie(session).partition(";")[0]
    found = cookies._read(header)
    assert (found.nonce, found.secret, found.language) == (session.nonce, "s", "ar")
    assert not found.changed
    other = SessionCookie(None, key=b"o" * 32, max_age=100, secure=False)
    for broken in ("", "comoderate=", header[:-2], other.cookie(session), "a=b", "comoderate=x.y.z"):
        assert cookies._read(broken).secret is None
    signer = URLSafeTimedSerializer(b"k" * 32, salt="session")
    assert cookies._read(f"comoderate={signer.dumps([1])}").secret is None
    assert cookies._read(f"comoderate={signer.dumps({'n': 'x', 's': 'y', 't': 'z'})}").secret is None
    old = SessionCookie(None, key=b"k" * 32, max_age=-1, secure=False)
    assert old._read(header).secret is None
    assert found.since == pytest.approx(time.time(), abs=60)
