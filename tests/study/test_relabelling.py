"""Which posts are worth another rating, and which divide their raters."""

import numpy as np
import pandas as pd
import pytest

from comoderate.codebook import Codebook, Question, Target
from comoderate.study.aggregating import label_table
from comoderate.study.relabelling import next_table, polarised_table

BOOK = Codebook(
    question={
        "problem": Question(text="?", kind="ordinal", answers=("no", "some", "much")),
        "tone": Question(text="?", answers=("kind", "rude")),
    }
)


def notes(*posts, question="tone", answers=None):
    """A row an answer: a string a post, its letters the first letters of answers."""
    names = {name[0]: name for name in (answers or BOOK.question[question].answers)}
    rows = [(f"p{n}", f"r{r}", names[letter]) for n, said in enumerate(posts) for r, letter in enumerate(said)]
    frame = pd.DataFrame(rows, columns=["post_id", "rater_id", "answer"])
    return frame.assign(cohort="v", source="sample", question=question)


def following(frame, weight=None, **rules):
    target = Target(question="tone", positive=("rude",), **rules)
    labels = label_table(frame, BOOK, "t", target)
    return next_table(frame, BOOK, labels, name="t", target=target, cohort="v", weight=weight)


POSTS = ("kkkkk", "kkkr", "kkr", "kr", "rrr", "r")


def test_split_posts_come_first_and_unanimous_ones_last():
    found = following(notes(*POSTS))
    assert found["post_id"].tolist()[0] == "p3"  # any further rating gives it a label
    chance = found.set_index("post_id")["flip_chance"]
    assert chance["p3"] == 1
    assert chance["p0"] == 0  # one more rating changes nothing
    assert 0 < chance["p5"] < 1
    assert found["n_ratings"].sum() == sum(map(len, POSTS))


def test_posts_that_stand_for_many_are_worth_more():
    weight = pd.Series({"p2": 10.0})
    found = following(notes(*POSTS), weight=weight, ties="negative").set_index("post_id")
    plain = following(notes(*POSTS), ties="negative").set_index("post_id")
    assert found.loc["p2", "weight"] == 10
    assert found.loc["p2", "flip_chance"] == plain.loc["p2", "flip_chance"]
    assert list(found.index).index("p2") <= list(plain.index).index("p2")


@pytest.mark.parametrize(
    ("aggregation", "never", "maybe"), [("any", ["p1", "p2", "p3", "p4"], ["p0"]), ("soft", ["p1", "p2"], ["p0", "p4"])]
)
def test_other_rules_have_other_flips(aggregation, never, maybe):
    chance = following(notes(*POSTS), aggregation=aggregation).set_index("post_id")["flip_chance"]
    assert (chance[never] == 0).all()
    assert (chance[maybe] > 0).all()


@pytest.mark.parametrize("aggregation", ["dawid_skene", "one_coin", "hierarchical"])
def test_models_say_how_sure_they_are(aggregation):
    rng = np.random.default_rng(2)
    truth = rng.random(80) < 0.5
    posts = ["".join("r" if t == (rng.random() < 0.8) else "k" for _ in range(5)) for t in truth]
    found = following(notes(*posts), aggregation=aggregation)
    assert found["flip_chance"].between(0, 1).all()
    assert found["flip_chance"].is_monotonic_decreasing
    sure = found[found["n_positive"].isin([0, 5])]
    assert (sure["flip_chance"] < 0.05).all()


def test_polarised_posts_of_an_ordinal_question():
    frame = notes("nnn", "nmnm", "nsm", "nm", "ssm", question="problem")
    found = polarised_table(frame, BOOK, Target(question="problem", at_least="some"), "v")
    assert found["post_id"].tolist() == ["p1", "p3", "p2"]
    assert found["answers"].tolist()[0] == "2 × no, 2 × much"


def test_polarised_posts_of_a_question_without_order():
    found = polarised_table(notes(*POSTS), BOOK, Target(question="tone", positive=("rude",)), "v")
    assert found["post_id"].tolist()[:2] == ["p2", "p3"]
    assert found["answers"].tolist()[1] == "1 × not positive, 1 × positive"


def test_gold_answers_do_not_polarise():
    frame = notes("kr", "kr").assign(source="gold")
    assert polarised_table(frame, BOOK, Target(question="tone", positive=("rude",)), "v").empty
