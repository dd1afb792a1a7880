"""Where values stand in answers."""

import pytest

from comoderate.models.services.paths import STAR, Match, NonsenseError, follow, parse_path, split_answer

OPENAI = {"results": [{"category_scores": {"hate/threatening": 0.1, "hate": 0.9}}, {"category_scores": {"hate": 0.2}}]}
LABELS = [[{"label": "toxic", "score": 0.9}, {"label": "neutral", "score": 0.1}], [{"label": "toxic", "score": 0.3}]]


@pytest.mark.parametrize(
    ("text", "before", "after"),
    [
        ("results[*].scores.hate", ("results",), ("scores", "hate")),
        ("[*]", (), ()),
        ("[*][label=toxic].score", (), (Match("label", "toxic"), "score")),
        ("a.b[0].c", None, ("a", "b", 0, "c")),
        ("categories[category=Hate].severity", None, ("categories", Match("category", "Hate"), "severity")),
        ("scores.hate/threatening", None, ("scores", "hate/threatening")),
    ],
)
def test_paths(text, before, after):
    assert parse_path(text) == (before, after)
    assert STAR not in (before or ()) + after


@pytest.mark.parametrize("text", ["a..b", "a[", "a]b", ".a", "a.", "a.[0]", "a[*].b[*]"])
def test_no_paths(text):
    with pytest.raises(ValueError, match=r"is not a path|more than once"):
        parse_path(text)


def test_values_by_text():
    path = parse_path("results[*].category_scores.hate")
    assert [follow(part, path.after) for part in split_answer(OPENAI, [path], 2)] == [0.9, 0.2]
    path = parse_path("[*][label=toxic].score")
    assert [follow(part, path.after) for part in split_answer(LABELS, [path], 2)] == [0.9, 0.3]
    path = parse_path("results[0].category_scores.hate/threatening")
    assert [follow(part, path.after) for part in split_answer(OPENAI, [path], 1)] == [0.1]


@pytest.mark.parametrize("document", [[], {}, {"results": {}}, {"results": [1]}, {"results": [1, 2, 3]}, None, "x", 3])
def test_answers_of_another_form(document):
    with pytest.raises(NonsenseError):
        split_answer(document, [parse_path("results[*].x")], 2)


@pytest.mark.parametrize(
    ("path", "document"), [("a.b", {"a": [1]}), ("a[3]", {"a": [1]}), ("a[x=1]", {"a": [{}, 5]}), ("a", None)]
)
def test_places_that_are_not_there(path, document):
    with pytest.raises(NonsenseError, match="the answer has no"):
        follow(document, parse_path(path).after)
