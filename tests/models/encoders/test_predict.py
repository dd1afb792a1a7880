import numpy as np
import pytest
import torch
from tests.models.battery import TEXTS, Y

from comoderate.models.encoders import hardware


@pytest.mark.parametrize("precision", ["bf16", "int8"])
def test_lower_precision_scores_alike(tuned, precision):
    if precision == "int8" and not set(torch.backends.quantized.supported_engines) - {"none"}:
        pytest.skip("no engine for int8 here")
    scorer = tuned().fit(TEXTS, Y)
    plain = scorer.set_params(inference="fp32")
    scorer._use(scorer._plan(), scorer.networks_)
    proba = plain.predict_proba(TEXTS)
    scorer.set_params(inference=precision)
    scorer._use(scorer._plan(), scorer.networks_)
    lower = scorer.predict_proba(TEXTS)
    assert lower == pytest.approx(proba, abs=0.03)
    assert not np.array_equal(lower, proba)
    assert next(scorer.networks_[0].backbone.parameters()).dtype == torch.float32


def test_all_dropout_is_on_attention_included(tuned):
    """With dropout in the attention alone, passes differ; with none anywhere, they don't."""
    scorer = tuned(method="mc_dropout", passes=4).fit(TEXTS, Y)
    network = scorer._ready[0]

    def passes():
        return scorer.predict_uncertainty(TEXTS[:4], members=True).members

    assert (passes().std(axis=1) > 0).all()
    attention = []
    for module in network.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.0
        if hasattr(module, "attention_dropout"):
            attention.append(module)
        elif type(module).__name__.endswith("SelfAttention"):
            attention.append(module.dropout)
    assert (passes().std(axis=1) == 0).all()
    assert len(attention) == 2
    for module in attention:
        if isinstance(module, torch.nn.Dropout):
            module.p = 0.5
        else:
            module.attention_dropout = 0.5
    assert (passes().std(axis=1) > 0).all()


def test_passes_repeat_with_the_seed(tuned):
    scorer = tuned(method="mc_dropout", passes=3).fit(TEXTS, Y)
    first = scorer.predict_uncertainty(TEXTS, members=True).members
    assert (first == scorer.predict_uncertainty(TEXTS, members=True).members).all()
    assert not (first[:, 0] == first[:, 1]).any()
    other = scorer.set_params(random_state=5).predict_uncertainty(TEXTS, members=True).members
    assert not (first == other).any()


def test_precision_is_chosen_by_the_machine():
    cpu = torch.device("cpu")
    assert hardware.chosen("fp32", cpu) == "fp32"
    assert hardware.chosen("auto", cpu) == ("bf16" if hardware.has_bf16(cpu) else "fp32")
    assert hardware.device_of("cpu") == cpu


def test_no_such_device():
    from comoderate.errors import ComoderateError

    for name in ("cuda:77", "abacus"):
        with pytest.raises(ComoderateError, match="there is no device"):
            hardware.device_of(name)
