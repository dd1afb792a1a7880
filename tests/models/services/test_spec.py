"""What a service is: refused where it contradicts itself, and how its answers are read."""

import json

import pytest

from comoderate.models.services import PRESETS, Rule, Service, with_preset
from comoderate.models.services.paths import NonsenseError
from comoderate.models.services.request import fill

EXAMPLES = {
    "list": [0.25, 0.5],
    "openai": {
        "id": "x",
        "results": [
            {"flagged": True, "category_scores": {"harassment": 0.25, "hate": 0.01}},
            {"flagged": True, "category_scores": {"harassment": 0.1, "hate": 0.5}},
        ],
    },
    "azure": {"blocklistsMatch": [], "categoriesAnalysis": [{"category": "Hate", "severity": 4}]},
    "perspective": {"attributeScores": {"TOXICITY": {"summaryScore": {"value": 0.75, "type": "PROBABILITY"}}}},
    "hugging_face": [
        [{"label": "neutral", "score": 0.75}, {"label": "toxic", "score": 0.25}],
        [{"label": "toxic", "score": 0.5}, {"label": "neutral", "score": 0.5}],
    ],
}


def service(**keys):
    return Service(**{"url": "http://localhost/x", "request": {"texts": "{texts}"}, "answer": ("s[*]",), **keys})


@pytest.mark.parametrize("name", list(PRESETS))
def test_presets_read_the_answers_of_their_services(name):
    made = Service(**{"url": "http://localhost", **with_preset(name, {})})
    n = 1 if made.batch_size == 1 else 2
    found = [made.read(part) for part in made.split(EXAMPLES[name], n)]
    assert found == {"azure": [4 / 7], "perspective": [0.75]}.get(name, [0.25, 0.5])
    texts = ["a “quoted” text with {braces}", "another"][:n]
    sent = json.dumps(fill(made.request, texts), ensure_ascii=False)
    assert all(text in sent for text in texts)
    assert "{text" not in sent


def test_any_key_of_a_preset_can_be_set_otherwise():
    keys = with_preset("openai", {"answer": ["results[*].category_scores.violence"], "batch_size": 5})
    assert keys["batch_size"] == 5
    assert keys["url"].startswith("https://api.openai.com")
    assert PRESETS["openai"]["batch_size"] == 32


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"request": {"a": "b"}}, "must hold"),
        ({"request": ["{texts}", "{text}"]}, "must hold"),
        ({"request": "{text}", "batch_size": 4, "answer": ("s",)}, "holds one text"),
        ({"answer": ()}, "say where the answer stands"),
        ({"answer": ("s[*]", "t[*]")}, "the same up to"),
        ({"answer": ("s[0]",), "batch_size": 2}, r"need \[\*\]"),
        ({"answer": ("s[",)}, "not a path"),
        ({"method": "PUT"}, "POST or GET"),
        ({"method": "GET"}, "table of parameters"),
        ({"rules": (Rule({"a": ("b",)}, 1.0),)}, "say where the answer stands"),
    ],
)
def test_contradictions(keys, problem):
    with pytest.raises(ValueError, match=problem):
        service(**keys)


@pytest.mark.parametrize("value", [None, "0.5", True, float("nan"), float("inf"), -0.1, 1.1, [0.5], {}])
def test_what_is_no_probability(value):
    with pytest.raises(NonsenseError, match="the answer is not"):
        service().read(value)


def test_severities_are_scaled():
    assert service(scale=6.0).read(3) == 0.5
    with pytest.raises(NonsenseError):
        service(scale=6.0).read(7)


def test_categories():
    one = service(answer=("s[*].label",), categories={"spam": 0.9, "fine": 0.1})
    assert one.read({"label": "spam"}) == 0.9
    with pytest.raises(NonsenseError, match="no probability"):
        one.read({"label": "new"})
    assert service(answer=("s[*].label",), categories={"spam": 0.9}, otherwise=0.2).read({"label": "new"}) == 0.2


def test_rules_over_several_fields():
    rule = Rule({"s[*].category": ("bad",), "s[*].mood": ("angry", "cross")}, 0.8)
    one = service(answer=(), rules=(rule,), otherwise=0.0)
    assert one.split({"s": [1, 2]}, 2) == [1, 2]
    assert one.read({"category": "bad", "mood": "cross"}) == 0.8
    assert one.read({"category": "bad", "mood": "glad"}) == 0.0
    with pytest.raises(NonsenseError):
        one.read({"category": "bad"})


def test_what_makes_it_another_service():
    base = service()
    assert base.identity == service(timeout=3.0, retries=1, scale=2.0, batch_size=2, budget=3.0).identity
    assert base.identity != service(url="http://localhost/y").identity
    assert base.identity != service(request={"texts": "{texts}", "model": "b"}).identity
    assert base.reading == service(url="http://localhost/y").reading
    assert base.reading != service(scale=2.0).reading
    assert service(url="https://user:word@example.org:81/a?b").host == "example.org:81"
