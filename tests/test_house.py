"""The house itself: layers, sizes, mirrored tests, pins, and what the files beside the source claim."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
import yaml
from packaging.requirements import Requirement

import comoderate

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "comoderate"
MODULES = sorted(SOURCE.rglob("*.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


layers, bare, room_times = script("check_layers"), script("check_bare"), script("room_times")


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


# Layers and sizes


def test_layers_and_sizes_hold() -> None:
    found = list(layers.findings(ROOT))
    assert not found, "\n".join(found)


def planted(tmp_path: Path, where: str, text: str) -> list[str]:
    source = tmp_path / "src" / "comoderate"
    for room in layers.ROOMS:
        (source / room).mkdir(parents=True)
        (source / room / "__init__.py").write_text("")
    (source / "__init__.py").write_text("")
    (source / "errors.py").write_text("")
    (source / where).parent.mkdir(exist_ok=True)
    (source / where).write_text(text)
    return list(layers.findings(tmp_path))


@pytest.mark.parametrize(
    ("where", "text", "finding"),
    [
        ("metrics/a.py", "import pandas", "metrics/a.py:1: metrics may not import pandas, only numpy, scipy"),
        ("metrics/a.py", "from comoderate.sampling import x", "metrics may not import sampling"),
        ("metrics/a.py", "from ..sampling.draw import x", "metrics may not import sampling"),
        ("metrics/a.py", "from .. import sampling", "metrics may not import sampling"),
        ("metrics/a.py", "from comoderate import sampling", "metrics may not import sampling"),
        ("metrics/__init__.py", "from ..sampling import x", "metrics may not import sampling"),
        ("metrics/deep/a.py", "from ...sampling import x", "metrics/deep/a.py:1: metrics may not import sampling"),
        ("metrics/a.py", "def f():\n    import comoderate.study", "metrics/a.py:2: metrics may not import study"),
        ("metrics/a.py", "if TYPE_CHECKING:\n    import torch", "a.py:2: metrics may not import torch, which belongs"),
        ("metrics/a.py", "importlib.import_module('torch')", "metrics may not import torch"),
        ("metrics/a.py", "import_module('..sampling', 'comoderate.metrics')", "metrics may not import sampling"),
        ("metrics/a.py", "__import__('comoderate.study')", "metrics may not import study"),
        ("metrics/a.py", "from pathlib import Path", "metrics takes arrays and may not import pathlib"),
        ("review/a.py", "from comoderate.agreement import x", "review may not import agreement"),
        ("sampling/a.py", "import duckdb", "sampling may not import duckdb, which belongs to corpus"),
        ("study/a.py", "import sqlalchemy.orm", "study may not import sqlalchemy, which belongs to annotation"),
        ("study/a.py", "import matplotlib.pyplot as plt", "study may not import matplotlib, which belongs to plots"),
        ("study/a.py", "from comoderate.metrics._x import y", "study imports a private name of metrics"),
        ("study/a.py", "import pickle", "pickle may not be used"),
        ("study/a.py", "from comoderate.cli import main", "study may not import cli"),
        ("report/a.py", "from comoderate.metrics import auroc", "report may not import metrics"),
        ("cli/a.py", "from comoderate.metrics import auroc", "cli may not import metrics"),
        ("web/a.py", "import torch", "web may not import torch"),
        ("errors.py", "from comoderate.metrics import x", "errors may not import metrics"),
        ("__init__.py", "import torch", "comoderate may not import torch"),
        ("attic/__init__.py", "", "the room is not in the table"),
        ("metrics/a.py", "x = 1\n" * 601, "601 lines, over the 600"),
        ("metrics/a.py", "def f():\n" + "    x = 1\n" * 60, "f has 61 lines, over the 60"),
        ("metrics/a.py", "class A:\n    async def f():\n" + "        x = 1\n" * 60, "f has 61 lines"),
    ],
)
def test_a_planted_violation_is_found(tmp_path: Path, where: str, text: str, finding: str) -> None:
    found = planted(tmp_path, where, text)
    assert len(found) == 1
    assert finding in found[0]


@pytest.mark.parametrize(
    ("where", "text"),
    [
        ("metrics/a.py", "import math\nimport numpy as np\nfrom scipy.special import expit\nfrom . import b"),
        ("metrics/a.py", "from comoderate import __version__\nfrom comoderate.errors import ComoderateError"),
        ("metrics/a.py", "from comoderate.metrics._own import x\nfrom ._own import y"),
        ("review/a.py", "from ..metrics import auroc\nfrom comoderate.calibration import Platt"),
        ("study/a.py", "import pandas\nfrom comoderate import metrics, models, report"),
        ("metrics/a.py", 'def f():\n    """' + "word\n" * 80 + '    """\n' + "    x = 1\n" * 59),
    ],
)
def test_what_is_allowed_is_not_found(tmp_path: Path, where: str, text: str) -> None:
    assert planted(tmp_path, where, text) == []


def test_the_layers_have_no_cycle() -> None:
    done: set[str] = set()
    while done < layers.ROOMS.keys():
        free = {room for room, below in layers.ROOMS.items() if room not in done and below <= done}
        assert free, f"a cycle among {sorted(layers.ROOMS.keys() - done)}"
        done |= free


# The source and its tests


def test_every_module_says_what_it_is() -> None:
    mute = [relative(path) for path in MODULES if not ast.get_docstring(ast.parse(path.read_text()))]
    assert not mute, "\n".join(mute)


def public(path: Path) -> set[str]:
    """What a module offers: its functions and classes without a leading underscore."""
    tree = ast.parse(path.read_text())
    defined = [node for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    return {node.name for node in defined if not node.name.startswith("_")}


@cache
def words(folder: Path) -> set[str]:
    """Every name that the tests of a room use."""
    text = "\n".join(path.read_text() for path in sorted(folder.glob("*.py")))
    return set(re.findall(r"\w+", text))


def has_tests(path: Path) -> bool:
    """A test file of its own, or its room's tests use what it offers (a command: its name)."""
    parts = path.relative_to(SOURCE).with_suffix("").parts
    if ROOT.joinpath("tests", *parts[:-1], f"test_{parts[-1].lstrip('_')}.py").exists():
        return True
    room = parts[0] if len(parts) > 1 else ""
    offered = public(path) | ({parts[-1]} if room == "cli" else set())
    return bool(offered & words(ROOT / "tests" / room))


def parts_of(path: Path) -> set[Path]:
    """The modules of its own room that a module imports."""
    package = ["comoderate", *path.relative_to(SOURCE).parts[:-1]]
    names = [found.name.split(".")[1:] for found in layers.imports(ast.parse(path.read_text()), package)]
    files = {SOURCE.joinpath(*name[:depth]).with_suffix(".py") for name in names if name for depth in (2, 3)}
    return {file for file in files if file.parent == path.parent and file.exists()}


def test_every_module_is_tested() -> None:
    """Each has tests, or serves a module of its room that has: two steps away from a test is too far."""
    ours = {path for path in MODULES if not path.stem.startswith("__") and "migrations" not in path.parts}
    with_tests = {path for path in ours if has_tests(path)}
    served = set[Path]().union(*map(parts_of, with_tests))
    untested = sorted(map(relative, ours - with_tests - served))
    assert not untested, "\n".join(untested)


def asserts(test: ast.FunctionDef) -> bool:
    for node in ast.walk(test):
        called = ast.unparse(node.func).rpartition(".")[2] if isinstance(node, ast.Call) else ""
        if isinstance(node, ast.Assert) or called in {"raises", "warns"} or re.match("_?(assert|check|expect)", called):
            return True
    return False


def test_every_test_asserts_something() -> None:
    idle = [
        f"{relative(path)}:{node.lineno}: {node.name}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and not asserts(node)
    ]
    assert not idle, "\n".join(idle)


# The base without its extras


def test_the_base_is_told_from_the_extras() -> None:
    hidden = set(bare.outside_base())
    assert {"torch", "transformers", "fastapi", "pyspark", "psycopg", "pytest", "statsmodels"} <= hidden
    assert not {"numpy", "pandas", "duckdb", "ibis", "sqlalchemy", "typer", "jinja2", "comoderate"} & hidden


def test_a_hidden_package_is_as_if_not_installed() -> None:
    code = "import importlib.util, numpy\nprint(importlib.util.find_spec('torch'))"
    assert bare.child(bare.HIDE + code, ["torch"]) == ("None", "")
    assert "No module named 'torch'" in bare.child(bare.HIDE + "import torch", ["torch"])[1]


# Set-up


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with only what scripts/install reads, and stand-ins for other commands in bin/."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "install", tmp_path / "scripts")
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def stand_in(checkout: Path, name: str, body: str) -> Path:
    path = checkout / "bin" / name
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def test_a_second_install_does_nothing(checkout: Path) -> None:
    read = (checkout / "pyproject.toml").read_bytes() + (checkout / "constraints.txt").read_bytes()
    digest = hashlib.sha256(read + f"{checkout}\n".encode()).hexdigest()[:12]
    (checkout / ".venv").mkdir()
    (checkout / ".venv" / f".installed-all-{digest}").touch()
    for wanted in ("all", "base"):  # all holds the base
        done = run(checkout / "scripts" / "install", wanted, PYTHON="/nowhere")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_changed_pin_installs_anew(checkout: Path) -> None:
    (checkout / ".venv").mkdir()
    (checkout / ".venv" / ".installed-all-0123456789ab").touch()
    done = run(checkout / "scripts" / "install", PYTHON="/nowhere")
    assert done.returncode == 1
    assert "needs Python 3.11 or newer" in done.stderr


def test_an_old_python_is_passed_over(checkout: Path) -> None:
    old = stand_in(checkout, "old", "exit 1")
    done = run(checkout / "scripts" / "install", PYTHON=str(old))
    assert done.returncode == 1
    assert "needs Python 3.11 or newer" in done.stderr


def test_a_missing_debian_package_is_named(checkout: Path) -> None:
    no_ensurepip = f'case "$2" in *ensurepip*) exit 1;; esac\nexec {sys.executable} "$@"'
    python = stand_in(checkout, "python", no_ensurepip)
    stand_in(checkout, "id", "echo 1000")
    path = f"{checkout / 'bin'}:{os.environ['PATH']}"
    done = run(checkout / "scripts" / "install", "base", PYTHON=str(python), PATH=path)
    assert done.returncode == 1
    assert "install the Debian package python3." in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (checkout / ".venv").exists()


def test_install_refuses_what_it_does_not_know(checkout: Path) -> None:
    done = run(checkout / "scripts" / "install", "everything")
    assert (done.returncode, done.stderr) == (2, "usage: scripts/install [base|all]\n")


def test_ci_refuses_to_run_without_the_real_data(tmp_path: Path) -> None:
    (tmp_path / "checkout" / ".ci").mkdir(parents=True)
    copy = shutil.copy(ROOT / ".ci" / "run", tmp_path / "checkout" / ".ci")
    done = run("bash", copy)
    assert done.returncode == 1
    assert "shared/data is missing" in done.stderr


def test_make_alone_prints_every_target() -> None:
    done = run("make", "-s", "-C", ROOT, MAKEFLAGS="", MAKELEVEL="")
    printed = re.findall(r"^make (\S+) +\S", done.stdout, re.MULTILINE)
    targets = re.findall(r"^([a-z][\w-]*):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert done.returncode == 0
    assert printed == targets
    assert {"demo", "test", "test-all", "check"} <= set(printed)


def test_a_room_over_its_time_is_said() -> None:
    times = room_times.RoomTimes(limit=10)
    for nodeid, seconds in [
        ("tests/metrics/test_a.py::t", 6),
        ("tests/metrics/test_b.py::t", 5),
        ("tests/test_h.py", 9),
    ]:
        times.pytest_runtest_logreport(SimpleNamespace(nodeid=nodeid, duration=seconds))
    lines: list[str] = []
    times.pytest_terminal_summary(SimpleNamespace(section=lines.append, line=lambda text, **_: lines.append(text)))
    assert lines[:3] == ["seconds by room", "   11.0  metrics", "    9.0  house"]
    assert [line[:39] for line in lines[3:]] == ["SLOW: the tests of metrics took over 10"]


# Pins and papers


def test_constraints_are_plain_pins() -> None:
    for line in (ROOT / "constraints.txt").read_text().splitlines():
        assert re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][0-9a-z.]*", line), line


def requirements() -> list[Requirement]:
    extras = PROJECT["optional-dependencies"].values()
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in extra)]
    return [found for found in map(Requirement, lines) if found.name != "comoderate"]


@pytest.mark.parametrize("requirement", requirements(), ids=str)
def test_what_the_project_requires_is_pinned(requirement: Requirement) -> None:
    pairs = (line.split("==") for line in (ROOT / "constraints.txt").read_text().split())
    pins = {bare.normal(name): version for name, version in pairs}
    assert requirement.specifier.contains(pins[bare.normal(requirement.name)], prereleases=True)


def test_the_version_is_the_same_everywhere() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert PROJECT["version"] == comoderate.__version__ == citation["version"]
    newest = re.search(r"^## (\S+?),? ", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert newest[1] == comoderate.__version__


def test_the_three_papers_are_cited() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()
    first = [(paper["authors"][0]["family-names"], paper["year"]) for paper in citation["references"]]
    assert first == [("Delisle", 2019), ("Kivlichan", 2021), ("Piratla", 2021)]
    assert all("doi" in paper or "identifiers" in paper for paper in citation["references"])


def test_the_licence_is_whole() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text
    assert "END OF TERMS AND CONDITIONS" in text
    assert PROJECT["license"] == "Apache-2.0"


FOREIGN = [  # places of one machine, addresses of package indexes, and who works here
    *(rf"/{place}/\w" for place in ("work", "root", "opt")),
    r"(index|extra-index)-url|find-links",
    r"\bpypi\.\w|\bregistry\.npm|files\.pythonhosted",
    r"\bissues? #?\d|\bissues (show|note|resolved)\b",
    r"\bBRIEF\.md|\bClaude\b|\bAnthropic\b",
]


def test_no_tracked_file_speaks_of_one_machine() -> None:
    listed = run("git", "-C", ROOT, "ls-files", "-z")
    if listed.returncode:
        pytest.skip("not a git checkout")
    pattern = re.compile("|".join(FOREIGN))
    found = [
        f"{name}:{number}: {line.strip()[:100]}"
        for name in listed.stdout.split("\0")
        if name and (ROOT / name).is_file() and (ROOT / name) != Path(__file__)
        for number, line in enumerate((ROOT / name).read_text(errors="ignore").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found, "\n".join(found)
