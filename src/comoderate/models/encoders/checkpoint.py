"""Training on disk: one safetensors file a member, written whole or not at all, so that a kill loses little."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import safetensors
import safetensors.torch
from torch import Tensor

from comoderate.models.store import write_whole

ABOUT = "comoderate"


class Saved(NamedTuple):
    """What a checkpoint holds.

    Attributes:
        about: where training stands: epoch, step, history, whether it is done.
        tensors: the network's, the optimiser's and the best state's, by name.
    """

    about: dict[str, Any]
    tensors: dict[str, Tensor]


class Checkpoints:
    """The checkpoints of one training in a folder; several trainings may share it.

    A file's name is a digest of all that decides what a member learns (settings, texts, labels, weights, encoder), so
    a checkpoint is never taken up by another training, and a member that two methods share is trained once.

    Args:
        folder: made where missing; None keeps nothing.
        key: what decides the result, as JSON can hold it.
    """

    def __init__(self, folder: Path | None, key: Mapping[str, Any]) -> None:
        self.folder = folder
        self.key = key_digest(key)

    def path(self, member: int) -> Path | None:
        """The file of a member."""
        return None if self.folder is None else self.folder / f"{self.key}-{member}.safetensors"

    def read(self, member: int) -> Saved | None:
        """What was kept of a member; None where there is nothing, or nothing whole."""
        path = self.path(member)
        if path is None or not path.is_file():
            return None
        try:
            with safetensors.safe_open(path, framework="pt") as file:
                about = json.loads(file.metadata()[ABOUT])
                return Saved(about, {name: file.get_tensor(name) for name in file.keys()})  # noqa: SIM118
        except (safetensors.SafetensorError, KeyError, TypeError, ValueError):
            return None

    def write(self, member: int, saved: Saved) -> None:
        """Keep a member as it stands."""
        path = self.path(member)
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            tensors = {name: one.detach().cpu().contiguous() for name, one in saved.tensors.items()}
            write_whole(path, safetensors.torch.save(tensors, {ABOUT: json.dumps(saved.about)}))


def key_digest(key: Mapping[str, Any]) -> str:
    """Twelve hex digits over what JSON can hold."""
    return hashlib.blake2b(json.dumps(key, sort_keys=True, default=str).encode(), digest_size=6).hexdigest()
