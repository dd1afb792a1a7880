"""Databases of older versions open and keep what is in them; the migrations give what the code expects."""

import sqlite3

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, inspect, text

from comoderate.annotation import (
    Conflict,
    Store,
    add_rater,
    create_campaign,
    open_database,
    rater_by_login,
    stream_annotations,
    write_journal,
)
from comoderate.annotation.database import MIGRATIONS
from comoderate.annotation.tables import metadata
from comoderate.errors import ComoderateError

OLD = (
    "INSERT INTO annotations (response_id, post_id, rater_id, cohort, source, codebook, question, answer)"
    " VALUES ('a', 'p1', 'r1', 'crowd', 'import', 'c@1', 'q', 'yes')"
)


def old_database(url, *rows, version="0001"):
    """A database as an old version made it, with what it held: by default one annotation."""
    engine = create_engine(url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        command.upgrade(config, version)
        for row in rows or (OLD,):
            connection.execute(text(row))
    engine.dispose()


def test_a_database_of_the_first_version_opens_and_keeps_its_annotations(database_url, little_campaign):
    old_database(database_url)
    with Store(database_url) as store:
        assert store.snapshot()["response_id"].tolist() == ["a"]
        assert store.revision() == 1
    with open_database(database_url) as db:
        (batch,) = stream_annotations(db)
        assert (batch[0]["answer"], batch[0]["campaign"]) == ("yes", None)
        assert create_campaign(db, "soups", little_campaign.CODEBOOK).name == "soups"


def test_who_shared_a_name_but_for_its_case_still_signs_in_by_it(database_url):
    names = {"a": "Lena", "b": "lena", "c": "Otto", "d": None}
    row = (
        "INSERT INTO raters (rater_id, role, cohort, language, login, active, created_at, qualification_tries,"
        " opted_out) VALUES ('{0}', 'expert', 'experts', 'en', {1}, {2}, {3}, 0, '[]')"
    )
    true = "true" if database_url.startswith("postgresql") else "1"
    rows = [row.format(one, f"'{name}'" if name else "NULL", true, n) for n, (one, name) in enumerate(names.items())]
    old_database(database_url, *rows, version="0004")
    with open_database(database_url) as db:
        found = {name: rater_by_login(db, name).rater_id for name in ("Lena", "lena", "LENA", "otto")}
        assert found == {"Lena": "a", "lena": "b", "LENA": "a", "otto": "c"}
        with pytest.raises(Conflict, match="taken"):
            add_rater(db, login="LENA")


def test_the_migrations_give_what_the_code_expects(db):
    with db.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
        indexes = {
            index["name"]: bool(index.get("dialect_options"))
            for table in ("tasks", "assignments", "receipts", "desk_items")
            for index in inspect(connection).get_indexes(table)
        }
    partial = {"tasks_free", "tasks_returned", "tasks_complete", "assignments_open", "receipts_live"}
    assert all(indexes[name] for name in partial)


def test_the_way_back_leads_to_the_first_version(db):
    with db.writing() as connection:
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.attributes["connection"] = connection
        command.downgrade(config, "0001")
        assert set(inspect(connection).get_table_names()) == {"annotations", "alembic_version"}
        assert "campaign" not in {column["name"] for column in inspect(connection).get_columns("annotations")}


def test_what_no_column_holds_is_refused_in_one_line(postgres_url):
    with open_database(postgres_url) as db:
        for write in (lambda: rater_by_login(db, "a\x00b"), lambda: write_journal(db, "seen", actor="a\x00b")):
            with pytest.raises(ComoderateError, match="cannot hold"):
                write()


def test_what_fails_leaves_nothing_behind(db):
    def half(connection):
        connection.execute(text(OLD))
        raise RuntimeError("out of order")

    with pytest.raises(RuntimeError):
        db.write(half)
    assert not list(stream_annotations(db))


def test_a_writer_waits_for_its_turn_and_readers_do_not(sqlite_url):
    with open_database(sqlite_url) as first, open_database(sqlite_url) as second:
        with first.writing() as connection:
            connection.execute(text(OLD))
            assert not list(stream_annotations(second))
        write_journal(second, "opened")
        (batch,) = stream_annotations(second)
        assert len(batch) == 1
    with sqlite3.connect(sqlite_url.removeprefix("sqlite:///")) as plain:
        assert plain.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    plain.close()
