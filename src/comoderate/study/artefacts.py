"""What a study's folder holds, whether it is up to date, and who may write it."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from comoderate.corpus import atomic_path
from comoderate.errors import ComoderateError


def digest(*parts: Any) -> str:
    """Twenty hex digits over anything that JSON can hold; the same parts give the same digits everywhere."""
    text = json.dumps(parts, sort_keys=True, default=str, ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=10).hexdigest()


def file_digest(path: Path) -> str:
    """Twenty hex digits over the content of a file; one that is missing is an error.

    Raises:
        ComoderateError: there is no such file.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=10)).hexdigest()
    except (FileNotFoundError, IsADirectoryError):
        raise ComoderateError("there is no such file", where=path, do="check the path") from None


class Artefacts:
    """Keys and locks of a study's artefacts, kept in the hidden folder ``.comoderate``.

    An artefact is stale where its stored key differs from the one that its settings and inputs give now; the time of
    a file plays no part.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / ".comoderate"

    def key(self, name: str) -> str | None:
        """The stored key of an artefact; None where it was never finished."""
        record = self.record(name)
        return None if record is None else str(record["key"])

    def record(self, name: str) -> dict[str, Any] | None:
        """Key and summary of an artefact, as :meth:`finish` stored them."""
        try:
            found = json.loads(self._path(name).read_text(encoding="utf-8"))
        except (FileNotFoundError, json.JSONDecodeError):
            return None
        return found if isinstance(found, dict) and "key" in found else None

    def finish(self, name: str, key: str, summary: Mapping[str, Any] | None = None) -> None:
        """Store the key of an artefact that has just been written, and a summary of it."""
        with atomic_path(self._path(name)) as temporary:
            content = {"key": key, "summary": dict(summary or {})}
            temporary.write_text(json.dumps(content, indent=1, default=str), encoding="utf-8")

    def forget(self, name: str) -> None:
        """Mark an artefact as never finished."""
        self._path(name).unlink(missing_ok=True)

    @contextlib.contextmanager
    def remaking(self, name: str) -> Iterator[None]:
        """Mark an artefact as unfinished while it is made again.

        It stays so where the block is interrupted; where the block refuses its input, nothing was written, and the
        artefact is what it was.
        """
        path, aside = self._path(name), self._path(name).with_suffix(".before")
        existed = path.exists()
        if existed:
            path.replace(aside)
        try:
            yield
        except ComoderateError:
            if existed:
                aside.replace(path)
            raise
        finally:
            aside.unlink(missing_ok=True)

    @contextlib.contextmanager
    def lock(self, name: str) -> Iterator[None]:
        """Hold the artefact alone while it is written.

        Raises:
            ComoderateError: another process is writing it.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{_file_name(name)}.lock"
        with path.open("a+", encoding="utf-8") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                raise ComoderateError(
                    f"another process ({file.read().strip() or 'unknown'}) is writing {name!r} of this study",
                    where=self.folder.parent,
                    do="wait until it is done, or stop it",
                ) from None
            file.truncate(0)
            file.write(str(os.getpid()))
            file.flush()
            yield

    def _path(self, name: str) -> Path:
        return self.folder / f"{_file_name(name)}.json"


def _file_name(name: str) -> str:
    return name.replace(":", "-").replace("/", "-")
