import numpy as np
import pytest

from comoderate.surface import Language, Which, language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I hate the way that you are", "English"),
        ("Ich mag das nicht, und du?", "German"),
        ("no me gusta que lo hagas, pero es así", "Spanish"),
        ("je ne suis pas avec vous", "French"),
        ("este é um texto e você não gosta disso", "Portuguese"),
        ("これはテストです", "Japanese"),
        ("это простой текст", "Cyrillic"),
        ("هذا نص بسيط", "Arabic script"),
        ("!!! 123", "unclear"),
        ("", "unclear"),
    ],
)
def test_languages_are_told_apart(text, language):
    assert language_of(text) == language


def test_rare_languages_are_grouped_and_missing_texts_are_missing():
    column = ["the cat is on the mat"] * 12 + ["das ist nicht die Katze"] * 3 + [None]
    attribute = Language(min_count=5).fit(column)
    names = np.array(attribute.values_)[attribute.transform(column)]
    assert list(names) == ["English"] * 12 + ["other"] * 3 + ["missing"]


def test_the_first_and_longest_term_is_meant():
    attribute = Which(["cat", "black cat", "Dog"], min_count=1).fit(["a black cat", "the dog and the cat", "catalogue"])
    names = np.array(attribute.values_)[attribute.transform(["A BLACK CAT", "DOG, cat", "catalogue", None])]
    assert list(names) == ["black cat", "Dog", "none", "missing"]
    with pytest.raises(ValueError, match="at least one term"):
        Which([])
