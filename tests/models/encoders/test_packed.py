import numpy as np
import pytest
import torch
import transformers
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.battery import TEXTS, Y
from torch import nn

from comoderate.models.encoders import fused, inputs, packed, predict
from comoderate.models.encoders.backbone import Backbone

SIZE = {
    "vocab_size": 40, "hidden_size": 32, "num_attention_heads": 4, "intermediate_size": 48,
    "max_position_embeddings": 30, "pad_token_id": 1,
}  # fmt: skip


def made(kind="bert", *, pooling="mean", layers=3, act="gelu"):
    """An encoder with random weights."""
    with torch.random.fork_rng():
        torch.manual_seed(3)
        config = transformers.AutoConfig.for_model(kind, **SIZE, num_hidden_layers=layers, hidden_act=act)
        model = transformers.AutoModel.from_config(config)
        for value in model.parameters():
            nn.init.normal_(value, std=0.3)
    return Backbone(model, pooling).eval()


def batch_of(lengths):
    generator = np.random.default_rng(0)
    ids = torch.from_numpy(generator.integers(5, 40, size=(len(lengths), max(lengths))))
    mask = (torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]).to(torch.int64)
    return torch.where(mask == 1, ids, 1), mask


@pytest.mark.parametrize("kind", ["bert", "roberta", "xlm-roberta", "camembert"])
@pytest.mark.parametrize("pooling", ["mean", "first"])
@pytest.mark.parametrize("act", ["gelu", "relu"])
@torch.inference_mode()
def test_the_same_vectors_as_with_padding(kind, pooling, act):
    plain = made(kind, pooling=pooling, act=act)
    ids, mask = batch_of([9, 9, 4, 7, 7, 7, 1])
    quick = packed.packed(plain)
    assert isinstance(quick, packed.Packed)
    expected = plain(ids, mask).numpy()
    assert quick(ids, mask).numpy() == pytest.approx(expected, abs=1e-5)
    quick.fuse()
    assert quick(ids, mask).numpy() == pytest.approx(expected, abs=1e-5)


@settings(max_examples=25, deadline=None)
@given(lengths=st.lists(st.integers(1, 12), min_size=1, max_size=9), pooling=st.sampled_from(["mean", "first"]))
@torch.inference_mode()
def test_any_lengths_in_any_order(lengths, pooling):
    plain = made(pooling=pooling, layers=2)
    assert packed.packed(plain)(*batch_of(lengths)).numpy() == pytest.approx(
        plain(*batch_of(lengths)).numpy(), abs=1e-5
    )


@torch.inference_mode()
def test_a_text_without_tokens_disturbs_no_other():
    ids, mask = batch_of([3, 5])
    quick = packed.packed(made())
    known = quick(ids, mask).numpy()
    found = quick(torch.cat([ids, torch.ones_like(ids[:1])]), torch.cat([mask, torch.zeros_like(mask[:1])])).numpy()
    assert found[:2] == pytest.approx(known, abs=1e-5)
    assert np.isfinite(found).all()


def test_unknown_architectures_keep_their_own_pass():
    config = transformers.DistilBertConfig(vocab_size=20, dim=16, n_heads=2, n_layers=1, hidden_dim=16)
    other = Backbone(transformers.DistilBertModel(config), "mean").eval()
    assert packed.packed(other) is other
    assert packed.packed(made(layers=1)) is not None


def test_runs():
    assert packed.runs_of([5, 5, 3, 5]) == [(0, 2, 5), (2, 1, 3), (3, 1, 5)]
    assert packed.runs_of([]) == []


def test_a_layer_that_cannot_be_fused_stays(monkeypatch):
    layer = nn.Linear(8, 4)
    assert fused.fused(layer) is not None
    assert fused.fused(nn.LayerNorm(8)) is None
    assert fused.fused(nn.Linear(8, 4).to(torch.bfloat16)) is None
    monkeypatch.setattr(fused.FusedLinear, "forward", lambda self, x: x.new_zeros(len(x), 4))
    assert fused.fused(layer) is None, "another result"
    monkeypatch.setattr(torch.ops, "mkldnn", object())
    assert fused.fused(layer) is None, "no such operator"


@pytest.mark.parametrize("pooling", ["mean", "first"])
def test_predictions_equal_those_of_the_plain_network(tuned, pooling):
    scorer = tuned(pooling=pooling, inference="fp32").fit(TEXTS, Y)
    texts = [*TEXTS, "", TEXTS[0], "word " * 40]
    plain = predict.run(scorer.networks_, scorer._inputs(scorer._plan(), texts))
    assert isinstance(scorer._ready[0].backbone, packed.Packed)
    assert scorer.predict_proba(texts) == pytest.approx(1 / (1 + np.exp(-plain.logit[:, 0])), abs=1e-5)
    assert not any(isinstance(one, packed.Packed) for one in scorer.networks_[0].modules())


def test_equal_texts_are_read_once(tuned, monkeypatch):
    scorer = tuned().fit(TEXTS, Y)
    seen = []
    batch = inputs.Inputs.batch
    monkeypatch.setattr(inputs.Inputs, "batch", lambda self, rows: seen.append(len(rows)) or batch(self, rows))
    once = scorer.predict_proba(TEXTS)
    n, seen[:] = sum(seen), []
    order = np.random.default_rng(1).integers(0, len(TEXTS), 3 * len(TEXTS))
    many = scorer.predict_proba([TEXTS[at] for at in order])
    assert many == pytest.approx(once[order], abs=1e-6)
    assert sum(seen) <= n
