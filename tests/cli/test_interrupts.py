import os
import signal
import subprocess
import sys
import threading
import time
from importlib import import_module

import pytest

from comoderate.cli.interrupts import STOPPED, after_imports, interrupted

WAITING = """
import os, signal, sys, time
os.kill(os.getpid(), signal.SIGINT)
time.sleep(0.1)
done = True
"""
STOPPED_WHILE_IMPORTING = """
import os, signal, sys
from importlib.abc import MetaPathFinder

class Stops(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == os.environ["STOPPED_AT"]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Stops())
signal.signal(signal.SIGINT, signal.default_int_handler)
from comoderate.cli import main
main()
"""


@pytest.fixture(autouse=True)
def ordinary():
    """Ctrl-C as a terminal's program hears it; a shell's background job would ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_waits_for_the_end_of_an_import(tmp_path, monkeypatch):
    (tmp_path / "stopped_in_the_middle.py").write_text(WAITING)
    monkeypatch.syspath_prepend(tmp_path)
    reached = []

    @after_imports()
    def work():
        import_module("stopped_in_the_middle")
        reached.append("the import is over")
        time.sleep(60)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached
    assert sys.modules.pop("stopped_in_the_middle").done
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_is_raised_at_once_elsewhere():
    @after_imports()
    def work():
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)

    with pytest.raises(KeyboardInterrupt):
        work()


def test_who_ignores_ctrl_c_goes_on_ignoring_it():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with after_imports():
        os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_ctrl_c_in_a_query_is_known_by_what_the_library_says():
    import duckdb

    threading.Timer(0.3, signal.raise_signal, [signal.SIGINT]).start()
    with pytest.raises((RuntimeError, KeyboardInterrupt)) as found:
        duckdb.sql("SELECT sum(a.range * b.range) FROM range(3_000_000) a, range(3_000_000) b").fetchall()
    assert found.type is KeyboardInterrupt or interrupted(found.value)
    assert not interrupted(RuntimeError("another"))


@pytest.mark.parametrize("library", ["typer", pytest.param("duckdb", marks=pytest.mark.slow)])
def test_a_command_that_is_stopped_during_its_imports_ends_with_one_line(tmp_path, library):
    call = [sys.executable, "-c", STOPPED_WHILE_IMPORTING, "--quiet", "demo", str(tmp_path / "demo")]
    told = {**os.environ, "STOPPED_AT": library}
    ran = subprocess.run(call, capture_output=True, text=True, timeout=120, env=told, check=False)
    assert (ran.returncode, ran.stdout, ran.stderr) == (130, "", STOPPED + "\n")
