"""Which forwarding headers are believed."""

from __future__ import annotations

import pytest

from comoderate.web.proxies import TrustedProxies, networks


def passed_on(client: str, headers: dict[str, str], *, user_header: str | None = "X-User") -> dict:
    """What the application behind gets to see."""
    seen: dict = {}

    async def app(scope, _receive, _send):
        seen.update(scope)

    middleware = TrustedProxies(app, proxies=networks(["10.0.0.0/8", "::1"]), user_header=user_header)
    raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "client": (client, 1), "scheme": "http", "headers": raw}
    with pytest.raises(StopIteration):  # nothing in it waits; the browser's loop may be running already
        middleware(scope, None, None).send(None)
    return seen


FORWARDED = {"X-Forwarded-For": "6.6.6.6, 7.7.7.7, 10.0.0.2", "X-Forwarded-Proto": "https", "X-User": "ann"}


def test_a_trusted_proxy_is_believed_as_far_as_it_saw_itself():
    seen = passed_on("10.0.0.1", FORWARDED)
    assert seen["client"][0] == "7.7.7.7"  # what stands before it may be anybody's invention
    assert seen["scheme"] == "https"
    assert seen["signed_in_as"] == "ann"


@pytest.mark.parametrize("client", ["9.9.9.9", "11.0.0.1", "not an address"])
def test_others_are_not(client):
    seen = passed_on(client, FORWARDED)
    assert seen["client"][0] == client
    assert seen["scheme"] == "http"
    assert seen["signed_in_as"] is None


def test_without_single_sign_on_nobody_is_named():
    assert passed_on("10.0.0.1", FORWARDED, user_header=None)["signed_in_as"] is None
    assert passed_on("10.0.0.1", {})["client"][0] == "10.0.0.1"
