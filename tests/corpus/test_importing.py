import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.corpus import ImportCounts, Posts, write_posts
from comoderate.errors import ComoderateError


def posts(ids, texts=None, first_row=1, **columns):
    frame = pd.DataFrame({"post_id": ids, "u": np.linspace(0, 0.9, len(ids)), "row": np.arange(len(ids)) + first_row})
    if texts is not None:
        frame["text"] = pd.Series(texts, dtype=object)
    return frame.assign(**columns)


def write(folder, *frames, **options):
    return write_posts(iter(frames), folder, where="posts.csv", metadata={"seed": "1"}, **options)


def refusal(folder, *frames, **options):
    with pytest.raises(ComoderateError) as caught:
        write(folder, *frames, **options)
    return str(caught.value)


@pytest.fixture
def folder(tmp_path):
    """A folder that already holds posts, which no failed import may change."""
    write(tmp_path / "posts", posts(["old"], ["text"]))
    yield tmp_path / "posts"
    assert [p.name for p in tmp_path.iterdir()] == ["posts"]


def test_posts_come_back_with_their_types(tmp_path):
    at = pd.to_datetime(["2024-01-01 12:00", None], utc=True)
    frame = posts(["a", "b"], ["x", "y"], created_at=at, day=["2024-01-01", None], views=[3, 4], author=None, group="g")
    seen = []
    counts = write(
        tmp_path / "posts", frame, posts(["c"], ["z"], 3).reindex(columns=frame.columns), progress=seen.append
    )
    assert counts == ImportCounts(read=3, written=3, dropped_duplicates=0, dropped_missing_text=0)
    assert seen == [2, 3]
    manifest = Posts(tmp_path / "posts").manifest
    assert manifest.columns == {
        "post_id": "string", "u": "double", "row": "int64", "text": "string", "created_at": "timestamp[us, tz=UTC]",
        "day": "string", "views": "double", "author": "string", "group": "string",
    }  # fmt: skip
    assert manifest.metadata == {"seed": "1"}


def test_text_may_be_absent_altogether(tmp_path):
    assert write(tmp_path / "posts", posts(["a"])).written == 1


def test_missing_text_is_refused_or_dropped(folder):
    frame = posts(["a", "b", "c"], ["x", None, " \t"], 10)
    assert refusal(folder, frame).startswith("posts.csv, column text, row 11: a post has no text. Set missing_text")
    assert refusal(folder, posts(["a"], [None]), missing_text="drop") == "posts.csv: no post has any text"
    assert Posts(folder).frame()["post_id"].tolist() == ["old"]
    assert write(folder, frame, missing_text="drop") == ImportCounts(3, 1, 0, 2)


def test_missing_ids_are_refused(folder):
    assert "posts.csv, column post_id, row 2: a post has no id" in refusal(folder, posts(["a", None], ["x", "y"]))
    assert "row 1" in refusal(folder, posts([" "], ["x"]))


def test_no_posts_are_refused(folder):
    assert refusal(folder) == "posts.csv: there are no posts"


def test_repeated_ids_are_refused_with_their_rows(folder):
    frames = posts(["a", "b", "c"], ["x"] * 3), posts(["d", "b", "a"], ["x"] * 3, 4)
    line = refusal(folder, *frames)
    assert line.startswith("posts.csv: post_id 'a' is repeated in rows 1, 6; 2 ids are repeated in all. Set duplicates")
    assert Posts(folder).frame()["post_id"].tolist() == ["old"]


def test_a_wrong_frame_is_a_mistake_of_the_caller(folder):
    with pytest.raises(ValueError, match="lack the columns"):
        write(folder, pd.DataFrame({"post_id": ["a"]}))
    with pytest.raises(ValueError, match="expected"):
        write(folder, posts(["a"], ["x"]), posts(["b"], ["x"], day="2024-01-01"))


def test_ctrl_c_leaves_the_old_posts(folder):
    def interrupted():
        yield posts(["a"], ["x"])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_posts(interrupted(), folder, where="posts.csv", metadata={})
    assert Posts(folder).count() == 1


@given(st.lists(st.lists(st.sampled_from("abcdef"), min_size=1, max_size=6), min_size=1, max_size=4),
       st.sampled_from(["first", "last"]))  # fmt: skip
def test_the_rule_on_duplicates_is_that_of_pandas(tmp_path_factory, batches, rule):
    rows = np.cumsum([1, *map(len, batches)])
    frames = [posts(ids, first_row=int(row)) for ids, row in zip(batches, rows, strict=False)]
    expected = pd.concat(frames).drop_duplicates("post_id", keep=rule)
    folder = tmp_path_factory.mktemp("dup") / "posts"
    counts = write(folder, *frames, duplicates=rule)
    found = Posts(folder).frame(["post_id", "row"])
    assert found.to_numpy().tolist() == expected[["post_id", "row"]].to_numpy().tolist()
    assert counts == ImportCounts(int(rows[-1]) - 1, len(expected), int(rows[-1]) - 1 - len(expected), 0)
    once = folder.with_name("once")
    write(once, expected)
    assert Posts(once).digest == Posts(folder).digest
