from comoderate.report.glossary import METHODS, TERMS
from comoderate.report.words import METRICS, STATISTIC_TERMS


def test_every_term_that_is_linked_is_explained():
    linked = {term for _, term, _ in METRICS.values()} | set(STATISTIC_TERMS.values())
    assert linked <= set(TERMS)
    assert all(meaning.endswith(".") for _, meaning in TERMS.values())


def test_every_method_has_a_source():
    assert all(text.endswith(".") and source for text, source in METHODS.values())
