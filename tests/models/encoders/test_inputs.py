import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models.battery import TEXTS

from comoderate.models.encoders.backbone import load
from comoderate.models.encoders.inputs import Inputs, padded, sorted_batches, tokenise, training_batches

lengths = st.lists(st.integers(1, 60), max_size=60).map(lambda values: np.array(values, dtype=np.int64))


@given(lengths, st.integers(1, 9))
def test_training_batches_hold_every_row_once(length, size):
    batches = training_batches(length, size=size, generator=np.random.default_rng(0), pool=2)
    assert sorted(np.concatenate([*batches, np.zeros(0, dtype=int)])) == list(range(len(length)))
    assert all(0 < len(batch) <= size for batch in batches)
    assert len(batches) == -(-len(length) // size)


@given(lengths, st.integers(1, 200), st.integers(1, 9))
def test_sorted_batches_stay_within_their_places(length, tokens, most):
    batches = sorted_batches(length, tokens=tokens, most=most)
    assert sorted(np.concatenate([*batches, np.zeros(0, dtype=int)])) == list(range(len(length)))
    for batch in batches:
        assert len(batch) <= most
        assert len(batch) == 1 or len(batch) * length[batch].max() <= tokens


def test_training_batches_are_of_like_length_and_random():
    length = np.random.default_rng(1).integers(1, 100, 640)
    first, second = (training_batches(length, size=16, generator=np.random.default_rng(seed)) for seed in (0, 1))
    spread = np.mean([np.ptp(length[batch]) for batch in first])
    assert spread < 10
    assert not all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))


def test_batches_are_filled_up_at_the_end():
    batch = Inputs(tokens=[[5, 6, 7], [8]], pad=9, words=[[], [2]]).batch(np.array([1, 0]))
    assert batch.ids.tolist() == [[8, 9, 9], [5, 6, 7]]
    assert batch.mask.tolist() == [[1, 0, 0], [1, 1, 1]]
    assert batch.words.tolist() == [[2], [0]]
    assert padded([[]], 0).tolist() == [[0]]


def test_tokens_of_a_text(tiny):
    tokenizer = load(tiny).tokenizer
    tokens = tokenise(tokenizer, ["you clown", "", "you " * 50], 8)
    assert [len(one) for one in tokens] == [4, 2, 8]
    assert tokens[2][-1] == 3
    assert tokenise(tokenizer, [], 8) == []
    assert tokenise(tokenizer, TEXTS[:1], 8) == tokenise(tokenizer, [TEXTS[0].replace(" ", "\n ")], 8)
    with pytest.raises(ValueError, match="must be strings"):
        tokenise(tokenizer, [None], 8)


def test_links_and_handles_are_short(tiny):
    from comoderate.models.text import tidy

    assert tidy(" Hello @Anna &amp; https://example.org/a/b?c ") == "Hello @user & http"
