import tomllib

from hypothesis import given
from hypothesis import strategies as st

from comoderate.study.toml_text import table_lines

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=12)
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**40), 2**40) | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS.filter(bool), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), VALUES, max_size=4))
def test_what_is_written_is_read_again(values):
    text = "\n".join(table_lines("a.b", **values))
    assert tomllib.loads(text)["a"]["b"] == values


def test_what_is_none_is_left_out():
    assert list(table_lines("a", x=None, y=1)) == ["[a]", "y = 1", ""]
