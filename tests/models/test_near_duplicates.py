import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.models.near_duplicates import core_text, duplicate_groups
from comoderate.models.text import normalise

WORDS = [f"w{chr(97 + i)}{chr(97 + j)}" for i in range(20) for j in range(20)]


def brute_groups(texts, threshold=0.8, words=2):
    sets = []
    for text in texts:
        tokens = core_text(normalise(text)).split(" ")
        sets.append({tuple(tokens[i : i + words]) for i in range(max(1, len(tokens) - words + 1))})
    group = list(range(len(texts)))
    for i, left in enumerate(sets):
        for j, right in enumerate(sets[:i]):
            if len(left & right) / len(left | right) >= threshold - 1e-12:
                group = [group[j] if one == group[i] else one for one in group]
    order = {}
    return [order.setdefault(one, len(order)) for one in group]


def sentences(rng, n, length=14):
    return [" ".join(rng.choice(WORDS, length)) for _ in range(n)]


def test_what_is_dropped():
    texts = ["Hello @you, number 12!", "hello NUMBER 7 https://t.co/x", "RT @me: hello, number…", "hello numbers"]
    assert duplicate_groups(texts).tolist() == [0, 0, 0, 1]


def test_texts_with_nothing_left_are_not_thrown_together():
    assert duplicate_groups(["😀", "🎉", "😀", "", "123", ""]).tolist() == [0, 1, 0, 2, 3, 2]


def test_planted_near_duplicates_are_found():
    rng = np.random.default_rng(0)
    originals = sentences(rng, 400, length=25)
    copies = []
    for text in originals:
        tokens = text.split(" ")
        tokens[-1] = str(rng.choice(WORDS))  # 23 of 25 pairs of words in common: Jaccard .92
        copies.append("RT @x: " + " ".join(tokens) + " http://t.co/a")
    groups = duplicate_groups(originals + copies)
    assert (groups[:400] == groups[400:]).mean() > 0.995
    assert len(set(groups[:400])) == 400


def test_joined_through_a_third():
    base = [f"{a}{b}" for a in "abcdefgh" for b in "xyz"]
    chain = [" ".join([*base[k:], *(f"new{chr(97 + i)}" for i in range(k))]) for k in range(8)]
    assert set(duplicate_groups(chain)) == {0}
    assert len(set(duplicate_groups([chain[0], chain[7]]))) == 2


@given(st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=8).map(" ".join), min_size=1, max_size=15))
def test_equal_brute_force_on_small_sets(texts):
    fast, slow = duplicate_groups(texts), brute_groups(texts)
    assert all(slow[i] == slow[j] for i in range(len(texts)) for j in range(i) if fast[i] == fast[j])
    missed = sum(slow[i] == slow[j] and fast[i] != fast[j] for i in range(len(texts)) for j in range(i))
    assert missed == 0 or missed / len(texts) ** 2 < 0.02


def test_order_does_not_matter():
    rng = np.random.default_rng(1)
    texts = sentences(rng, 60) * 2
    order = rng.permutation(120)
    straight, shuffled = duplicate_groups(texts), duplicate_groups([texts[i] for i in order])
    assert len(set(zip(straight[order], shuffled))) == len(set(straight)) == len(set(shuffled))


def test_a_text_posted_ten_thousand_times_with_small_changes():
    rng = np.random.default_rng(2)
    base = " ".join(WORDS[:30])
    texts = [f"{base} {rng.choice(WORDS)}" for _ in range(10_000)]
    spent = []
    for n in (1_000, 10_000):
        began = time.process_time()
        assert set(duplicate_groups(texts[:n])) == {0}
        spent.append(time.process_time() - began)
    assert spent[1] < 40 * spent[0]  # every pair compared would take a hundred times as long


@pytest.mark.parametrize("settings", [{"threshold": 0}, {"threshold": 1.1}, {"shingle_words": 0}])
def test_bad_settings(settings):
    with pytest.raises(ValueError, match="threshold must lie"):
        duplicate_groups(["a"], **settings)


def test_no_texts():
    assert duplicate_groups([]).tolist() == []


def test_real_tweets(shared):
    pandas = pytest.importorskip("pandas")
    texts = pandas.read_csv(shared / "data" / "davidson" / "labeled_data.csv")["tweet"].tolist()
    groups = duplicate_groups(texts)
    assert 23_500 < len(set(groups)) < 24_500
    assert np.bincount(groups).max() < 60


@given(st.lists(st.text(max_size=25), min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_groups_of_any_texts(texts, shuffler):
    groups = duplicate_groups(texts)
    cores = [core_text(normalise(text)) for text in texts]
    assert all(groups[i] == groups[cores.index(core)] for i, core in enumerate(cores))
    order = shuffler.sample(range(len(texts)), len(texts))
    again = duplicate_groups([texts[i] for i in order])
    assert len(set(zip(groups[order], again))) == len(set(groups)) == len(set(again))
