"""``comoderate export`` and ``import --answers``, as a user runs them."""

import json

import pytest
from typer.testing import CliRunner

from comoderate.cli.app import app
from comoderate.errors import ComoderateError

run = CliRunner().invoke


def test_an_export_is_read_back(ran, fresh, tmp_path):
    path = tmp_path / "out.csv"
    found = run(app, ["--quiet", "export", str(ran), "--to", str(path), "--form", "crowd-kit", "--json"])
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["characters"] == len(path.read_text())
    back = run(app, ["--quiet", "import", str(fresh), "--answers", str(path)])
    assert back.exit_code == 0, back.output
    assert "0 there already" in back.stdout


def test_standard_output_takes_it(ran):
    found = run(app, ["--quiet", "export", str(ran), "--to", "-", "--question", "type"])
    assert found.exit_code == 0
    assert found.stdout.startswith("response_id,")
    assert ",problem," not in found.stdout


def test_an_unknown_form_is_refused(ran):
    with pytest.raises(ComoderateError, match="no form 'sideways'"):
        run(app, ["export", str(ran), "--form", "sideways"], catch_exceptions=False)
