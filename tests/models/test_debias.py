import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from comoderate.models.debias import lexicon_offset, names_any, reweigh

posts = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from([0.0, 0.5, 1.0]), st.floats(0.1, 5)), min_size=2, max_size=30
)


@given(posts)
def test_no_group_tells_of_the_label_any_more(rows):
    group, y, weight = (np.array(one) for one in zip(*rows, strict=True))
    soft, new = reweigh(group, y, sample_weight=weight)
    assert (soft[np.isin(y, [0, 1])] == y[np.isin(y, [0, 1])]).all()
    share = weight @ y / weight.sum()
    for name in set(group):
        mine = group == name
        assert new[mine].sum() == pytest.approx(weight[mine].sum())
        own = weight[mine] @ y[mine] / weight[mine].sum()
        expected = share if 1e-9 < own < 1 - 1e-9 else own
        assert new[mine] @ soft[mine] / new[mine].sum() == pytest.approx(expected, abs=1e-9)


def test_lengths():
    with pytest.raises(ValueError, match="lengths"):
        reweigh(["a"], [0, 1])


def test_the_offset_is_how_far_words_move_the_log_odds():
    texts = ["dolt"] * 8 + ["morning"] * 12
    y = np.array([1] * 6 + [0] * 2 + [1] * 2 + [0] * 10)
    offset = lexicon_offset(texts, y, words=["dolt"])

    def log_odds(p):
        return np.log(p / (1 - p))

    assert offset[0] == pytest.approx(log_odds(6.4 / 9) - log_odds(0.4))
    assert offset[-1] == pytest.approx(log_odds(2.4 / 13) - log_odds(0.4))
    heavier = lexicon_offset(texts, y, words=["dolt"], sample_weight=np.full(20, 50.0))
    assert heavier[0] > offset[0]


def test_many_words_count_as_most():
    texts = ["dolt", "dolt dolt", "dolt dolt dolt", "hello"]
    offset = lexicon_offset(texts, [0, 1, 1, 0], words=["dolt"], most=2)
    assert offset[1] == offset[2] > offset[0]
    assert names_any(texts, ["dolt"]).tolist() == [True, True, True, False]
