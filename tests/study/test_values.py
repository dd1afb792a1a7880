"""Cells of a source file as times, numbers, probabilities, votes and ticks."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.errors import ComoderateError
from comoderate.study.values import Cells


def cells(values, first_row=1, column="c"):
    return Cells(pd.DataFrame({column: pd.Series(values, dtype=object)}), "file.csv", first_row)


def test_a_bad_cell_is_named_by_its_row_in_the_file():
    with pytest.raises(ComoderateError, match=r"^file.csv, column c, row 103: 'x' is not a number\. Write a number$"):
        cells(["1", None, "x", "y"], first_row=101).numbers("c")


def test_what_is_shown_of_a_cell_is_short():
    with pytest.raises(ComoderateError) as error:
        cells(["x" * 5000]).numbers("c")
    assert len(str(error.value)) < 150


def test_texts_keep_whole_numbers_whole():
    assert cells([1.0, 2.5, "1.0", None, 7]).texts("c").tolist() == ["1", "2.5", "1.0", None, "7"]


def test_numbers():
    found = cells(["1", None, "-2.5", "1e3"]).numbers("c")
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, [1, np.nan, -2.5, 1000])
    for bad in ("inf", "1,5", "-"):
        with pytest.raises(ComoderateError, match="is not a number"):
            cells([bad]).numbers("c")


@given(st.lists(st.floats(0, 1), min_size=1))
def test_probabilities_are_kept(values):
    found = cells([repr(value) for value in values]).probabilities("c")
    np.testing.assert_allclose(found, values, rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize(
    ("value", "said"),
    [("1.0001", "no probability"), ("-0.1", "no probability"), (None, "missing"), (float("nan"), "missing")],
)
def test_what_is_no_probability(value, said):
    with pytest.raises(ComoderateError, match=said):
        cells(["0.5", value]).probabilities("c")


def test_votes():
    found = cells(["3", None, "0", 2.0]).counts("c")
    assert found.dtype == np.int64
    assert found.tolist() == [3, 0, 0, 2]
    for bad in ("-1", "1.5", "three"):
        with pytest.raises(ComoderateError, match=r"row 1: '.*' is not a number"):
            cells([bad]).counts("c")
    with pytest.raises(ComoderateError, match="'-1' is not a number of posts"):
        cells(["-1"]).counts("c", of="posts")


def test_ticks():
    assert cells(["1", "yes", "TRUE", 1.0, True, " y "]).ticks("c").all()
    assert not cells(["0", "no", "False", 0.0, False, None]).ticks("c").any()
    with pytest.raises(ComoderateError, match="'2' is neither 1 nor 0"):
        cells(["2"]).ticks("c")


def test_times_from_text_and_from_seconds():
    found = cells(["2020-03-01", "2020-03-01T12:00:00+02:00", "1583020800", 1583020800, None]).times("c")
    assert str(found.dtype) == "datetime64[us, UTC]"
    moment = pd.Timestamp("2020-03-01", tz="UTC")
    assert found.tolist()[:4] == [moment, moment + pd.Timedelta(hours=10), moment, moment]
    assert found.isna().tolist() == [False] * 4 + [True]
    stamps = pd.Series(pd.to_datetime(["2020-03-01"]))
    assert Cells(pd.DataFrame({"c": stamps}), "f", 1).times("c").tolist() == [moment]


@given(st.integers(0, 4_000_000_000))
def test_seconds_since_1970(seconds):
    assert cells([str(seconds)]).times("c")[0] == pd.Timestamp(seconds, unit="s", tz="UTC")


@pytest.mark.parametrize("bad", ["the other day", "2020-13-01", "31/12/2020", "1e300"])
def test_what_is_no_time(bad):
    with pytest.raises(ComoderateError, match=r"is not a time\. Write ISO 8601"):
        cells(["2020-01-01", bad]).times("c")


def test_ids_of_one_column_and_of_several():
    assert cells([7.0, "a"]).ids("c").tolist() == ["7", "a"]
    with pytest.raises(ComoderateError, match="row 2: the id is missing"):
        cells(["a", " "]).ids("c")
    frame = pd.DataFrame({"a": ["1", "11", None], "b": ["12", "2", "x"]})
    assert Cells(frame, "f", 1).ids(["a", "b"]).nunique() == 3
