"""The first invitation."""

from __future__ import annotations

from tests.web.serving import Served

from comoderate.web.invitations import first_invitation


def test_each_start_voids_the_link_of_the_start_before_until_there_is_a_coordinator(served: Served):
    old = first_invitation(served.app)
    new = first_invitation(served.app)
    with served.client() as client:
        assert client.get(old).status_code == 404
        page = client.get(new)
        assert "coordinate this study" in page.text
    served.person("cora", role="coordinator")
    assert first_invitation(served.app) is None
