import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from comoderate.corpus import parts
from comoderate.corpus.parts import arrow_schema, frame_types, to_arrow, write_parts


def test_types_come_from_a_frame():
    frame = pd.DataFrame({
        "s": ["a"], "d": [1.0], "i": [1], "b": [True], "t": pd.to_datetime(["2024-01-01"], utc=True),
    })  # fmt: skip
    assert frame_types(frame) == {"s": "string", "d": "double", "i": "int64", "b": "bool", "t": "timestamp"}


def test_values_and_columns_must_fit():
    schema = arrow_schema({"post_id": "string", "p": "double"})
    with pytest.raises(ValueError, match="expected"):
        to_arrow(pd.DataFrame({"post_id": ["a"]}), schema)
    with pytest.raises(ValueError, match="do not fit"):
        to_arrow(pd.DataFrame({"post_id": [3], "p": ["x"]}), schema)
    with pytest.raises(ValueError, match="unknown column types"):
        arrow_schema({"a": "list"})
    assert to_arrow(pd.DataFrame({"post_id": ["a"], "p": [np.nan]}), schema)["p"].null_count == 1


def test_parts_are_cut_by_rows_and_keep_the_order(tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "PART_ROWS", 4)
    frames = [pd.DataFrame({"n": range(start, start + 3)}) for start in range(0, 12, 3)]
    assert write_parts(frames, tmp_path, None) == 12
    files = sorted(tmp_path.iterdir())
    assert [p.name for p in files] == ["part-00000.parquet", "part-00001.parquet"]
    assert [n for p in files for n in pq.read_table(p)["n"].to_pylist()] == list(range(12))


def test_without_frames_there_is_an_empty_part_or_an_error(tmp_path):
    with pytest.raises(ValueError, match="no frame"):
        write_parts([], tmp_path, None)
    assert write_parts([], tmp_path, {"a": "string"}) == 0
    assert pq.read_table(tmp_path / "part-00000.parquet").column_names == ["a"]
