"""What raters read in their language, and posts that a codebook brings itself."""

import pytest
from pydantic import ValidationError

from comoderate.codebook import Codebook, ExamplePost, answer_text, in_language, localised

PLAIN = {"problem": {"text": "Is it unkind?", "answers": ["No", "Yes"], "definitions": {"Yes": "It hurts."}}}
GERMAN = {
    "name": "Deutsch",
    "question": {
        "problem": {"text": "Ist es unfreundlich?", "answers": {"Yes": "Ja"}, "definitions": {"No": "Nichts."}}
    },
    "care": {"warning": "Vorsicht."},
}


def book(**more) -> Codebook:
    return Codebook.model_validate({"question": PLAIN, "care": {"warning": "Careful.", "consent": "Yes?"}, **more})


def test_a_translation_changes_what_is_read_and_not_what_is_stored():
    codebook = book(language={"de": GERMAN})
    shown = localised(codebook, "de")
    assert shown.question["problem"].text == "Ist es unfreundlich?"
    assert shown.question["problem"].answers == ("No", "Yes")
    assert shown.question["problem"].definitions == {"Yes": "It hurts.", "No": "Nichts."}
    assert (shown.care.warning, shown.care.consent) == ("Vorsicht.", "Yes?")
    assert answer_text(codebook, "de", "problem", "Yes") == "Ja"
    assert answer_text(codebook, "de", "problem", "No") == "No"
    assert answer_text(codebook, "fr", "problem", "Yes") == "Yes"
    assert localised(codebook, "fr") == codebook


def test_the_digest_changes_with_what_is_asked_and_with_nothing_else():
    assert book().digest == book(language={"de": GERMAN}).digest
    assert book().digest == book(tutorial=[{"text": "a", "answers": {"problem": "No"}}]).digest
    assert book().digest != book(version="2").digest
    other = {"problem": {**PLAIN["problem"], "definitions": {"Yes": "It may hurt."}}}
    assert book().digest != book(question=other).digest


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"tutorial": [{"text": "a", "answers": {"colour": "No"}}]}, "tutorial post 1 names the question 'colour'"),
        ({"gold": [{"text": "a", "answers": {"problem": "Maybe"}}]}, "gold post 1 names the answer 'Maybe'"),
        ({"qualification": {"post": [{"text": "a", "answers": {"problem": "X"}}]}}, "qualification post 1"),
        ({"care": {"after": {"problem": ["X"]}}}, "care.after"),
        ({"language": {"de": {"question": {"problem": {"answers": {"X": "Y"}}}}}}, "language.de"),
        ({"care": {"resources": [{"name": "a", "url": "javascript:1"}]}}, "pattern"),
    ],
)
def test_what_a_codebook_does_not_have_is_refused(more, message):
    with pytest.raises(ValidationError, match=message):
        book(**more)


def test_posts_are_right_where_all_named_answers_are():
    post = ExamplePost(text="a", answers={"problem": "Yes", "kind": ["x", "y"]})
    assert post.right({"problem": {"Yes"}, "kind": {"x", "y"}, "note": {"z"}})
    assert not post.right({"problem": {"Yes"}, "kind": {"x"}})
    assert not post.right({})


def test_posts_in_the_readers_language_come_alone():
    own = ExamplePost(text="a", answers={"problem": "No"}, language="de")
    plain = ExamplePost(text="b", answers={"problem": "No"})
    assert in_language((own, plain), "de") == (own,)
    assert in_language((own, plain), "fr") == (plain,)
