"""Categories as scores, by rules."""

from comoderate.models.services import Rule, apply_rules

CRIMSON = [Rule({"Category": ("Basic Negative",), "Emotion": ("Anger", "Disgust")}, 1.0)]


def test_the_published_rule_on_two_labels():
    """Delisle et al. (2019), appendix E: abusive where negative and angry or disgusted."""
    for emotion, expected in [("Anger", 1.0), ("Disgust", 1.0), ("Joy", 0.0)]:
        assert apply_rules({"Category": "Basic Negative", "Emotion": emotion}, CRIMSON, 0.0) == expected
    assert apply_rules({"Category": "Basic Positive", "Emotion": "Anger"}, CRIMSON, 0.0) == 0.0


def test_the_first_rule_that_fits_counts():
    rules = [*CRIMSON, Rule({"Category": ("Basic Negative",)}, 0.4)]
    assert apply_rules({"Category": "Basic Negative", "Emotion": "Joy"}, rules, None) == 0.4
    assert apply_rules({"Category": "Basic Positive", "Emotion": "Joy"}, rules, None) is None


def test_a_missing_category_is_no_negative():
    assert apply_rules({"Category": "Basic Negative", "Emotion": None}, CRIMSON, 0.0) is None
    assert apply_rules({"Category": "Basic Negative"}, CRIMSON, 0.0) is None
