"""Importing annotations from long, wide, one-hot and count tables."""

import pandas as pd
import pytest

from comoderate.annotation import Store
from comoderate.codebook import Codebook, Question
from comoderate.errors import ComoderateError
from comoderate.study.annotating import import_annotations, withdraw_others
from comoderate.study.settings import AnnotationsSettings

CODEBOOK = Codebook(
    name="test",
    question={
        "problem": Question(text="?", kind="ordinal", answers=("no", "some", "much")),
        "type": Question(text="?", kind="multiple", answers=("insult", "threat"), when={"problem": ["some", "much"]}),
        "note": Question(text="?", kind="text"),
    },
)
LONG = {"form": "long", "cohort": "v", "rater_id": "who", "question": "q", "answer": "a"}
WIDE = {"form": "wide", "cohort": "v", "rater_id": "who", "columns": {"problem": "p"}}
ONE_HOT = {"form": "one-hot", "cohort": "v", "rater_id": "who", "answers": {"problem": {"no": "n", "much": "m"}}}
COUNTS = {"form": "counts", "cohort": "v", "answers": {"problem": {"no": "n", "much": "m"}}}


@pytest.fixture
def run(tmp_path):
    """Imports a table; gives the counts and the annotations that are then in the store."""
    made = []

    def go(text, settings, name="x", known=("a", "b", "c")):
        path = tmp_path / "file.csv"
        path.write_text(text)
        store = Store(f"sqlite:///{tmp_path / 'annotations.db'}")
        made.append(store)
        counts = import_annotations(
            store, name, path, AnnotationsSettings(**settings), codebook=CODEBOOK, known_posts=pd.Index(known),
            post_id="id",
        )  # fmt: skip
        return counts, store.snapshot()

    yield go
    for store in made:
        store.close()


def answers(snapshot, *columns):
    return sorted(
        map(tuple, snapshot[list(columns or ("post_id", "rater_id", "question", "answer"))].to_numpy().tolist())
    )


def test_long(run):
    counts, found = run(
        "id,who,q,a\na,r1,problem,much\na,r1,type,insult\na,r1,type,threat\na,r2,problem,no\nb,r1,note,hm\n", LONG
    )
    assert counts == (5, 5, 0, 0, 0)
    assert answers(found) == [
        ("a", "r1", "problem", "much"), ("a", "r1", "type", "insult"), ("a", "r1", "type", "threat"),
        ("a", "r2", "problem", "no"), ("b", "r1", "note", "hm"),
    ]  # fmt: skip
    assert set(found["codebook"]) == {"test@1"}
    assert set(found["source"]) == {"import"}


def test_wide_leaves_empty_cells_out(run):
    _, found = run("id,who,p\na,r1,some\nb,r1,\n", WIDE)
    assert answers(found) == [("a", "r1", "problem", "some")]


def test_one_hot(run):
    _, found = run("id,who,n,m\na,r1,1,0\na,r2,0,1\nb,r1,,\n", ONE_HOT)
    assert answers(found) == [("a", "r1", "problem", "no"), ("a", "r2", "problem", "much")]


def test_counts_are_a_row_a_vote_without_raters(run):
    _, found = run("id,n,m\na,2,1\nb,0,3\n", COUNTS)
    assert found["rater_id"].isna().all()
    assert found.groupby(["post_id", "answer"]).size().to_dict() == {("a", "no"): 2, ("a", "much"): 1, ("b", "much"): 3}


def test_several_ticks_where_the_question_takes_several(run):
    settings = {**ONE_HOT, "answers": {"type": {"insult": "n", "threat": "m"}}}
    _, found = run("id,who,n,m\na,r1,1,1\n", settings)
    assert answers(found, "answer") == [("insult",), ("threat",)]
    with pytest.raises(ComoderateError, match="row 1: two answers to 'problem' are ticked"):
        run("id,who,n,m\na,r1,1,1\n", ONE_HOT)


def test_recode_and_one_name_for_all(run):
    settings = {**WIDE, "rater_id": None, "rater": "adjudicated", "recode": {"problem": {"2": "much"}}}
    _, found = run("id,p\na,2\n", settings)
    assert answers(found) == [("a", "adjudicated", "problem", "much")]


def test_times_and_seconds(run):
    _, found = run("id,who,p,at,s\na,r1,no,2020-01-01T10:00:00Z,7.5\n", {**WIDE, "created_at": "at", "seconds": "s"})
    assert found["created_at"][0] == pd.Timestamp("2020-01-01 10:00", tz="UTC")
    assert found["seconds"][0] == 7.5


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("id,who,q,a\na,r,problem,no\na,r,problem,much\n", LONG),
        ("id,who,p\na,r,no\na,r,much\n", WIDE),
        ("id,who,n,m\na,r,1,0\na,r,0,1\n", ONE_HOT),
    ],
)
def test_a_rater_who_judged_twice(run, text, settings):
    with pytest.raises(ComoderateError, match=r"file\.csv, row 2: rater 'r' judged post 'a' twice"):
        run(text, settings)
    counts, found = run(text, {**settings, "duplicates": "first"})
    assert counts.dropped_duplicates == 1
    assert found["answer"].tolist() == ["no"]
    counts, found = run(text, {**settings, "duplicates": "last"})
    assert found["answer"].tolist() == ["much"]
    assert (counts.appended, counts.withdrawn) == (1, 1)


def test_two_answers_to_a_question_that_takes_several_are_no_repetition(run):
    counts, _ = run("id,who,q,a\na,r,type,insult\na,r,type,threat\n", LONG)
    assert counts.appended == 2
    with pytest.raises(ComoderateError, match="twice"):
        run("id,who,q,a\na,r,type,insult\na,r,type,insult\n", LONG)


def test_a_post_whose_votes_stand_twice(run):
    with pytest.raises(ComoderateError, match="the votes on post 'a' stand twice"):
        run("id,n,m\na,2,1\na,0,3\n", COUNTS)
    _, found = run("id,n,m\na,2,1\na,0,3\n", {**COUNTS, "duplicates": "last"})
    assert found["answer"].tolist() == ["much"] * 3


def test_unknown_posts(run):
    text = "id,who,p\na,r,no\nz,r,no\n"
    with pytest.raises(ComoderateError, match=r"file\.csv, row 2: the post 'z' was not imported"):
        run(text, WIDE)
    counts, found = run(text, {**WIDE, "unknown_posts": "drop"})
    assert counts.dropped_unknown_posts == 1
    assert found["post_id"].tolist() == ["a"]


def test_importing_again_is_safe_and_a_change_replaces(run):
    text = "id,who,p\na,r1,no\nb,r1,much\n"
    first, before = run(text, WIDE)
    again, after = run(text, WIDE)
    assert (first.appended, again.appended, again.withdrawn) == (2, 0, 0)
    pd.testing.assert_frame_equal(before, after)
    changed, found = run("id,who,p\na,r1,some\nb,r1,much\n", WIDE)
    assert (changed.appended, changed.withdrawn) == (1, 1)
    assert answers(found, "post_id", "answer") == [("a", "some"), ("b", "much")]


def test_two_imports_live_side_by_side(run):
    run("id,who,p\na,r1,no\n", WIDE, name="one")
    _, found = run("id,who,p\na,r1,much\n", {**WIDE, "cohort": "e"}, name="two")
    assert answers(found, "cohort", "answer") == [("e", "much"), ("v", "no")]


@pytest.mark.parametrize(
    ("change", "column", "value"),
    [({"cohort": "e"}, "cohort", "e"), ({"source": "gold"}, "source", "gold"), ({"seconds": "s"}, "seconds", 5.0)],
)
def test_what_is_said_of_all_answers_can_be_changed(run, change, column, value):
    run("id,who,p,s\na,r1,no,5\n", WIDE)
    counts, found = run("id,who,p,s\na,r1,no,5\n", {**WIDE, **change})
    assert (counts.appended, counts.withdrawn) == (1, 1)
    assert found[column].tolist() == [value]


def test_an_import_that_is_gone_is_withdrawn(run, tmp_path):
    run("id,who,p\na,r1,no\nb,r1,no\n", WIDE, name="old")
    run("id,who,p\na,r1,much\n", WIDE, name="new")
    with Store(f"sqlite:///{tmp_path / 'annotations.db'}") as store:
        web = {"post_id": "a", "cohort": "v", "source": "sample", "codebook": "test@1", "question": "problem"}
        store.append([{**web, "response_id": "web/1", "rater_id": "r", "answer": "no"}])
        assert withdraw_others(store, ["new"]) == 2
        assert withdraw_others(store, ["new"]) == 0
        assert sorted(store.snapshot()["response_id"].str.split("/").str[0]) == ["import", "web"]


@pytest.mark.parametrize(
    ("text", "settings", "said"),
    [
        ("id,who,q,a\na,r,mood,no\n", LONG, "column q, row 1: 'mood' is no question of the codebook"),
        ("id,who,q,a\na,r,problem,no\na,r,type,hate\n", LONG, "column a, row 2: 'hate' is no answer to 'type'"),
        ("id,who,p\na,r,No\n", WIDE, "column p, row 1: 'No' is no answer to 'problem'"),
        ("id,who,p\na,,no\n", WIDE, "column who, row 1: the rater is missing"),
        ("id,who,p\n,r,no\n", WIDE, "column id, row 1: the id is missing"),
        ("id,n,m\na,-1,1\n", COUNTS, "column n, row 1: '-1' is not a number of votes"),
        ("id,who,n,m\na,r,x,0\n", ONE_HOT, "column n, row 1: 'x' is neither 1 nor 0"),
        ("id,who,x\na,r,no\n", WIDE, "column 'p'"),
    ],
)
def test_what_breaks_a_rule_leaves_the_store_as_it_was(run, text, settings, said):
    _, before = run("id,who,p\na,r0,no\n", WIDE)
    with pytest.raises(ComoderateError, match=said):
        run(text, settings)
    _, after = run("id,who,p\na,r0,no\n", WIDE)
    pd.testing.assert_frame_equal(before, after)
