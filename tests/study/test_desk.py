"""The desk of a study: the queue goes to it, decisions come back, and its numbers say what they should."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pandas as pd
import pytest

from comoderate.annotation import add_rater, ask_second, claim, decide, desk_progress, open_database, undo_decision
from comoderate.errors import ComoderateError
from comoderate.study import Study, desk
from comoderate.study.desk import QUEUE, DeskKeeper, bring, choices, collect, decision_frame, rules
from comoderate.study.desk_numbers import LiveDesk, numbers, outcomes

NOW = datetime(2026, 5, 4, 9, tzinfo=UTC)


@pytest.fixture
def desked(changing, little):
    """A study whose queue is on the desk, its database, and two moderators."""
    little.edit(changing, "audit_share = 0.25", "audit_share = 0.25\n[review.desk]\nsecond_share = 0.0")
    study = Study.open(changing)
    with open_database(study.store_url) as db:
        bring(study, db)
        people = [add_rater(db, role="moderator", cohort="moderators").rater_id for _ in range(2)]
        yield study, db, people


def work(db, who, n, answer=None, seconds=5.0):
    """Decide on the next ``n`` posts: as told, else by the text."""
    done = []
    for number in range(n):
        offer = claim(db, QUEUE, who)
        if offer.item is None:
            break
        said = answer or ("Abusive" if any(w in offer.item.text for w in ("numpty", "windbag", "weasel")) else "No")
        done.append(
            decide(
                db, who, offer.item.item_id, said, idempotency_key=f"{who}{number}{datetime.now(UTC)}", seconds=seconds
            )
        )
    return done


def test_the_queue_is_on_the_desk_in_its_order_and_nothing_tells_audits_apart(desked):
    study, db, (one, _) = desked
    queue = study.queue()
    assert desk_progress(db, QUEUE).waiting == len(queue) == 20
    seen = []
    while (offer := claim(db, QUEUE, one)).item is not None:
        item = offer.item
        assert item.withheld
        assert (item.source, item.reason, item.proba, item.review_score, item.rank, item.pi) == (None,) * 6
        assert "@someone" not in item.text
        seen.append(item.post_id)
        decide(db, one, item.item_id, "No", idempotency_key=item.post_id)
    assert seen == queue["post_id"].tolist()


def test_decisions_flow_back_with_their_source(desked):
    study, db, (one, _two) = desked
    work(db, one, 8)
    undo_decision(db, one, queue=QUEUE)
    assert collect(study, db) == 7
    assert collect(study) == 7
    with study.store() as store:
        held = store.snapshot()
    mine = held[held["rater_id"] == one]
    assert len(mine) == 7
    expected = study.queue().set_index("post_id")["source"].reindex(mine["post_id"])
    assert mine["source"].tolist() == expected.tolist()
    assert set(mine["source"]) == {"audit", "queue"}
    assert (mine["cohort"] == "moderators").all()
    table = study.audit()
    assert table.loc[table["slice"] == "audit", "posts"].iloc[0] == (expected == "audit").sum()
    study.agree()


@pytest.mark.slow
def test_agree_takes_in_what_was_decided_since(desked):
    study, db, (one, _) = desked
    work(db, one, 3)
    study.agree()
    assert (study.annotations()["rater_id"] == one).sum() == 3
    undo_decision(db, one, queue=QUEUE)
    again = Study.open(study.folder)
    again.agree()
    assert (again.annotations()["rater_id"] == one).sum() == 2


def test_decisions_from_a_file_and_from_the_desk_live_side_by_side(desked, tmp_path):
    study, db, (one, _) = desked
    work(db, one, 3)
    collect(study, db)
    path = tmp_path / "decided.csv"
    posts = study.queue()["post_id"].tolist()
    path.write_text(f"post_id,decision,moderator\n{posts[5]},positive,Ada\n{posts[0]},negative,Ada\n")
    study.import_decisions(path)
    assert len(study.audit()) == 2
    collect(study, db)
    with study.store() as store:
        held = store.snapshot()
    decided = held[held["response_id"].str.startswith("decision/")]
    assert sorted(decided["rater_id"].value_counts().tolist()) == [2, 3]


def test_the_desk_follows_a_queue_that_is_made_anew(desked, little):
    study, db, (one, _) = desked
    keeper = DeskKeeper(study, db)
    assert keeper.bring() is not None
    assert keeper.bring() is None
    work(db, one, 2)
    little.edit(study.folder, "capacity = 20", "capacity = 30")
    again = Study.open(study.folder)
    again.review()
    assert DeskKeeper(again, db).bring().added > 0
    progress = desk_progress(db, QUEUE)
    assert progress.decided == 2
    assert progress.waiting >= 28


def test_a_question_with_several_answers_cannot_be_decided(changing, little):
    little.edit(changing, "[review]", '[review]\ntarget = "threat"')
    with pytest.raises(ComoderateError, match="cannot be decided"):
        rules(Study.open(changing))


def test_choices_are_the_answers_those_that_keep_first(ran):
    made = choices(Study.open(ran))
    assert [(one.answer, one.verb) for one in made] == [
        ("No", "keep"),
        ("Problematic", "remove"),
        ("Abusive", "remove"),
    ]


def frame(*rows):
    base = {"source": "queue", "proba": 0.4, "threshold": 0.5, "seconds": 6.0, "stage": "first", "pi": np.nan}
    made = [
        {**base, "target": "abusive", "decided_at": NOW + timedelta(minutes=n), **row} for n, row in enumerate(rows)
    ]
    return pd.DataFrame(made).assign(decided_at=lambda t: pd.to_datetime(t["decided_at"], utc=True))


def test_outcomes_by_hand(ran):
    made = frame(
        {"post_id": "a", "action": "Abusive", "actor": "x"},
        {"post_id": "b", "action": "No", "actor": "x"},
        {"post_id": "b", "action": "Abusive", "actor": "y", "stage": "second"},
        {"post_id": "c", "action": "escalate", "actor": "x"},
        {"post_id": "c", "action": "No", "actor": "z", "stage": "escalated", "seconds": 10.0},
        {"post_id": "d", "action": "No", "actor": "x", "source": "audit", "pi": 0.1, "proba": 0.9},
        {"post_id": "e", "action": "No", "actor": "x", "proba": np.nan, "seconds": np.nan},
    )
    found = outcomes(made, ("Problematic", "Abusive")).set_index("post_id")
    assert found["positive"].to_dict() == {"a": True, "b": True, "c": False, "d": False, "e": False}
    assert found["wrong"].fillna(-1).to_dict() == {"a": 1, "b": 1, "c": 0, "d": 1, "e": -1}
    assert found["overturned"].fillna(-1).to_dict() == {"a": -1, "b": 1, "c": -1, "d": -1, "e": -1}
    assert found.loc["c", "seconds"] == 16
    assert np.isnan(found.loc["e", "seconds"])
    study = Study.open(ran)
    told = numbers(made, study, rules(study))
    assert told["efficiency"]["value"] == pytest.approx(2 / 3)
    assert told["efficiency"]["low"] < 2 / 3 < told["efficiency"]["high"]
    assert told["audit"]["n"] == 1
    assert told["people"][0] == {"actor": "x", "decisions": 4, "seconds": 6.0}
    assert told["experiment"] == []


def test_nothing_decided_yet_says_so(ran):
    study = Study.open(ran)
    told = numbers(frame({"post_id": "a", "action": "No", "actor": "x"}).iloc[:0], study, rules(study))
    assert told["posts"] == 0
    assert told["efficiency"]["reason"]
    assert told["agreement"]["reason"]
    assert told["audit"]["reason"]


def test_agreement_counts_only_posts_that_chance_sent_twice(changing, little):
    little.edit(changing, "audit_share = 0.25", "audit_share = 0.25\n[review.desk]\nsecond_share = 0.5")
    study = Study.open(changing)
    with open_database(study.store_url) as db:
        bring(study, db)
        one, two, three = (add_rater(db, role="moderator", cohort="moderators").rater_id for _ in range(3))
        for turn in range(60):
            who = (one, two, three)[turn % 3]
            offer = claim(db, QUEUE, who)
            if offer.item is not None:
                act = ask_second if turn % 7 == 0 and offer.item.stage == "first" else decide
                act(db, who, offer.item.item_id, "No" if turn % 2 else "Abusive", idempotency_key=str(turn))
        made = decision_frame(db)
        twice = made.groupby("post_id").size()
        told = LiveDesk(study, db).numbers()
        assert 0 < told["read_twice"] < (twice > 1).sum()
        assert told["agreement"]["low"] <= told["agreement"]["value"] <= told["agreement"]["high"]


def test_an_experiment_goes_round(changing, little):
    little.edit(changing, "audit_share = 0.25", 'audit_share = 0.1\n[review.experiment]\nagainst = "toxicity"')
    study = Study.open(changing)
    study.review()
    queue = study.queue()
    assert {"arm", "chance"} <= set(queue.columns)
    with open_database(study.store_url) as db:
        bring(study, db)
        bring(study, db)
        assert len(list((changing / desk.ROUNDS).glob("*.parquet"))) == 1
        one, two = (add_rater(db, role="moderator", cohort="moderators").rater_id for _ in range(2))
        work(db, one, 9)
        half = LiveDesk(study, db).numbers()
        work(db, two, 20)
        live = LiveDesk(study, db)
        whole = live.numbers()
        assert whole is live.numbers()
    assert 0 < half["experiment_posts"] < whole["experiment_posts"] == 18
    rows = {(row["measure"], row["strategy"]): row for row in whole["experiment"]}
    assert {name for _, name in rows} == {"uncertainty", "toxicity", "difference"}
    assert rows["efficiency", "difference"]["value"] == pytest.approx(
        rows["efficiency", "uncertainty"]["value"] - rows["efficiency", "toxicity"]["value"]
    )


def test_two_who_disagree_are_settled_by_a_third_whose_decision_is_the_majoritys(changing, little):
    little.edit(changing, "audit_share = 0.25", "audit_share = 0.25\n[review.desk]\nsecond_share = 1.0")
    study = Study.open(changing)
    assert (rules(study).third_reader, rules(study).escalate_disagreement) == (True, False)
    with open_database(study.store_url) as db:
        bring(study, db)
        people = [add_rater(db, role="moderator", cohort="moderators").rater_id for _ in range(3)]
        for who, said in zip(people, ("No", "Abusive", "Abusive"), strict=True):
            work(db, who, 1, said)
        table = outcomes(decision_frame(db), ("Problematic", "Abusive"))
        assert table[["readings", "positive", "overturned"]].values.tolist() == [[3, True, 1.0]]
        told = numbers(decision_frame(db), study, rules(study))
        assert (told["read_twice"], told["agreement"]["value"], told["agreement"]["few"]) == (1, 0.0, True)
    little.edit(changing, "second_share = 1.0", 'second_share = 1.0\ndisagreement = "stands"')
    assert not rules(Study.open(changing)).third_reader
