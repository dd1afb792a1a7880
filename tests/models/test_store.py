import json
import zipfile

import numpy as np
import pytest
import skops.io

from comoderate import models
from comoderate.errors import ComoderateError
from comoderate.models import store


@pytest.fixture
def folder(tmp_path):
    models.Lexicon(words=["dolt"]).save(tmp_path, card={"folds": [1]})
    return tmp_path


def change(folder, **entries):
    path = folder / "comoderate.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | entries))


def test_no_model(tmp_path):
    for read in (models.load, models.read_card, models.digest):
        with pytest.raises(ComoderateError, match="no trained model here"):
            read(tmp_path)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"format": 99}, "newer version. Upgrade"),
        ({"format": "1"}, "does not describe a model"),
        ({"card": []}, "does not describe a model"),
        ({"kind": None}, "does not describe a model"),
        ({"kind": "oracle"}, "unknown kind, 'oracle'"),
        ({"settings": {"wrods": []}}, "does not fit its kind"),
        ({"files": {"../model.skops": ""}}, "outside the model's folder"),
        ({"files": {"/etc/passwd": ""}}, "outside the model's folder"),
    ],
)
def test_broken_manifests(folder, entries, message):
    change(folder, **entries)
    with pytest.raises(ComoderateError, match=message):
        models.load(folder)


@pytest.mark.parametrize("content", [b"{", b"\xff\xfe", b"[]"])
def test_unreadable_manifests(folder, content):
    (folder / "comoderate.json").write_bytes(content)
    with pytest.raises(ComoderateError, match=r"can't be read|does not describe"):
        models.load(folder)


@pytest.mark.parametrize("card", [{"when": object()}, {"score": float("nan")}])
def test_cards_must_be_json(tmp_path, card):
    with pytest.raises(ComoderateError, match="can't be written as JSON"):
        models.Lexicon(words=["dolt"]).save(tmp_path, card=card)
    with pytest.raises(ComoderateError, match="no trained model here"):
        models.read_card(tmp_path)


def test_digest_tells_settings_and_files_apart(folder, tmp_path):
    before = models.digest(folder)
    change(folder, card={"other": 1})
    assert models.digest(folder) == before
    change(folder, settings={"words": ["dolt"], "per_hit": 0.5})
    assert models.digest(folder) != before


def test_state_comes_back_and_its_bytes_do_not_change(tmp_path):
    state = {"terms": ["a\nb", ""], "coef": np.arange(3.0), "same": np.arange(3.0), "intercept": -1.5}
    for name in "ab":
        store.write_state(tmp_path / name, state | {})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    back = store.read_state(tmp_path / "a")
    assert back["terms"] == state["terms"]
    assert (back["coef"] == state["coef"]).all()


class Foreign:
    """A class that no skops file may bring back."""


def test_foreign_types_are_refused(tmp_path):
    skops.io.dump({"thing": Foreign()}, tmp_path / "x.skops")
    with pytest.raises(ComoderateError, match="more than numbers and text"):
        store.read_state(tmp_path / "x.skops")


def test_files_that_are_not_skops(tmp_path):
    (tmp_path / "x.skops").write_bytes(b"\x80\x04K\x01.")
    with pytest.raises(ComoderateError, match="can't be read"):
        store.read_state(tmp_path / "x.skops")
    with zipfile.ZipFile(tmp_path / "y.skops", "w") as archive:
        archive.writestr("other.txt", "no schema")
    with pytest.raises(ComoderateError, match="can't be read"):
        store.read_state(tmp_path / "y.skops")
    skops.io.dump([1, 2], tmp_path / "z.skops")
    with pytest.raises(ComoderateError, match="does not hold a model"):
        store.read_state(tmp_path / "z.skops")
