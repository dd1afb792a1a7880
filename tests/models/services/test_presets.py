"""Each preset with an answer of the form that its service documents."""

import pytest

from comoderate.models.services import Service
from comoderate.models.services.presets import PRESETS, with_preset

OWN = {"list": {"url": "https://example.org"}, "hugging_face": {"url": "https://example.org"}}
HATE = {"category": "Hate", "severity": 7}
ANSWERS = {
    "list": ([0.25], 0.25),
    "openai": ({"results": [{"flagged": True, "category_scores": {"harassment": 0.5, "hate": 0.125}}]}, 0.5),
    "mistral": ({"results": [{"category_scores": {"sexual": 0.9, "hate_and_discrimination": 0.25}}]}, 0.25),
    "google": ({"moderationCategories": [{"name": "Toxic", "confidence": 0.5}, {"name": "War", "confidence": 1}]}, 0.5),
    "azure": ({"categoriesAnalysis": [{"category": "Sexual", "severity": 1}, HATE]}, 1.0),
    "perspective": ({"attributeScores": {"TOXICITY": {"summaryScore": {"value": 0.75, "type": "PROBABILITY"}}}}, 0.75),
    "hugging_face": ([[{"label": "neutral", "score": 0.9}, {"label": "toxic", "score": 0.1}]], 0.1),
}  # fmt: skip


def service(name):
    keys = with_preset(name, OWN.get(name, {}))
    return Service(**{**keys, "answer": tuple(keys["answer"])})


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_reads_its_services_answer(name):
    answer, proba = ANSWERS[name]
    one = service(name)
    assert one.read(one.split(answer, 1)[0]) == pytest.approx(proba)


@pytest.mark.parametrize("name", PRESETS)
def test_no_secret_stands_in_a_preset(name):
    for value in service(name).headers.values():
        assert "${" in value


def test_ones_own_keys_replace_a_presets():
    assert with_preset("openai", {"batch_size": 1})["batch_size"] == 1
    assert with_preset(None, {"batch_size": 1}) == {"batch_size": 1}
