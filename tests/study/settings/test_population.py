import pytest
from pydantic import ValidationError

from comoderate.study.settings.population import MentionsSettings, PopulationSettings


def test_rules_are_comparisons():
    own = PopulationSettings(include=("followers < 1000000", "protected != yes"))
    assert own.include == ("followers < 1000000", "protected != yes")


def test_a_rule_that_is_none_is_refused_with_its_words():
    with pytest.raises(ValidationError, match="followers"):
        PopulationSettings(include=("followers",))


def test_mentions_stand_in_one_place():
    assert MentionsSettings(column="handles").path is None
    with pytest.raises(ValidationError, match="either path or column"):
        MentionsSettings(path="mentions.csv", column="handles")


def test_at_least_one_person_is_the_most_abused():
    with pytest.raises(ValidationError):
        PopulationSettings(most=0)
