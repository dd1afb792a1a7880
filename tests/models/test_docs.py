"""The page on models says what the code says."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

from comoderate import models

PAGE = (Path(__file__).parents[2] / "docs" / "models.md").read_text()


@pytest.mark.parametrize("kind", list(models.KINDS))
def test_every_kind_and_setting_is_documented(kind):
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{kind}`"))
    for name, parameter in inspect.signature(models.KINDS[kind]).parameters.items():
        if name == "random_state":
            continue
        default = parameter.default
        if isinstance(default, float | int):
            assert f"`{name}` {default:g}".replace(" 0.", " .") in row
        elif default:
            assert f"`{name}` {default}" in row
        else:
            assert f"`{name}`" in row


def test_every_name_on_the_page_exists():
    for name in set(re.findall(r"`models\.([\w.]+)", PAGE)):
        module, _, last = f"comoderate.models.{name}".rpartition(".")
        assert hasattr(importlib.import_module(module), last)
