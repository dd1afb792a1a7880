import numpy as np

from comoderate.models.over_represented import over_represented

FORMS = ["you dolt", "dolt dolt", "a dolt", "you clown", "clown again", "clown you", "you there", "a day", "you day"]
Y = np.array([1, 1, 1, 1, 1, 0, 0, 0, 0.0])


def test_the_surest_first():
    assert list(over_represented(FORMS, Y, most=5, min_count=2)) == ["dolt", "clown"]


def test_only_words_that_lean_to_the_positive_class():
    assert "day" not in over_represented(FORMS, Y, most=50, min_count=1)
    assert len(over_represented(FORMS, Y, most=1, min_count=1)) == 1


def test_weights_are_repetitions():
    weight = np.array([1, 1, 1, 4, 1, 1, 1, 1, 1.0])
    times = np.repeat(np.arange(9), weight.astype(int))
    weighted = over_represented(FORMS, Y, most=9, sample_weight=weight, min_count=1)
    assert weighted == over_represented([FORMS[row] for row in times], Y[times], most=9, min_count=1)


def test_a_soft_label_counts_for_both():
    assert not over_represented(["so so so", "so"], np.array([0.5, 0.5]), most=3, min_count=1)
