"""An encoder on disk: a Hugging Face folder for the encoder, safetensors for the heads, one set a member."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import safetensors
import safetensors.torch
import torch

from comoderate.errors import ComoderateError
from comoderate.models.encoders.backbone import Backbone, from_folder, quietly
from comoderate.models.encoders.network import Network
from comoderate.models.encoders.plan import Plan
from comoderate.models.encoders.seeds import own_randomness
from comoderate.models.store import write_whole

HEAD, MODEL = "head.safetensors", "model.safetensors"
PASSING = {
    "_name_or_path", "transformers_version", "is_local", "local_files_only",
    "max_length", "stride", "truncation_side", "truncation_strategy",
}  # fmt: skip
_AGAIN = "train the model again"


def write(folder: Path, networks: Sequence[Network], tokenizer: Any) -> list[str]:
    """Write all members; the first stands in the folder itself, so that it is a Hugging Face folder.

    Returns:
        The names of the files.
    """
    names = []
    for number, network in enumerate(networks):
        home = f"member-{number}/" if number else ""
        (folder / home).mkdir(exist_ok=True)
        parts = network.state_dict()
        names.append(_tensors(folder, home + HEAD, {n: v for n, v in parts.items() if not n.startswith("backbone.")}))
        if network.backbone is not None:
            names.append(_tensors(folder, home + MODEL, network.backbone.model.state_dict()))
    if networks[0].backbone is not None:
        names += _description(folder, networks[0].backbone.model, tokenizer)
    return names


def read(folder: Path, plan: Plan, *, width: int, vocabulary: tuple[int, int]) -> tuple[list[Network], Any]:
    """The members that :func:`write` wrote, and the tokeniser (None for a frozen encoder).

    Raises:
        ComoderateError: files that are missing or don't fit the settings.
    """
    networks, tokenizer = [], None
    with own_randomness():
        for number in range(plan.n_members):
            home = folder / f"member-{number}" if number else folder
            backbone = None
            if not plan.frozen:
                model, tokenizer = from_folder(folder)
                backbone = Backbone(model, plan.pooling)
            network = Network(plan, width=width, backbone=backbone, n_words=vocabulary[0], word_width=vocabulary[1])
            under = {} if backbone is None else _read(home / MODEL)
            weights = {f"backbone.model.{name}": value for name, value in under.items()} | _read(home / HEAD)
            try:
                network.load_state_dict(weights)
            except RuntimeError:
                raise ComoderateError("the weights do not fit the settings", where=home, do=_AGAIN) from None
            networks.append(network.eval())
    return networks, tokenizer


def _tensors(folder: Path, name: str, tensors: dict[str, torch.Tensor]) -> str:
    content = safetensors.torch.save(
        {key: value.detach().cpu().contiguous() for key, value in tensors.items()}, {"format": "pt"}
    )
    write_whole(folder / name, content)
    return name


def _read(path: Path) -> dict[str, torch.Tensor]:
    try:
        return safetensors.torch.load_file(path)
    except (safetensors.SafetensorError, FileNotFoundError) as problem:
        raise ComoderateError(f"the weights can't be read: {problem}", where=path, do=_AGAIN) from None


def _description(folder: Path, model: Any, tokenizer: Any) -> list[str]:
    """Configuration and tokeniser; the names of their files."""
    _json(folder / "config.json", model.config.to_dict())
    fast = getattr(tokenizer, "backend_tokenizer", None)
    if fast is not None:
        fast.no_truncation()
    with quietly():
        written = [Path(path) for path in tokenizer.save_pretrained(folder) if path is not None]
    settings = folder / "tokenizer_config.json"
    _json(settings, json.loads(settings.read_text(encoding="utf-8")))
    return ["config.json", *(path.name for path in written if path.is_file())]


def _json(path: Path, content: dict[str, Any]) -> None:
    """Write a description without what depends on where it came from, so that its bytes stay the same."""
    kept = {name: value for name, value in content.items() if name not in PASSING}
    write_whole(path, (json.dumps(kept, indent=2, sort_keys=True) + "\n").encode())
