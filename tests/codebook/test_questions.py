"""Questions, conditions and which follow-ups count as asked."""

import pytest
from pydantic import ValidationError

from comoderate.codebook import Codebook, Question, holds

TROLLS = {
    "problem": {"text": "Is it a problem?", "kind": "ordinal", "answers": ["No", "Problematic", "Abusive"]},
    "type": {
        "text": "Which?",
        "kind": "multiple",
        "answers": ["sexism", "threat"],
        "when": {"problem": ["Problematic", "Abusive"]},
    },
    "threatened": {"text": "With what?", "answers": ["harm", "death"], "when": {"type": ["threat"]}},
}


def test_follow_ups_are_asked_only_under_their_parent():
    codebook = Codebook.model_validate({"question": TROLLS})
    assert codebook.asked({"problem": {"No"}}) == ["problem"]
    assert codebook.asked({"problem": {"Abusive"}, "type": {"sexism"}}) == ["problem", "type"]
    assert codebook.asked({"problem": {"Abusive"}, "type": {"sexism", "threat"}}) == ["problem", "type", "threatened"]


def test_an_answer_under_a_hidden_parent_opens_nothing():
    codebook = Codebook.model_validate({"question": TROLLS})
    assert codebook.asked({"problem": {"No"}, "type": {"threat"}}) == ["problem"]


def test_conditions_nest():
    condition = {"any": [{"a": ["x"]}, {"all": [{"b": ["y"]}, {"c": ["z"]}]}]}
    assert holds(condition, {"a": {"x"}})
    assert holds(condition, {"b": {"y"}, "c": {"z", "w"}})
    assert not holds(condition, {"b": {"y"}})
    assert holds(None, {})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type": {**TROLLS["type"], "when": {"probelm": ["No"]}}}, "not asked before it"),
        ({"type": {**TROLLS["type"], "when": {"problem": ["Maybe"]}}}, "does not have"),
        ({"problem": {"text": "?", "answers": ["No", "No"]}}, "listed twice"),
        ({"problem": {"text": "?", "answers": ["No"]}}, "at least two answers"),
        ({"any": {"text": "?", "answers": ["a", "b"]}}, "cannot name a question"),
        ({"problem": {**TROLLS["problem"], "definitions": {"Nope": "?"}}}, "is no answer"),
    ],
)
def test_a_broken_codebook_is_refused(change, message):
    with pytest.raises(ValidationError, match=message):
        Codebook.model_validate({"question": {**TROLLS, **change}})


def test_free_text_takes_anything():
    assert not Question(text="Say", kind="text").refuses("whatever")
