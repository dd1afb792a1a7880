import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from tests.models.battery import TEXTS, LearnerBattery, Y

from comoderate.models import NaiveBayes
from comoderate.models.text import TOKEN


class TestNaiveBayes(LearnerBattery):
    def make(self, **settings):
        return NaiveBayes(**settings)

    def test_equals_scikit_learn(self):
        weight = np.linspace(0.5, 1.5, 40)
        counts = CountVectorizer(ngram_range=(1, 2), token_pattern=TOKEN, min_df=2).fit(TEXTS)
        oracle = MultinomialNB(alpha=0.3).fit(counts.transform(TEXTS), Y, sample_weight=weight)
        ours = NaiveBayes(alpha=0.3).fit(TEXTS, Y, sample_weight=weight)
        assert ours.terms_[0] == counts.get_feature_names_out().tolist()
        assert np.allclose(ours.predict_proba(TEXTS), oracle.predict_proba(counts.transform(TEXTS))[:, 1])

    def test_by_hand(self):
        model = NaiveBayes(word_ngrams=(1, 1), alpha=1.0, min_count=1).fit(["a b", "a", "b b c"], [1, 1, 0])
        # class 1: a 2, b 1, c 0 of 3; class 0: a 0, b 2, c 1 of 3; smoothed over 6
        odds = (2 / 1) * (3 / 1) * (2 / 3)
        assert np.isclose(model.predict_proba(["a b"])[0], odds / (1 + odds))
