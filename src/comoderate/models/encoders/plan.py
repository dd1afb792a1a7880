"""The settings of an encoder, checked, with the defaults filled in that depend on other settings."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from comoderate.errors import ComoderateError

METHODS = ("deterministic", "mc_dropout", "ensemble", "sngp", "sngp_ensemble")
CHOICES: dict[str, tuple[Any, ...]] = {
    "method": METHODS,
    "loss": ("cross_entropy", "focal"),
    "pooling": ("mean", "first"),
    "optimiser": ("adamw", "sgd"),
    "precision": ("auto", "fp32", "bf16"),
    "inference": ("auto", "fp32", "bf16", "int8"),
    "precision_update": ("exact", "moving_average"),
    "debias": (None, "reweight", "product"),
}
POSITIVE = (
    "layers", "members", "passes", "units", "max_length", "epochs", "batch_size", "accumulate", "learning_rate",
    "power_iterations", "spectral_bound", "random_features", "length_scale", "ridge", "patience", "clip",
    "at_once",
)  # fmt: skip
SHARES = ("smoothing", "dropout", "warmup", "momentum", "validation_share", "alpha")
NOT_NEGATIVE = ("gamma", "weight_decay", "mean_field", "follow_up_weight")
ONLY_AFTERWARDS = ("method", "members", "passes", "mean_field", "inference", "device", "random_state", "at_once")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Every setting of :class:`~comoderate.models.encoders.Encoder`, which documents them."""

    backbone: str | None
    layers: int | None
    method: str
    members: int
    passes: int
    frozen: bool
    loss: str
    gamma: float
    alpha: float | None
    smoothing: float
    class_weight: str | float | None
    debias: str | None
    debias_words: Sequence[str]
    follow_ups: Mapping[str, Mapping[str, Any]] | None
    follow_up_weight: float
    pooling: str
    units: int | None
    dropout: float | None
    max_length: int
    epochs: int | None
    batch_size: int | None
    accumulate: int
    learning_rate: float | None
    optimiser: str
    momentum: float
    weight_decay: float
    warmup: float
    clip: float
    validation_share: float
    patience: int
    precision: str
    inference: str
    spectral_layers: str
    spectral_bound: float
    power_iterations: int
    random_features: int
    length_scale: float
    precision_update: str
    ridge: float | None
    mean_field: float
    random_state: int | None
    device: str
    at_once: int

    @property
    def gaussian(self) -> bool:
        """Whether the last layer is a Gaussian process."""
        return self.method.startswith("sngp")

    @property
    def n_members(self) -> int:
        """How many networks are trained."""
        return self.members if self.method.endswith("ensemble") else 1

    @property
    def seed(self) -> int:
        """The seed of everything random; None means 0, so that training can always be repeated."""
        return self.random_state or 0

    def key(self) -> dict[str, Any]:
        """The settings that decide what one member learns, so that methods that share members train them once."""
        kept = {name: value for name, value in asdict(self).items() if name not in ONLY_AFTERWARDS}
        return kept | {"gaussian": self.gaussian, "seed": self.seed}


def keep(owner: object, given: Mapping[str, Any]) -> None:
    """Store a constructor's arguments, ``locals()`` at its beginning, under their own names."""
    for name, value in given.items():
        if name not in {"self", "__class__"}:
            setattr(owner, name, value)


def checked(settings: Mapping[str, Any]) -> Plan:
    """The plan that the constructor's arguments make.

    Raises:
        ComoderateError: a setting that is out of range, or two that do not go together.
    """
    plan = Plan(**settings)
    for name, allowed in CHOICES.items():
        value = getattr(plan, name)
        if value not in allowed:
            known = ", ".join(str(one) for one in allowed if one is not None)
            raise ComoderateError(f"{name} is {value!r}", do=f"choose one of: {known}")
    _numbers(plan)
    if not isinstance(plan.class_weight, int | float | None) and plan.class_weight != "balanced":
        raise ComoderateError(f"class_weight is {plan.class_weight!r}", do='give "balanced", a number, or nothing')
    if plan.method.endswith("ensemble") and plan.members < 2:
        raise ComoderateError("an ensemble has at least two members", do="set members = 4, or another method")
    if plan.debias and not plan.debias_words:
        raise ComoderateError(f"debias = {plan.debias!r} has no words", do='give debias_words = ["first", "second"]')
    try:
        re.compile(plan.spectral_layers)
    except re.error as problem:
        raise ComoderateError(f"spectral_layers is no regular expression: {problem}", do="mend it") from None
    _follow_ups(plan.follow_ups or {})
    return _filled(plan)


def _numbers(plan: Plan) -> None:
    rules: list[tuple[Sequence[str], str, Any]] = [
        (POSITIVE, "more than 0", lambda value: value > 0),
        (SHARES, "from 0 to 1", lambda value: 0 <= value <= 1),
        (NOT_NEGATIVE, "0 or more", lambda value: value >= 0),
    ]
    for names, range_, holds in rules:
        for name in names:
            value = getattr(plan, name)
            if value is not None and not (math.isfinite(value) and holds(value)):
                raise ComoderateError(f"{name} is {value}", do=f"choose a number {range_}")


def _follow_ups(follow_ups: Mapping[str, Mapping[str, Any]]) -> None:
    for name, one in follow_ups.items():
        if not re.fullmatch(r"\w+", name):
            raise ComoderateError(f"the follow-up's name {name!r} is no plain word", do="use letters, digits and _")
        if len(one.get("answers", ())) < 1 or set(one) - {"answers", "several"}:
            raise ComoderateError(
                f"the follow-up {name!r} is not described", do='give {"answers": ["a", "b"], "several": True}'
            )


def _filled(plan: Plan) -> Plan:
    """Fill in what depends on whether the encoder is frozen and how the precision matrix is kept."""
    frozen, exact = plan.frozen, plan.precision_update == "exact"
    return replace(
        plan,
        epochs=plan.epochs or (20 if frozen else 3),
        batch_size=plan.batch_size or (128 if frozen else 32),
        learning_rate=plan.learning_rate or (1e-3 if frozen else 1e-4),
        ridge=plan.ridge or (1.0 if exact else 1e-3),
        follow_ups={name: dict(one) for name, one in sorted((plan.follow_ups or {}).items())},
        debias_words=list(plan.debias_words),
    )
