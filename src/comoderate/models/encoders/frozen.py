"""Frozen mode: an encoder's vectors computed once a text, kept in memory and, where asked, on disk."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from comoderate.models.encoders import hardware
from comoderate.models.encoders.backbone import Backbone, load_frozen
from comoderate.models.encoders.checkpoint import Checkpoints, Saved
from comoderate.models.encoders.inputs import Inputs, sorted_batches, tokenise
from comoderate.models.encoders.predict import quickened, room_of

Vectors = NDArray[np.float32]
CHUNK = 2048
KEPT = 100_000
"""How many texts' vectors a process keeps; the oldest are dropped first."""


class Memory:
    """Vectors by text, of one encoder.

    Args:
        most: how many are kept.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.vectors: dict[str, Vectors] = {}

    def get(self, texts: Sequence[str], compute: Callable[[list[str]], Vectors]) -> list[Vectors]:
        """The vector of each text; those not known are computed together."""
        found = {text: self.vectors[text] for text in texts if text in self.vectors}
        missing = [text for text in dict.fromkeys(texts) if text not in found]
        if missing:
            fresh = dict(zip(missing, compute(missing), strict=True))
            found |= fresh
            self.vectors |= fresh
            for text in list(self.vectors)[: max(0, len(self.vectors) - self.most)]:
                del self.vectors[text]
        return [found[text] for text in texts]


@lru_cache(maxsize=8)
def _memory(*key: object) -> Memory:
    return Memory(KEPT)


@lru_cache(maxsize=2)
def _encoder(backbone: str | None, layers: int | None, pooling: str, precision: str, device: torch.device) -> Any:
    whole = Backbone(copy.deepcopy(load_frozen(backbone, layers).model), pooling)
    return quickened(whole.eval().to(device), precision)


def embed(
    texts: Sequence[str],
    *,
    backbone: str | None = None,
    layers: int | None = None,
    pooling: str = "mean",
    max_length: int = 128,
    precision: str = "auto",
    device: str = "auto",
    folder: Path | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Vectors:
    """The frozen encoder's vector of each text, pooled over its tokens; each text is computed once a process.

    Args:
        texts: (n,) texts.
        backbone, layers, pooling, max_length, device: as :class:`~comoderate.models.encoders.Encoder`.
        precision: "auto", "fp32", "bf16" or "int8".
        folder: keep the vectors there too, a file for each 2,048 texts, so that a later process finds them.
        progress: is called with the number of texts done and of all.

    Returns:
        (n, width) in single precision.

    Raises:
        ValueError: where a text is not a string.
        ComoderateError: as :func:`~comoderate.models.encoders.backbone.load`.
    """
    place = hardware.device_of(device)
    exact = hardware.chosen(precision, place)
    loaded = load_frozen(backbone, layers)
    memory = _memory(loaded.digest, pooling, max_length, exact)
    encoder = _encoder(backbone, layers, pooling, exact, place)
    parts: list[Vectors] = []
    for start in range(0, len(texts), CHUNK):
        some = list(texts[start : start + CHUNK])

        def compute(missing: list[str]) -> Vectors:
            inputs = Inputs(
                tokens=tokenise(loaded.tokenizer, missing, max_length), pad=pad_of(loaded.tokenizer), device=place
            )
            return encode(encoder, inputs)

        def through_disk(missing: list[str]) -> Vectors:
            key = {"texts": texts_digest(missing), "of": [loaded.digest, pooling, max_length, exact]}
            return _stored(Checkpoints(folder, key), lambda: compute(missing))

        parts += memory.get(some, through_disk)
        if progress:
            progress(min(start + CHUNK, len(texts)), len(texts))
    return np.stack(parts) if parts else np.zeros((0, encoder.width), dtype=np.float32)


@torch.inference_mode()
def encode(encoder: Any, inputs: Inputs) -> Vectors:
    """(n, width) vectors of tokens, batch by batch of like length."""
    vectors = np.zeros((len(inputs), encoder.width), dtype=np.float32)
    room = room_of(inputs.device)
    for rows in sorted_batches(inputs.length, tokens=room.tokens, most=room.texts):
        batch = inputs.batch(rows)
        vectors[rows] = encoder(batch.ids, batch.mask).float().cpu().numpy()
    return vectors


def pad_of(tokenizer: Any) -> int:
    """The token that fills a batch up; 0 where the tokeniser has none, for the mask hides it anyway."""
    return int(tokenizer.pad_token_id or 0)


def texts_digest(texts: Sequence[str]) -> str:
    """Thirty-two hex digits over texts in their order."""
    digest = hashlib.blake2b(digest_size=16)
    for text in texts:
        content = text.encode("utf-8", "surrogatepass")
        digest.update(len(content).to_bytes(8, "little"))
        digest.update(content)
    return digest.hexdigest()


def _stored(place: Checkpoints, compute: Callable[[], Vectors]) -> Vectors:
    saved = place.read(0)
    if saved is not None and "vectors" in saved.tensors:
        return np.asarray(saved.tensors["vectors"].numpy())
    vectors = compute()
    place.write(0, Saved({"kind": "vectors"}, {"vectors": torch.from_numpy(vectors)}))
    return vectors
