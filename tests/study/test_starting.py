"""A new study's folder."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.errors import ComoderateError
from comoderate.study import Study
from comoderate.study.starting import guess_columns, quoted, start


@given(st.text(st.characters(blacklist_categories=("Cs",))))
def test_a_quoted_text_is_read_back(text):
    assert tomllib.loads(f"a = {quoted(text)}")["a"] == text


def test_a_new_study_opens(tmp_path):
    path = start(tmp_path / "a new study")
    assert path == tmp_path / "a new study" / "study.toml"
    study = Study.open(path)
    assert study.settings.study.title == "a new study"
    assert study.settings.sample["main"].design == "uniform"
    assert "/posts/" in (path.parent / ".gitignore").read_text()


def test_columns_are_guessed(tmp_path):
    (tmp_path / "p.csv").write_text("Tweet_ID,tweet,Created_UTC,screen_name,likes\n1,hello,0,ann,3\n")
    found = {"post_id": "Tweet_ID", "text": "tweet", "created_at": "Created_UTC", "author": "screen_name"}
    assert guess_columns(tmp_path / "p.csv") == found
    study = Study.open(start(tmp_path / "s", posts=tmp_path / "p.csv").parent)
    assert {key: getattr(study.settings.posts, key) for key in found} == found
    assert study.settings.sample["main"].design == "stratified"
    assert study.import_posts()["written"] == 1


def test_without_telling_names_rows_name_the_posts_and_the_longest_column_is_the_text(tmp_path):
    (tmp_path / "p.csv").write_text("a,b\n1,longer\n")
    text = start(tmp_path / "s", posts=tmp_path / "p.csv").read_text()
    assert 'post_id = "(row)"' in text
    assert 'text = "b"' in text
    assert 'other columns: "a"' in text


def test_a_study_is_never_overwritten(tmp_path):
    path = start(tmp_path)
    path.write_text("mine")
    with pytest.raises(ComoderateError, match="there is a study already"):
        start(tmp_path)
    assert path.read_text() == "mine"


def test_a_file_that_cannot_be_read_leaves_nothing_behind(tmp_path):
    with pytest.raises(ComoderateError, match="no such file"):
        start(tmp_path / "s", posts=tmp_path / "missing.csv")
    assert not (tmp_path / "s").exists()


def test_a_new_study_can_ask_troll_patrols_questions(tmp_path):
    study = Study.open(start(tmp_path / "s", codebook="troll-patrol"))
    assert list(study.settings.codebook.question) == ["problem", "type", "medium"]
    with pytest.raises(ComoderateError, match="troll-patrol"):
        start(tmp_path / "t", codebook="trolls")
