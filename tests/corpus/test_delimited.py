import csv
import io

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.corpus.delimited import FIELD_LIMIT, delimited_frames
from comoderate.errors import ComoderateError


def frames(path, columns=None, *, delimiter=None, batch_rows=3):
    found = delimited_frames(path, columns, delimiter=delimiter, batch_rows=batch_rows, encoding="utf-8")
    return pd.concat(list(found), ignore_index=True)


def refusal(path, text, columns=None):
    path.write_text(text, newline="")
    with pytest.raises(ComoderateError) as caught:
        frames(path, columns)
    return str(caught.value)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "posts.csv"


fields = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00"), max_size=8)


@given(st.lists(st.tuples(fields, fields), min_size=1, max_size=9), st.sampled_from(["\n", "\r\n", "\r"]))
def test_what_a_csv_writer_wrote_comes_back(tmp_path_factory, rows, end):
    path = tmp_path_factory.mktemp("csv") / "posts.csv"
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator=end)
    writer.writerows([("id", "text"), *rows])
    path.write_text(text.getvalue(), newline="", encoding="utf-8")
    found = frames(path)
    assert [tuple(v or "" for v in row) for row in found.itertuples(index=False)] == rows
    assert not (found == "").any(axis=None)


def test_columns_come_in_the_order_asked_for_and_may_have_no_name(path):
    path.write_text(",tweet,class\n0,hi,2\n1,,0\n")
    found = frames(path, ["tweet", ""])
    assert list(found.columns) == ["tweet", ""]
    assert found["tweet"].tolist() == ["hi", None]


@pytest.mark.parametrize("mark", [";", "\t"])
def test_a_header_without_commas_tells_the_separator(path, mark):
    path.write_text(f"id{mark}text\n1{mark}a, b\n")
    assert frames(path)["text"].tolist() == ["a, b"]


def test_tab_separated_values_keep_commas_in_the_header(path):
    path.write_text("id\ta,b\n1\tx\n")
    assert list(frames(path, delimiter="\t").columns) == ["id", "a,b"]


def test_blank_lines_are_no_records(path):
    path.write_text("id,text\n\n1,a\n\n\n2,b\n\n")
    assert frames(path)["id"].tolist() == ["1", "2"]


def test_a_ragged_row_is_placed_by_record_and_line(path):
    line = refusal(path, 'id,text\n1,"two\nlines"\n2,a,b\n')
    assert line.startswith(f"{path}, row 2, line 4: the row has 3 fields, the header 2. ")
    assert "row 1, line 2: the row has 1 fields" in refusal(path, "id,text\n1\n")


def test_broken_quotes_are_placed(path):
    assert "row 1, line 2: broken CSV" in refusal(path, 'id,text\n1,"a"b\n2,c\n')
    assert "row 1" in refusal(path, 'id,text\n1,"never closed\n2,c\n')


def test_a_field_beyond_the_limit_is_refused_before_it_fills_the_memory(path):
    path.write_text("id,text\n1," + "x" * 200_000 + "\n")
    assert len(frames(path)["text"][0]) == 200_000
    assert "field larger than field limit" in refusal(path, 'id,text\n1,"' + "x\n" * (FIELD_LIMIT // 2 + 5))


def test_duplicate_header_names_matter_only_where_they_are_wanted(path):
    path.write_text("id,x,x\n1,2,3\n")
    assert frames(path, ["id"])["id"].tolist() == ["1"]
    assert "several columns are named 'x'" in refusal(path, "id,x,x\n1,2,3\n")
    assert "several columns are named 'x'" in refusal(path, "id,x,x\n1,2,3\n", ["x"])
