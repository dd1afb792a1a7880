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


def add(before: Sources, files: dict[str, Path], columns: dict[str, str]) -> Sources:
    """Files and columns on top of what was known; nothing is stored yet.

    Raises:
        ComoderateError: a key that names no column.
    """
    for key in columns:
        if key not in COLUMNS:
            raise ComoderateError(f"there is no column {key!r} to name", do=f"choose from {', '.join(COLUMNS)}")
    return Sources({**before.files, **files}, {**before.columns, **columns})


def remember(folder: Path, known: Sources, name: str) -> None:
    """Store, for later commands, where the source ``name`` was; called once it is imported, never for a bad file."""
    before = read(folder)
    files = {**before.files, name: known.files[name]} if name in known.files else before.files
    columns = known.columns if name == "posts" else before.columns
    if Sources(files, columns) != before:
        content = {"files": {one: str(path) for one, path in files.items()}, "columns": columns}
        with atomic_path(_path(folder)) as temporary:
            temporary.write_text(json.dumps(content, indent=1), encoding="utf-8")


def _path(folder: Path) -> Path:
    return folder / ".comoderate" / "sources.json"
