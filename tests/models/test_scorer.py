import numpy as np
import pytest

from comoderate import models
from comoderate.models import Scorer, read_manifest


class Constant(Scorer):
    """The least a scorer can be, with two files of its own: as an encoder will have them."""

    kind = "constant"

    def __init__(self, *, value=0.5, random_state=None):
        self.value = value
        self.random_state = random_state

    def fit(self, texts, y, *, sample_weight=None):
        self.mean_ = float(np.average(y, weights=sample_weight))
        return self

    def predict_proba(self, texts):
        return np.full(len(texts), self.mean_)

    def _write(self, folder):
        (folder / "weights").mkdir(exist_ok=True)
        (folder / "weights" / "mean.txt").write_text(str(self.mean_))
        (folder / "config.txt").write_text("mean")
        return ["weights/mean.txt", "config.txt"]

    def _read(self, folder):
        self.mean_ = float((folder / "weights" / "mean.txt").read_text())

    def _state(self):
        return {}

    def _restore(self, state):
        raise AssertionError("has files of its own")


@pytest.fixture
def known(monkeypatch):
    monkeypatch.setitem(models.KINDS, "constant", Constant)


def test_a_scorer_with_files_of_its_own(tmp_path, known):
    scorer = Constant(value=0.25).fit(["a", "b"], [0, 1])
    scorer.save(str(tmp_path / "deep" / "model"), card={})
    manifest = read_manifest(tmp_path / "deep" / "model")
    assert sorted(manifest.files) == ["config.txt", "weights/mean.txt"]
    assert manifest.settings == {"value": 0.25, "random_state": None}
    assert models.load(tmp_path / "deep" / "model").predict_proba(["x"]).tolist() == [0.5]


def test_a_save_that_fails_leaves_no_model(tmp_path, known, monkeypatch):
    Constant().fit(["a", "b"], [0, 1]).save(tmp_path, card={})
    monkeypatch.setattr(Constant, "_write", lambda self, folder: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        Constant().fit(["a", "b"], [0, 1]).save(tmp_path, card={})
    with pytest.raises(models.store.ComoderateError, match="no trained model here"):
        models.load(tmp_path)


def test_scikit_learns_manners():
    scorer = Constant(value=0.1)
    assert scorer.get_params() == {"value": 0.1, "random_state": None}
    assert repr(scorer.set_params(value=0.2)) == "Constant(value=0.2)"
