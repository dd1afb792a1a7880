"""Reference values and simulated raters for the tests of agreement."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.agreement.crowds import Crowd, simulate_crowd

NAMES = (
    "m1_crowd_complete_12x3",
    "m2_shrout_fleiss_6x4",
    "m3_fleiss_wikipedia_10x14",
    "m4_krippendorff2011_12x4_missing",
)


class Reference(NamedTuple):
    """One table of ratings with what other libraries give for it."""

    name: str
    ratings: np.ndarray
    counts: np.ndarray
    weight: np.ndarray
    categories: np.ndarray
    libraries: dict[str, Any]
    own: dict[str, Any]

    @property
    def complete(self) -> bool:
        return not np.isnan(self.ratings).any()


@pytest.fixture(params=NAMES)
def reference(request: pytest.FixtureRequest, shared: Path) -> Reference:
    matrix = json.loads((shared / "reference" / "agreement.json").read_text())["matrices"][request.param]
    return Reference(
        request.param,
        np.array(matrix["ratings"], dtype=float),
        np.array(matrix["counts"]),
        np.array(matrix["item_weights"]),
        np.array(matrix["categories"], dtype=float),
        matrix["libraries"],
        matrix["own"],
    )


@pytest.fixture(scope="session")
def crowd() -> Crowd:
    return simulate_crowd()
