"""Options from a file, refused before anything is trained."""

import pytest

from comoderate.errors import ComoderateError
from comoderate.models import KINDS, PipelineScorer, check_options


def checked(kind, **options):
    return check_options(kind, KINDS[kind], options)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("naive_bayes", {"alpha": 1, "word_ngrams": (1, 3)}),
        ("tfidf_logistic", {"char_ngrams": (3, 5), "c": 0.5}),
        ("encoder", {"frozen": True, "method": "sngp", "epochs": 2, "backbone": "some/model", "learning_rate": 2e-5}),
        ("encoder", {"debias": "reweight", "debias_words": ("one", "two")}),
    ],
)
def test_options_that_fit(kind, options):
    assert set(checked(kind, **options)) == set(options)


@pytest.mark.parametrize(
    ("kind", "options", "problem"),
    [
        ("naive_bayes", {"alhpa": 1.0}, "has no option 'alhpa'. Did you mean 'alpha'"),
        ("naive_bayes", {"zzz": 1.0}, "has no option 'zzz'. Known here: word_ngrams, alpha, min_count"),
        ("naive_bayes", {"random_state": 3}, "has no option 'random_state'"),
        ("encoder", {"epocs": 3}, "Did you mean 'epochs'"),
        ("encoder", {"epochs": "three"}, "option 'epochs' of encoder is 'three'"),
        ("encoder", {"epochs": "3"}, "is the text '3'. Write it without quotation marks"),
        ("encoder", {"epochs": 2.5}, "option 'epochs' of encoder is 2.5"),
        ("encoder", {"method": "sngpp"}, "method is 'sngpp'. Choose one of"),
        ("encoder", {"dropout": 1.5}, "dropout is 1.5"),
        ("naive_bayes", {"word_ngrams": 2}, "option 'word_ngrams' of naive_bayes is 2"),
    ],
)
def test_options_that_do_not(kind, options, problem):
    with pytest.raises(ComoderateError) as error:
        checked(kind, **options)
    assert problem in str(error.value)


def test_a_pipelines_options():
    given = {"model": "folder", "label": "toxic", "batch_size": 4}
    assert check_options("pipeline", PipelineScorer, given) == given
    with pytest.raises(ComoderateError, match="Did you mean 'batch_size'"):
        check_options("pipeline", PipelineScorer, {**given, "batchsize": 4})
