import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.models.text import TOKEN, normalise, normalise_all


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Hello   WORLD\n", "hello world"),
        ("see https://t.co/AbC1 now", "see httplink now"),
        ("www.example.org/x?y=1", "httplink"),
        ("@Some_One you &amp; me", "@user you & me"),
        ("!!! RT @mayasolovely: As a woman", "rt @user as a woman"),
        ("RT @a: RT @b: twice", "rt @user rt @user: twice"),
        ("mail me@example.org", "mail me@example.org"),
        ("&#8220;quoted&#8221;", "“quoted”"),
        ("art @school", "art @user"),
        ("", ""),
    ],
)
def test_normal_form(raw, expected):
    assert normalise(raw) == expected


@pytest.mark.parametrize(
    ("form", "tokens"),
    [
        ("don't be a f**k @user", ["don't", "be", "a", "f**k", "@user"]),
        ("'quoted' a$$ #tag!", ["quoted", "a$$", "tag"]),
        ("… !!!", []),
    ],
)
def test_tokens(form, tokens):
    assert re.findall(TOKEN, form) == tokens


@given(st.text(max_size=60))
def test_normal_form_has_single_blanks_only(text):
    form = normalise(text)
    assert form == " ".join(form.split())


def test_a_missing_text_is_named():
    with pytest.raises(ValueError, match=r"number 1 \(from 0\) is None"):
        normalise_all(["fine", None])
