"""What a network reads, in batches of texts of like length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from comoderate.models.text import tidy_all

Rows = NDArray[np.int64]


class Batch(NamedTuple):
    """The texts of one batch: tokens with their mask, or vectors; and listed words where a network reads them.

    Attributes:
        ids: (b, t) tokens, or None.
        mask: (b, t) 1 where a token stands, 0 in the padding, or None.
        vectors: (b, width) the frozen encoder's vectors, or None.
        words: (b, w) listed words, 0 where there is none, or None.
    """

    ids: Tensor | None = None
    mask: Tensor | None = None
    vectors: Tensor | None = None
    words: Tensor | None = None


class Inputs:
    """All texts in the form that a network reads.

    Args:
        tokens: n lists of tokens; or
        vectors: (n, width) vectors of a frozen encoder.
        words: n lists of listed words, from 1.
        pad: the token that fills a batch up.
        device: where the batches go.
    """

    def __init__(
        self,
        *,
        tokens: Sequence[Sequence[int]] | None = None,
        vectors: NDArray[np.float32] | None = None,
        words: Sequence[Sequence[int]] | None = None,
        pad: int = 0,
        device: torch.device | None = None,
    ) -> None:
        self.tokens = tokens
        self.vectors = None if vectors is None else torch.from_numpy(np.ascontiguousarray(vectors))
        self.words = words
        self.pad = pad
        self.device = device
        sizes = (
            [len(one) for one in tokens] if tokens is not None else [1] * len(vectors if vectors is not None else ())
        )
        self.length: Rows = np.asarray(sizes, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.length)

    def batch(self, rows: Rows) -> Batch:
        """The texts at ``rows``, filled up to the longest of them."""
        words = None if self.words is None else self._there(padded([self.words[row] for row in rows], 0))
        if self.vectors is not None:
            return Batch(vectors=self._there(self.vectors[torch.from_numpy(rows)]), words=words)
        assert self.tokens is not None
        ids = padded([self.tokens[row] for row in rows], self.pad)
        places = torch.arange(ids.shape[1])[None, :]
        mask = (places < torch.from_numpy(self.length[rows])[:, None]).to(torch.int64)
        return Batch(self._there(ids), self._there(mask), words=words)

    def only(self, rows: Rows) -> Inputs:
        """Some of the texts."""
        return Inputs(
            tokens=None if self.tokens is None else [self.tokens[row] for row in rows],
            vectors=None if self.vectors is None else self.vectors[torch.from_numpy(rows)].numpy(),
            words=None if self.words is None else [self.words[row] for row in rows],
            pad=self.pad,
            device=self.device,
        )

    def distinct(self) -> tuple[Inputs, Rows]:
        """Each of the texts once, and (n,) where each text is found among them; vectors are left as they are."""
        if self.tokens is None:
            return self, np.arange(len(self))
        words: Sequence[Sequence[int]] = [()] * len(self) if self.words is None else self.words
        known: dict[tuple[Any, ...], int] = {}
        pairs = zip(self.tokens, words, strict=True)
        place = np.array([known.setdefault((*one, None, *listed), len(known)) for one, listed in pairs], dtype=np.int64)
        if len(known) == len(self):
            return self, place
        return self.only(np.unique(place, return_index=True)[1]), place

    def _there(self, values: Tensor) -> Tensor:
        return values if self.device is None else values.to(self.device)


def padded(lists: Sequence[Sequence[int]], fill: int) -> Tensor:
    """(n, longest) integers, each list filled up at its end; at least one column."""
    matrix = np.full((len(lists), max(1, *map(len, lists)) if lists else 1), fill, dtype=np.int64)
    for row, one in zip(matrix, lists):
        row[: len(one)] = one
    return torch.from_numpy(matrix)


def tokenise(tokenizer: Any, texts: Sequence[str], max_length: int) -> list[list[int]]:
    """The tokens of each text, cut to ``max_length`` or what the encoder can read, marks of both ends included.

    Links and handles are shortened first (see :func:`comoderate.models.text.tidy`).

    Raises:
        ValueError: where a text is not a string.
    """
    tidied = tidy_all(texts)
    if not tidied:
        return []
    most = min(max_length, int(tokenizer.model_max_length))
    coded = tokenizer(
        tidied, truncation=True, max_length=most, return_attention_mask=False, return_token_type_ids=False
    )
    return [list(one) for one in coded["input_ids"]]


def training_batches(length: Rows, *, size: int, generator: np.random.Generator, pool: int = 32) -> list[Rows]:
    """Every row once, in random batches of texts of like length: shuffled, sorted within pools, batches shuffled.

    Args:
        length: (n,) number of tokens.
        size: rows a batch; the last may be smaller.
        generator: where the order comes from.
        pool: how many batches are sorted together; more means less padding and less random batches.
    """
    order = generator.permutation(len(length))
    batches = []
    for start in range(0, len(order), size * pool):
        some = order[start : start + size * pool]
        some = some[np.argsort(length[some], kind="stable")]
        batches += [some[at : at + size] for at in range(0, len(some), size)]
    return [batches[place] for place in generator.permutation(len(batches))]


def sorted_batches(length: Rows, *, tokens: int, most: int) -> list[Rows]:
    """Every row once, longest first, in batches of at most ``tokens`` places (padding counted) and ``most`` rows."""
    order = np.argsort(-length, kind="stable")
    batches, start = [], 0
    while start < len(order):
        size = min(most, max(1, tokens // max(1, int(length[order[start]]))))
        batches.append(order[start : start + size])
        start += size
    return batches
