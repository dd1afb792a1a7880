"""Exchange and the desk on SQLite and on PostgreSQL: the same code, the same rows."""

import pandas as pd
import pytest

from comoderate.annotation import add_rater, claim, decide, open_database, undo_decision
from comoderate.study import Study
from comoderate.study.desk import QUEUE, bring, collect
from comoderate.study.desk_numbers import LiveDesk
from comoderate.study.exchange import export_annotations, import_exchange

SENT = """response_id,post_id,rater_id,cohort,question,answer,created_at,seconds
a1,p0001,v1,volunteers,problem,Abusive,2026-04-01T10:00:00.25Z,3.5
a2,p0001,v1,volunteers,type,insult,2026-04-01T10:00:00.25Z,3.5
a3,p0001,v1,volunteers,type,threat,2026-04-01T10:00:00.25Z,3.5
a4,p0002,,volunteers,problem,No,,
"""


@pytest.fixture
def elsewhere(changing, database_url):
    """The little study after a run, with its annotations in another database."""
    with (changing / "study.toml").open("a") as file:
        file.write(f"\n[web]\ndatabase = '{database_url}'\n")
    return Study.open(changing)


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
        assert collect(elsewhere, db) == 4
    with elsewhere.store() as store:
        frame = store.snapshot()
    assert (frame["rater_id"] == who).sum() == 4
