"""Where signing in and out lead."""

from __future__ import annotations

import pytest
from tests.web.serving import PASSWORD, Served

from comoderate.web.accounts import inside


@pytest.mark.parametrize("address", ["/", "/you", "/label/river", "/label/a-b_c.d~e/"])
def test_paths_of_ours_lead_on(address):
    assert inside(address) == address


@pytest.mark.parametrize("address", ["", "you", "//x", "/\\x", "/a?b=//x", "http://x", "/a b", "/a//b", "/\n/x"])
def test_anything_else_leads_to_the_start(address):
    assert inside(address) == "/"


def test_a_name_is_the_same_in_upper_and_lower_case_and_signing_out_says_so(served: Served):
    served.person("Ann")
    with served.client() as client:
        page = client.fill(client.get("/sign-in"), "/sign-in", name="aNN", password=PASSWORD)
        assert "<strong>Ann</strong>" in client.get("/account").text
        assert "You are signed out" not in client.get("/you").text
        out = client.fill(client.get("/you"), "/sign-out")
        assert "You are signed out." in out.text
        assert "You are signed out." not in client.get("/").text
        link = served.invite()
        page = client.fill(
            client.get(link), link.removeprefix(served.url), name="ann", password=PASSWORD, again=PASSWORD
        )
        assert page.status_code == 422
        assert "taken" in page.text


def test_other_spellings_of_a_name_are_no_further_tries(served: Served):
    served.person("ann")
    with served.client() as client:
        page, names = client.get("/sign-in"), ["ann", "ANN", "ａｎｎ", "Ａnn", "aNN", "Ann"]
        tries = [
            client.fill(page, "/sign-in", name=names[n % 6], password="not it at all").status_code for n in range(12)
        ]
    assert (tries[0], tries[-1]) == (422, 429)
