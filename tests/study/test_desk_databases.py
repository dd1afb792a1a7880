"""Exchange and the desk on SQLite and on PostgreSQL: the same code, the same rows."""

import csv
import io

import numpy as np
import pandas as pd
import pytest

from comoderate import review
from comoderate.annotation import add_rater, claim, decide, desk_progress, open_database, undo_decision
from comoderate.study import Study, cases
from comoderate.study.desk import QUEUE, bring, collect, decision_frame
from comoderate.study.desk_numbers import LiveDesk
from comoderate.study.exchange import export_annotations, exported, import_exchange

SENT = """response_id,post_id,rater_id,cohort,question,answer,created_at,seconds
a1,p0001,v1,volunteers,problem,Abusive,2026-04-01T10:00:00.25Z,3.5
a2,p0001,v1,volunteers,type,insult,2026-04-01T10:00:00.25Z,3.5
a3,p0001,v1,volunteers,type,threat,2026-04-01T10:00:00.25Z,3.5
a4,p0002,,volunteers,problem,No,,
"""


def moved(folder, database_url):
    """The study, with its annotations in another database from now on."""
    with (folder / "study.toml").open("a") as file:
        file.write(f"\n[web]\ndatabase = '{database_url}'\n")
    return Study.open(folder)


@pytest.fixture
def elsewhere(changing, database_url):
    """The little study after a run, with its annotations in another database."""
    return moved(changing, database_url)


@pytest.mark.parametrize("form", ["wide", "label-studio"])
def test_what_goes_in_comes_out(elsewhere, tmp_path, form):
    (tmp_path / "in.csv").write_text(SENT)
    assert import_exchange(elsewhere, tmp_path / "in.csv").appended == 4
    export_annotations(elsewhere, tmp_path / "out", form, raters="stored")
    assert import_exchange(elsewhere, tmp_path / "out").known == 4
    with elsewhere.store() as store:
        frame = store.snapshot().set_index("response_id")
    assert frame.loc["a1", "created_at"] == pd.Timestamp("2026-04-01T10:00:00.25Z")
    assert frame.loc["a4", "rater_id"] is None


def test_decisions_flow_back(elsewhere):
    with open_database(elsewhere.store_url) as db:
        bring(elsewhere, db)
        who = add_rater(db, role="moderator", cohort="moderators").rater_id
        for n in range(5):
            item = claim(db, QUEUE, who).item
            decide(db, who, item.item_id, "No", idempotency_key=str(n), seconds=2.0)
        undo_decision(db, who, queue=QUEUE)
        assert LiveDesk(elsewhere, db).numbers()["posts"] == 4
        sent = list(csv.DictReader(io.StringIO("".join(exported(elsewhere, "long", raters="stored")))))
        assert sum(row["rater_id"] == who for row in sent) == 4  # also where nobody collected them before
        assert collect(elsewhere, db) == 4
    with elsewhere.store() as store:
        frame = store.snapshot()
    assert (frame["rater_id"] == who).sum() == 4


def test_decisions_of_another_study_stay_whatever_the_own_desk_decides(elsewhere, tmp_path):
    post = elsewhere.queue()["post_id"].iloc[-1]
    (tmp_path / "in.csv").write_text(
        f"response_id,post_id,rater_id,cohort,source,question,answer\ndecision/1,{post},m,moderators,queue,problem,No\n"
        "web/1/0,gold-0123,m,moderators,gold,problem,No\n"  # on a post of the codebook, not of the study
    )
    assert import_exchange(elsewhere, tmp_path / "in.csv").appended == 2
    assert import_exchange(elsewhere, tmp_path / "in.csv").known == 2
    with open_database(elsewhere.store_url) as db:
        bring(elsewhere, db)
        who = add_rater(db, role="moderator", cohort="moderators").rater_id
        decide(db, who, claim(db, QUEUE, who).item.item_id, "No", idempotency_key="1")
        assert collect(elsewhere, db) == 1
    with elsewhere.store() as store:
        assert {who, "m"} <= set(store.snapshot()["rater_id"])


@pytest.fixture(scope="module")
def doubtful(ran, little, tmp_path_factory):
    """The little study with a queue that sends posts whose label is doubtful to two moderators: its folder."""
    folder = little.copy(ran, tmp_path_factory.mktemp("doubtful") / "study")
    bound = float(np.quantile(review.two_raters_differ(cases.case_of(Study.open(folder), "abusive").soft), 0.7))
    more = f'second_reading = {bound}\ndesk = {{ second_share = 0.0, disagreement = "stands" }}\n'
    little.edit(folder, "[review]\n", f"[review]\n{more}")
    Study.open(folder).review()
    return folder


def test_posts_whose_label_is_doubtful_are_decided_by_two_moderators(doubtful, database_url, little, tmp_path):
    study = moved(little.copy(doubtful, tmp_path / "study"), database_url)
    wanted = study.queue().set_index("post_id")["readings"]
    assert set(wanted) == {1, 2}
    with open_database(study.store_url) as db:
        bring(study, db)
        people = [add_rater(db, role="moderator", cohort="moderators").rater_id for _ in range(2)]
        for who, said in zip(people, ("No", "Abusive"), strict=True):
            while (item := claim(db, QUEUE, who).item) is not None:
                decide(db, who, item.item_id, said, idempotency_key=str(item.item_id))
            progress = desk_progress(db, QUEUE)
            waiting = int((wanted == 2).sum()) if who == people[0] else 0
            assert (progress.waiting, progress.second, progress.decided) == (0, waiting, len(wanted) - waiting)
        made = decision_frame(db)
        assert made.groupby("post_id")["actor"].nunique().to_dict() == wanted.to_dict()
        assert set(made.loc[made["stage"] == "second", "actor"]) == {people[1]}
        assert LiveDesk(study, db).numbers()["read_twice"] == 0  # chance sent none of them: no measure of agreement
        assert collect(study, db) == wanted.sum()
