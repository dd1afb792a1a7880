import numpy as np
import pytest
from tests.models.battery import TEXTS

from comoderate.models.encoders import frozen


@pytest.fixture
def computed(monkeypatch):
    """Numbers of texts that were really encoded."""
    sizes = []
    original = frozen.encode

    def encode(encoder, inputs):
        sizes.append(len(inputs))
        return original(encoder, inputs)

    monkeypatch.setattr(frozen, "encode", encode)
    frozen._memory.cache_clear()
    return sizes


def test_each_text_is_computed_once(tiny, computed):
    first = frozen.embed(TEXTS, backbone=tiny)
    assert first.shape == (40, 32)
    assert first.dtype == np.float32
    again = frozen.embed([*TEXTS[::-1], "you there"], backbone=tiny)
    assert computed == [10, 1]
    assert (again[:40] == first[::-1]).all()
    frozen.embed(TEXTS[:3], backbone=tiny, pooling="first")
    assert computed == [10, 1, 3]
    assert frozen.embed([], backbone=tiny).shape == (0, 32)


def test_a_later_process_finds_them_on_disk(tiny, computed, tmp_path):
    first = frozen.embed(TEXTS, backbone=tiny, folder=tmp_path)
    frozen._memory.cache_clear()
    assert (frozen.embed(TEXTS, backbone=tiny, folder=tmp_path) == first).all()
    assert computed == [10]


def test_memory_has_an_end():
    memory = frozen.Memory(2)

    def compute(texts):
        return np.array([[float(len(text))] for text in texts], dtype=np.float32)

    assert [float(one[0]) for one in memory.get(["a", "bb", "ccc", "a"], compute)] == [1, 2, 3, 1]
    assert list(memory.vectors) == ["bb", "ccc"]


def test_progress(tiny):
    told = []
    frozen.embed(TEXTS, backbone=tiny, progress=lambda done, total: told.append((done, total)))
    assert told == [(40, 40)]
