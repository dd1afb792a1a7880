"""Reading ``study.toml``: every mistake becomes one line that names the key and the nearest right one."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from comoderate.errors import ComoderateError
from comoderate.study.checks import check
from comoderate.study.settings import FORMAT, Settings

FILE = "study.toml"


def load_settings(path: Path) -> Settings:
    """The settings in the file ``path``.

    Raises:
        ComoderateError: no such file, no TOML, an unknown key, a wrong value, or names that refer to nothing.
    """
    raw = _read(path)
    version = raw.get("study", {}).get("format", FORMAT) if isinstance(raw.get("study"), dict) else FORMAT
    if isinstance(version, int) and version > FORMAT:
        raise ComoderateError(
            f"the study was made by a newer version of Comoderate (format {version}, this one reads up to {FORMAT})",
            where=path,
            do="upgrade Comoderate",
        )
    try:
        settings = Settings.model_validate(raw)
    except ValidationError as error:
        raise _explain(path, error.errors()[0]) from None
    check(settings, path)
    return settings


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ComoderateError(
            "there is no study here", where=path, do="make one with `comoderate init`, or name its folder"
        ) from None
    except UnicodeDecodeError as error:
        raise ComoderateError(
            f"the file is not UTF-8 (byte {error.start})", where=path, do="save it as UTF-8"
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise ComoderateError(f"this is not TOML: {error}", where=path, do="mend that line") from None


def _explain(path: Path, error: ErrorDetails) -> ComoderateError:
    keys = [str(part) for part in error["loc"] if part not in {"[key]"}]
    where = f"{path}, {'.'.join(keys)}" if keys else str(path)
    if error["type"] == "extra_forbidden":
        known = list(known_keys(Settings, keys[:-1]))
        near = difflib.get_close_matches(keys[-1], known, n=1, cutoff=0.5)
        advice = f"did you mean {near[0]!r}?" if near else f"known here: {', '.join(known)}"
        return ComoderateError(f"unknown key {keys[-1]!r}", where=where, do=advice)
    if error["type"] == "missing":
        return ComoderateError("this key is missing", where=where, do="add it")
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] == "string_pattern_mismatch":
        return ComoderateError(f"{keys[-1]!r} cannot be a name", where=where, do="use letters, digits, - and _")
    shown = "" if isinstance(error["input"], dict | list) else f" (found {error['input']!r})"
    return ComoderateError(f"{message[0].lower()}{message[1:]}{shown}", where=where)


def known_keys(model: type[BaseModel], path: Iterable[str]) -> Iterator[str]:
    """The keys that the table at ``path`` below ``model`` takes; nothing where its keys are free names."""
    current: Any = model
    for part in path:
        current = _step(current, part)
        if current is None:
            return
    if isinstance(current, type) and issubclass(current, BaseModel):
        yield from (field.alias or name for name, field in current.model_fields.items())


def _step(current: Any, part: str) -> Any:
    if isinstance(current, type) and issubclass(current, BaseModel):
        field = current.model_fields.get(part)
        return None if field is None else _unwrap(field.annotation)
    return _unwrap(current[1]) if isinstance(current, tuple) else None


def _unwrap(annotation: Any) -> Any:
    """The model inside ``X | None``, or (key, value) of a dictionary's annotation."""
    arguments = get_args(annotation)
    if getattr(annotation, "__origin__", None) is dict:
        return arguments
    models = [a for a in arguments if isinstance(a, type) and issubclass(a, BaseModel)]
    return models[0] if models else annotation
