import pandas as pd
import pytest

from comoderate.corpus import Posts, map_batches, read_dataset, read_manifest, write_posts

SCHEMA = {"post_id": "string", "proba": "double"}


@pytest.fixture
def opened(tmp_path):
    frame = pd.DataFrame(
        {"post_id": [f"p{i}" for i in range(25)], "u": [i / 25 for i in range(25)], "row": range(1, 26)}
    )
    write_posts([frame], tmp_path / "posts", where="x", metadata={})
    return Posts(tmp_path / "posts")


def scored(frame):
    return pd.DataFrame({"post_id": frame["post_id"], "proba": frame["u"] / 2})


@pytest.mark.parametrize("lazy", [True, False])
def test_the_function_sees_every_row_once_in_order(opened, tmp_path, lazy):
    sizes = []

    def fn(frame):
        sizes.append(len(frame))
        assert frame.index[0] == 0
        return scored(frame)

    table = opened.table() if lazy else opened.frame()
    manifest = map_batches(table, fn, SCHEMA, tmp_path / "out", metadata={"scorer": "nb"}, batch_rows=10)
    pd.testing.assert_frame_equal(read_dataset(tmp_path / "out"), scored(opened.frame()))
    assert manifest == read_manifest(tmp_path / "out")
    assert manifest.metadata == {"scorer": "nb"}
    assert sum(sizes) == 25
    assert max(sizes) <= 10


def test_an_empty_table_makes_an_empty_dataset(opened, tmp_path):
    table = opened.table()
    assert map_batches(table.filter(table.u > 2), scored, SCHEMA, tmp_path / "out").rows == 0


def test_a_result_of_another_shape_is_refused_and_nothing_written(opened, tmp_path):
    with pytest.raises(ValueError, match="expected"):
        map_batches(opened.table(), lambda frame: frame, SCHEMA, tmp_path / "out")
    with pytest.raises(ValueError, match="unknown column types"):
        map_batches(opened.table(), scored, {"post_id": "text"}, tmp_path / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["posts"]
