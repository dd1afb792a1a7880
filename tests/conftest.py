"""What every test shares: the folder of real data, the little study, and how hypothesis runs."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "house", deadline=None, max_examples=60, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data sets and reference values beside the checkout; skips where it is missing."""
    folder = Path(os.environ.get("COMODERATE_SHARED", ROOT.parent / "shared"))
    if not (folder / "data").is_dir():
        pytest.skip(f"the folder of real data sets is not there: {folder}")
    return folder


def _load(name: str = "little_study", *path: str) -> ModuleType:
    """A module that tests of several rooms share, loaded once: by default that of the little study, so it runs once."""
    if name not in sys.modules:
        where = ROOT.joinpath("tests", *(path or ("study", "little.py")))
        spec = importlib.util.spec_from_file_location(name, where)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]


def _shared_by_workers(tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """The folder of the run, of which each worker's is a part; None where there are no workers."""
    return tmp_path_factory.getbasetemp().parent if "PYTEST_XDIST_WORKER" in os.environ else None


@pytest.fixture(scope="session")
def service_server() -> ModuleType:
    """A prediction service that misbehaves to order: the module with ``Server`` and ``score``."""
    return _load("service_server", "models", "services", "server.py")


@pytest.fixture(scope="session")
def little() -> ModuleType:
    """The frames of the little study, and functions that write, edit and copy it."""
    return _load()


@pytest.fixture(scope="session")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The little study after a whole run: its folder, only to be read."""
    return _load().ran(lambda: tmp_path_factory.mktemp("ran"), _shared_by_workers(tmp_path_factory))


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """The little study before anything was run: its folder."""
    return _load().write(tmp_path / "fresh")


@pytest.fixture
def imported(tmp_path: Path) -> Path:
    """The little study with its posts and annotations imported, and nothing made of them: its folder, to be changed."""
    return _load().copy(_load().imported(), tmp_path / "imported")


@pytest.fixture
def changing(ran: Path, tmp_path: Path) -> Path:
    """A copy of the little study after a whole run, to be changed."""
    return _load().copy(ran, tmp_path / "changing")


@pytest.fixture(scope="session")
def audited() -> ModuleType:
    """A study that only assesses: its posts with the truth, and functions that write it and answer its batches."""
    return _load("audited_study", "study", "audited.py")


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A private PostgreSQL server, shared by all workers of a run; ``new()`` is the address of an empty database."""
    private = _load("private_postgresql", "postgresql.py")
    programs = private.programs()
    if programs is None:
        pytest.skip("PostgreSQL is not installed")
    run = _shared_by_workers(tmp_path_factory) or tmp_path_factory.getbasetemp()
    with private.shared_cluster(run, programs) as cluster:
        yield cluster


@pytest.fixture
def postgres_url(postgres: Any) -> Iterator[str]:
    """The address of an empty PostgreSQL database."""
    url = postgres.new()
    yield url
    postgres.drop(url)


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """The address of an SQLite database that is not there yet."""
    return f"sqlite:///{tmp_path / 'annotations.db'}"


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest) -> str:
    """The address of an empty database: the test runs once on SQLite and once on PostgreSQL."""
    return str(request.getfixturevalue("sqlite_url" if request.param == "sqlite" else "postgres_url"))
