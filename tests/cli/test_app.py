"""How the command line ends: exit codes, one line for an error, tracebacks only where asked for, light help."""

import runpy
import subprocess
import sys

import pytest

import comoderate
from comoderate.cli.app import app, main
from comoderate.study import Study
from comoderate.study.artefacts import Artefacts

COMMANDS = (
    "init", "import", "sample", "agree", "train", "score", "evaluate", "review", "assess", "report", "export",
    "release", "forget", "run", "serve", "demo", "benchmark",
)  # fmt: skip


def python(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False
    )


def test_the_verbs_of_the_loop_are_there():
    assert [command.name for command in app.registered_commands] == list(COMMANDS)


def test_version(cli):
    assert cli("--version") == (0, f"comoderate {comoderate.__version__}\n", "")


def test_the_package_is_the_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["comoderate", "--version"])
    with pytest.raises(SystemExit) as stopped:
        runpy.run_module("comoderate", run_name="__main__")
    assert stopped.value.code in (0, None)
    assert capsys.readouterr().out == f"comoderate {comoderate.__version__}\n"


def test_alone_it_prints_its_help(cli):
    ran = cli()
    assert ran.code in (0, 2)
    assert all(name in ran.out + ran.err for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command(cli, name):
    ran = cli(name, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert "--json" in ran.out or name == "serve"  # which runs until it is stopped


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["runn"], "runn"),
        (["run", "--fast"], "--fast"),
        (["demo", "x", "--seed", "-1"], "--seed"),
        (["demo", "x", "--seed", "first"], "--seed"),
        (["review", "x", "--queue", "many"], "--queue"),
        (["init"], "folder"),
        (["import", ".", "--column", "text"], "NAME=VALUE"),
        (["import", ".", "--annotations", "=votes.csv"], "NAME=VALUE"),
    ],
)
def test_a_mistake_in_usage_is_2(cli, tmp_path, monkeypatch, arguments, said):
    monkeypatch.chdir(tmp_path)
    ran = cli(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said.lower() in ran.err.lower()
    assert "Traceback" not in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_mistake_in_the_input_is_1(cli, tmp_path):
    ran = cli("run", tmp_path / "nowhere")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("error: ")
    assert "there is no study here" in ran.err


def test_debug_shows_the_traceback(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["comoderate", "--debug", "run", str(tmp_path)])
    with pytest.raises(comoderate.errors.ComoderateError, match="no study here"):
        main()


def test_ctrl_c_is_130_and_says_that_work_is_kept(cli, fresh, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Study, "run", interrupted)
    ran = cli("run", fresh)
    assert ran.code == 130
    assert "what is finished stays" in ran.err


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (PermissionError(13, "Permission denied", "posts"), "error: posts: Permission denied\n"),
        (OSError(28, "No space left on device"), "error: No space left on device\n"),
        (ZeroDivisionError("of\n zero"), "error: ZeroDivisionError: of zero. This is a mistake in Comoderate: "),
    ],
)
def test_no_traceback_even_for_what_nobody_foresaw(cli, fresh, monkeypatch, error, line):
    def fails(*_, **__):
        raise error

    monkeypatch.setattr(Study, "run", fails)
    ran = cli("--quiet", "run", fresh)
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith(line)
    assert ran.err.count("\n") == 1
    monkeypatch.setattr(sys, "argv", ["comoderate", "--debug", "run", str(fresh)])
    with pytest.raises(type(error)):
        main()


def test_a_process_ends_like_that_too(tmp_path):
    ran = python("from comoderate.cli import main; main()", "run", tmp_path)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.count("\n") == 1
    assert ran.stderr.startswith("error: ")
    debugged = python("from comoderate.cli import main; main()", "--debug", "run", tmp_path)
    assert debugged.returncode == 1
    assert "Traceback" in debugged.stderr


def test_help_imports_nothing_heavy():
    code = """
import sys
from comoderate.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code
heavy = {"torch", "transformers", "sklearn", "matplotlib", "pandas", "duckdb", "sqlalchemy"} & set(sys.modules)
print("heavy:", sorted(heavy), file=sys.stderr)
"""
    for arguments in (["--help"], ["run", "--help"]):
        ran = python(code, *arguments)
        assert ran.returncode == 0
        assert ran.stderr == "heavy: []\n"


HOLDS = """
import sys, time
from pathlib import Path
from comoderate.study.artefacts import Artefacts
with Artefacts(Path(sys.argv[1])).lock(sys.argv[2]):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize("stage", ["posts", "report"])
def test_two_processes_that_write_one_study(cli, changing, little, stage):
    holder = subprocess.Popen([sys.executable, "-c", HOLDS, changing, stage], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        command = {"posts": "import", "report": "report"}[stage]
        before = little.files(changing)
        ran = cli("--quiet", command, changing, "--force")
        assert (ran.code, ran.out) == (1, "")
        assert ran.err.startswith("error: ")
        assert ran.err.count("\n") == 1
        assert f"another process ({holder.pid}) is writing '{stage}'" in ran.err
        assert "Wait until it is done" in ran.err
        assert little.files(changing) == before
    finally:
        holder.terminate()
        holder.communicate()
    assert cli("--quiet", command, changing, "--force").code == 0


def test_a_lock_of_a_dead_process_holds_nobody_up(tmp_path):
    holder = subprocess.Popen([sys.executable, "-c", HOLDS, tmp_path, "posts"], stdout=subprocess.PIPE, text=True)
    assert holder.stdout.readline() == "held\n"
    holder.kill()
    holder.communicate()
    with Artefacts(tmp_path).lock("posts"):
        assert (tmp_path / ".comoderate").is_dir()
