"""The one table: unlabelled is NaN, weights are rebuilt, and only labels with a known chance measure."""

import numpy as np
import pandas as pd
import pytest

from comoderate.study import LabelWarning, Study
from comoderate.study.labelled import COLUMNS, join, warn


def labels(**posts):
    """Labels by post: ``a=1`` or ``a=(1, "queue")``."""
    rows = []
    for post, value in posts.items():
        y, source = value if isinstance(value, tuple) else (value, "sample")
        rows.append({"post_id": post, "cohort": "v", "source": source, "n_ratings": 3, "y": float(y), "y_soft": abs(y)})
    return pd.DataFrame(rows)


def draws(ids, pi, stratum="s"):
    pi, stratum = np.broadcast_to(pi, len(ids)), np.broadcast_to(stratum, len(ids))
    return pd.DataFrame({"post_id": list(ids), "phase": "base", "stratum": stratum, "cluster": None, "pi": pi})


FOLDS = pd.DataFrame({"post_id": list("abcdef"), "fold": [0, 1, 2, 0, 1, 2]})


def test_columns_and_rows():
    found = join(labels(b=1, a=0), draws("abcd", 0.5), FOLDS, cohort="v").frame
    assert tuple(found.columns) == COLUMNS
    assert found["post_id"].tolist() == list("abcd")  # a row a drawn post, in the order of the draw
    assert found["n_ratings"].tolist() == [3, 3, 0, 0]
    assert found["fold"].tolist() == [0, 1, 2, 0]


def test_unlabelled_is_nan_and_never_zero():
    found = join(labels(a=0), draws("ab", 0.5), FOLDS, cohort="v").frame
    assert found["y"].tolist()[0] == 0.0
    assert np.isnan(found["y"][1])
    assert np.isnan(found["y_soft"][1])
    assert np.isnan(found["weight"][1])


def test_weights_are_rebuilt_for_the_labelled_by_hand():
    # s: four drawn with pi 1/2, two labelled: each stands for itself and for a silent one, 2 · 4/2 = 4.
    # t: two drawn with pi 1/4, both labelled: 4 each. The sum is the number of posts of the world: 4·2 + 2·4 = 16.
    drawn = draws("abcdef", [0.5] * 4 + [0.25] * 2, list("sssstt"))
    found = join(labels(a=1, b=0, e=0, f=1), drawn, FOLDS, cohort="v").frame
    np.testing.assert_allclose(found["weight"], [4, 4, np.nan, np.nan, 4, 4])
    assert found["weight"].sum() == pytest.approx((1 / drawn["pi"]).sum())


def test_enriched_posts_are_a_cell_of_their_own():
    drawn = draws("abcd", [0.25, 0.25, 1.0, 1.0])
    found = join(labels(a=0, c=1, d=1), drawn, FOLDS, cohort="v").frame
    np.testing.assert_allclose(found["weight"], [8, np.nan, 1, 1])  # b's silence falls to a, not to c and d


def test_a_stratum_without_labels_is_joined_and_said():
    found = join(labels(a=1, b=0), draws("abcd", 0.5, list("sstt")), FOLDS, cohort="v")
    np.testing.assert_allclose(found.frame["weight"], [4, 4, np.nan, np.nan])
    assert any("joined" in text for text in found.warnings)
    assert any("2 of 4 drawn posts have no rating" in text for text in found.warnings)


@pytest.mark.parametrize("source", ["queue", "appeal", "gold", "tutorial"])
def test_what_never_measures(source):
    found = join(labels(a=1, b=(1, source)), draws("abc", 0.5), FOLDS, cohort="v").frame
    assert np.isnan(found["y"][1])
    assert found["n_ratings"][1] == 0
    np.testing.assert_allclose(found["weight"], [6, np.nan, np.nan])


@pytest.mark.parametrize(("source", "kept"), [("queue", True), ("appeal", True), ("gold", False), ("tutorial", False)])
def test_without_a_sample_all_labels_that_train(source, kept):
    found = join(labels(a=1, b=(1, source)), None, FOLDS, cohort="v").frame
    assert found["post_id"].tolist() == (["a", "b"] if kept else ["a"])
    assert found["weight"].isna().all()
    assert found["pi"].isna().all()
    assert tuple(found.columns) == COLUMNS


def test_ties_count_as_unlabelled_and_are_said():
    found = join(labels(a=np.nan, b=1), draws("ab", 0.5), FOLDS, cohort="v")
    assert np.isnan(found.frame["weight"][0])
    assert found.frame["n_ratings"][0] == 3
    assert "1 of 2 drawn posts have ratings but no majority" in found.warnings[0]


def test_cohorts_are_kept_apart():
    both = pd.concat([labels(a=1, b=0), labels(a=0, c=1).assign(cohort="e")])
    found = join(both, draws("abc", 0.5), FOLDS, cohort="e").frame
    np.testing.assert_array_equal(found["y"], [0, np.nan, 1])


def test_nothing_labelled():
    found = join(labels(z=1), draws("ab", 0.5), FOLDS, cohort="v")
    assert found.frame["weight"].isna().all()
    assert "no post has a label" in found.warnings[-1]


def test_a_post_without_a_fold_is_in_none():
    assert join(labels(z=1), draws("z", 0.5), FOLDS, cohort="v").frame["fold"].tolist() == [-1]


def test_warnings_reach_users_of_python():
    with pytest.warns(LabelWarning, match="be careful"):
        warn(("be careful",))


def test_labelled_of_a_study(ran, little):
    study = Study.open(ran)
    with pytest.warns(LabelWarning, match="have no rating"):
        found = study.labelled("abusive", "main")
    assert tuple(found.columns) == COLUMNS
    assert found["post_id"].tolist() == study.sample("main")["post_id"].tolist()
    volunteers = little.volunteers()
    votes = volunteers[volunteers["question"] == "problem"]
    share = votes["answer"].ne("No").groupby(votes["post_id"]).mean().reindex(found["post_id"]).to_numpy()
    np.testing.assert_array_equal(found["y"], np.where(np.isnan(share), np.nan, (share > 0.5).astype(float)))
    assert found["weight"].notna().equals(found["y"].notna())
    assert found["weight"].sum() == pytest.approx((1 / found["pi"]).sum())
    assert found["pi"].between(0, 1, inclusive="right").all()
    assert set(found["phase"]) == {"base", "enrich"}
    with pytest.warns(LabelWarning):
        threats = study.labelled("threat", "main")
    assert threats["y"].isna().sum() > 100  # who saw no problem was not asked
    assert set(threats["y"].dropna()) == {0.0, 1.0}
    assert study.labelled("abusive", None)["post_id"].nunique() == volunteers["post_id"].nunique()
