import pytest

from comoderate.plots import AnnotationsPerPostDisplay, Answers, AnswersDisplay


def test_counts_by_number_of_annotations():
    display = AnnotationsPerPostDisplay({"v": [1, 1, 3], "e": [2]})
    assert {name: list(c) for name, c in display.counts.items()} == {"v": [0, 2, 0, 1], "e": [0, 0, 1, 0]}


def test_many_annotations_share_the_last_bar():
    display = AnnotationsPerPostDisplay({"v": [1, 12, 13, 40]})
    assert display.counts["v"][-1] == 3
    assert [t.get_text() for t in display.plot().axes[0].get_xticklabels()][-1] == "12+"


def test_negative_numbers_are_refused():
    with pytest.raises(ValueError, match="negative"):
        AnnotationsPerPostDisplay({"v": [-1]})


def test_follow_ups_say_when_they_are_asked():
    questions = [
        Answers("Abusive?", ["no", "yes"], {"v": [0.9, 0.1]}, {"v": 100}),
        Answers("Type?", ["a"], {"v": [1.0]}, {"v": 10}, condition="if yes"),
    ]
    display = AnswersDisplay(questions)
    assert "Type? (if yes), v: a 100.0 %." in display.describe()
    assert display.plot().axes[1].get_title(loc="left").startswith("if yes: Type?\nasked 10 times of v")


def test_a_share_an_answer():
    with pytest.raises(ValueError, match="v needs 2 shares"):
        AnswersDisplay([Answers("q", ["no", "yes"], {"v": [0.9]}, {"v": 1})])
    with pytest.raises(ValueError, match="at least one question"):
        AnswersDisplay([])
