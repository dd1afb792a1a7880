"""The words of the pages."""

from __future__ import annotations

from comoderate.web import words


def test_every_language_says_all_and_has_the_same_places_to_fill():
    english = words.known("en")
    for language in words.languages():
        assert words.known(language).keys() == english.keys(), language
        for key, text in words.known(language).items():
            if "{" in text:
                assert {part.partition("}")[0] for part in text.split("{")[1:]} <= {
                    part.partition("}")[0] for part in english[key].split("{")[1:]
                }


def test_words_fall_back_to_english_and_take_a_studys_own():
    spoken = words.Words("xx", {"work.skip": "Weiter"})
    assert spoken("work.skip") == "Weiter"
    assert spoken("work.undo") == "Undo"
    assert spoken.plural("work.done", 1) == "1 post done"
    assert spoken.plural("work.done", 1200) == "1,200 posts done"
    assert spoken("work.covered", n="{reveal}") == "The post is covered. It has about {reveal} words."
    assert (words.direction("ar-EG"), words.direction("en")) == ("rtl", "ltr")
