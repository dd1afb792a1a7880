"""A service to ask."""

from __future__ import annotations

import pytest


@pytest.fixture
def server(service_server):
    """The project's own test server, running."""
    with service_server.Server() as running:
        yield running
