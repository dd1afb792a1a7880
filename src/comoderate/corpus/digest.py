"""A digest of a table's values: the same whatever the batches, the compression or the library's version."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc


def digest_batches(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> str:
    """Sixteen hex digits of blake2b over column names, types and values, in the order of the rows.

    Every column feeds three hashes (which values are there, how long texts are, the bytes), so that cutting the rows
    into other batches changes nothing.
    """
    columns = [_ColumnDigest(field) for field in schema]
    for batch in batches:
        for column, values in zip(columns, batch.columns, strict=True):
            column.update(values)
    whole = hashlib.blake2b(digest_size=8)
    for column in columns:
        whole.update(column.digest())
    return whole.hexdigest()


class _ColumnDigest:
    """The running digest of one column."""

    def __init__(self, field: pa.Field) -> None:
        self.name = f"{field.name}\0{field.type}".encode()
        self.valid, self.lengths, self.values = (hashlib.blake2b(digest_size=16) for _ in range(3))

    def update(self, values: pa.Array) -> None:
        """Take in the next values."""
        self.valid.update(np.asarray(values.is_valid().cast(pa.uint8())).tobytes())
        if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
            filled = values.fill_null("").cast(pa.large_binary())
            self.lengths.update(np.asarray(pc.binary_length(filled)).astype("<i8").tobytes())
            self.values.update(_text_bytes(filled))
        else:
            self.values.update(_fixed_bytes(values))

    def digest(self) -> bytes:
        """What the column hashes to."""
        parts = (self.valid.digest(), self.lengths.digest(), self.values.digest())
        return hashlib.blake2b(self.name + b"".join(parts), digest_size=16).digest()


def _text_bytes(values: pa.Array) -> memoryview | bytes:
    """The bytes of all texts on end."""
    _, offsets, data = values.buffers()
    if data is None or not len(values):
        return b""
    ends = np.frombuffer(offsets, dtype=np.int64)[[values.offset, values.offset + len(values)]]
    return memoryview(data)[int(ends[0]) : int(ends[1])]


def _fixed_bytes(values: pa.Array) -> bytes:
    """The bytes of numbers, truth values and times; 0 where there is none."""
    if pa.types.is_temporal(values.type):
        values = values.cast(pa.int64()) if values.type.bit_width == 64 else values.cast(pa.int32()).cast(pa.int64())
    if pa.types.is_boolean(values.type):
        values = values.cast(pa.uint8())
    return bytes(np.ascontiguousarray(values.fill_null(0).to_numpy(zero_copy_only=False)).tobytes())
