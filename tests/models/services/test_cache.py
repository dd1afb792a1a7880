"""Answers on disk."""

import sqlite3

import pytest

from comoderate.errors import ComoderateError
from comoderate.models.services.cache import Cache, Stored, text_digest

A, B, C = (text_digest(text) for text in "abc")


def test_answers_are_kept_and_never_replaced(tmp_path):
    with Cache(tmp_path / "deep" / "x.db") as cache:
        cache.finish("k", {A: Stored({"score": 0.5}, None), B: Stored(None, "status 400")})
        cache.finish("l", {A: Stored({"score": 0.9}, None), C: Stored(0.25, None)})
    with Cache(tmp_path / "deep" / "x.db") as cache:
        found = cache.find([A, B, C, text_digest("d")])
    assert found == {A: Stored({"score": 0.5}, None), B: Stored(None, "status 400"), C: Stored(0.25, None)}


def test_requests_under_way_survive_a_kill(tmp_path):
    cache = Cache(tmp_path / "x.db")
    cache.sending("one", [A, B])
    cache.sending("two", [C])
    cache.finish("two", {C: Stored(1, None)})
    again = Cache(tmp_path / "x.db")  # the first was never closed
    assert list(again.under_way()) == [("one", [A, B])]
    again.finish("one", {})
    assert not list(again.under_way())
    cache.close()
    again.close()


def test_a_forgotten_text_leaves_nothing(tmp_path):
    with Cache(tmp_path / "x.db") as cache:
        cache.finish("k", {A: Stored(0.5, None), B: Stored(0.25, None)})
        cache.sending("one", [A, C])
        cache.forget([A])
        assert cache.find([A, B]) == {B: Stored(0.25, None)}
        assert not list(cache.under_way())
    found = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert A not in found
    assert A.hex().encode() not in found
    assert B in found


def test_charges_add_up(tmp_path):
    with Cache(tmp_path / "x.db") as cache:
        assert cache.charged() == (0, 0)
        cache.charge(30, 1)
        cache.charge(12, 2)
        assert cache.charged() == (42, 3)


def test_a_new_epoch_knows_no_answers_but_all_charges(tmp_path):
    with Cache(tmp_path / "x.db") as cache:
        cache.add_canaries({"one": 0.5})
        cache.finish("k", {A: Stored(0.5, None)})
        cache.charge(1, 1)
        cache.begin_epoch({"one": 0.9})
        assert cache.find([A]) == {}
    with Cache(tmp_path / "x.db") as cache:
        assert (cache.epoch, cache.canaries(), cache.charged()) == (1, {"one": 0.9}, (1, 1))


def test_many_texts(tmp_path):
    names = [text_digest(str(number)) for number in range(1_700)]
    with Cache(tmp_path / "x.db") as cache:
        cache.finish("k", {name: Stored(number, None) for number, name in enumerate(names)})
        found = cache.find(names)
    assert [found[name].part for name in names] == list(range(1_700))


def test_texts_are_not_kept(tmp_path):
    with Cache(tmp_path / "x.db") as cache:
        cache.finish("k", {text_digest("a secret wish"): Stored(0.5, None)})
    assert b"secret" not in (tmp_path / "x.db").read_bytes()


def test_a_damaged_file(tmp_path):
    (tmp_path / "x.db").write_bytes(b"nonsense" * 1000)
    with pytest.raises(ComoderateError, match="cannot be read"):
        Cache(tmp_path / "x.db")
    assert issubclass(sqlite3.DatabaseError, Exception)


def test_any_text_has_a_digest():
    assert len({text_digest(text) for text in ["", "a", "\ud800", "é"]}) == 4
