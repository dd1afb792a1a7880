"""Opening a file of records: what format it has, whether it is gzipped, and where its text is not text."""

from __future__ import annotations

import codecs
import contextlib
import gzip
import io
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from comoderate.errors import ComoderateError

FORMATS = ("csv", "tsv", "jsonl", "parquet")
SUFFIXES = {
    ".csv": "csv", ".txt": "csv", ".tsv": "tsv", ".tab": "tsv",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
GZIP, PARQUET, ZIP = b"\x1f\x8b", b"PAR1", b"PK\x03\x04"
UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def check_source(path: Path, format: str, encoding: str) -> str:
    """The format of the file at ``path``, one of :data:`FORMATS`: as told, else by its first bytes and its name.

    Raises:
        ComoderateError: there is no such file, it is a folder, unreadable, empty or a ZIP archive, or the format or the
            encoding is unknown.
    """
    if path.is_dir():
        raise ComoderateError("this is a folder", where=path, do="name one file")
    if not path.is_file():
        raise ComoderateError("there is no such file", where=path)
    if not os.access(path, os.R_OK):
        raise ComoderateError("this file may not be read", where=path, do="change its permissions")
    if format not in ("auto", *FORMATS):
        raise ComoderateError(f"unknown format {format!r}", where=path, do=f"use auto, {', '.join(FORMATS)}")
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise ComoderateError(
            f"unknown encoding {encoding!r}", where=path, do="use a name such as 'utf-8' or 'latin-1'"
        ) from None
    with open_binary(path) as file:
        return _format(file.read(4096), path, format)


def _format(start: bytes, path: Path, format: str) -> str:
    """The format that the first bytes and the name of a file tell."""
    if not start:
        raise ComoderateError("the file is empty", where=path)
    if start.startswith(ZIP):
        raise ComoderateError("this is a ZIP archive or an Excel file", where=path, do="save it as CSV in UTF-8")
    if start.startswith(PARQUET) and format == "auto":
        return "parquet"
    if format != "auto":
        return format
    suffixes = [s.lower() for s in path.suffixes if s.lower() not in (".gz", ".gzip")]
    by_name = SUFFIXES.get(suffixes[-1]) if suffixes else None
    by_content = "jsonl" if start.lstrip(codecs.BOM_UTF8 + b" \t\r\n").startswith(b"{") else "csv"
    return by_name or by_content


@contextlib.contextmanager
def open_binary(path: Path) -> Iterator[BinaryIO]:
    """The bytes of a file, gunzipped where its first bytes say gzip; damage becomes a one-line error."""
    try:
        with gzip.open(path, "rb") if _is_gzip(path) else path.open("rb") as file:
            yield cast(BinaryIO, file)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ComoderateError(f"the gzip file is damaged or cut short ({error})", where=path) from None


def _is_gzip(path: Path) -> bool:
    """Whether the file starts as gzip does."""
    with path.open("rb") as raw:
        return raw.read(2) == GZIP


@contextlib.contextmanager
def open_seekable(path: Path) -> Iterator[BinaryIO]:
    """The same for formats that jump about in a file: a gzipped one is unpacked to a temporary file first."""
    with open_binary(path) as file:
        if not _is_gzip(path):
            yield file
            return
        with tempfile.TemporaryFile() as unpacked:
            shutil.copyfileobj(file, unpacked, 1 << 20)
            unpacked.seek(0)
            yield cast(BinaryIO, unpacked)


@contextlib.contextmanager
def open_text(path: Path, encoding: str) -> Iterator[io.TextIOWrapper]:
    """The text of a file, line ends kept, a byte-order mark skipped.

    Raises:
        ComoderateError: some byte is not text in this encoding; names its line and byte.
    """
    with open_binary(path) as file:
        try:
            yield io.TextIOWrapper(file, encoding=_with_mark(encoding), newline="")
        except UnicodeError:
            raise _not_text(path, encoding) from None


def _with_mark(encoding: str) -> str:
    """UTF-8 with or without a byte-order mark; other encodings as they are."""
    return "utf-8-sig" if codecs.lookup(encoding).name == "utf-8" else encoding


def _not_text(path: Path, encoding: str) -> ComoderateError:
    """Find the first byte that is not text: decode line by line, which only the failed file pays for."""
    decoder, line, done = codecs.getincrementaldecoder(encoding)(), 0, 0
    with open_binary(path) as file:
        start = file.read(2)
        file.seek(0)
        for line, raw in enumerate(file, start=1):
            try:
                decoder.decode(raw)
            except UnicodeDecodeError as error:
                at = min(max(error.start - (len(error.object) - len(raw)), 0), len(raw) - 1)
                bad, place = raw[at], done + at + 1
                return ComoderateError(
                    f"byte {place} (0x{bad:02X}) is not {encoding} text", where=f"{path}, line {line}",
                    do=_encoding_advice(start),
                )  # fmt: skip
            done += len(raw)
    return ComoderateError(f"the file ends within a character of {encoding} text", where=f"{path}, line {line}")


def _encoding_advice(start: bytes) -> str:
    """What to do about a file in another encoding, from its first two bytes."""
    likely = "utf-16" if start in UTF16 else "latin-1"
    return f"save the file as UTF-8, or name its encoding (perhaps {likely!r})"
