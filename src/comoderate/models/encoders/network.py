"""The network: an encoder or its stored vectors, a pooler, and a head for each question."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from comoderate.models.encoders.backbone import Backbone
from comoderate.models.encoders.gaussian import Gaussian, GaussianHead
from comoderate.models.encoders.inputs import Batch
from comoderate.models.encoders.plan import Plan


class Output(NamedTuple):
    """What the network says of a batch.

    Attributes:
        logit: (b,) log-odds of being positive.
        follow_ups: (b, k) log-odds or, where one answer is given, unnormalised log-probabilities, by name.
        gaussian: what a Gaussian-process head gave, else None.
    """

    logit: Tensor
    follow_ups: dict[str, Tensor]
    gaussian: Gaussian | None


class WordMean(nn.Module):
    """The mean of trained vectors of listed words: the second half of Troll Patrol's model; 0 without any.

    Args:
        size: number of words; word 0 is the padding.
        width: length of the vectors.
    """

    def __init__(self, size: int, width: int) -> None:
        super().__init__()
        self.vectors = nn.Embedding(size + 1, width, padding_idx=0)

    def forward(self, words: Tensor) -> Tensor:
        """(b, width) means of (b, w) words."""
        found = (words > 0).sum(dim=1, keepdim=True).clamp(min=1)
        total: Tensor = self.vectors(words).sum(dim=1)
        return total / found


class Network(nn.Module):
    """A pooler (linear, tanh) with dropout on both sides, a head for the main question, one for each follow-up.

    Args:
        plan: the settings.
        width: length of the encoder's vectors.
        backbone: the encoder; None where its vectors come in.
        n_words: number of listed words; 0 for none.
        word_width: length of their vectors.
    """

    def __init__(
        self, plan: Plan, *, width: int, backbone: Backbone | None, n_words: int = 0, word_width: int = 128
    ) -> None:
        super().__init__()
        units = plan.units or width
        self.backbone = backbone
        self.words = WordMean(n_words, word_width) if n_words else None
        self.dropout = nn.Dropout(0.1 if plan.dropout is None else plan.dropout)
        self.pooler = nn.Linear(width + (word_width if n_words else 0), units)
        self.head: nn.Module
        if plan.gaussian:
            assert plan.ridge is not None
            self.head = GaussianHead(units, size=plan.random_features, length_scale=plan.length_scale, ridge=plan.ridge)
        else:
            self.head = nn.Linear(units, 1)
        self.asked = list(plan.follow_ups or {})
        sizes = [len(one["answers"]) for one in (plan.follow_ups or {}).values()]
        self.follow_ups = nn.ModuleList([nn.Linear(units, size) for size in sizes])

    def forward(self, batch: Batch) -> Output:
        """Log-odds for the texts of a batch."""
        vectors = batch.vectors
        if vectors is None:
            assert self.backbone is not None
            vectors = self.backbone(batch.ids, batch.mask)
        return self.decide(vectors.to(self.pooler.weight.dtype), batch.words)

    def decide(self, vectors: Tensor, words: Tensor | None) -> Output:
        """Log-odds from the encoder's vectors."""
        if self.words is not None:
            vectors = torch.cat([vectors, self.words(words)], dim=1)
        units = self.dropout(torch.tanh(self.pooler(self.dropout(vectors))))
        out = self.head(units)
        follow_ups = {name: head(units).float() for name, head in zip(self.asked, self.follow_ups, strict=True)}
        if isinstance(out, Gaussian):
            return Output(out.mean, follow_ups, out)
        return Output(out.squeeze(-1).float(), follow_ups, None)
