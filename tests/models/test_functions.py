"""Python functions and Hugging Face pipelines as scorers."""

from types import SimpleNamespace

import numpy as np
import pytest

from comoderate.errors import ComoderateError
from comoderate.models import FunctionScorer, PipelineScorer, functions

TEXTS = ["one", "three", "a longer text about nothing"]


def test_a_function():
    found = FunctionScorer(lambda texts: [len(text) / 100 for text in texts]).predict(TEXTS)
    assert found.proba.tolist() == [0.03, 0.05, 0.27]
    assert found.error.tolist() == [None] * 3
    assert FunctionScorer(lambda texts: 1 / 0).predict([]).proba.shape == (0,)


def test_nan_is_an_error_of_that_text():
    found = FunctionScorer(lambda texts: np.array([0.1, np.nan, 1.0]), name="mine").predict(TEXTS)
    assert found.error.tolist() == [None, "mine gave no probability", None]


@pytest.mark.parametrize("given", [[0.1, 0.2], 0.5, [[0.1, 0.2, 0.3]], ["a", "b", "c"], [0.1, 0.2, 1.2], None])
def test_what_is_no_probability_for_each(given):
    with pytest.raises(ComoderateError, match=r"mine (give|does not give)"):
        FunctionScorer(lambda texts: given, name="mine").predict(TEXTS)


def test_a_mistake_in_the_function_is_not_hidden():
    with pytest.raises(ZeroDivisionError):
        FunctionScorer(lambda texts: [1 / 0 for _ in texts]).predict(TEXTS)


def test_another_function_is_another_version():
    half = FunctionScorer(lambda texts: [0.5] * len(texts)).version()
    assert half == FunctionScorer(lambda texts: [0.5 + 1e-6] * len(texts)).version()
    assert half != FunctionScorer(lambda texts: [0.6] * len(texts)).version()


def test_functions_that_installed_packages_offer(monkeypatch):
    point = SimpleNamespace(name="theirs", load=lambda: len)
    monkeypatch.setattr(functions, "entry_points", lambda group: [point] if group == functions.GROUP else [])
    assert functions.installed_function("theirs") is len
    with pytest.raises(ComoderateError, match=r"installed packages offer: theirs"):
        functions.installed_function("other")


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    """A tiny untrained text classifier with labels fine, toxic and threat."""
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("classifier")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"abcdefghijklmnopqrstuvwxyz"]
    words += [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    (folder / "vocab.txt").write_text("\n".join(words))
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    torch.manual_seed(3)
    config = transformers.BertConfig(
        vocab_size=len(words), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=64, id2label={0: "fine", 1: "toxic", 2: "threat"},
    )  # fmt: skip
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    return folder


def test_a_pipeline(classifier):
    toxic = PipelineScorer(model=str(classifier), label="toxic", batch_size=2, max_length=32).predict(TEXTS)
    both = PipelineScorer(model=str(classifier), label="toxic, threat", max_length=32).predict(TEXTS)
    fine = PipelineScorer(model=str(classifier), label="fine", max_length=32).predict(TEXTS)
    assert ((toxic.proba > 0) & (toxic.proba < both.proba)).all()
    np.testing.assert_allclose(both.proba + fine.proba, 1.0, atol=1e-6)
    assert toxic.error.tolist() == [None] * 3
    long = PipelineScorer(model=str(classifier), label="toxic", max_length=32).predict(["word " * 500])
    assert np.isfinite(long.proba).all()


def test_versions_of_a_pipeline(classifier, tmp_path):
    version = PipelineScorer(model=str(classifier), label="toxic").version()
    assert version == PipelineScorer(model=str(classifier), label="toxic", batch_size=1).version()
    assert version != PipelineScorer(model=str(classifier), label="threat").version()
    assert (
        PipelineScorer(model="some/model", label="a").version()
        != PipelineScorer(model="some/other", label="a").version()
    )


def test_pipelines_that_cannot_be_used(classifier, tmp_path):
    with pytest.raises(ComoderateError, match=r"no label 'nasty'\. It has: fine, threat, toxic"):
        PipelineScorer(model=str(classifier), label="nasty").predict(TEXTS)
    with pytest.raises(ComoderateError, match="cannot be loaded"):
        PipelineScorer(model=str(tmp_path), label="toxic").predict(TEXTS)


def test_weights_that_are_not_safetensors_are_refused(classifier, tmp_path):
    import shutil

    shutil.copytree(classifier, tmp_path / "other")
    (tmp_path / "other" / "model.safetensors").rename(tmp_path / "other" / "pytorch_model.bin")
    with pytest.raises(ComoderateError, match="cannot be loaded"):
        PipelineScorer(model=str(tmp_path / "other"), label="toxic").predict(TEXTS)


def test_without_transformers(monkeypatch):
    monkeypatch.setattr(functions, "find_spec", lambda package: None)
    with pytest.raises(ComoderateError, match=r"Install comoderate\[models\]"):
        PipelineScorer(model="x", label="y").predict(TEXTS)
