import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from tests.models.battery import TEXTS, LearnerBattery, Y

from comoderate.models import TfidfLogistic
from comoderate.models.text import TOKEN


class TestTfidfLogistic(LearnerBattery):
    def make(self, **settings):
        return TfidfLogistic(**settings)

    def test_equals_scikit_learn(self):
        weight = np.linspace(0.5, 1.5, 40)
        words = TfidfVectorizer(ngram_range=(1, 2), token_pattern=TOKEN, min_df=2, sublinear_tf=True)
        chars = TfidfVectorizer(analyzer="char_wb", ngram_range=(4, 4), min_df=2, sublinear_tf=True)
        features = sparse.hstack([words.fit_transform(TEXTS), chars.fit_transform(TEXTS)]).tocsr()
        oracle = LogisticRegression(C=2.0, solver="liblinear", tol=1e-8).fit(features, Y, sample_weight=weight)
        ours = TfidfLogistic().fit(TEXTS, Y, sample_weight=weight)
        assert np.allclose(ours.predict_proba(TEXTS), oracle.predict_proba(features)[:, 1], atol=2e-3)

    def test_words_only(self):
        model = TfidfLogistic(char_ngrams=None).fit(TEXTS, Y)
        assert len(model.terms_) == 1
        assert model.predict_proba(["you clown"])[0] > 0.5

    def test_sees_through_spelling(self):
        model = TfidfLogistic().fit(TEXTS, Y)
        assert model.predict_proba(["clowns"])[0] > model.predict_proba(["towns"])[0]

    @pytest.mark.parametrize("min_count", [1, 2, 1000])
    def test_rare_terms_stay_where_nothing_else_would(self, min_count):
        assert TfidfLogistic(min_count=min_count).fit(TEXTS, Y).predict_proba(["a dolt"])[0] > 0.5
