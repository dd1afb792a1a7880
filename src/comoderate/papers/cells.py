"""The parts of a long run, each kept in a file of its own, so that a run that was stopped goes on where it was."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from comoderate.corpus import atomic_path
from comoderate.study.stages import Listener


class Cells:
    """A folder of results: a JSON file a cell, with the settings that it was computed under.

    A cell whose settings are the same is read and not computed again; one whose settings differ is computed anew. Each
    file is written whole or not at all.

    Args:
        folder: where the files are.
        listener: hears which cell is computed.
    """

    def __init__(self, folder: Path, listener: Listener) -> None:
        self.folder, self.listener = folder, listener

    def get(self, name: str, settings: Mapping[str, Any], make: Callable[[], Any]) -> Any:
        """The result of a cell, computed if it is not there.

        Args:
            name: unique within the folder; ``/`` parts folders.
            settings: all that the result depends on, in JSON's types.
            make: computes the result, of JSON's types; NaN is kept.
        """
        path, key = self.folder / f"{name}.json", _key(settings)
        found = _read(path)
        if found is not None and found["key"] == key:
            return found["result"]
        self.listener.started(name)
        began = time.monotonic()
        result = make()
        seconds = round(time.monotonic() - began, 1)
        content = {"key": key, "settings": settings, "seconds": seconds, "result": _plain(result)}
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
        self.listener.finished(name, {})
        return content["result"]


def _key(settings: Mapping[str, Any]) -> str:
    text = json.dumps(settings, sort_keys=True, default=str)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _read(path: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return content if isinstance(content, dict) and {"key", "result"} <= content.keys() else None


def _plain(value: Any) -> Any:
    """The value in JSON's types, floats to six significant digits: enough for a table, and files stay readable."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if hasattr(value, "tolist") and not isinstance(value, str):
        return _plain(value.tolist())
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else value
    return value
