"""The codebooks that come with Comoderate."""

import pytest

from comoderate.codebook.ready import READY, ready_codebook, ready_toml


@pytest.mark.parametrize("name", READY)
def test_a_ready_codebook_is_whole(name):
    codebook = ready_codebook(name)
    assert codebook.label == f"{name}@1"
    assert codebook.tutorial
    assert codebook.qualification is not None
    assert codebook.care.resources
    assert ready_toml(name).startswith("#")
    posts = (*codebook.tutorial, *codebook.qualification.post)
    assert all(post.explanation for post in posts)
    assert all(set(post.answers) <= set(codebook.asked({k: set(v) for k, v in post.answers.items()})) for post in posts)


def test_troll_patrols_questions_are_those_of_the_paper():
    codebook = ready_codebook("troll-patrol")
    assert codebook.question["problem"].answers == ("No", "Problematic", "Abusive")
    assert len(codebook.question["type"].answers) == 7
    assert not codebook.question["medium"].required
    assert codebook.asked({"problem": {"No"}}) == ["problem"]
    assert codebook.asked({"problem": {"Problematic"}}) == ["problem", "type", "medium"]
    for question in codebook.question.values():
        assert set(question.definitions) == set(question.answers)
