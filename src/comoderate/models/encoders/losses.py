"""What training minimises: cross-entropy and focal loss for soft labels, and masked losses for follow-ups."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def binary_loss(logit: Tensor, y: Tensor, *, gamma: float = 0.0, alpha: float | None = None) -> Tensor:
    """(b,) focal loss of each text; with γ = 0 and no α the cross-entropy.

    With p = sigmoid(logit): −y a₁ (1 − p)^γ log p − (1 − y) a₀ p^γ log(1 − p). **α weighs the positive class and
    1 − α the negative** (a₁ = α, a₀ = 1 − α; both 1 without α), so that α = .1 weighs a rare positive class *down*
    and α = .9 up. A soft label mixes both terms.

    Source: Lin et al. (2017), Focal loss for dense object detection, equation 5.

    Args:
        logit: (b,) log-odds.
        y: (b,) labels in [0, 1].
        gamma: how much less a text counts that is already right.
        alpha: the weight of the positive class, in [0, 1].
    """
    positive, negative = -functional.logsigmoid(logit), -functional.logsigmoid(-logit)
    if gamma:
        positive = positive * torch.exp(-gamma * negative)
        negative = negative * torch.exp(-gamma * (-functional.logsigmoid(logit)))
    first, second = (1.0, 1.0) if alpha is None else (alpha, 1.0 - alpha)
    return y * first * positive + (1 - y) * second * negative


def follow_up_loss(logits: Tensor, y: Tensor, *, several: bool) -> Tensor:
    """(b,) loss of a follow-up question; 0 for a text that was not asked.

    Args:
        logits: (b, k).
        y: (b, k) shares of the answers in [0, 1]; NaN where an answer, or with one answer a whole row, is not known.
        several: whether several answers may hold (k times yes or no, averaged over those that are known) or exactly
            one (softmax; a row that sums to another number than 1 is scaled).
    """
    known = ~torch.isnan(y)
    target = torch.nan_to_num(y)
    if several:
        loss = functional.binary_cross_entropy_with_logits(logits, target, reduction="none") * known
        return loss.sum(dim=1) / known.sum(dim=1).clamp(min=1)
    target = target / target.sum(dim=1, keepdim=True).clamp(min=1e-12)
    loss = -(target * functional.log_softmax(logits, dim=1)).sum(dim=1)
    return loss * known.all(dim=1)
