"""Keys, records and locks of a study's artefacts."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.errors import ComoderateError
from comoderate.study.artefacts import Artefacts, digest, file_digest

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)


def test_digests_are_the_same_forever():
    assert digest("posts", 1, {"b": [1, 2.5], "a": None}) == "3c1beb392379f7514652"


@given(VALUES, VALUES)
def test_different_parts_give_different_digests(a, b):
    assert (digest(a) == digest(b)) == (json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True))


def test_the_order_of_keys_plays_no_part():
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest("a", "b") != digest("ab")


def test_file_digest(tmp_path):
    (tmp_path / "a").write_bytes(b"x")
    (tmp_path / "b").write_bytes(b"x")
    assert file_digest(tmp_path / "a") == file_digest(tmp_path / "b")
    (tmp_path / "b").write_bytes(b"y")
    assert file_digest(tmp_path / "a") != file_digest(tmp_path / "b")
    for missing in (tmp_path / "c", tmp_path):
        with pytest.raises(ComoderateError, match="no such file"):
            file_digest(missing)


def test_a_record_is_kept_with_its_summary(tmp_path):
    artefacts = Artefacts(tmp_path)
    assert artefacts.key("sample:main") is None
    artefacts.finish("sample:main", "abc", {"drawn": 3})
    assert Artefacts(tmp_path).key("sample:main") == "abc"
    assert Artefacts(tmp_path).record("sample:main") == {"key": "abc", "summary": {"drawn": 3}}


def test_a_damaged_record_counts_as_none(tmp_path):
    artefacts = Artefacts(tmp_path)
    artefacts.finish("posts", "abc")
    for damage in ('{"key": "a', "[]", "{}"):
        (tmp_path / ".comoderate" / "posts.json").write_text(damage)
        assert artefacts.record("posts") is None


@pytest.mark.parametrize(
    ("error", "after"), [(ComoderateError("no"), "old"), (KeyboardInterrupt(), None), (ValueError(), None)]
)
def test_remaking_that_fails(tmp_path, error, after):
    artefacts = Artefacts(tmp_path)
    artefacts.finish("posts", "old")

    def fail():
        assert artefacts.key("posts") is None
        raise error

    with pytest.raises(type(error)), artefacts.remaking("posts"):
        fail()
    assert artefacts.key("posts") == after
    assert [path.name for path in (tmp_path / ".comoderate").iterdir()] == (["posts.json"] if after else [])


def test_a_key_that_an_interruption_left_aside_never_comes_back(tmp_path):
    artefacts = Artefacts(tmp_path)
    artefacts.finish("posts", "old")
    (tmp_path / ".comoderate" / "posts.json").rename(tmp_path / ".comoderate" / "posts.before")
    with pytest.raises(ComoderateError), artefacts.remaking("posts"):
        raise ComoderateError("no")
    assert artefacts.key("posts") is None


def test_remaking_that_works(tmp_path):
    artefacts = Artefacts(tmp_path)
    artefacts.finish("posts", "old")
    with artefacts.remaking("posts"):
        artefacts.finish("posts", "new")
    assert artefacts.key("posts") == "new"


def test_a_lock_is_held_by_one_and_let_go(tmp_path):
    first, second = Artefacts(tmp_path), Artefacts(tmp_path)
    with first.lock("scores:bayes"):
        with (
            pytest.raises(ComoderateError, match=r"another process .* is writing 'scores:bayes'"),
            second.lock("scores:bayes"),
        ):
            pass
        with second.lock("scores:words"):
            pass
    with second.lock("scores:bayes"):
        pass
