import errno
import subprocess
import sys

import pandas as pd
import pytest

from comoderate.corpus import atomic_folder, atomic_path, read_frame, read_metadata, write_frame
from comoderate.errors import ComoderateError


def names(folder):
    return sorted(p.name for p in folder.iterdir())


def fail_after(path, error):
    path.write_text("new")
    raise error


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_file_is_written_whole_or_not_at_all(tmp_path, error):
    path = tmp_path / "deep" / "a.txt"
    with atomic_path(path) as temporary:
        temporary.write_text("old")
    with pytest.raises(error), atomic_path(path) as temporary:
        fail_after(temporary, error)
    assert path.read_text() == "old"
    assert names(path.parent) == ["a.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_folder_is_replaced_whole_or_not_at_all(tmp_path, error):
    folder = tmp_path / "posts"
    for text in ("first", "old"):
        with atomic_folder(folder) as temporary:
            (temporary / text).write_text(text)
    with pytest.raises(error), atomic_folder(folder) as temporary:
        fail_after(temporary / "new", error)
    assert names(folder) == ["old"]
    assert names(tmp_path) == ["posts"]


@pytest.mark.parametrize("writer", [atomic_path, atomic_folder])
def test_a_full_disk_is_said_in_one_line(tmp_path, writer):
    with (
        pytest.raises(ComoderateError, match=r"a: nothing can be written here \(No space left"),
        writer(tmp_path / "a"),
    ):
        raise OSError(errno.ENOSPC, "full")
    with pytest.raises(PermissionError), writer(tmp_path / "a"):
        raise PermissionError(errno.EACCES, "no")
    assert names(tmp_path) == []


def test_what_a_killed_process_left_is_cleared(tmp_path):
    folder = tmp_path / "posts"
    code = (
        "import os, sys; from comoderate.corpus.files import atomic_folder\n"
        "with atomic_folder(sys.argv[1]) as t:\n    (t / 'half').write_text('x'); os._exit(9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(folder)], check=False).returncode == 9
    assert len(names(tmp_path)) == 1
    (tmp_path / ".posts.previous").mkdir()
    (tmp_path / ".posts.previous" / "old").write_text("old")
    with pytest.raises(ValueError), atomic_folder(folder):
        raise ValueError
    assert names(tmp_path) == ["posts"]
    assert names(folder) == ["old"]


def test_a_frame_comes_back_with_its_metadata(tmp_path):
    frame = pd.DataFrame({
        "post_id": ["a", "b"], "n": pd.array([1, None], dtype="Int64"), "pi": [0.5, 1.0],
        "at": pd.to_datetime(["2024-01-01", "2024-01-02"], utc=True),
    }, index=[7, 9])  # fmt: skip
    path = tmp_path / "samples" / "main.parquet"
    write_frame(frame, path, {"seed": "1", "schema": "1"})
    found = read_frame(path)
    assert found["n"].tolist() == [1, None]
    assert found["post_id"].tolist() == ["a", "b"]
    assert found["at"].dt.tz_convert("UTC").tolist() == frame["at"].tolist()
    assert list(read_frame(path, ["pi"]).columns) == ["pi"]
    assert read_metadata(path) == {"seed": "1", "schema": "1"}
    frame.to_parquet(tmp_path / "other.parquet")
    assert read_metadata(tmp_path / "other.parquet") == {}


def test_a_file_that_is_missing_or_damaged_is_named(tmp_path):
    path = tmp_path / "a.parquet"
    with pytest.raises(ComoderateError, match="no such file"):
        read_frame(path)
    path.write_text("nonsense")
    with pytest.raises(ComoderateError, match="not a whole Parquet file"):
        read_metadata(path)
    write_frame(pd.DataFrame({"pi": [1.0]}), path, {})
    with pytest.raises(ComoderateError, match="The nearest is"):
        read_frame(path, ["pii"])
