import builtins
import subprocess
import sys

import pytest

from comoderate.corpus import connect
from comoderate.corpus.engine import duck
from comoderate.errors import ComoderateError


def test_an_unknown_engine_is_refused():
    with pytest.raises(ComoderateError, match="unknown engine 'mysql'"):
        connect("mysql")


def test_spark_without_its_package_says_what_to_install(monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **kwargs):
        if name.startswith("pyspark"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(ComoderateError, match="Spark is not installed"):
        connect("spark")


def test_duckdb_is_bounded_and_its_spill_folder_removed(tmp_path):
    with duck(temporary=tmp_path / "spill", memory="64MB") as con:
        assert con.execute("SELECT current_setting('memory_limit')").fetchone()[0].startswith("61")
        assert con.execute("SELECT count(DISTINCT hash(range)) FROM range(3000000)").fetchone() == (3_000_000,)
    assert not (tmp_path / "spill").exists()


def test_opening_the_room_loads_no_engine():
    code = "import sys, comoderate.corpus as c; print([m for m in ('ibis', 'duckdb', 'pyspark') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
