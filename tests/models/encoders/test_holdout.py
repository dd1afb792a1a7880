import numpy as np
import pytest

from comoderate.models.encoders.holdout import split

Y = np.resize([0.0, 1.0], 200)


def test_about_the_share_and_the_same_each_time():
    first = split(Y, share=0.1, seed=1, groups=None, chosen=None)
    assert len(first.held) == 20
    assert sorted([*first.train, *first.held]) == list(range(200))
    assert (first.held == split(Y, share=0.1, seed=1, groups=None, chosen=None).held).all()
    assert not np.array_equal(first.held, split(Y, share=0.1, seed=2, groups=None, chosen=None).held)


def test_groups_stay_together():
    groups = np.arange(200) // 7
    rows = split(Y, share=0.2, seed=0, groups=groups, chosen=None)
    assert not set(groups[rows.train]) & set(groups[rows.held])
    assert 25 <= len(rows.held) <= 40


def test_chosen_posts():
    chosen = np.arange(200) < 5
    assert split(Y, share=0.9, seed=0, groups=None, chosen=chosen).held.tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(ValueError, match="shape"):
        split(Y, share=0.1, seed=0, groups=None, chosen=[True])


def test_nothing_is_held_out_where_one_class_would_be_left():
    y = np.array([1.0, 0, 0, 0])
    assert len(split(y, share=0.5, seed=0, groups=None, chosen=[True, False, False, False]).held) == 0
    assert len(split(Y, share=0.0, seed=0, groups=None, chosen=None).held) == 0
