"""A model on disk: its files, and ``comoderate.json`` that says what they are.

The folder of a model holds the model's files (one skops file for the baselines; safetensors, configuration and
vocabulary for encoders) and ``comoderate.json``, written last: a folder without it holds no model. Nothing in a
folder is ever executed: skops files may hold plain dictionaries, strings, numbers and arrays, nothing else.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from comoderate.errors import ComoderateError

MANIFEST = "comoderate.json"
FORMAT = 1
TRUSTED: list[str] = []
"""Types that a skops file may hold beyond those that skops itself trusts (builtins, numpy, scikit-learn): none."""

_AGAIN = "train the model again"


class Manifest(NamedTuple):
    """What ``comoderate.json`` says.

    Attributes:
        kind: a key of ``models.KINDS``.
        settings: the keyword arguments of the scorer's constructor.
        files: names of the model's files, each with the digest of its content.
        card: what the caller said of the model: training folds, labels, weights, dates.
    """

    kind: str
    settings: dict[str, Any]
    files: dict[str, str]
    card: dict[str, Any]


def write_manifest(
    folder: Path, *, kind: str, settings: Mapping[str, Any], files: Sequence[str], card: Mapping[str, Any]
) -> None:
    """Finish a model's folder: write ``comoderate.json`` whole or not at all.

    Raises:
        ComoderateError: where the card or the settings hold what JSON can't (NaN included).
    """
    content = {
        "format": FORMAT,
        "kind": kind,
        "settings": dict(settings),
        "files": {name: file_digest(folder / name) for name in sorted(files)},
        "card": dict(card),
    }
    try:
        text = json.dumps(content, indent=2, sort_keys=True, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError) as problem:
        raise ComoderateError(
            f"the model's settings or card can't be written as JSON: {problem}",
            where=folder / MANIFEST,
            do="use only text, finite numbers, lists and dictionaries",
        ) from problem
    write_whole(folder / MANIFEST, text.encode())


def read_manifest(folder: Path) -> Manifest:
    """What ``comoderate.json`` in a model's folder says.

    Raises:
        ComoderateError: no model there, an unreadable file, or one made by a newer version.
    """
    path = Path(folder) / MANIFEST
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ComoderateError("there is no trained model here", where=folder, do="train it first") from None
    except (json.JSONDecodeError, UnicodeDecodeError) as problem:
        raise ComoderateError(f"the file can't be read: {problem}", where=path, do=_AGAIN) from problem
    if not isinstance(content, dict) or not isinstance(content.get("format"), int):
        raise ComoderateError("the file does not describe a model", where=path, do=_AGAIN)
    if content["format"] > FORMAT:
        raise ComoderateError("the model was made by a newer version", where=path, do="upgrade comoderate")
    return _parse(content, path)


def _parse(content: Mapping[str, Any], path: Path) -> Manifest:
    kind, parts = content.get("kind"), [content.get(name) for name in Manifest._fields[1:]]
    if not isinstance(kind, str) or not all(isinstance(part, dict) for part in parts):
        raise ComoderateError("the file does not describe a model", where=path, do=_AGAIN)
    manifest = Manifest(kind, *(dict(part or {}) for part in parts))
    for name in manifest.files:
        if not name or Path(name).is_absolute() or ".." in Path(name).parts:
            raise ComoderateError(f"the file names {name!r}, outside the model's folder", where=path, do=_AGAIN)
    return manifest


def read_card(folder: Path) -> dict[str, Any]:
    """The card that :meth:`Scorer.save` was given: what the model was trained on.

    Raises:
        ComoderateError: as :func:`read_manifest`.
    """
    return read_manifest(folder).card


def digest(folder: Path) -> str:
    """Ten hex digits that name a model: over its kind, its settings and the content of its files, not its card.

    The same training gives the same digits, on any day and in any folder.

    Raises:
        ComoderateError: as :func:`read_manifest`, or where a file is missing.
    """
    manifest = read_manifest(folder)
    files = {name: _present_digest(Path(folder) / name) for name in manifest.files}
    named = json.dumps([manifest.kind, manifest.settings, files], sort_keys=True)
    return hashlib.blake2b(named.encode(), digest_size=5).hexdigest()


def check_files(folder: Path, manifest: Manifest) -> None:
    """Refuse a model whose files are missing or not those that were saved.

    Raises:
        ComoderateError: with the file's name.
    """
    for name, expected in manifest.files.items():
        if _present_digest(Path(folder) / name) != expected:
            raise ComoderateError("the file is not the one that was saved", where=Path(folder) / name, do=_AGAIN)


def _present_digest(path: Path) -> str:
    if not path.is_file():
        raise ComoderateError("a file of the model is missing", where=path, do=_AGAIN)
    return file_digest(path)


def file_digest(path: Path) -> str:
    """Forty hex digits over a file's content."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, lambda: hashlib.blake2b(digest_size=20)).hexdigest()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under a temporary name, then rename it: whole or not at all."""
    partial = path.with_name(path.name + ".partial")
    partial.write_bytes(content)
    partial.replace(path)


def write_state(path: Path, state: Mapping[str, Any]) -> None:
    """Write a fitted model's numbers (strings, floats, arrays) to a skops file, the same bytes each time."""
    import skops.io  # here, for it loads all of scikit-learn, and torch with it

    write_whole(path, _same_bytes(skops.io.dumps(dict(state))))


def read_state(path: Path) -> dict[str, Any]:
    """The dictionary in a skops file; nothing in the file is executed.

    Raises:
        ComoderateError: a file that is not skops, or holds types other than :data:`TRUSTED`.
    """
    import skops.io
    from skops.io.exceptions import UnsupportedTypeException, UntrustedTypesFoundException

    try:
        state = skops.io.load(path, trusted=TRUSTED)
    except (UntrustedTypesFoundException, UnsupportedTypeException) as problem:
        raise ComoderateError(f"the file holds more than numbers and text: {problem}", where=path, do=_AGAIN) from None
    except (zipfile.BadZipFile, KeyError, ValueError, TypeError, AttributeError) as problem:
        raise ComoderateError(f"the file can't be read: {problem}", where=path, do=_AGAIN) from problem
    if not isinstance(state, dict):
        raise ComoderateError("the file does not hold a model", where=path, do=_AGAIN)
    return state


def _same_bytes(archive: bytes) -> bytes:
    """A skops archive without what differs between runs: memory addresses as names, and the time of day."""
    with zipfile.ZipFile(io.BytesIO(archive)) as source:
        schema = source.read("schema.json").decode()
        number: dict[str, str] = {}

        def renumber(match: re.Match[str]) -> str:
            return match[1] + number.setdefault(match[2], str(len(number)))

        schema = re.sub(r'("__id__": )(\d+)', renumber, schema)
        schema = re.sub(r'("file": ")(\d+)(?=\.npy")', renumber, schema)
        members = {f"{number[name[:-4]]}.npy": source.read(name) for name in source.namelist() if name[-4:] == ".npy"}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name in sorted(members):
            target.writestr(_member(name), members[name])
        target.writestr(_member("schema.json"), schema)
    return out.getvalue()


def _member(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    return info
