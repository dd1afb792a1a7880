import gzip
import io

import numpy as np
import pandas as pd
import pytest

from comoderate.corpus import read_batches
from comoderate.errors import ComoderateError

IDS = [str(10**18 + i) for i in range(7)]


def content(kind, frame):
    if kind == "parquet":
        buffer = io.BytesIO()
        frame.to_parquet(buffer)
        return buffer.getvalue()
    if kind == "jsonl":
        return frame.to_json(orient="records", lines=True).encode()
    return frame.to_csv(index=False, sep="\t" if kind == "tsv" else ",").encode()


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet"])
def test_the_same_records_from_every_format(tmp_path, kind, zipped):
    frame = pd.DataFrame({"id": IDS, "text": ["a", None, *"cdefg"]})
    path = tmp_path / f"posts.{kind}{'.gz' if zipped else ''}"
    path.write_bytes(gzip.compress(content(kind, frame)) if zipped else content(kind, frame))
    batches = list(read_batches(path, ["text", "id"], batch_rows=3))
    assert [b.first_row for b in batches] == [1, 4, 7]
    found = pd.concat([b.frame for b in batches], ignore_index=True)
    pd.testing.assert_frame_equal(found, frame[["text", "id"]])
    assert list(next(iter(read_batches(path))).frame.columns) == ["id", "text"]
    assert list(next(iter(read_batches(path, ["id", "id"]))).frame.columns) == ["id"]


def test_whole_numbers_of_parquet_keep_their_digits_beside_gaps(tmp_path):
    path = tmp_path / "posts.parquet"
    pd.DataFrame({"id": pd.array([10**18 + 1, None], dtype="Int64"), "c": pd.Categorical(["x", "y"])}).to_parquet(path)
    frame = next(iter(read_batches(path))).frame
    assert frame["id"].tolist() == [10**18 + 1, None]
    assert frame["c"].dtype == object


def refusal(path, *columns):
    with pytest.raises(ComoderateError) as caught:
        list(read_batches(path, columns or None))
    return str(caught.value)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_without_records_and_a_missing_column_are_refused(tmp_path, kind):
    path = tmp_path / f"posts.{kind}"
    path.write_bytes(content(kind, pd.DataFrame({"id": pd.Series(dtype=str), "text": pd.Series(dtype=str)})))
    assert "no records" in refusal(path)
    path.write_bytes(content(kind, pd.DataFrame({"id": ["1"], "text": ["a"]})))
    assert "there is no column 'txt'. The nearest is 'text'" in refusal(path, "txt")


def test_a_damaged_parquet_file_is_refused(tmp_path):
    path = tmp_path / "posts.parquet"
    path.write_bytes(content("parquet", pd.DataFrame({"id": np.arange(9)}))[:-9])
    assert "not a whole Parquet file" in refusal(path)
    path.write_text("id\n1\n")
    assert "not a whole Parquet file" in refusal(path)


def test_real_files_have_the_records_that_pandas_finds(shared):
    for name in ("davidson/labeled_data.csv", "misogyny/final_labels.csv", "civil_comments/annotations.csv"):
        expected = pd.read_csv(shared / "data" / name, dtype=str, keep_default_na=False)
        found = pd.concat([b.frame for b in read_batches(shared / "data" / name)], ignore_index=True).fillna("")
        assert (found.to_numpy() == expected.to_numpy()).all()
    found = list(read_batches(shared / "data" / "openai_moderation/samples-1680.jsonl.gz"))
    assert sum(len(b.frame) for b in found) == 1680
