"""The baselines on real tweets: how well they rank, and how long that takes on one core."""

import time

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


def seconds(work, *arguments):
    began = time.process_time()
    work(*arguments)
    return time.process_time() - began


@pytest.mark.parametrize(
    ("scorer", "least_hate", "least_offensive"),
    [(baselines.NaiveBayes(), 0.70, 0.93), (baselines.TfidfLogistic(), 0.84, 0.96)],
    ids=["naive Bayes", "TF-IDF"],
)
def test_ranking_and_speed(tweets, scorer, least_hate, least_offensive):
    texts = tweets["tweet"].to_numpy()
    folds = group_folds([str(group) for group in duplicate_groups(texts)], n_folds=4, seed=1)
    train, test = folds > 0, folds == 0
    for y, least in [(tweets["class"] == 0, least_hate), (tweets["class"] < 2, least_offensive)]:
        y = y.to_numpy(dtype=float)
        assert seconds(scorer.fit, texts[train], y[train]) < 4
        assert seconds(scorer.predict_proba, texts) < 3
        assert roc_auc_score(y[test], scorer.predict_proba(texts[test])) > least


def test_a_lexicon_of_the_most_telling_words_ranks_too(tweets):
    texts, y = tweets["tweet"].to_numpy(), (tweets["class"] < 2).to_numpy(dtype=float)
    learnt = baselines.NaiveBayes(word_ngrams=(1, 1), min_count=20).fit(texts[:3000], y[:3000])
    words = np.array(learnt.terms_[0])[np.argsort(learnt.coef_)[-20:]]
    scorer = baselines.Lexicon(words=words.tolist())
    assert roc_auc_score(y[3000:], scorer.predict_proba(texts[3000:])) > 0.6
