"""Files and columns named on the command line."""

from pathlib import Path

import pytest

from comoderate.errors import ComoderateError
from comoderate.study.settings import PostsSettings
from comoderate.study.sources import COLUMNS, Sources, add, read, remember


def test_a_new_study_remembers_nothing(tmp_path):
    assert read(tmp_path) == Sources()


def test_what_was_imported_is_remembered_source_by_source(tmp_path):
    known = add(Sources(), {"posts": Path("/a.csv"), "experts": Path("/b.csv")}, {"text": "tweet"})
    assert read(tmp_path) == Sources()
    remember(tmp_path, known, "experts")
    assert read(tmp_path) == Sources({"experts": Path("/b.csv")}, {})
    remember(tmp_path, known, "posts")
    assert read(tmp_path) == known


def test_later_names_replace_earlier_ones(tmp_path):
    before = Sources({"posts": Path("/a.csv")}, {"text": "tweet", "author": "who"})
    found = add(before, {"posts": Path("/c.csv")}, {"text": "body"})
    assert found == Sources({"posts": Path("/c.csv")}, {"text": "body", "author": "who"})
    assert before.columns["text"] == "tweet"


def test_what_names_no_column_is_refused():
    with pytest.raises(ComoderateError, match="no column 'attributes'"):
        add(Sources(), {}, {"attributes": "x"})


def test_every_key_that_can_be_named_is_one_of_posts():
    assert set(COLUMNS) < set(PostsSettings.model_fields)


def test_a_damaged_file_counts_as_none(tmp_path):
    remember(tmp_path, Sources({"posts": Path("/a")}), "posts")
    (tmp_path / ".comoderate" / "sources.json").write_text("{")
    assert read(tmp_path) == Sources()
