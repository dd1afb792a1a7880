"""Groups of texts that are nearly the same, so that none is trained on and another evaluated.

MinHash with banding (Broder 1997; Leskovec, Rajaraman and Ullman 2014, chapter 3) finds candidates; each candidate
pair is then compared exactly. All hashes are fixed: the groups depend on the texts alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from comoderate.models.text import normalise_all

BANDS, ROWS = 24, 5
_ALL_PAIRS_UP_TO = 24
_NOISE = re.compile(r"^rt @user|@user|httplink|[\W\d_]")


class Shingles(NamedTuple):
    """Sets of shingles, one after the other.

    Attributes:
        code: (m,) code of each shingle, sorted within its text, each once.
        start: (n + 1,) where each text's shingles begin; every text has at least one.
        value: (n_codes,) 64-bit hash that stands for each code.
    """

    code: NDArray[np.int64]
    start: NDArray[np.int64]
    value: NDArray[np.uint64]


def core_text(form: str) -> str:
    """A normalised text without handles, links, the mark of a repeat, punctuation and digits.

    Where nothing is left (a bare link, an emoji) the normalised text itself.
    """
    return " ".join(_NOISE.sub(" ", form).split()) or form


def duplicate_groups(texts: Iterable[str], *, threshold: float = 0.8, shingle_words: int = 2) -> NDArray[np.int64]:
    """Groups of texts that are equal or nearly so, once handles, links, punctuation, digits and case are dropped.

    Texts whose sets of shingles (runs of ``shingle_words`` words) have a Jaccard similarity of at least
    ``threshold`` are joined, and so are those joined to the same third text. A pair at similarity s becomes a
    candidate with probability 1 − (1 − s^5)^24: .9999 at .8.

    Args:
        texts: n texts.
        threshold: Jaccard similarity from which two texts are near-duplicates, in (0, 1].
        shingle_words: words in a shingle; shorter texts are one shingle.

    Returns:
        (n,) group codes 0, 1, … in order of first appearance.

    Raises:
        ValueError: a text that is not a string, or settings out of range.
    """
    if not 0 < threshold <= 1 or shingle_words < 1:
        raise ValueError("threshold must lie in (0, 1] and shingle_words be at least 1")
    cores = [core_text(form) for form in normalise_all(texts)]
    if not cores:
        return np.zeros(0, dtype=np.int64)
    text_of, distinct = pd.factorize(np.asarray(cores, dtype=object))
    shingles = _shingles(distinct.tolist(), shingle_words)
    first, second = _near_pairs(shingles, threshold)
    n = len(distinct)
    graph = sparse.coo_array((np.ones(len(first), dtype=np.int8), (first, second)), shape=(n, n))
    group = connected_components(graph, directed=False)[1]
    return pd.factorize(group[text_of])[0].astype(np.int64)


def _shingles(cores: Sequence[str], words: int) -> Shingles:
    """Each text's set of shingles; a shingle's code is a 64-bit hash of its words, never of Python's own."""
    tokens = [core.split(" ") for core in cores]
    lengths = np.array([len(one) for one in tokens])
    codes, vocabulary = pd.factorize(np.array([token for one in tokens for token in one], dtype=object))
    hashed = pd.util.hash_array(np.asarray(vocabulary, dtype=object))[codes]
    ends = np.cumsum(lengths)
    position = np.arange(len(hashed)) - np.repeat(ends - lengths, lengths)
    last = np.repeat(np.maximum(lengths - words, 0), lengths)
    starts = np.flatnonzero(position <= last)
    code = np.zeros(len(starts), dtype=np.uint64)
    owner = np.repeat(np.arange(len(cores)), lengths)
    for step in range(words):
        at = np.minimum(starts + step, len(hashed) - 1)
        inside = (starts + step < len(hashed)) & (owner[at] == owner[starts])
        code = np.where(inside, _mix(code + hashed[at]), code)
    return _as_sets(owner[starts], code, len(cores))


def _as_sets(owner: NDArray[np.int64], code: NDArray[np.uint64], n: int) -> Shingles:
    value, dense = np.unique(code, return_inverse=True)
    width = len(value)
    unique = np.unique(owner * width + dense)
    start = np.searchsorted(unique, np.arange(n + 1) * width)
    return Shingles(unique % width, start.astype(np.int64), value)


def _mix(value: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every input bit changes every output bit."""
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))


def _near_pairs(shingles: Shingles, threshold: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Pairs of texts at or above the threshold, among the candidates of all bands."""
    n = len(shingles.start) - 1
    found = [first * n + second for first, second in _candidates(shingles)]
    pairs = np.unique(np.concatenate(found))
    first, second = pairs // n, pairs % n
    near = _jaccard(shingles, first, second) >= threshold - 1e-12
    return first[near], second[near]


def _candidates(shingles: Shingles) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    for band in range(BANDS):
        key = np.zeros(len(shingles.start) - 1, dtype=np.uint64)
        for row in range(ROWS):
            salt = _mix(np.array([band * ROWS + row + 1], dtype=np.uint64))
            hashed = _mix(shingles.value ^ salt)[shingles.code]
            key = _mix(key + np.minimum.reduceat(hashed, shingles.start[:-1]))
        yield from _bucket_pairs(key)


def _bucket_pairs(key: NDArray[np.uint64]) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Pairs (first < second) of texts with equal keys.

    In a bucket of more than a few texts only neighbours, and each with the first: near-duplicates are joined
    through each other, and the pairs of a text posted ten thousand times would not fit in memory.
    """
    order = np.argsort(key, kind="stable")
    key = key[order]
    begins = np.flatnonzero(np.r_[True, key[1:] != key[:-1]])
    size = np.diff(np.r_[begins, len(key)])
    head, size = np.repeat(begins, size), np.repeat(size, size)
    place = np.arange(len(key)) - head
    for step in range(1, min(int(size.max()), _ALL_PAIRS_UP_TO)):
        at = np.flatnonzero((place >= step) & ((size <= _ALL_PAIRS_UP_TO) | (step == 1)))
        yield order[at - step], order[at]
    far = np.flatnonzero((size > _ALL_PAIRS_UP_TO) & (place > 1))
    yield order[head[far]], order[far]


def _jaccard(
    shingles: Shingles, first: NDArray[np.int64], second: NDArray[np.int64], *, chunk: int = 100_000
) -> NDArray[np.float64]:
    """(m,) exact Jaccard similarity of pairs of texts."""
    sizes = np.diff(shingles.start)
    shape = (len(sizes), len(shingles.value))
    sets = sparse.csr_array((np.ones(len(shingles.code), dtype=np.int32), shingles.code, shingles.start), shape=shape)
    common = np.zeros(len(first), dtype=np.int64)
    for begin in range(0, len(first), chunk):
        part = slice(begin, begin + chunk)
        common[part] = sets[first[part]].multiply(sets[second[part]]).sum(axis=1)
    return common / (sizes[first] + sizes[second] - common)
