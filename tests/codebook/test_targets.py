"""From answers to positive or not."""

import pytest
from pydantic import ValidationError

from comoderate.codebook import Codebook, Target

BOOK = Codebook.model_validate(
    {
        "question": {
            "severity": {"text": "?", "kind": "ordinal", "answers": ["none", "mild", "strong"]},
            "kind": {"text": "?", "answers": ["a", "b"]},
        }
    }
)


def test_at_least_takes_all_answers_above():
    assert Target(question="severity", at_least="mild").positive_answers(BOOK) == ("mild", "strong")
    assert Target(question="kind", positive=("b",)).positive_answers(BOOK) == ("b",)


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ({"question": "nope", "positive": ["a"]}, "not in the codebook"),
        ({"question": "kind", "positive": ["c"]}, "is no answer"),
        ({"question": "kind", "at_least": "a"}, "ordinal"),
    ],
)
def test_a_target_outside_the_codebook_is_refused(target, message):
    with pytest.raises(ValueError, match=message):
        Target.model_validate(target).positive_answers(BOOK)


def test_exactly_one_rule():
    with pytest.raises(ValidationError, match="either positive"):
        Target(question="kind")
    with pytest.raises(ValidationError, match="either positive"):
        Target(question="kind", positive=("a",), at_least="a")
