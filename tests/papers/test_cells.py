import json
import math

import pytest

from comoderate.papers.cells import Cells
from comoderate.study.stages import Silent


@pytest.fixture
def cells(tmp_path):
    return Cells(tmp_path, Silent())


def test_a_cell_is_computed_once(cells):
    made = []
    for _ in range(2):
        assert cells.get("a/b", {"seed": 1}, lambda: made.append(1) or {"x": 2.0}) == {"x": 2.0}
    assert made == [1]


def test_other_settings_compute_it_anew(cells):
    assert cells.get("a", {"seed": 1}, lambda: 1) == 1
    assert cells.get("a", {"seed": 2}, lambda: 2) == 2


def test_a_file_that_was_cut_is_computed_anew(cells):
    cells.get("a", {}, lambda: 1)
    path = cells.folder / "a.json"
    path.write_text(path.read_text()[:20])
    assert cells.get("a", {}, lambda: 3) == 3


def test_a_failure_leaves_nothing(cells):
    def fail():
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        cells.get("a", {}, fail)
    assert list(cells.folder.rglob("*.json")) == []


def test_first_and_later_results_are_the_same(cells):
    np = pytest.importorskip("numpy")
    first = cells.get("a", {}, lambda: {"x": np.float64(1 / 3), "y": np.arange(2), "z": (math.nan,)})
    assert first["x"] == 0.333333
    assert first["y"] == [0, 1]
    assert math.isnan(cells.get("a", {}, lambda: None)["z"][0])
    assert json.loads((cells.folder / "a.json").read_text())["seconds"] >= 0
