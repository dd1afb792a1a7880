"""What a network is to learn: labels and weights as the loss takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor

from comoderate.models.encoders.inputs import Rows
from comoderate.models.encoders.plan import Plan
from comoderate.models.training import check_training

Array = NDArray[np.float64]


class Targets(NamedTuple):
    """Labels of all texts, in single precision.

    Attributes:
        y: (n,) in [0, 1].
        weight: (n,) with mean 1, the weight of the class included.
        offset: (n,) log-odds that are added while training and left out afterwards.
        follow_ups: (n, k) by name, NaN where not asked.
    """

    y: Tensor
    weight: Tensor
    offset: Tensor
    follow_ups: dict[str, Tensor]

    def at(self, rows: Rows) -> Targets:
        """Those of some texts."""
        some = torch.from_numpy(rows)
        return Targets(
            self.y[some], self.weight[some], self.offset[some], {k: v[some] for k, v in self.follow_ups.items()}
        )

    def to(self, device: torch.device) -> Targets:
        """The same on a device."""
        moved = {name: one.to(device) for name, one in self.follow_ups.items()}
        return Targets(self.y.to(device), self.weight.to(device), self.offset.to(device), moved)


def targets_of(
    plan: Plan,
    texts: Sequence[str],
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None,
    offset: ArrayLike | None,
    follow_ups: Mapping[str, ArrayLike] | None,
) -> Targets:
    """Check labels and weights, and apply the plan's smoothing and class weights.

    Raises:
        ValueError: wrong shapes, or values out of range.
        ComoderateError: nothing to learn from.
    """
    labels, weight = check_training(texts, y, sample_weight)
    weight = weight * class_weights(labels, weight, plan.class_weight)
    shift = np.zeros(len(labels)) if offset is None else np.asarray(offset, dtype=np.float64)
    if shift.shape != labels.shape or not np.isfinite(shift).all():
        raise ValueError(f"offset must be finite and have shape {labels.shape} like y")
    return Targets(
        _single(smoothed(labels, plan.smoothing)),
        _single(weight * (np.count_nonzero(weight) / weight.sum())),
        _single(shift),
        {name: _single(one) for name, one in checked_follow_ups(plan, len(labels), follow_ups or {}).items()},
    )


def smoothed(labels: Array, smoothing: float) -> Array:
    """Labels between the majority's and the raters' shares: (1 − s)·1[y > ½] + s·y; an even split stays ½.

    Args:
        labels: (n,) shares of raters who said yes.
        smoothing: s, 0 for the majority's hard label, 1 for the share.
    """
    hard = np.where(labels == 0.5, 0.5, labels > 0.5)
    return np.asarray((1 - smoothing) * hard + smoothing * labels)


def class_weights(labels: Array, weight: Array, how: str | float | None) -> Array:
    """(n,) factor for each text from its (soft) class.

    Args:
        labels, weight: (n,).
        how: None for 1; "balanced" so that both classes weigh the same in all; or the weight of a positive, a
            negative having 1.
    """
    if how is None:
        return np.ones_like(labels)
    if how == "balanced":
        total, positive = weight.sum(), weight @ labels
        return np.asarray(labels * total / (2 * positive) + (1 - labels) * total / (2 * (total - positive)))
    return np.asarray(labels * float(how) + (1 - labels))


def checked_follow_ups(plan: Plan, n: int, given: Mapping[str, ArrayLike]) -> dict[str, Array]:
    """(n, k) answers to each of the plan's follow-ups.

    Raises:
        ValueError: a follow-up that is not given or not in the plan, wrong shapes, values outside [0, 1].
    """
    asked: Mapping[str, Mapping[str, Any]] = plan.follow_ups or {}
    if set(asked) != set(given):
        raise ValueError(f"answers are needed to the follow-ups {sorted(asked)}, not {sorted(given)}")
    answers = {name: np.asarray(given[name], dtype=np.float64) for name in asked}
    for name, values in answers.items():
        shape = (n, len(asked[name]["answers"]))
        if values.shape != shape:
            raise ValueError(f"answers to {name!r} must have shape {shape}, not {values.shape}")
        if not (np.isnan(values) | ((values >= 0) & (values <= 1))).all():
            raise ValueError(f"answers to {name!r} must lie in [0, 1], or be NaN where not asked")
    return answers


def _single(values: Array) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32))
