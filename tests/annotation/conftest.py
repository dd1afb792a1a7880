"""What the tests of the annotation room share: an open database of either kind, a codebook, a campaign with raters."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from comoderate.annotation import open_database


def _load():
    if "annotation_campaign" not in sys.modules:
        path = Path(__file__).with_name("little_campaign.py")
        spec = importlib.util.spec_from_file_location("annotation_campaign", path)
        sys.modules["annotation_campaign"] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules["annotation_campaign"]


@pytest.fixture
def db(database_url):
    with open_database(database_url) as database:
        yield database


@pytest.fixture(scope="session")
def little_campaign():
    return _load()
