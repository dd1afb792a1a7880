"""Filling requests."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.errors import ComoderateError
from comoderate.models.services.request import fill, resolve


@given(st.lists(st.text(), min_size=1, max_size=4))
def test_texts_go_in_as_they_are(texts):
    template = {"input": "{texts}", "list": ["{texts}", 1, None, True], "one": "{text}", "said": "read: {text}."}
    expected = {
        "input": texts, "list": [texts, 1, None, True], "one": texts[0], "said": f"read: {texts[0]}.",
    }  # fmt: skip
    assert fill(template, texts) == expected


def test_environment_variables():
    assert resolve("Bearer ${KEY}, ${OTHER}", {"KEY": "a${OTHER}", "OTHER": "b"}) == "Bearer a${OTHER}, b"
    assert resolve("${HOST}/score", {"HOST": "https://one.example/"}) == "https://one.example/score"
    assert resolve("$KEY {KEY} ${}", {}) == "$KEY {KEY} ${}"
    for environment in ({}, {"KEY": ""}):
        with pytest.raises(ComoderateError, match="environment variable KEY is not set"):
            resolve("x ${KEY}", environment)
