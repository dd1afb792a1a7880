"""What the tests of the annotation room share: an open database of either kind, a codebook, a campaign with raters."""

from __future__ import annotations

import importlib.util
import shutil
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


@pytest.fixture(scope="session")
def sqlite_tables(tmp_path_factory):
    """An SQLite database with its tables and nothing in them, for others to be copied from: to migrate takes longer."""
    path = tmp_path_factory.mktemp("tables") / "annotations.db"
    open_database(f"sqlite:///{path}").close()
    return path


@pytest.fixture(scope="session")
def postgres_tables(postgres):
    """The same on PostgreSQL."""
    url = postgres.new()
    open_database(url).close()
    yield url
    postgres.drop(url)


@pytest.fixture
def sqlite_url(request, tmp_path):
    """The address of an SQLite database: with its tables where the test has it open, elsewhere not there yet."""
    path = tmp_path / "annotations.db"
    if "db" in request.fixturenames:
        shutil.copy(request.getfixturevalue("sqlite_tables"), path)
    return f"sqlite:///{path}"


@pytest.fixture
def postgres_url(request, postgres):
    """The address of a PostgreSQL database: with its tables where the test has it open, elsewhere empty."""
    opened = "db" in request.fixturenames
    url = postgres.new(like=request.getfixturevalue("postgres_tables") if opened else None)
    yield url
    postgres.drop(url)


@pytest.fixture
def db(database_url):
    with open_database(database_url) as database:
        yield database


@pytest.fixture(scope="session")
def little_campaign():
    return _load()
