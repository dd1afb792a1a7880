"""Where signing in leads."""

from __future__ import annotations

import pytest

from comoderate.web.accounts import inside


@pytest.mark.parametrize("address", ["/", "/you", "/label/river", "/label/a-b_c.d~e/"])
def test_paths_of_ours_lead_on(address):
    assert inside(address) == address


@pytest.mark.parametrize("address", ["", "you", "//x", "/\\x", "/a?b=//x", "http://x", "/a b", "/a//b", "/\n/x"])
def test_anything_else_leads_to_the_start(address):
    assert inside(address) == "/"
