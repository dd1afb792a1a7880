import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.surface import ArmEncoder, Binned, Mentions, TextLength, tabulate

TEXTS = ["all women here", "womenfolk", "a much longer sentence about nothing in particular", None]


def test_columns_become_codes_and_words_again():
    columns = {"group": ["a"] * 12 + ["b"] * 11 + ["rare", None], "age": np.arange(25.0)}
    encoder = ArmEncoder({"age": Binned([10.0])})
    codes = encoder.fit_transform(columns)
    assert codes.shape == (25, 2)
    assert encoder.names == ["group", "age"]
    assert encoder.values(codes[0]) == ["a", "below 10"]
    assert encoder.values(codes[23]) == ["other", "10 or more"]
    assert encoder.describe(codes[24]) == "group missing, age 10 or more"


def test_unseen_values_are_other():
    encoder = ArmEncoder().fit({"group": ["a"] * 10})
    assert encoder.values(encoder.transform({"group": ["never seen"]})[0]) == ["other"]


def test_texts_by_length_and_by_what_they_mention():
    encoder = ArmEncoder({"text": TextLength([20.0]), "again": Mentions(["women", "men"])})
    codes = encoder.fit_transform({"text": TEXTS, "again": TEXTS})
    assert [encoder.values(c) for c in codes] == [
        ["below 20", "yes"],
        ["below 20", "no"],
        ["20 or more", "no"],
        ["missing", "missing"],
    ]


@given(st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6)), min_size=1, max_size=40), st.integers(1, 6))
def test_every_number_has_a_bin(numbers, bins):
    attribute = Binned(bins).fit(numbers)
    codes = attribute.transform(numbers)
    assert ((codes >= 0) & (codes < len(attribute.values_))).all()
    assert len(attribute.values_) <= bins + 1
    assert [c == len(attribute.values_) - 1 for c in codes] == [v is None for v in numbers]


def test_counts_equal_counting_by_hand():
    table = tabulate([[0, 1], [0, 1], [1, 0], [0, 1]], [1, 0, np.nan, np.nan])
    assert table.arms.tolist() == [[0, 1], [1, 0]]
    assert table.index.tolist() == [0, 0, 1, 0]
    assert table.pool_size.tolist() == [3, 1]
    assert table.n.tolist() == [2, 0]
    assert table.c.tolist() == [1, 0]


def test_weights_of_unequal_size_count_as_fewer_examples():
    table = tabulate([[0], [0]], [1, 0], weight=[3.0, 1.0])
    assert table.n[0] == pytest.approx(16 / 10)
    assert table.c[0] / table.n[0] == pytest.approx(0.75)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ArmEncoder().fit({}), "at least one column"),
        (lambda: ArmEncoder().fit({"a": [1], "b": [1, 2]}), "one length"),
        (lambda: ArmEncoder({"x": Binned()}).fit({"a": [1]}), "no column 'x'"),
        (lambda: ArmEncoder().fit({"a": [1]}).transform({"b": [1]}), "'a' is missing"),
        (lambda: ArmEncoder({"a": Mentions([])}).fit({"a": ["x"]}), "at least one term"),
        (lambda: ArmEncoder({"a": Binned([2.0, 1.0])}).fit({"a": [1]}), "must increase"),
        (lambda: tabulate([[0]], [2.0]), r"in \[0, 1\]"),
        (lambda: tabulate([[0]], [1.0], weight=[-1.0]), "not negative"),
        (lambda: tabulate([[0]], [1.0, 0.0]), "one value for each"),
        (lambda: tabulate([[0.5]]), "whole numbers"),
        (lambda: tabulate([0, 1]), "array of codes"),
    ],
)
def test_bad_input_says_what_is_wrong(call, message):
    with pytest.raises(ValueError, match=message):
        call()
