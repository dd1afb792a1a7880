"""The shapes of common moderation services; every key can be set otherwise in ``study.toml``."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

PRESETS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        # A list of texts in, a list of probabilities out.
        "list": {"request": "{texts}", "answer": ["[*]"], "batch_size": 32},
        "openai": {
            "url": "https://api.openai.com/v1/moderations",
            "request": {"model": "omni-moderation-latest", "input": "{texts}"},
            "answer": ["results[*].category_scores.harassment", "results[*].category_scores.hate"],
            "headers": {"Authorization": "Bearer ${OPENAI_API_KEY}"},
            "batch_size": 32,
        },
        "mistral": {
            "url": "https://api.mistral.ai/v1/moderations",
            "request": {"model": "mistral-moderation-latest", "input": "{texts}"},
            "answer": ["results[*].category_scores.hate_and_discrimination"],
            "headers": {"Authorization": "Bearer ${MISTRAL_API_KEY}"},
            "batch_size": 32,
        },
        # Text moderation of Google's Natural Language service, with a score for each of its categories.
        "google": {
            "url": "https://language.googleapis.com/v1/documents:moderateText",
            "request": {"document": {"type": "PLAIN_TEXT", "content": "{text}"}},
            "answer": ["moderationCategories[name=Toxic].confidence"],
            "headers": {"X-Goog-Api-Key": "${GOOGLE_API_KEY}"},
        },
        # Severities from 0 to 7, which are no probabilities: the score is their seventh part.
        "azure": {
            "url": "${AZURE_CONTENT_SAFETY_ENDPOINT}/contentsafety/text:analyze?api-version=2024-09-01",
            "request": {"text": "{text}", "categories": ["Hate"], "outputType": "EightSeverityLevels"},
            "answer": ["categoriesAnalysis[category=Hate].severity"],
            "headers": {"Ocp-Apim-Subscription-Key": "${AZURE_CONTENT_SAFETY_KEY}"},
            "scale": 7.0,
        },
        # The service ends with 2026; its shape is kept for replaying answers that were recorded.
        "perspective": {
            "url": "https://commentanalyzer.googleapis.com/v1alpha1/comments:analyze",
            "request": {
                "comment": {"text": "{text}"},
                "languages": ["en"],
                "requestedAttributes": {"TOXICITY": {}},
                "doNotStore": True,
            },
            "answer": ["attributeScores.TOXICITY.summaryScore.value"],
            "headers": {"X-Goog-Api-Key": "${PERSPECTIVE_API_KEY}"},
            "requests_per_second": 1.0,
        },
        # A text-classification endpoint; name its address, and the label that means positive in the answer.
        "hugging_face": {
            "request": {"inputs": "{texts}", "parameters": {"top_k": None}},
            "answer": ["[*][label=toxic].score"],
            "headers": {"Authorization": "Bearer ${HF_TOKEN}"},
            "batch_size": 16,
        },
    }
)


def with_preset(preset: str | None, own: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a preset, each replaced by one's own where that is given."""
    return {**(PRESETS[preset] if preset else {}), **own}
