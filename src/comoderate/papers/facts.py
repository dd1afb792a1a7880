"""What the papers published, as numbers."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any


def published(paper: str) -> dict[str, Any]:
    """The published numbers of a paper, by the name of its module."""
    path = files("comoderate.papers") / "published" / f"{paper}.json"
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found
