"""The page on services says what the code says."""

import importlib
import re
import tomllib
from pathlib import Path

import pytest

from comoderate.models.services import PRESETS
from comoderate.study.settings.scorers import ScorerSettings, ServiceSettings

PAGE = (Path(__file__).parents[3] / "docs" / "services.md").read_text()


@pytest.mark.parametrize("preset", list(PRESETS))
def test_every_preset_is_documented_with_its_secrets(preset):
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{preset}`"))
    for secret in re.findall(r"\$\{(\w+)\}", str(PRESETS[preset])):
        assert f"`{secret}`" in row


def test_every_preset_can_be_named_in_a_study():
    choices = ServiceSettings.model_json_schema()["properties"]["preset"]["anyOf"][0]["enum"]
    assert sorted(choices) == sorted(PRESETS)
    for preset in PRESETS:
        assert ServiceSettings(preset=preset, url="http://localhost").service().request


def test_the_examples_are_settings():
    blocks = [tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)```", PAGE, re.S)]
    scorers = {name: own for block in blocks for name, own in block.get("scorer", {}).items()}
    assert set(scorers) == {"theirs", "crimson"}
    made = {name: ScorerSettings.model_validate(own) for name, own in scorers.items()}
    assert made["theirs"].service.service().host == "moderation.example.org"


def test_every_name_on_the_page_exists():
    for name in set(re.findall(r"`models\.([\w.]+)", PAGE)):
        module, _, last = f"comoderate.models.{name}".rpartition(".")
        assert hasattr(importlib.import_module(module), last)
