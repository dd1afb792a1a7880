"""Makes the tables of the analysis: units, scale, typology, who receives it, concentration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd

from comoderate import __version__
from comoderate.corpus import write_frame
from comoderate.study import concentrating, risks, scale, tables, typology, units

if TYPE_CHECKING:
    from comoderate.study.study import Study

TABLES = ("units", "scale", "typology", "risks", "concentration")
"""The results that :func:`analysis` writes."""


def analysis(study: Study) -> dict[str, Any]:
    """Write all tables of the analysis; gives their numbers of rows."""
    found: dict[str, pd.DataFrame] = {
        "units": units.unit_table(study, tables.measured(study)),
        "scale": scale.scale_table(study),
        "typology": typology.typology_table(study),
        "risks": risks.risk_table(study),
        "concentration": concentrating.concentration_table(study),
    }
    for name in TABLES:
        write_frame(found[name], study.folder / "results" / f"{name}.parquet", {"version": __version__})
    return {name: len(table) for name, table in found.items()}


def export_tables(study: Study, folder: Any) -> int:
    """Write every stored table of results to ``folder`` as CSV; gives how many."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = sorted((study.folder / "results").glob("*.parquet"))
    for path in paths:
        study.result(path.stem).to_csv(folder / f"{path.stem}.csv", index=False)
    return len(paths)
