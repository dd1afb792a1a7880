"""Annotations out of a study and into another: the same rows come back, whatever the form."""

import json
import tracemalloc

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.errors import ComoderateError
from comoderate.study import Study
from comoderate.study.exchange import Rules, export_annotations, exported, import_exchange
from comoderate.study.exchange_forms import FORMS, guard, unguard
from comoderate.study.exchange_reading import form_of, json_items
from comoderate.study.starting import start
from comoderate.study.tables import measured

ALL = ["post_id", "rater_id", "cohort", "source", "codebook", "question", "answer", "created_at", "seconds"]


def live(study, columns=ALL):
    with study.store() as store:
        frame = store.snapshot()
    return frame[columns].sort_values(columns, ignore_index=True)


@pytest.fixture
def fresh(little, tmp_path):
    """The little study with its posts, before there are any annotations."""
    return little.copy(little.imported(annotations=False), tmp_path / "fresh")


@pytest.fixture
def empty(fresh, little):
    """A study with the same posts and codebook, and no annotations."""
    text = (fresh / "study.toml").read_text()
    start, end = text.index("[annotations.volunteers]"), text.index("[codebook]")
    text = text[:start] + text[end:]
    text = text.replace('at_least = "Problematic"', 'at_least = "Problematic"\ncohort = "volunteers"', 1)
    (fresh / "study.toml").write_text(text[: text.index("[target")] + text[text.index("[target") :])
    return fresh


@pytest.mark.parametrize("form", FORMS)
def test_every_form_brings_the_same_rows_back(ran, fresh, tmp_path, form):
    study, other = Study.open(ran), Study.open(fresh)
    other.import_posts()
    path = tmp_path / "out"
    assert export_annotations(study, path, form, raters="stored", texts=False) > 1_000
    assert form_of(path) == form
    counts = import_exchange(other, path)
    assert counts.appended == counts.answers == len(live(study))
    pd.testing.assert_frame_equal(live(other), live(study))
    ids = lambda s: set(live(s, ["response_id"])["response_id"])  # noqa: E731
    assert ids(other) == ids(study)
    again = import_exchange(other, path)
    assert (again.appended, again.known) == (0, counts.answers)


@pytest.mark.parametrize("form", FORMS)
def test_a_study_takes_its_own_export_for_what_it_has(changing, tmp_path, form):
    study = Study.open(changing)
    export_annotations(study, tmp_path / "out", form)
    assert import_exchange(study, tmp_path / "out").appended == 0


def test_raters_are_hashed_unless_asked_for(ran):
    study = Study.open(ran)
    hashed, stored = ("".join(exported(study, "long", raters=how)) for how in ("hashed", "stored"))
    assert "vol3" in stored
    assert "vol3" not in hashed
    assert "judge-a" not in hashed


@pytest.mark.slow
def test_answers_of_an_import_that_is_not_in_the_file_survive_the_next_agree(ran, fresh, little, tmp_path):
    export_annotations(Study.open(ran), tmp_path / "out.csv", "long", raters="stored")
    little.edit(fresh, "[annotations.experts]", "[annotations.judges]")
    study = Study.open(fresh)
    study.import_posts()
    counts = import_exchange(study, tmp_path / "out.csv")
    study.agree()
    with study.store() as store:
        held = store.snapshot()
    foreign = held["response_id"].str.startswith("exchange/").sum()
    assert 0 < foreign < counts.appended
    assert import_exchange(study, tmp_path / "out.csv").appended == 0


def test_files_of_other_tools_are_read(fresh, tmp_path):
    study = Study.open(fresh)
    study.import_posts()
    kit = tmp_path / "kit.csv"
    kit.write_text("task,worker,label,question\np0001,w1,No,problem\np0002,w1,Abusive,problem\n")
    with pytest.raises(ComoderateError, match="which cohort"):
        import_exchange(study, kit)
    assert import_exchange(study, kit, rules=Rules(cohort="crowd")).appended == 2
    tasks = [
        {"id": 5, "data": {"post_id": "p0003", "text": "hello"}, "annotations": [
            {"completed_by": 7, "lead_time": 3.5, "created_at": "2026-03-04T10:00:00.5Z", "result": [
                {"from_name": "problem", "to_name": "text", "type": "choices", "value": {"choices": ["Abusive"]}},
                {"from_name": "type", "to_name": "text", "type": "choices", "value": {"choices": ["insult", "threat"]}},
            ]},
            {"completed_by": {"email": "a@b.example"}, "was_cancelled": True, "result": []},
        ]},
    ]  # fmt: skip
    (tmp_path / "ls.json").write_text(json.dumps(tasks))
    assert import_exchange(study, tmp_path / "ls.json", rules=Rules(cohort="crowd")).appended == 3
    rows = live(study)
    assert set(rows.loc[rows["post_id"] == "p0003", "rater_id"]) == {"7"}
    wide = tmp_path / "wide.csv"
    wide.write_text(
        'post_id,rater_id,problem,type\np0004,w2,Abusive,"[""insult"",""threat""]"\np0005,w2,Abusive,insult\n'
    )
    assert import_exchange(study, wide, rules=Rules(cohort="crowd")).appended == 5


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("post_id,question,answer,cohort\np0001,problem,Maybe,c\n", "'Maybe' is no answer to 'problem'"),
        ("post_id,question,answer,cohort\np0001,mood,No,c\n", "'mood' is no question"),
        ("post_id,question,answer,cohort\nnowhere,problem,No,c\n", "'nowhere' was not imported"),
        ("post_id,question,answer,cohort,source\np0001,problem,No,c,rumour\n", "'rumour' is no source"),
        ("post_id,question,answer,cohort,codebook\np0001,problem,No,c,other@2\n", "another codebook"),
        ("post_id,question,answer,cohort,created_at\np0001,problem,No,c,soon\n", "is not a time"),
        ("post_id,question,answer,cohort\np0001,problem,No,a b/c\n", "cannot be a cohort"),
        ("apples,pears\n1,2\n", "none of the forms"),
        ("[{]", "no JSON list"),
        ('[{"data": {}}]', "no post_id"),
        ("[1]", "no task of Label Studio"),
        ('[{"data": {"post_id": "p0001"}, "annotations": [{"created_at": "soon", "result": []}]}]', "not a time"),
    ],
)
def test_a_bad_file_changes_nothing_and_says_where(fresh, tmp_path, content, said):
    study = Study.open(fresh)
    study.import_posts()
    good = "" if content[0] in "[a" else content.split("\n")[0] + "\n"
    path = tmp_path / "bad.csv"
    path.write_text(content)
    with pytest.raises(ComoderateError, match=said):
        import_exchange(study, path)
    assert live(study).empty
    assert good == "" or good in content


def test_what_is_unknown_can_be_dropped_or_kept_apart(fresh, tmp_path):
    study = Study.open(fresh)
    study.import_posts()
    path = tmp_path / "a.csv"
    path.write_text(
        "post_id,question,answer,cohort,codebook\np0001,problem,No,c,\nnowhere,problem,No,c,\np0002,mood,Fine,c,old@1\n"
    )
    dropped = import_exchange(study, path, rules=Rules(unknown_posts="drop", other_codebooks="drop"))
    assert tuple(dropped) == (3, 1, 0, 1, 1)
    kept = import_exchange(study, path, rules=Rules(unknown_posts="drop", other_codebooks="keep"))
    assert kept.appended == 1


def test_an_empty_study_exports_a_heading(fresh):
    study = Study.open(fresh)
    assert "".join(exported(study, "long")).startswith("response_id,post_id")
    assert json.loads("".join(exported(study, "label-studio"))) == []


def test_texts_are_anonymised(ran):
    tasks = json.loads("".join(exported(Study.open(ran), "label-studio")))
    texts = [task["data"]["text"] for task in tasks]
    assert all(texts)
    assert not any("@someone" in text for text in texts)
    assert "text" in "".join(exported(Study.open(ran), "crowd-kit", texts=True)).split("\n")[0]


def test_one_question_is_what_crowd_kit_takes(ran):
    from crowdkit.aggregation import MajorityVote

    text = "".join(exported(Study.open(ran), "crowd-kit", question="problem"))
    import io

    frame = pd.read_csv(io.StringIO(text))
    assert len(MajorityVote().fit_predict(frame[["task", "worker", "label"]])) == frame["task"].nunique()
    with pytest.raises(ComoderateError, match="no question"):
        exported(Study.open(ran), "crowd-kit", question="mood")


@given(st.text(max_size=8))
def test_no_cell_is_a_formula_and_every_cell_comes_back(cell):
    shown = guard(cell)
    assert unguard(shown) == cell
    assert shown[:1] not in {"=", "@"}


def test_json_is_read_item_by_item(tmp_path):
    path = tmp_path / "items.json"
    items = [{"n": n, "text": "]}, {" * 50} for n in range(10_000)]
    path.write_text("\n " + json.dumps(items))
    tracemalloc.start()
    assert sum(one["n"] for one in json_items(path)) == sum(range(10_000))
    assert tracemalloc.get_traced_memory()[1] < 12e6
    tracemalloc.stop()
    path.write_text('{"n": 1}')
    assert list(json_items(path)) == [{"n": 1}]
    for cut in ("[", '[{"n": 1}', '[{"n": 1},'):
        path.write_text(cut)
        with pytest.raises(ComoderateError, match="no end"):
            list(json_items(path))


def test_a_file_of_crowd_kit_is_told_its_question(changing, tmp_path):
    study = Study.open(changing)
    post = study.posts().frame(["post_id"])["post_id"].iloc[0]
    (tmp_path / "in.csv").write_text(f"task,worker,label\n{post},w,No\n")
    with pytest.raises(ComoderateError, match="not said which question"):
        import_exchange(study, tmp_path / "in.csv", rules=Rules(cohort="crowd"))
    with pytest.raises(ComoderateError, match="no question 'mood'"):
        import_exchange(study, tmp_path / "in.csv", rules=Rules(cohort="crowd", question="mood"))
    assert import_exchange(study, tmp_path / "in.csv", rules=Rules(cohort="crowd", question="problem")).appended == 1


def test_answers_from_a_file_alone_make_a_cohort_that_counts(tmp_path):
    posts = pd.DataFrame({"post_id": [f"p{i}" for i in range(40)], "text": [f"mild text {i}" for i in range(40)]})
    posts.to_csv(tmp_path / "posts.csv", index=False)
    start(tmp_path / "study", posts=tmp_path / "posts.csv", codebook="short")
    answers = posts[["post_id"]].assign(rater="ann", problem=["No", "Abusive"] * 20)
    answers.to_csv(tmp_path / "answers.csv", index=False)
    study = Study.open(tmp_path / "study")
    study.import_posts()
    with pytest.raises(ComoderateError, match="--cohort"):
        import_exchange(study, tmp_path / "answers.csv")
    import_exchange(study, tmp_path / "answers.csv", rules=Rules(cohort="us"))
    study.relabel()
    assert study.cohorts == ("us",)
    assert measured(study) == [("main", "us")]
    assert set(study.annotations()["rater_id"]) == {"ann"}
    answers.rename(columns={"problem": "abusive"}).to_csv(tmp_path / "answers.csv", index=False)
    with pytest.raises(ComoderateError, match="no column is a question"):
        import_exchange(study, tmp_path / "answers.csv", rules=Rules(cohort="us"))
