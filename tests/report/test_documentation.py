from pathlib import Path

import comoderate.plots
from comoderate.plots import Display
from comoderate.report.content import COLUMNS

PAGE = (Path(__file__).parents[2] / "docs" / "report.md").read_text(encoding="utf-8")


def test_every_frame_is_documented_with_its_columns():
    rows = {line.split("`")[1]: line for line in PAGE.splitlines() if line.startswith("| `")}
    for name, columns in COLUMNS.items():
        own = [c for c in columns if c not in COLUMNS["prevalence"][6:15]] if name != "comparisons" else columns
        assert all(column in rows[name] for column in own), name


def test_every_display_is_documented():
    for name in comoderate.plots.__all__:
        made = getattr(comoderate.plots, name)
        if isinstance(made, type) and issubclass(made, Display) and made is not Display:
            assert f"`{name}`" in PAGE
