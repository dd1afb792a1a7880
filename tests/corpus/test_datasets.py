import json

import numpy as np
import pandas as pd
import pytest

from comoderate.corpus import iter_dataset, read_dataset, read_manifest, write_dataset
from comoderate.corpus.datasets import FORMAT, MANIFEST
from comoderate.errors import ComoderateError


def scores(start=0):
    return pd.DataFrame({"post_id": [f"p{i}" for i in range(start, start + 4)], "proba": [0.1, np.nan, 0.5, 1.0]})


def test_a_dataset_comes_back(tmp_path):
    folder = tmp_path / "scores" / "nb@1"
    manifest = write_dataset([scores(), scores(4)], folder, {"scorer": "nb"})
    assert (manifest.rows, manifest.kind, manifest.metadata) == (8, "scores", {"scorer": "nb"})
    assert manifest == read_manifest(folder)
    assert manifest.columns == {"post_id": "string", "proba": "double"}
    expected = pd.concat([scores(), scores(4)], ignore_index=True)
    pd.testing.assert_frame_equal(read_dataset(folder), expected)
    pd.testing.assert_frame_equal(read_dataset(folder, ["proba"]), expected[["proba"]])
    sizes = [len(frame) for frame in iter_dataset(folder, batch_rows=3)]
    assert sum(sizes) == 8
    assert max(sizes) == 3


def test_the_digest_is_of_the_values_alone(tmp_path):
    one = write_dataset([scores(), scores(4)], tmp_path / "a", {})
    two = write_dataset([pd.concat([scores(), scores(4)])], tmp_path / "b", {"seed": "2"})
    three = write_dataset([scores(4), scores()], tmp_path / "c", {})
    assert one.digest == two.digest != three.digest


def test_an_error_leaves_the_old_dataset(tmp_path):
    def broken():
        yield scores()
        raise KeyboardInterrupt

    write_dataset([scores()], tmp_path / "a", {})
    with pytest.raises(KeyboardInterrupt):
        write_dataset(broken(), tmp_path / "a", {})
    assert len(read_dataset(tmp_path / "a")) == 4
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_no_rows_are_a_dataset_too(tmp_path):
    write_dataset([], tmp_path / "a", {}, schema={"post_id": "string", "proba": "double"})
    found = read_dataset(tmp_path / "a")
    assert found.empty
    assert list(found.columns) == ["post_id", "proba"]


def refusal(folder, *columns):
    with pytest.raises(ComoderateError) as caught:
        read_dataset(folder, columns or None)
    return str(caught.value)


def test_what_is_no_whole_dataset_is_refused(tmp_path):
    folder = tmp_path / "a"
    assert "no whole dataset" in refusal(folder)
    write_dataset([scores()], folder, {})
    assert "The nearest is 'proba'" in refusal(folder, "probas")
    (folder / "part-00000.parquet").unlink()
    assert "a part is missing or damaged" in refusal(folder, "proba")
    (folder / MANIFEST).write_text("{")
    assert "the manifest is damaged" in refusal(folder)
    (folder / MANIFEST).write_text(json.dumps({"format": FORMAT + 1}))
    assert "a newer version" in refusal(folder)
    (folder / MANIFEST).write_text("[]")
    assert "the manifest is damaged" in refusal(folder)
    (folder / MANIFEST).write_text("{}")
    assert "the manifest is damaged" in refusal(folder)
    (folder / MANIFEST).unlink()
    assert "no whole dataset" in refusal(folder)
