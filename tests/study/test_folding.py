"""Folds keep together what belongs together."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from comoderate.study import Study
from comoderate.study.folding import fold_table, largest_share


def frame(n=60, **columns):
    letters = np.random.default_rng(0).choice(list("abcdefghijklmnopqrstuvwxyz"), (n, 9, 7))
    texts = [" ".join("".join(word) for word in words) for words in letters]
    return pd.DataFrame({"post_id": [f"p{i}" for i in range(n)], "text": texts, **columns})


def together(table, positions):
    return table["fold"].iloc[list(positions)].nunique() == 1 and table["group"].iloc[list(positions)].nunique() == 1


def test_an_author_a_thread_and_near_duplicates_share_a_fold():
    posts = frame(author=[None] * 60, thread=[None] * 60)
    posts.loc[[3, 40], "author"] = "ann"
    posts.loc[[40, 50], "thread"] = "t1"
    same = "get out of this town you useless lying weasel and take your friends along with you please"
    posts.loc[50, "text"], posts.loc[9, "text"] = same, f"RT @bob: {same}"
    table = fold_table(posts, n_folds=5, seed=1)
    assert together(table, [3, 40, 50, 9])  # one chain: author, thread, near-duplicate
    assert table["group"].nunique() == 57
    assert table["fold"].nunique() == 5
    assert largest_share(table) == 4 / 60


@settings(max_examples=20)
@given(st.integers(0, 100), st.integers(2, 6))
def test_folds_hang_on_the_group_alone(seed, n_folds):
    posts = frame(30, author=[f"a{i % 11}" for i in range(30)])
    table = fold_table(posts, n_folds=n_folds, seed=seed)
    assert table.groupby(posts["author"])["fold"].nunique().eq(1).all()
    assert table["fold"].between(0, n_folds - 1).all()
    shuffled = posts.sample(frac=1, random_state=seed)
    again = fold_table(shuffled, n_folds=n_folds, seed=seed).set_index("post_id")
    assert again["fold"].reindex(table["post_id"]).tolist() == table["fold"].tolist()


def test_without_text_author_or_thread_every_post_stands_alone():
    table = fold_table(frame()[["post_id"]], n_folds=3, seed=0)
    assert (table["group"] == table["post_id"]).all()
    assert largest_share(table.iloc[:0]) == 0.0


def test_the_folds_of_a_study(ran, little):
    folds = Study.open(ran).folds()
    posts = little.posts().set_index("post_id").loc[folds["post_id"]].reset_index()
    assert set(folds["post_id"]) == set(little.volunteers()["post_id"]) | set(little.experts()["post_id"])
    assert folds.groupby(posts["author"].to_numpy())["fold"].nunique().eq(1).all()
    threads = posts["thread"].where(posts["thread"] != "").to_numpy()
    assert folds.groupby(threads)["fold"].nunique().eq(1).all()
    assert set(np.unique(folds["fold"])) == {0, 1, 2}
