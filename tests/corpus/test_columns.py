import pytest

from comoderate.corpus.columns import require_columns
from comoderate.errors import ComoderateError


def message(wanted, existing):
    with pytest.raises(ComoderateError) as caught:
        require_columns(wanted, existing, where="posts.csv")
    return str(caught.value)


def test_the_nearest_column_is_named_whatever_its_case():
    assert message(["texct"], ["id", "Text"]) == "posts.csv: there is no column 'texct'. The nearest is 'Text'"


def test_where_nothing_is_near_the_columns_are_listed():
    assert message(["zzz"], ["id", "tweet"]).endswith("It has 'id', 'tweet'")
    assert message(["zzz"], [f"col{i}" for i in range(40)]).endswith("'col11', …")


def test_a_duplicate_is_refused_only_where_it_is_wanted():
    require_columns(["a"], ["a", "b", "b"], where="posts.csv")
    assert "several columns are named 'b' (columns 2, 3)" in message(["b"], ["a", "b", "b"])
