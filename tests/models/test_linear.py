import re
import tempfile
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comoderate import models
from comoderate.errors import ComoderateError
from comoderate.models.linear import learn_terms
from comoderate.models.text import TOKEN, normalise

texts = st.lists(st.text(max_size=30), min_size=2, max_size=12)


@pytest.mark.parametrize("kind", ["naive_bayes", "tfidf_logistic"])
@settings(max_examples=30)
@given(texts=texts, seed=st.integers(0, 99))
def test_any_text_is_learnt_scored_kept_and_loaded(kind, texts, seed):
    rng = np.random.default_rng(seed)
    y, weight = rng.random(len(texts)), rng.random(len(texts)) + 0.1
    scorer = models.KINDS[kind](min_count=1)
    if not any(re.search(TOKEN, normalise(text)) for text in texts):
        with pytest.raises(ComoderateError, match="hold no words"):
            scorer.fit(texts, y, sample_weight=weight)
        return
    scorer.fit(texts, y, sample_weight=weight)
    proba = scorer.predict_proba([*texts, "something else"])
    assert np.isfinite(proba).all()
    assert ((proba >= 0) & (proba <= 1)).all()
    with tempfile.TemporaryDirectory() as folder:
        scorer.save(folder, card={})
        assert (models.load(folder).predict_proba([*texts, "something else"]) == proba).all()


@given(st.lists(st.lists(st.sampled_from("abcde"), max_size=6).map(" ".join), min_size=1, max_size=10))
def test_terms_and_counts_equal_brute_force(forms):
    terms, counts = learn_terms({"ngram_range": (1, 2)}, forms, 2)
    grams = []
    for form in forms:
        words = form.split()
        grams.append(words + [" ".join(pair) for pair in pairwise(words)])
    every = sorted({gram for one in grams for gram in one})
    frequent = [gram for gram in every if sum(gram in one for one in grams) >= 2]
    assert terms == (frequent or every)
    assert counts.toarray().tolist() == [[one.count(term) for term in terms] for one in grams]
