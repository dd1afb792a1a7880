"""The baselines on real tweets: how well they rank."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import roc_auc_score

from comoderate.models import baselines
from comoderate.models.folds import group_folds
from comoderate.models.near_duplicates import duplicate_groups


@pytest.fixture(scope="module")
def tweets(shared):
    return pd.read_csv(shared / "data" / "davidson" / "labeled_data.csv")


@pytest.fixture(scope="module")
def folds(tweets):
    groups = duplicate_groups(tweets["tweet"])
    return group_folds([str(group) for group in groups], n_folds=4, seed=1)


@pytest.mark.parametrize(
    ("scorer", "last_class", "least"),
    [
        (baselines.NaiveBayes(), 0, 0.70),
        (baselines.NaiveBayes(), 1, 0.95),
        (baselines.TfidfLogistic(), 0, 0.84),
        (baselines.TfidfLogistic(), 1, 0.97),
    ],
    ids=["naive Bayes, hate", "naive Bayes, offensive or hate", "TF-IDF, hate", "TF-IDF, offensive or hate"],
)
def test_ranking(tweets, folds, scorer, last_class, least):
    texts, y = tweets["tweet"].to_numpy(), (tweets["class"] <= last_class).to_numpy(dtype=float)
    train, test = folds > 0, folds == 0
    scorer.fit(texts[train], y[train])
    assert roc_auc_score(y[test], scorer.predict_proba(texts[test])) > least


def test_a_lexicon_of_the_most_telling_words_ranks_too(tweets):
    texts, y = tweets["tweet"].to_numpy(), (tweets["class"] < 2).to_numpy(dtype=float)
    learnt = baselines.NaiveBayes(word_ngrams=(1, 1), min_count=20).fit(texts[:3000], y[:3000])
    words = np.array(learnt.terms_[0])[np.argsort(learnt.coef_)[-20:]]
    scorer = baselines.Lexicon(words=words.tolist())
    assert roc_auc_score(y[3000:], scorer.predict_proba(texts[3000:])) > 0.6
