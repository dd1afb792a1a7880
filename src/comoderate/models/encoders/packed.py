"""The encoder's forward pass without padding, for prediction on CPUs: the same vectors, sooner.

The tokens of a batch stand one after another in a single matrix, so that no layer computes anything for padding;
attention takes the texts of one length together and needs no mask. Keys and values are one product. Where only the
first token of the last layer is used, that layer computes nothing for the other tokens but their keys and values.
Each number is computed by the formula of the padded pass, so results differ by rounding alone.
"""

from __future__ import annotations

from itertools import groupby
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from comoderate.models.encoders.backbone import BEHIND_PADDING, Backbone
from comoderate.models.encoders.fused import fused

KNOWN = ("bert", *BEHIND_PADDING)
"""Architectures whose layers are known here."""


class Run(NamedTuple):
    """Neighbouring texts of one length: the first of them, how many, and their length in tokens."""

    first: int
    texts: int
    length: int


class PackedLayer(nn.Module):
    """One layer of a BERT, on the tokens of all texts in one matrix.

    Args:
        layer: of a Hugging Face BERT or RoBERTa; its weights are shared, those of keys and values copied.
        first_only: whether only each text's first token comes out.
    """

    def __init__(self, layer: Any, *, first_only: bool) -> None:
        super().__init__()
        inner = layer.attention.self
        self.first_only = first_only
        self.heads = int(inner.num_attention_heads)
        self.query = inner.query
        self.key_value = joined(inner.key, inner.value)
        self.out, self.out_norm = layer.attention.output.dense, layer.attention.output.LayerNorm
        self.up, self.act = layer.intermediate.dense, layer.intermediate.intermediate_act_fn
        self.down, self.down_norm = layer.output.dense, layer.output.LayerNorm

    def forward(self, states: Tensor, runs: list[Run], firsts: Tensor) -> Tensor:
        """States of all tokens (or of the texts' first tokens) after the layer.

        Args:
            states: (t, width) of all tokens.
            runs: the texts, in their order.
            firsts: (b,) where each text begins.
        """
        asking = states[firsts] if self.first_only else states
        heard = self._attend(self.query(asking), self.key_value(states), runs)
        asking = self.out_norm(self.out(heard).add_(asking))
        return self.down_norm(self.down(self.act(self.up(asking))).add_(asking))  # type: ignore[no-any-return]

    def fuse(self, *, gelu: bool) -> None:
        """Multiply through fused layers where there are any.

        Args:
            gelu: whether the activation is the exact GELU.
        """
        for name in ("query", "key_value", "out", "down"):
            setattr(self, name, fused(getattr(self, name)) or getattr(self, name))
        up = fused(self.up, "gelu") if gelu else None
        if up is not None:
            self.up, self.act = up, nn.Identity()

    def _attend(self, query: Tensor, key_value: Tensor, runs: list[Run]) -> Tensor:
        heard = torch.empty_like(query)
        at = asked_at = 0
        for run in runs:
            asked = run.texts * (1 if self.first_only else run.length)
            tokens = run.texts * run.length
            q = query[asked_at : asked_at + asked].view(run.texts, asked // run.texts, self.heads, -1)
            both = key_value[at : at + tokens].view(run.texts, run.length, 2, self.heads, -1).permute(2, 0, 3, 1, 4)
            one = scaled_dot_product_attention(q.transpose(1, 2), both[0], both[1]).transpose(1, 2)
            heard[asked_at : asked_at + asked] = one.flatten(2).flatten(0, 1)
            at, asked_at = at + tokens, asked_at + asked
        return heard


class Packed(nn.Module):
    """A :class:`~.backbone.Backbone` that gives the same vectors without computing padding.

    Args:
        backbone: with a model of a :data:`KNOWN` kind; its weights are shared.
    """

    def __init__(self, backbone: Backbone) -> None:
        super().__init__()
        model, self.pooling, self.width = backbone.model, backbone.pooling, backbone.width
        parts = model.embeddings
        self.words, self.norm = parts.word_embeddings, parts.LayerNorm
        start = int(model.config.pad_token_id) + 1 if model.config.model_type in BEHIND_PADDING else 0
        places = parts.position_embeddings.weight[start:] + parts.token_type_embeddings.weight[0]
        self.register_buffer("places", places.detach().clone(), persistent=False)
        self.gelu = model.config.hidden_act == "gelu"
        last = len(model.encoder.layer) - 1
        self.layers = nn.ModuleList(
            PackedLayer(layer, first_only=number == last and self.pooling == "first")
            for number, layer in enumerate(model.encoder.layer)
        )

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """(b, width) vectors of (b, t) tokens; padding stands at the end, a text without a token is one of padding."""
        attention_mask = attention_mask.clone()
        attention_mask[:, 0] = 1
        length = attention_mask.sum(dim=1)
        runs = runs_of(length.tolist())
        row, place = attention_mask.nonzero(as_tuple=True)
        firsts = length.cumsum(0) - length
        states = self.norm(self.words(input_ids[row, place]) + self.get_buffer("places")[place])
        for layer in self.layers:
            states = layer(states, runs, firsts)
        return states if self.pooling == "first" else means(states, runs)

    def fuse(self) -> None:
        """Multiply through fused layers; the whole can then be neither copied nor changed in precision."""
        for layer in self.layers:
            assert isinstance(layer, PackedLayer)
            layer.fuse(gelu=self.gelu)


def packed(backbone: nn.Module) -> nn.Module:
    """The encoder without padding where it is of a known kind, else the encoder itself."""
    return Packed(backbone) if isinstance(backbone, Backbone) and can_pack(backbone.model) else backbone


def can_pack(model: Any) -> bool:
    """Whether a Hugging Face model is an encoder of a known kind, with whole attention."""
    config = model.config
    return (
        config.model_type in KNOWN
        and len(model.encoder.layer) > 0
        and not config.is_decoder
        and not config.add_cross_attention
    )


def joined(*layers: nn.Linear) -> nn.Linear:
    """One linear layer that gives the outputs of several side by side."""
    whole = nn.Linear(layers[0].in_features, sum(one.out_features for one in layers), device="meta")
    whole.weight = nn.Parameter(torch.cat([one.weight for one in layers]).detach(), requires_grad=False)
    whole.bias = nn.Parameter(torch.cat([one.bias for one in layers]).detach(), requires_grad=False)
    return whole


def runs_of(lengths: list[int]) -> list[Run]:
    """Neighbouring texts of one length, in their order."""
    runs: list[Run] = []
    for length, same in groupby(lengths):
        first = runs[-1].first + runs[-1].texts if runs else 0
        runs.append(Run(first, len(list(same)), length))
    return runs


def means(states: Tensor, runs: list[Run]) -> Tensor:
    """(b, width) means over each text's tokens."""
    sizes = [run.texts * run.length for run in runs]
    return torch.cat(
        [
            part.view(run.texts, run.length, -1).mean(dim=1)
            for part, run in zip(torch.split(states, sizes), runs, strict=True)
        ]
    )
