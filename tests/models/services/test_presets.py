"""Each preset with an answer of the form that its service documents."""

import json

import pytest

from comoderate.models.services import PRESETS, Service, with_preset
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
    "mistral": {
        "id": "x",
        "results": [
            {"categories": {"pii": False}, "category_scores": {"hate_and_discrimination": 0.25, "pii": 0.9}},
            {"categories": {"pii": False}, "category_scores": {"hate_and_discrimination": 0.5, "pii": 0.1}},
        ],
    },
    "google": {"moderationCategories": [{"name": "Toxic", "confidence": 0.5}, {"name": "War", "confidence": 0.9}]},
    "azure": {"blocklistsMatch": [], "categoriesAnalysis": [{"category": "Hate", "severity": 4}]},
    "perspective": {"attributeScores": {"TOXICITY": {"summaryScore": {"value": 0.75, "type": "PROBABILITY"}}}},
    "hugging_face": [
        [{"label": "neutral", "score": 0.75}, {"label": "toxic", "score": 0.25}],
        [{"label": "toxic", "score": 0.5}, {"label": "neutral", "score": 0.5}],
    ],
}


@pytest.mark.parametrize("name", list(PRESETS))
def test_presets_read_the_answers_of_their_services(name):
    made = Service(**{"url": "http://localhost", **with_preset(name, {})})
    n = 1 if made.batch_size == 1 else 2
    found = [made.read(part) for part in made.split(EXAMPLES[name], n)]
    assert found == {"azure": [4 / 7], "perspective": [0.75], "google": [0.5]}.get(name, [0.25, 0.5])
    texts = ["a “quoted” text with {braces}", "another"][:n]
    sent = json.dumps(fill(made.request, texts), ensure_ascii=False)
    assert all(text in sent for text in texts)
    assert "{text" not in sent
    assert all("${" in value for value in made.headers.values())


def test_any_key_of_a_preset_can_be_set_otherwise():
    keys = with_preset("openai", {"answer": ["results[*].category_scores.violence"], "batch_size": 5})
    assert keys["batch_size"] == 5
    assert keys["url"].startswith("https://api.openai.com")
    assert PRESETS["openai"]["batch_size"] == 32
    assert with_preset(None, {"batch_size": 1}) == {"batch_size": 1}
