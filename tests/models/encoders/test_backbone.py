import json
import shutil
from pathlib import Path

import pytest
import torch
import transformers

from comoderate.errors import ComoderateError
from comoderate.models.encoders.backbone import Backbone, load, load_frozen, reach


def copied(tiny, folder):
    return Path(shutil.copytree(tiny, folder))


def test_first_layers_only(tiny):
    assert len(load(tiny, layers=1).model.encoder.layer) == 1
    assert len(load(tiny).model.encoder.layer) == 2
    with pytest.raises(ComoderateError, match="has 2 layers, not 3"):
        load(tiny, layers=3)


def test_the_packaged_encoder():
    model = load_frozen(None, 1).model
    assert model.config.hidden_size == 384
    assert model.pooler is None
    assert not any(value.requires_grad for value in model.parameters())


def test_dropout_is_set_everywhere(tiny):
    config = load(tiny, dropout=0.3).model.config
    assert config.hidden_dropout_prob == config.attention_probs_dropout_prob == 0.3


def test_no_such_encoder(tmp_path):
    with pytest.raises(ComoderateError, match="can't be loaded"):
        load(str(tmp_path))


def test_weights_come_from_safetensors_only(tiny, tmp_path):
    folder = copied(tiny, tmp_path / "other")
    torch.save(load(tiny).model.state_dict(), folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()
    with pytest.raises(ComoderateError, match="can't be loaded"):
        load(str(folder))


def test_a_folders_code_is_never_run(tiny, tmp_path):
    folder = copied(tiny, tmp_path / "other")
    sign = tmp_path / "was-run"
    (folder / "modeling_own.py").write_text(f"open({str(sign)!r}, 'w')\nclass Own: pass\n")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "modeling_own.Own", "AutoModel": "modeling_own.Own"}}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ComoderateError, match="can't be loaded"):
        load(str(folder))
    assert not sign.exists()


def test_pooling(tiny):
    model = load(tiny).model.eval()
    ids, mask = torch.tensor([[2, 5, 6, 3], [2, 5, 3, 0]]), torch.tensor([[1, 1, 1, 1], [1, 1, 1, 0]])
    states = model(input_ids=ids, attention_mask=mask).last_hidden_state
    assert torch.allclose(Backbone(model, "first")(ids, mask), states[:, 0])
    assert torch.allclose(Backbone(model, "mean")(ids, mask)[1], states[1, :3].mean(dim=0), atol=1e-6)


def test_digest_follows_the_weights(tiny):
    assert load(tiny).digest == load(tiny).digest != load(tiny, layers=1).digest


@pytest.mark.parametrize(("kind", "tokens"), [("bert", 30), ("roberta", 28)])
def test_no_more_tokens_than_the_encoder_has_places_for(kind, tokens):
    config = transformers.AutoConfig.for_model(kind, max_position_embeddings=30, pad_token_id=1)
    assert reach(config) == tokens
    assert reach(transformers.T5Config()) is None
