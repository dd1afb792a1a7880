"""Moderators' decisions: stored by the source that the queue gives them, and told apart."""

import pandas as pd
import pytest

from comoderate.errors import ComoderateError
from comoderate.study import Study, ratings
from comoderate.study.review_sections import audit_section


@pytest.fixture
def study(changing):
    return Study.open(changing)


def decide(study, path, decision="negative", moderator="mod-a", rows=20):
    queue = study.queue().head(rows)
    frame = pd.DataFrame({"post_id": queue["post_id"], "decision": decision, "moderator": moderator})
    frame.to_csv(path, index=False)
    return frame


def test_decisions_become_annotations_with_the_source_of_the_queue(study, tmp_path):
    decide(study, tmp_path / "d.csv", decision=["Abusive", "No", "positive", "negative"] * 5)
    counts = study.import_decisions(tmp_path / "d.csv")
    assert counts == (20, 5, 15, 20, 0)
    with study.store() as store:
        notes = store.snapshot(sources=["queue", "audit"])
    queue = study.queue().set_index("post_id")
    assert len(notes) == 20
    assert (notes["source"].to_numpy() == queue.loc[notes["post_id"], "source"].to_numpy()).all()
    assert set(notes["cohort"]) == {"moderators"}
    assert set(notes["answer"]) == {"Abusive", "No", "Problematic"}  # positive is the mildest positive answer
    assert set(notes["rater_id"]) == {"mod-a"}
    assert "queue" not in ratings.MEASURING


def test_importing_again_changes_nothing_and_a_changed_mind_replaces(study, tmp_path):
    decide(study, tmp_path / "d.csv")
    study.import_decisions(tmp_path / "d.csv")
    assert study.import_decisions(tmp_path / "d.csv")[3:] == (0, 0)
    decide(study, tmp_path / "d.csv", decision="positive", rows=3)
    assert study.import_decisions(tmp_path / "d.csv")[3:] == (3, 3)
    with study.store() as store:
        assert len(store.snapshot(sources=["queue", "audit"])) == 20


def test_the_audit_speaks_of_the_stream_and_the_queue_of_itself(study, tmp_path):
    queue = study.queue()
    said = ["positive" if source == "queue" else "negative" for source in queue["source"]]
    decide(study, tmp_path / "d.csv", decision=said)
    study.import_decisions(tmp_path / "d.csv")
    table = study.audit().set_index("slice")
    assert table.loc["audit", "value"] == 0
    assert table.loc["audit", "high"] > 0.3
    assert table.loc["queue", "value"] == 1
    assert pd.isna(table.loc["queue", "low"])
    assert table["posts"].tolist() == [5, 15]
    told = audit_section(study.audit()).sentences
    assert told[0].startswith("By the 5 audit posts")
    assert "nothing of the stream" in told[1]


def test_several_moderators_on_a_post_decide_by_the_targets_rule(study, tmp_path):
    for name, said in (("a", "positive"), ("b", "positive"), ("c", "negative")):
        decide(study, tmp_path / "d.csv", decision=said, moderator=name)
        study.import_decisions(tmp_path / "d.csv")
    assert study.audit()["value"].tolist() == [1, 1]


def test_decisions_are_known_after_the_queue_is_made_anew(study, tmp_path):
    before = decide(study, tmp_path / "d.csv")
    study.import_decisions(tmp_path / "d.csv")
    again = Study.open(study.folder)
    again.review()
    assert not set(again.queue()["post_id"]) & set(before["post_id"])  # decided posts are labelled now
    assert again.import_decisions(tmp_path / "d.csv")[3:] == (0, 0)
    assert again.audit()["posts"].sum() == 20


def test_decisions_measure_nothing_but_the_audit(study, tmp_path):
    before = study.result("prevalence")
    decide(study, tmp_path / "d.csv", decision="positive")
    study.import_decisions(tmp_path / "d.csv")
    pd.testing.assert_frame_equal(Study.open(study.folder).estimate(), before)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"post_id": "p9999"}, r"the post 'p9999' is not in the queue \(d.csv, column post_id, row 1\)"),
        ({"decision": "Perhaps"}, r"'Perhaps' is no decision \(d.csv, column decision, row 1\)"),
        ({"decision": None}, r"the decision is missing \(d.csv, column decision, row 1\)"),
        ({"moderator": None}, r"the moderator is missing \(d.csv, column moderator, row 1\)"),
    ],
)
def test_bad_files(study, tmp_path, change, said):
    frame = decide(study, tmp_path / "d.csv").astype(object)
    for column, value in change.items():
        frame.loc[0, column] = value
    frame.to_csv(tmp_path / "d.csv", index=False)
    with pytest.raises(ComoderateError) as caught:
        study.import_decisions(tmp_path / "d.csv")
    assert caught.match(said.split(r" \(")[0])
    assert "row 1" in str(caught.value)
    assert not (study.folder / "decisions.parquet").exists()


def test_no_queue_no_decisions(fresh, tmp_path):
    (tmp_path / "d.csv").write_text("post_id,decision,moderator\np0001,No,a\n")
    with pytest.raises(ComoderateError, match="there is no queue yet"):
        Study.open(fresh).import_decisions(tmp_path / "d.csv")
    assert Study.open(fresh).audit().empty


def test_targets_whose_question_takes_several_answers(changing, little, tmp_path):
    little.edit(changing, "[review]\n", '[review]\ntarget = "threat"\n')
    (tmp_path / "d.csv").write_text("post_id,decision,moderator\np0001,threat,a\n")
    with pytest.raises(ComoderateError, match="takes several answers"):
        Study.open(changing).import_decisions(tmp_path / "d.csv")
