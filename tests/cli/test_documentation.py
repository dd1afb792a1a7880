"""The reference pages say what the code says: every command, every option, every key of study.toml."""

import importlib.util
import re
from pathlib import Path

import pytest
import typer
from pydantic import BaseModel

from comoderate.cli.app import app
from comoderate.codebook import Codebook, Question, Target
from comoderate.study.loading import load_settings
from comoderate.study.settings import Settings

ROOT = Path(__file__).parents[2]
GROUP = typer.main.get_command(app)


def generator():
    spec = importlib.util.spec_from_file_location("generate_docs", ROOT / "scripts" / "generate_docs.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


pages = generator()


def section(page: str, heading: str) -> str:
    """The part of a page under a heading, up to the next of the same level."""
    text = (ROOT / "docs" / page).read_text()
    assert f"\n## {heading}\n" in text, heading
    return text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


@pytest.mark.parametrize("name", pages.PAGES)
def test_a_page_is_up_to_date(name):
    written = (ROOT / "docs" / name).read_text()
    assert written == pages.PAGES[name](), "run `python scripts/generate_docs.py`"


@pytest.mark.parametrize("name", GROUP.commands)
def test_a_command_is_documented(name):
    command = GROUP.commands[name]
    text = section("cli.md", f"comoderate {name}")
    assert command.help.split("\n")[0] in text
    for parameter in command.params:
        if parameter.name != "help":
            assert parameter.help, parameter.name
            shown = parameter.opts[0] if parameter.opts[0].startswith("-") else parameter.name.upper()
            assert re.search(rf"^\| `{re.escape(shown)}[ `]", text, re.MULTILINE), shown


def test_options_before_the_command_are_documented():
    text = section("cli.md", "Before the command")
    assert {"debug", "quiet", "version"} <= {parameter.name for parameter in GROUP.params}
    for parameter in GROUP.params:
        if parameter.name != "help":
            assert f"| `{parameter.opts[0]}`" in text


def models(model: type[BaseModel]) -> set[type[BaseModel]]:
    """A settings class and all those inside it, found by walking its annotations."""
    found = {model}
    for field in model.model_fields.values():
        for other in mentioned(field.annotation):
            if other not in found:
                found |= models(other)
    return found


def mentioned(annotation) -> set[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {annotation}
    return set().union(*(mentioned(part) for part in getattr(annotation, "__args__", ())))


def test_every_table_has_a_heading():
    documented = {model for _, model, _ in pages.tables(Settings)}
    assert documented | {Settings} == models(Settings)
    assert {Codebook, Question, Target} < documented


@pytest.mark.parametrize(("path", "model"), [(path, model) for path, model, _ in pages.tables(Settings)])
def test_every_key_is_documented(path, model):
    text = section("study.md", f"[{path}]")
    tables = {below.removeprefix(f"{path}.").removesuffix(".NAME") for below, *_ in pages.tables(Settings)}
    for name, field in model.model_fields.items():
        key = field.alias or name
        assert field.description, f"{path}.{key}"
        if key in tables and f"\n## [{path}.{key}" in (ROOT / "docs" / "study.md").read_text():
            continue
        (row,) = re.findall(rf"^\| `{key}` \| (.+) \|$", text, re.MULTILINE)
        assert row.endswith(field.description.replace("|", "\\|"))
        assert ("| required |" in row) == field.is_required()


def test_the_example_is_a_study(tmp_path):
    text = (ROOT / "docs" / "study.md").read_text()
    (example,) = re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (tmp_path / "study.toml").write_text(example)
    settings = load_settings(tmp_path / "study.toml")
    assert list(settings.scorer) == ["words", "bayes", "regression"]
    assert settings.totals is not None


def test_the_pages_read_well():
    for name in set(pages.PAGES) - {"benchmarks.md"}:  # that one is the runs' own pages
        text = (ROOT / "docs" / name).read_text()
        assert "\n\n\n" not in text
        assert text.startswith("# ")
        assert text.endswith("|\n")
        assert not re.search(r"\bNone\b|typing|<class|PosixPath|Literal", text)
        outside = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
        assert all(len(line) <= 120 for line in outside.splitlines() if not line.startswith("|"))
