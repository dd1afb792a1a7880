"""From networks to log-odds: batches of texts of like length, in the precision that the machine is fastest in."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from comoderate.models.encoders.backbone import Backbone
from comoderate.models.encoders.gaussian import GaussianHead
from comoderate.models.encoders.inputs import Inputs, sorted_batches
from comoderate.models.encoders.network import Network, Output
from comoderate.models.encoders.packed import Packed, packed
from comoderate.models.encoders.seeds import own_randomness, seed_of

Array = NDArray[np.float64]
VECTORS = 4096


class Room(NamedTuple):
    """How large a batch may be: places for tokens, padding counted, and texts."""

    tokens: int
    texts: int


SCALES_A_ROW = ("x86", "onednn", "fbgemm")
"""Engines in which each row of an int8 layer's weights has a scale of its own, which rounds less."""

CPU, GPU = Room(1024, 1024), Room(4096, 128)
"""A CPU's batch stays in its cache and is hardly padded; a GPU's is large enough to be worth its launch."""


class Raw(NamedTuple):
    """What networks or passes say of n texts.

    Attributes:
        logit: (n, M) log-odds.
        variance: (n, M) variance of the log-odds; NaN without a Gaussian-process head.
        follow_ups: (n, k) mean probability of each answer, by follow-up.
    """

    logit: Array
    variance: Array
    follow_ups: dict[str, Array]


def prepared(network: Network, precision: str, *, dropout: bool = False) -> Network:
    """The network as it predicts: in evaluation mode, its encoder without padding and in the precision asked for.

    Args:
        network: left as it is.
        precision: "fp32"; "bf16" for an encoder with bfloat16 weights; "int8" for linear layers whose weights and
            inputs are rounded to bytes while they multiply (CPU only).
        dropout: whether it will be read with its dropout on.
    """
    network.eval()
    if network.backbone is None:
        return network
    other = copy.copy(network)
    other._modules = dict(network._modules)
    other._modules["backbone"] = quickened(network.backbone, precision, dropout=dropout)
    return other


def quickened(backbone: Backbone, precision: str, *, dropout: bool = False) -> nn.Module:
    """An encoder for prediction: on a CPU without padding, its products fused or in a lower precision.

    Args:
        backbone: left as it is.
        precision, dropout: as :func:`prepared`; with dropout on, the encoder's own pass is needed.
    """
    on_cpu = next(backbone.parameters()).device.type == "cpu"
    whole = packed(backbone) if on_cpu and not dropout else backbone
    if precision == "fp32":
        if isinstance(whole, Packed):
            whole.fuse()
        return whole
    return lowered(copy.deepcopy(whole), precision)


def room_of(device: torch.device | None) -> Room:
    """The size of a device's batches; None is a CPU."""
    return CPU if device is None or device.type == "cpu" else GPU


def lowered(backbone: nn.Module, precision: str) -> nn.Module:
    """An encoder in "bf16" or "int8", changed in place where it can be."""
    if precision == "bf16":
        return backbone.to(torch.bfloat16)
    if precision == "int8":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            quantisation: Any = torch.ao.quantization
            own_scales = torch.backends.quantized.engine in SCALES_A_ROW
            how = {nn.Linear: quantisation.per_channel_dynamic_qconfig} if own_scales else {nn.Linear}
            whole: nn.Module = quantisation.quantize_dynamic(backbone, how, dtype=torch.qint8)
        return whole
    return backbone


@torch.inference_mode()
def run(
    networks: Sequence[Network], inputs: Inputs, *, passes: int = 0, seed: int = 0, several: Sequence[str] = ()
) -> Raw:
    """Log-odds of all texts under each network, or under each of several passes with dropout on.

    Texts that a network can't tell apart are read once.

    Args:
        networks: as :func:`prepared` gave them.
        inputs: the texts.
        passes: 0 for one plain pass a network; else so many passes through each with all dropout on, the encoder's
            attention included: ``train()`` without gradients.
        seed: of the passes' dropout.
        several: the follow-ups to which several answers may hold.
    """
    inputs, place = inputs.distinct()
    whole = [_one(network, inputs, 0 if passes == 0 else seed_of(seed, "pass", one), passes > 0, several)
             for network in networks for one in range(max(1, passes))]  # fmt: skip
    answers = {name: np.mean([raw.follow_ups[name] for raw in whole], axis=0) for name in whole[0].follow_ups}
    return Raw(
        np.column_stack([raw.logit for raw in whole])[place],
        np.column_stack([raw.variance for raw in whole])[place],
        {name: values[place] for name, values in answers.items()},
    )


def _one(network: Network, inputs: Inputs, seed: int, dropout: bool, several: Sequence[str]) -> Raw:
    n = len(inputs)
    logit, variance = np.zeros(n), np.full(n, np.nan)
    follow_ups: dict[str, Array] = {}
    tokens, most = (VECTORS, VECTORS) if inputs.vectors is not None else room_of(inputs.device)
    network.train(dropout)
    try:
        with own_randomness():
            for number, rows in enumerate(sorted_batches(inputs.length, tokens=tokens, most=most)):
                if dropout:
                    torch.manual_seed(seed_of(seed, number))
                out: Output = network(inputs.batch(rows))
                logit[rows] = out.logit.double().cpu().numpy()
                if isinstance(network.head, GaussianHead) and out.gaussian is not None:
                    variance[rows] = network.head.variance(out.gaussian.features).double().cpu().numpy()
                for name, values in out.follow_ups.items():
                    shares = torch.sigmoid(values) if name in several else torch.softmax(values, dim=1)
                    follow_ups.setdefault(name, np.zeros((n, shares.shape[1])))[rows] = shares.double().cpu().numpy()
    finally:
        network.eval()
    return Raw(logit, variance, follow_ups)
