"""Many rows at once: streamed into PostgreSQL, they are what row after row would have made of them."""

import math
import threading
from datetime import UTC, datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from comoderate.annotation import Store, append_annotations, bulk, create_campaign, load_tasks, open_database
from comoderate.annotation.labelling_tables import task_table
from comoderate.annotation.tables import annotation_table
from comoderate.errors import ComoderateError

ODD = "tab\t, newline\n, \\N, \\., quote ' and \", back\\slash, ünïcödé, 😀, \x01"
NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def annotation(k, **more):
    fixed = {"cohort": "volunteers", "source": "sample", "codebook": "kind", "question": "rude", "created_at": NOON}
    return {"response_id": f"r{k}", "post_id": f"p{k}", "rater_id": f"v{k % 7}", "answer": ODD, **fixed, **more}


def stored(db, table):
    """All rows but their numbers, in the order of those."""
    (number,) = table.primary_key.columns
    with db.reading() as connection:
        rows = connection.execute(select(table).order_by(number)).mappings().all()
    return [{name: value for name, value in row.items() if name != number.name} for row in rows]


text = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=12)
rows = st.lists(st.tuples(text, st.none() | st.floats(allow_nan=False, width=32), st.none() | text), max_size=6)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(rows)
def test_a_stream_stores_what_single_rows_do(db, found):
    """Whatever the text: tabs, backslashes and ends of line mean nothing to the stream."""
    sent = [annotation(k, answer=said, seconds=took, supersedes=other) for k, (said, took, other) in enumerate(found)]
    held = []
    for many in (1, math.inf):
        bulk.MANY, before = many, bulk.MANY
        try:
            with db.writing() as connection:
                connection.execute(annotation_table.delete())
            assert append_annotations(db, iter(sent)) == len(sent)
        finally:
            bulk.MANY = before
        held.append(stored(db, annotation_table))
    assert held[0] == held[1]
    assert [(row["answer"], row["seconds"], row["supersedes"]) for row in held[0]] == found


def tasks(n):
    """Rows with everything that a task may have."""
    for k in range(n):
        row = {"post_id": f"p{k}", "text": f"{ODD} {k}", "context": {"likes": k, "facts": {"Mood": ODD}}, "pi": 0.1 * k}
        yield {**row, "source": "sample", "phase": None if k % 2 else "base", "tier": k % 3, "overlap": 1 + k % 2}


def test_tasks_are_the_same_in_both_databases_and_again(database_url, little_campaign, tmp_path):
    c = little_campaign
    found = []
    for url in (database_url, f"sqlite:///{tmp_path}/twin.db"):
        with open_database(url) as db:
            create_campaign(db, "soups", c.CODEBOOK)
            assert load_tasks(db, tasks(130), campaign="soups") == (130, 0)
            assert load_tasks(db, tasks(130), campaign="soups") == (0, 0)
            assert load_tasks(db, ({**row, "text": "New."} for row in tasks(140)), campaign="soups") == (10, 130)
            found.append(stored(db, task_table))
    assert found[0] == found[1]


def test_two_who_load_the_same_posts_at_once_load_them_once(db, database_url, little_campaign):
    c = little_campaign
    create_campaign(db, "soups", c.CODEBOOK)
    added, begin = [], threading.Barrier(3)

    def load():
        with open_database(database_url) as other:
            begin.wait()
            added.append(load_tasks(other, tasks(300), campaign="soups").added)

    threads = [threading.Thread(target=load) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(added) == 300
    assert sorted(row["post_id"] for row in stored(db, task_table)) == sorted(f"p{k}" for k in range(300))


def test_a_known_row_among_many_changes_nothing(db):
    append_annotations(db, [annotation(3)])
    with pytest.raises(IntegrityError):
        append_annotations(db, map(annotation, range(200)))
    assert len(stored(db, annotation_table)) == 1


def test_a_value_that_no_column_holds_is_one_plain_line(db, little_campaign):
    c = little_campaign
    create_campaign(db, "soups", c.CODEBOOK)
    sent = [*tasks(60), {"post_id": "p60", "text": "NUL \x00 here"}]
    if db.dialect == "sqlite":
        assert load_tasks(db, sent, campaign="soups").added == 61
        return
    with pytest.raises(ComoderateError, match="cannot hold"):
        load_tasks(db, sent, campaign="soups")
    with pytest.raises(ComoderateError, match="cannot hold"):
        append_annotations(db, (annotation(k, cohort="x" * 200) for k in range(60)))
    assert stored(db, task_table) == stored(db, annotation_table) == []


def test_replacing_an_import_streams_its_rows(database_url):
    with Store(database_url) as store:
        assert store.replace("r", map(annotation, range(120))) == (120, 0)
        assert store.replace("r", map(annotation, range(60))) == (0, 60)
        assert store.replace("r", map(annotation, range(120))) == (60, 0)
        assert sorted(store.snapshot()["post_id"]) == sorted(f"p{k}" for k in range(120))
