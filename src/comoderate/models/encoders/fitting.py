"""Training the members of an encoder, one after the other."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from scipy.special import expit

from comoderate import metrics
from comoderate.models.encoders import hardware, predict
from comoderate.models.encoders.checkpoint import Checkpoints
from comoderate.models.encoders.frozen import texts_digest
from comoderate.models.encoders.holdout import Split
from comoderate.models.encoders.inputs import Inputs
from comoderate.models.encoders.loop import Trainer, steps_of
from comoderate.models.encoders.network import Network
from comoderate.models.encoders.plan import Plan
from comoderate.models.encoders.progress import Listener, Pace
from comoderate.models.encoders.seeds import own_randomness, seed_of
from comoderate.models.encoders.targets import Targets
from comoderate.models.training import split_soft

History = list[dict[str, float]]


class Fitted(NamedTuple):
    """What training gave: a network and a row an epoch for each member."""

    networks: list[Network]
    history: list[History]


class Material(NamedTuple):
    """What training learns from.

    Attributes:
        inputs: all texts, held-out ones too.
        targets: their labels and weights.
        rows: which texts train and which are held out.
        digest: over everything above.
    """

    inputs: Inputs
    targets: Targets
    rows: Split
    digest: str


def fit_members(
    plan: Plan,
    material: Material,
    *,
    make: Callable[[int], Network],
    checkpoint: Path | None,
    every: float,
    progress: Listener | None,
    members: Sequence[int] | None = None,
) -> Fitted:
    """Train each member, going on from the checkpoints that there are.

    Args:
        plan: the settings.
        material: texts, labels, and which are held out.
        make: an untrained network; given the number of the member.
        checkpoint: folder of the checkpoints.
        every: seconds between two.
        progress: is told of each step.
        members: only those with these numbers.
    """
    device, bf16 = where_and_how(plan)
    checkpoints = checkpoints_of(plan, material, checkpoint)
    wanted = range(plan.n_members) if members is None else members
    pace = Pace(progress, members=len(wanted), total=steps_a_member(plan, material) * len(wanted))
    networks, history = [], []
    with own_randomness():
        for member in wanted:
            torch.manual_seed(seed_of(plan.seed, "start", member))
            trainer = Trainer(
                plan,
                make(member).to(device),
                material.inputs,
                material.targets,
                rows=material.rows.train,
                member=member,
                validate=judge(plan, material) if len(material.rows.held) else None,
                checkpoints=checkpoints,
                pace=pace,
                every=every,
                device=device,
                bf16=bf16,
            )
            history.append(trainer.run())
            networks.append(trainer.network)
    return Fitted(networks, history)


def where_and_how(plan: Plan) -> tuple[torch.device, bool]:
    """The device that trains, and whether it computes in bf16."""
    device = hardware.device_of(plan.device)
    return device, not plan.frozen and hardware.chosen(plan.precision, device) == "bf16"


def checkpoints_of(plan: Plan, material: Material, folder: Path | None) -> Checkpoints:
    """The checkpoints of this training in a folder; None keeps none."""
    device, bf16 = where_and_how(plan)
    return Checkpoints(folder, {"plan": plan.key(), "data": material.digest, "bf16": bf16, "device": device.type})


def unfinished(plan: Plan, material: Material, folder: Path) -> list[int]:
    """The members that still need training."""
    kept = checkpoints_of(plan, material, folder)
    saved = [kept.read(member) for member in range(plan.n_members)]
    return [member for member, one in enumerate(saved) if one is None or not one.about["done"]]


def steps_a_member(plan: Plan, material: Material) -> int:
    """Steps of one member, where it doesn't stop early."""
    return steps_of(plan, len(material.rows.train)) * int(plan.epochs or 0)


def judge(plan: Plan, material: Material) -> Callable[[Network], float]:
    """A function that gives a network's weighted average precision on the texts held out.

    Soft labels count as two weighted posts. NaN where the held-out texts have one class only.
    """
    held = material.rows.held
    inputs = material.inputs.only(held)
    weight, y = (one[torch.from_numpy(held)].double().numpy() for one in (material.targets.weight, material.targets.y))
    rows = split_soft(y, weight)

    def average_precision(network: Network) -> float:
        if rows.label.min(initial=1) == rows.label.max(initial=0):
            return math.nan
        proba = expit(predict.run([network], inputs).logit[:, 0])
        return metrics.average_precision(rows.label, proba[rows.row], sample_weight=rows.weight)

    return average_precision


def data_digest(texts: Sequence[str], targets: Targets, rows: Split, *more: str) -> str:
    """Over texts, labels, weights, offsets, answers, the split, and anything more that decides the result."""
    digest = hashlib.blake2b(texts_digest(texts).encode(), digest_size=16)
    arrays = [targets.y, targets.weight, targets.offset, *(targets.follow_ups[k] for k in sorted(targets.follow_ups))]
    for array in arrays:
        digest.update(array.numpy().tobytes())
    digest.update(np.asarray(rows.held, dtype="<i8").tobytes())
    digest.update("\x1f".join(more).encode())
    return digest.hexdigest()
