import pandas as pd
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from comoderate.corpus.digest import digest_batches
from comoderate.corpus.parts import arrow_schema, to_arrow

SCHEMA = arrow_schema({"id": "string", "n": "int64", "p": "double", "b": "bool", "t": "timestamp"})
ROWS = st.tuples(
    st.none() | st.text(st.characters(blacklist_categories=("Cs",)), max_size=3), st.none() | st.integers(-5, 2**62),
    st.none() | st.floats(-2, 2), st.none() | st.booleans(), st.none() | st.integers(0, 10**9),
)  # fmt: skip


def table(rows):
    columns = list(zip(*rows, strict=True)) if rows else [[]] * 5
    return pa.table([pa.array(list(c), type=t) for c, t in zip(columns, SCHEMA.types, strict=True)], schema=SCHEMA)


@given(st.lists(ROWS, max_size=8), st.integers(1, 8))
def test_batches_do_not_matter(rows, size):
    whole = table(rows)
    assert digest_batches(SCHEMA, whole.to_batches()) == digest_batches(SCHEMA, whole.to_batches(max_chunksize=size))


@given(st.lists(ROWS, max_size=4), st.lists(ROWS, max_size=4))
def test_other_values_give_another_digest(rows, others):
    def same(a, b):
        return pd.Series(a).map(repr).tolist() == pd.Series(b).map(repr).tolist()

    equal = digest_batches(SCHEMA, table(rows).to_batches()) == digest_batches(SCHEMA, table(others).to_batches())
    assert equal == same(rows, others)


def test_where_one_text_ends_and_what_is_missing_matter():
    def digest(values, name="id"):
        schema = arrow_schema({name: "string"})
        return digest_batches(schema, to_arrow(pd.DataFrame({name: values}, dtype=object), schema).to_batches())

    lists = [["ab", "c"], ["a", "bc"], ["abc", ""], ["abc", None], ["abc"], []]
    assert len({digest(values) for values in lists}) == len(lists)
    assert digest(["a"], "id") != digest(["a"], "text")


def test_the_digest_is_stable():
    rows = [("é", 1, 0.5, True, 10**6), (None, None, None, None, None)]
    assert digest_batches(SCHEMA, table(rows).to_batches()) == "fb41c7e7fea3d9d5"
