"""What a service is: refused where it contradicts itself, and how its answers are read."""

import pytest

from comoderate.models.services import Rule, Service
from comoderate.models.services.paths import NonsenseError


def service(**keys):
    return Service(**{"url": "http://localhost/x", "request": {"texts": "{texts}"}, "answer": ("s[*]",), **keys})


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
        ({"budget": 20.0}, "a budget without a price"),
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
    assert base.identity == service(timeout=3.0, retries=1, scale=2.0, batch_size=2, price=1.0, budget=3.0).identity
    assert base.identity != service(url="http://localhost/y").identity
    assert base.identity != service(request={"texts": "{texts}", "model": "b"}).identity
    assert base.reading == service(url="http://localhost/y").reading
    assert base.reading != service(scale=2.0).reading
    assert service(url="https://user:word@example.org:81/a?b").host == "example.org:81"
