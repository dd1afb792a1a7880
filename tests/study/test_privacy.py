"""People are in a study only as keyed hashes, and shown texts hold no handles and links."""

import pandas as pd
import pytest

from comoderate.study import Study
from comoderate.study.privacy import anonymise, hash_key, hash_people


def test_the_key_is_secret_and_stays(tmp_path):
    key = hash_key(tmp_path)
    path = tmp_path / ".comoderate" / "hash.key"
    assert len(key) == 32
    assert hash_key(tmp_path) == key
    assert path.stat().st_mode & 0o077 == 0
    assert hash_key(tmp_path / "other") != key


def test_hashes_hang_on_key_and_purpose():
    people = pd.Series(["ann", "bob", None, "ann"])
    key, other = b"k" * 32, b"o" * 32
    found = hash_people(people, key, "author")
    assert found[0] == found[3] != found[1]
    assert found[2] is None
    assert found.dropna().str.fullmatch("[0-9a-f]{20}").all()
    assert hash_people(people, other, "author")[0] != found[0]
    assert hash_people(people, key, "thread")[0] != found[0]


def test_no_author_or_thread_in_the_clear_anywhere_in_a_study(ran, little):
    sources = {"posts.csv", "volunteers.csv", "experts.csv", "totals.csv", "study.toml"}
    made = {path: data for path, data in little.files(ran).items() if path not in sources}
    assert len(made) > 20
    for path, data in made.items():
        assert b"Quackenbush" not in data, path
        assert b"thread-of-" not in data, path
    posts = Study.open(ran).posts().frame(["author", "thread"])  # Parquet may hide a text, so look inside too
    assert posts["author"].str.fullmatch("[0-9a-f]{20}").all()
    assert posts["author"].nunique() == little.posts()["author"].nunique()
    assert posts["thread"].isna().tolist() == little.posts()["thread"].eq("").tolist()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("@ann you @bob_2 are", "@user you @user are"),
        ("see https://a.b/c?d=e now", "see [link] now"),
        ("WWW.example.org/x", "[link]"),
        ("write ann.b+c@mail.example.org or", "write [mail] or"),
        ("at 5 @ the pub", "at 5 @ the pub"),
        ("", ""),
    ],
)
def test_anonymise(text, shown):
    assert anonymise(text) == shown


def test_the_report_shows_no_handle(ran):
    page = (ran / "report" / "index.html").read_text()
    assert "@someone" not in page
