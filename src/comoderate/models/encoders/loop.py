"""The training loop: one member of an encoder, from any checkpoint to the same result."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from comoderate.models.encoders.checkpoint import Checkpoints, Saved
from comoderate.models.encoders.gaussian import GaussianHead
from comoderate.models.encoders.inputs import Inputs, Rows, training_batches
from comoderate.models.encoders.losses import binary_loss, follow_up_loss
from comoderate.models.encoders.network import Network, Output
from comoderate.models.encoders.plan import Plan
from comoderate.models.encoders.progress import Pace
from comoderate.models.encoders.seeds import seed_of
from comoderate.models.encoders.spectral import SpectralBound
from comoderate.models.encoders.targets import Targets

Validate = Callable[[Network], float]
KEEP_TIMES = 20


class Trainer:
    """Trains one network; :meth:`run` goes on from a checkpoint where there is one.

    All chance comes from the seed, the member, the epoch and the step (see :mod:`.seeds`), so where training was
    broken off, or how often, makes no difference to the weights.

    Args:
        plan: the settings.
        network: with its untrained heads.
        inputs, targets: all texts, and what to learn of them.
        rows: which texts train.
        member: number of the member, from 0.
        validate: gives the weighted average precision on the texts held out, NaN where it is undefined; None where
            none are.
        checkpoints: where the member is kept.
        pace: what is told of each step.
        every: seconds between checkpoints.
    """

    def __init__(
        self,
        plan: Plan,
        network: Network,
        inputs: Inputs,
        targets: Targets,
        *,
        rows: Rows,
        member: int,
        validate: Validate | None,
        checkpoints: Checkpoints,
        pace: Pace,
        every: float,
        device: torch.device,
        bf16: bool,
    ) -> None:
        self.plan, self.network, self.inputs, self.targets = plan, network, inputs, targets
        self.rows, self.member, self.validate = rows, member, validate
        self.checkpoints, self.pace, self.every = checkpoints, pace, every
        self.device, self.bf16 = device, bf16
        self.optimiser = optimiser_of(plan, network)
        self.spectral = SpectralBound(
            network,
            pattern=plan.spectral_layers if plan.gaussian else "(?!)",
            bound=plan.spectral_bound,
            iterations=plan.power_iterations,
        )
        self.epoch = self.step = 0
        self.total_loss = 0.0
        self.history: list[dict[str, float]] = []
        self.best: dict[str, Tensor] | None = None
        self.kept = time.monotonic()
        self.cost = 0.0

    @property
    def steps(self) -> int:
        """Steps an epoch."""
        return steps_of(self.plan, len(self.rows))

    @property
    def epochs(self) -> int:
        """Epochs at most."""
        return int(self.plan.epochs or 0)

    def run(self) -> list[dict[str, float]]:
        """Train to the end, leave the best epoch's weights in the network, and give a row an epoch."""
        finished = self._resume()
        while not finished:
            self._run_epoch()
            finished = self._end_epoch()
            self._keep(done=finished)
        self.pace.skip((self.epochs - len(self.history)) * self.steps)
        if self.best is not None:
            self.network.load_state_dict(self.best)
        if isinstance(self.network.head, GaussianHead):
            self.network.head.settle()
        self.network.eval()
        return self.history

    def _run_epoch(self) -> None:
        if self.step == 0:
            self.total_loss = 0.0
            if isinstance(self.network.head, GaussianHead) and self.plan.precision_update == "exact":
                self.network.head.reset()
        self.network.train()
        size = int(self.plan.batch_size or 0)
        generator = np.random.default_rng(seed_of(self.plan.seed, "order", self.member, self.epoch))
        batches = training_batches(self.inputs.length[self.rows], size=size, generator=generator)
        groups = [batches[at : at + self.plan.accumulate] for at in range(0, len(batches), self.plan.accumulate)]
        for group in groups[self.step :]:
            self._step([self.rows[batch] for batch in group])
            self.pace.step(member=self.member + 1, epoch=self.epoch + 1, loss=self.total_loss / self.step)
            if time.monotonic() - self.kept >= max(self.every, KEEP_TIMES * self.cost):
                self._keep(done=False)

    def _step(self, batches: list[Rows]) -> None:
        torch.manual_seed(seed_of(self.plan.seed, "step", self.member, self.epoch, self.step))
        share = self._learning_share(self.epoch * self.steps + self.step)
        for group in self.optimiser.param_groups:
            group["lr"] = group["full"] * share
        size = sum(map(len, batches))
        for rows in batches:
            targets = self.targets.at(rows).to(self.device)
            with torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.bf16):
                out = self.network(self.inputs.batch(rows))
            loss = (self._losses(out, targets) * targets.weight).sum() / size
            loss.backward()  # type: ignore[no-untyped-call]
            self.total_loss += float(loss.detach())
            self._learn_precision(out, targets.weight)
        nn.utils.clip_grad_norm_(self.network.parameters(), self.plan.clip)
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
        self.spectral.project()
        self.step += 1

    def _losses(self, out: Output, targets: Targets) -> Tensor:
        focal = self.plan.loss == "focal"
        loss = binary_loss(
            out.logit + targets.offset,
            targets.y,
            gamma=self.plan.gamma if focal else 0.0,
            alpha=self.plan.alpha if focal else None,
        )
        for name, asked in (self.plan.follow_ups or {}).items():
            one = follow_up_loss(out.follow_ups[name], targets.follow_ups[name], several=bool(asked.get("several")))
            loss = loss + self.plan.follow_up_weight * one
        return loss

    def _learn_precision(self, out: Output, weight: Tensor) -> None:
        head = self.network.head
        if isinstance(head, GaussianHead) and out.gaussian is not None:
            update = head.add if self.plan.precision_update == "exact" else head.blend
            update(out.gaussian, weight)

    def _learning_share(self, step: int) -> float:
        """Of the learning rate: up linearly over the warm-up, then down linearly to 0."""
        total = self.epochs * self.steps
        warm = math.ceil(self.plan.warmup * total)
        if step < warm:
            return (step + 1) / warm
        return (total - step) / max(1, total - warm)

    def _end_epoch(self) -> bool:
        """Judge the epoch, keep it if it is the best; True where training is over."""
        self.spectral.settle()
        if isinstance(self.network.head, GaussianHead):
            self.network.head.settle()
        self.network.eval()
        score = math.nan if self.validate is None else self.validate(self.network)
        earlier = [row["average_precision"] for row in self.history]
        self.history.append({"loss": self.total_loss / self.steps, "average_precision": score})
        self.epoch, self.step = self.epoch + 1, 0
        if self.validate is None or math.isnan(score):
            return self.epoch >= self.epochs
        if not earlier or score > max(earlier):
            self.best = {name: value.detach().clone() for name, value in self.network.state_dict().items()}
        since = self.epoch - 1 - int(np.argmax([*earlier, score]))
        return self.epoch >= self.epochs or since >= self.plan.patience

    def _keep(self, *, done: bool) -> None:
        if self.checkpoints.folder is None:
            return
        began = time.monotonic()
        network = self.best if done and self.best is not None else self.network.state_dict()
        tensors = {f"network.{name}": value for name, value in network.items()}
        if not done:
            tensors |= {f"best.{name}": value for name, value in (self.best or {}).items()}
            tensors |= {f"spectral.{name}": value for name, value in self.spectral.state().items()}
            tensors |= optimiser_tensors(self.optimiser)
        about = {"epoch": self.epoch, "step": self.step, "loss": self.total_loss, "done": done}
        self.checkpoints.write(self.member, Saved({**about, "history": self.history}, tensors))
        self.kept = time.monotonic()
        self.cost = self.kept - began

    def _resume(self) -> bool:
        """Take up the checkpoint if there is one; True where nothing is left to do."""
        saved = self.checkpoints.read(self.member)
        if saved is None:
            return False
        about, parts = saved.about, _by_part(saved.tensors)
        self.network.load_state_dict(parts["network"])
        self.epoch, self.step, self.total_loss = about["epoch"], about["step"], about["loss"]
        self.history = about["history"]
        self.pace.skip(self.epoch * self.steps + self.step)
        if not about["done"]:
            self.best = {name: value.to(self.device) for name, value in parts.get("best", {}).items()} or None
            self.spectral.restore(parts.get("spectral", {}))
            restore_optimiser(self.optimiser, parts.get("optimiser", {}))
        return bool(about["done"])


def steps_of(plan: Plan, n: int) -> int:
    """Steps that an epoch of n texts takes."""
    return math.ceil(math.ceil(n / int(plan.batch_size or 1)) / plan.accumulate)


def optimiser_of(plan: Plan, network: Network) -> torch.optim.Optimizer:
    """AdamW, or gradient descent with momentum; no decay of biases, normalisation and the random features' weights.

    A group's ``full`` is its learning rate at the top of the schedule. Under a fine-tuned encoder the random features'
    weights learn √(D/2) times as fast as the rest: the features are that much smaller than a layer's usual units, and
    a few epochs at the encoder's own rate would leave all log-odds near 0.
    """
    decayed: list[Tensor] = []
    plain: list[Tensor] = []
    random: list[Tensor] = []
    for name, value in network.named_parameters():
        if value.requires_grad:
            (random if "head.output" in name else decayed if value.ndim > 1 else plain).append(value)
    rate = float(plan.learning_rate or 0)
    faster = 1.0 if plan.frozen else math.sqrt(plan.random_features / 2)
    groups: list[dict[str, Any]] = [
        {"params": decayed, "weight_decay": plan.weight_decay, "full": rate},
        {"params": plain, "weight_decay": 0.0, "full": rate},
    ]
    if random:
        groups.append({"params": random, "weight_decay": 0.0, "full": rate * faster})
    if plan.optimiser == "sgd":
        return torch.optim.SGD(groups, lr=rate, momentum=plan.momentum)
    return torch.optim.AdamW(groups, lr=rate, fused=True)


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> dict[str, Tensor]:
    """What an optimiser remembers of each parameter, by name."""
    state = optimiser.state_dict()["state"]
    return {f"optimiser.{place}.{name}": value for place, one in state.items() for name, value in one.items()}


def restore_optimiser(optimiser: torch.optim.Optimizer, tensors: dict[str, Tensor]) -> None:
    """Take back what :func:`optimiser_tensors` gave, its first word dropped."""
    state: dict[int, dict[str, Tensor]] = {}
    for full, value in tensors.items():
        place, name = full.split(".", 1)
        state.setdefault(int(place), {})[name] = value
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})


def _by_part(tensors: dict[str, Tensor]) -> dict[str, dict[str, Tensor]]:
    parts: dict[str, dict[str, Tensor]] = {}
    for full, value in tensors.items():
        part, name = full.split(".", 1)
        parts.setdefault(part, {})[name] = value
    return parts
