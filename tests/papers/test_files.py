"""Published files that are not as they should be end in one line."""

from __future__ import annotations

import pytest

from comoderate.errors import ComoderateError
from comoderate.papers import files


def test_a_table_is_read_with_its_separator(tmp_path):
    path = tmp_path / "scores.tsv"
    path.write_text("id\tscore\na\t0.25\nb\t1\n")
    found = files.read_table(path, ["id", "score"], sep="\t")
    assert files.shares(path, found, "score").tolist() == [0.25, 1.0]


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (None, "there is no such file"),
        ("", "the file is no table"),
        ("id,other\na,1\n", "there is no column 'score'"),
        ("id,score\na,0.5\nb,1.5\n", r"row 3: .*'1\.5'"),
        ("id,score\na,\n", "row 2"),
    ],
)
def test_one_line_says_what_is_wrong(tmp_path, content, line):
    path = tmp_path / "scores.csv"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ComoderateError, match=line) as caught:
        files.shares(path, files.read_table(path, ["id", "score"]), "score")
    assert "\n" not in str(caught.value)
