import json

import numpy as np
import pandas as pd
import pytest

from comoderate.papers.results import Figure, Section, markdown, write
from comoderate.plots import Band, BandDisplay

RUN = {
    "mode": "small", "seeds": [0, 1], "machine": "two cores", "versions": {"numpy": "2"}, "data": {"toy": "ten posts"},
    "missing": {"other.csv": "no such file"}, "corrections": {"fix": {"on": True, "what": "it is mended"}},
}  # fmt: skip


def test_a_table_in_markdown():
    frame = pd.DataFrame({"name": ["a|b", None], "value": [0.123456, np.nan], "n": [1, 2]})
    lines = markdown(frame)
    assert lines[0] == "| name | value | n |"
    assert lines[1] == "|---|---:|---:|"
    assert lines[2] == "| a\\|b | 0.1235 | 1 |"
    assert lines[3] == "| – | – | 2 |"


def test_the_page_tells_what_was_run_and_links_what_it_shows(tmp_path):
    display = BandDisplay([Band("x", [1, 2], [0.1, 0.2])], x_label="n", y_label="error", title="Curves")
    table = pd.DataFrame({"a": [1 / 3]})
    sections = [Section("Numbers", ["They are few."], "numbers", table, table.round(1), [Figure("curves", display)])]
    page = write(tmp_path, "A paper", RUN, sections).read_text()
    for part in ("# A paper", "## Numbers", "They are few.", "| 0.3 |", "other.csv", "`fix` (on)", "ten posts"):
        assert part in page
    assert pd.read_csv(tmp_path / "tables" / "numbers.csv").loc[0, "a"] == pytest.approx(1 / 3, abs=1e-6)
    assert (tmp_path / "figures" / "curves.svg").read_text().startswith("<svg")
    assert "(figures/curves.svg)" in page
    assert json.loads((tmp_path / "run.json").read_text())["seeds"] == [0, 1]


def test_what_an_earlier_run_left_goes_and_other_files_stay(tmp_path):
    table = pd.DataFrame({"a": [1]})
    write(tmp_path, "A paper", RUN, [Section("Old", [], "old", table)])
    (tmp_path / "cells").mkdir()
    (tmp_path / "cells" / "a.json").write_text("{}")
    write(tmp_path, "A paper", RUN, [Section("New", [], "new", table)])
    assert [path.name for path in (tmp_path / "tables").iterdir()] == ["new.csv"]
    assert (tmp_path / "cells" / "a.json").is_file()


def test_a_page_without_figures_keeps_its_tables(tmp_path):
    figure = Figure(
        "curves", BandDisplay([Band("x", [1, 2], [0.1, 0.2])], x_label="n", y_label="error", title="Curves")
    )
    table = pd.DataFrame({"a": [1]})
    sections = [
        Section("Both", [], "both", table, figures=[figure]),
        Section("Curves alone", ["See."], figures=[figure]),
    ]
    write(tmp_path, "A paper", RUN, sections)
    page = write(tmp_path, "A paper", RUN, sections, figures=False).read_text()
    assert "## Both" in page
    assert "Curves alone" not in page
    assert "svg" not in page
    assert list((tmp_path / "figures").iterdir()) == []
