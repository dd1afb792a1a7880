"""The store appends, supersedes, and gives the live rows back."""

import sqlite3

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comoderate.annotation import Store
from comoderate.errors import ComoderateError


def row(name, **values):
    base = {"response_id": name, "post_id": "p1", "cohort": "crowd", "source": "import", "codebook": "c@1"}
    return {**base, "question": "q", "answer": "yes", **values}


@pytest.fixture
def store(tmp_path):
    with Store(f"sqlite:///{tmp_path / 'annotations.db'}") as store:
        yield store


def test_rows_come_back_in_order_with_their_types(store):
    assert store.revision() == 0
    assert store.append([row("a", seconds=3), row("b", rater_id="r1", answer="no")]) == 2
    frame = store.snapshot()
    assert frame["response_id"].tolist() == ["a", "b"]
    assert frame["seconds"].tolist()[0] == 3.0
    assert store.revision() == 2


def test_an_append_is_all_or_nothing(store):
    with pytest.raises(ValueError, match="none of sample"):
        store.append([row("a"), row("b", source="rumour")])
    assert store.snapshot().empty


def test_a_superseding_row_hides_the_old_one(store):
    store.append([row("a"), row("b", answer="no", supersedes="a")])
    assert store.snapshot()["answer"].tolist() == ["no"]


def test_sources_can_be_chosen(store):
    store.append([row("a"), row("b", source="gold")])
    assert store.snapshot(sources=["gold"])["response_id"].tolist() == ["b"]


def test_importing_again_changes_only_what_changed(store):
    store.append([row("other/1")])
    assert store.replace("import/", [row("import/1"), row("import/2")]) == (2, 0)
    assert store.replace("import/", [row("import/1"), row("import/2")]) == (0, 0)
    assert store.replace("import/", [row("import/2"), row("import/3")]) == (1, 1)
    assert sorted(store.snapshot()["response_id"]) == ["import/2", "import/3", "other/1"]


@settings(max_examples=20)
@given(st.lists(st.sets(st.integers(0, 4)), max_size=6))
def test_replace_ends_at_the_last_wish_whatever_came_before(tmp_path_factory, wishes):
    with Store(f"sqlite:///{tmp_path_factory.mktemp('db') / 'a.db'}") as store:
        for wish in wishes:
            store.replace("import/", [row(f"import/{n}") for n in sorted(wish)])
            live = {name.split("~")[0] for name in store.snapshot()["response_id"]}
            assert live == {f"import/{n}" for n in wish}


def test_a_prefix_is_taken_literally(store):
    store.append([row("a_b/1"), row("axb/1")])
    store.replace("a_b/", [])
    assert store.snapshot()["response_id"].tolist() == ["axb/1"]


def test_a_database_of_a_newer_version_is_refused(tmp_path):
    path = tmp_path / "annotations.db"
    Store(f"sqlite:///{path}").close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    with pytest.raises(ComoderateError, match="newer version"):
        Store(f"sqlite:///{path}")


@pytest.mark.parametrize("url", ["nonsense", "oracle9://x", "sqlite:////no/such/folder/a.db"])
def test_a_wrong_address_is_refused_in_one_line(url):
    with pytest.raises(ComoderateError) as error:
        Store(url)
    assert "\n" not in str(error.value)


def test_live_rows_are_streamed_in_either_order(store):
    store.append([row("a", post_id="p2"), row("b", rater_id="r2"), row("c", rater_id="r1"), row("d", supersedes="b")])
    assert [one["response_id"] for one in store.stream()] == ["a", "c", "d"]
    assert [one["post_id"] for one in store.stream(by_post=True)] == ["p1", "p1", "p2"]
    assert set(next(store.stream())) == set(store.snapshot().columns)


def test_known_ids_are_those_ever_stored(store):
    store.append([row("a"), row("b", supersedes="a")])
    assert store.known(["a", "b", "x"]) == {"a", "b"}
    assert store.known([]) == set()
