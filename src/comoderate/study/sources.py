"""Files and columns that were named on the command line: remembered, so that later commands need not name them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from comoderate.corpus import atomic_path
from comoderate.errors import ComoderateError
from comoderate.study.settings import Settings

COLUMNS = ("post_id", "text", "created_at", "author", "thread", "views")
"""The keys of ``[posts]`` that name one column."""


@dataclass(frozen=True)
class Sources:
    """What was named outside ``study.toml``: files by name of the source, and columns of the file of posts."""

    files: dict[str, Path] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)

    def apply(self, settings: Settings) -> Settings:
        """The settings with the columns in place."""
        if not self.columns:
            return settings
        return settings.model_copy(update={"posts": settings.posts.model_copy(update=self.columns)})


def read(folder: Path) -> Sources:
    """What earlier commands were told."""
    try:
        found = json.loads(_path(folder).read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError, json.JSONDecodeError):
        return Sources()
    return Sources({name: Path(file) for name, file in found["files"].items()}, dict(found["columns"]))


def remember(folder: Path, before: Sources, files: dict[str, Path], columns: dict[str, str]) -> Sources:
    """Add files and columns to what was known, and store it for later commands.

    Raises:
        ComoderateError: a key that names no column.
    """
    for key in columns:
        if key not in COLUMNS:
            raise ComoderateError(f"there is no column {key!r} to name", do=f"choose from {', '.join(COLUMNS)}")
    known = Sources({**before.files, **files}, {**before.columns, **columns})
    if known != before:
        content = {"files": {name: str(path) for name, path in known.files.items()}, "columns": known.columns}
        with atomic_path(_path(folder)) as temporary:
            temporary.write_text(json.dumps(content, indent=1), encoding="utf-8")
    return known


def _path(folder: Path) -> Path:
    return folder / ".comoderate" / "sources.json"
