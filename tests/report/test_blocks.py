import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.report.blocks import anchor


@pytest.mark.parametrize(
    ("words", "name"), [(("How much", "abusive"), "how-much-abusive"), (("!",), "section"), (("سلام", "a"), "-a")]
)
def test_anchor(words, name):
    assert anchor(*words) == name


@given(st.lists(st.text(), min_size=1, max_size=3))
def test_an_anchor_is_an_id_whatever_the_words(words):
    assert re.fullmatch(r"[a-z0-9-]+", anchor(*words))
