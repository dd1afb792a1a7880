"""The keys of study.toml and their defaults."""

import pytest
from pydantic import ValidationError

from comoderate.study.settings import (
    EvaluateSettings,
    PostsSettings,
    ReviewSettings,
    SampleSettings,
    ScorerSettings,
    Settings,
)


def test_defaults_are_the_safe_ones():
    posts = PostsSettings()
    assert (posts.duplicates, posts.missing_text) == ("refuse", "refuse")
    assert ReviewSettings().audit_share == 0.05
    assert ReviewSettings().fractions[0] == 0.001
    assert ReviewSettings().fractions[-1] == 0.2
    assert ScorerSettings(kind="naive_bayes").weighted
    assert not SampleSettings(size=5).finite
    assert EvaluateSettings().truth == ()


@pytest.mark.parametrize(
    "keys",
    [
        {},
        {"design": "census", "size": 3},
        {"design": "census", "of": "main"},
        {"design": "census", "enrich": {"scorer": "a", "size": 3}},
        {"of": "main", "size": 3, "enrich": {"scorer": "a", "size": 3}},
        {"size": 3, "cluster": "day"},
    ],
)
def test_what_is_no_sample(keys):
    with pytest.raises(ValidationError):
        SampleSettings(**keys)


@pytest.mark.parametrize(
    "keys", [{"kind": "lexicon"}, {"kind": "naive_bayes", "words": ["a"]}, {"kind": "naive_bayes", "score": "a"}]
)
def test_what_is_no_scorer(keys):
    with pytest.raises(ValidationError):
        ScorerSettings(**keys)


def test_settings_cannot_be_changed_in_place(ran):
    from comoderate.study import Study

    settings = Study.open(ran).settings
    assert isinstance(settings, Settings)
    with pytest.raises(ValidationError, match="frozen"):
        settings.study.seed = 3
