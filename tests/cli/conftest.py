"""The command line, run in this process."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from comoderate.cli import main


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
