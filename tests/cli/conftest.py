"""The little study, and the command line run in this process."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest

from comoderate.cli import main


def _load() -> ModuleType:
    """The module with the little study, the same one in all rooms' tests, so that the study runs once."""
    if "little_study" not in sys.modules:
        spec = importlib.util.spec_from_file_location("little_study", Path(__file__).parents[1] / "study" / "little.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules["little_study"] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules["little_study"]


@pytest.fixture(scope="session")
def little() -> ModuleType:
    """The frames of the little study, and functions that write, edit and copy it."""
    return _load()


@pytest.fixture(scope="session")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The little study after a whole run: its folder, only to be read."""
    return _load().ran(lambda: tmp_path_factory.mktemp("ran"))


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """The little study before anything was run: its folder."""
    return _load().write(tmp_path / "fresh")


@pytest.fixture
def changing(ran: Path, tmp_path: Path) -> Path:
    """A copy of the little study after a whole run, to be changed."""
    return _load().copy(ran, tmp_path / "changing")


class Ran(NamedTuple):
    """What a command printed and how it ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed, as JSON."""
        return json.loads(self.out)


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs the command line in this process: ``cli("agree", folder, "--json")``."""

    def run(*arguments: object) -> Ran:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["comoderate", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        shown = capsys.readouterr()
        return Ran(int(end.value.code or 0), shown.out, shown.err)

    return run
