import pandas as pd
import pytest

from comoderate.corpus import Posts, write_posts
from comoderate.errors import ComoderateError


@pytest.fixture
def opened(tmp_path):
    frame = pd.DataFrame({
        "post_id": ["a", "b", "c", "d"], "u": [0.1, 0.2, 0.3, 0.4], "row": [1, 2, 3, 4],
        "day": ["2024-01-02", None, "2024-01-01", "2024-01-02"],
    })  # fmt: skip
    write_posts([frame[:3], frame[3:]], tmp_path / "posts", where="x", metadata={})
    return Posts(tmp_path / "posts")


def test_without_a_manifest_there_are_no_posts(tmp_path, opened):
    with pytest.raises(ComoderateError, match="Run comoderate import"):
        Posts(tmp_path)
    (opened.folder / "manifest.json").unlink()
    with pytest.raises(ComoderateError, match="Run comoderate import"):
        Posts(opened.folder)


def test_counts_and_columns(opened):
    assert opened.count() == len(opened) == 4
    assert opened.columns == ["post_id", "u", "row", "day"]
    assert opened.daily_counts().to_numpy().tolist() == [["2024-01-01", 1], ["2024-01-02", 2]]
    assert len(opened.digest) == 16


def test_posts_without_days_have_no_daily_counts(tmp_path):
    write_posts([pd.DataFrame({"post_id": ["a"], "u": [0.1], "row": [1]})], tmp_path / "p", where="x", metadata={})
    assert Posts(tmp_path / "p").daily_counts().empty


def test_frames_by_columns_and_ids(opened):
    assert opened.frame()["post_id"].tolist() == ["a", "b", "c", "d"]
    found = opened.frame(["row", "day"], post_ids=["d", "nobody", "b", "d"])
    assert list(found.columns) == ["row", "day"]
    assert found["row"].tolist() == [4, 2]
    assert opened.frame(["u"], post_ids=[]).empty
    assert pd.concat(opened.iter_frames(["u"], batch_rows=1))["u"].tolist() == [0.1, 0.2, 0.3, 0.4]
    with pytest.raises(ComoderateError, match="The nearest is 'day'"):
        opened.frame(["days"])
    with pytest.raises(ComoderateError, match="The nearest is 'day'"):
        opened.frame(["days"], post_ids=["a"])


def test_the_lazy_table_has_the_same_rows(opened):
    table = opened.table()
    assert table.filter(table.u > 0.25).order_by("u")["post_id"].execute().tolist() == ["c", "d"]
