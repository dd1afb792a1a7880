"""Numbers of a surface in words: as many digits as it takes to see how sure they are."""

import pytest

from comoderate.study.surface_wording import change, change_with_interval, value_with_interval


@pytest.mark.parametrize(
    ("ends", "said"),
    [
        ((0.1, 0.05, 0.16), "+10 points (+5 to +16)"),
        ((0.1, 0.0991, 0.1008), "+10.0 points (+9.9 to +10.1)"),
        ((0.1, 0.1, 0.1), "+10 points (+10 to +10)"),
        ((0.02, 0.001, 0.04), "+2.0 points (+0.1 to +4.0)"),
    ],
)
def test_a_change_has_digits_that_tell_its_ends_apart(ends, said):
    assert change_with_interval(*ends, "error") == said


def test_a_value_and_an_effect_have_them_too():
    assert value_with_interval(0.98, 0.9771, 0.9842, "error") == "98.0 % (97.7 to 98.4)"
    assert value_with_interval(1.0, 1.0, 1.0, "error") == "100 % (100 to 100)"
    assert change(-0.2, 0.003, "error") == "-20.0 points (± 0.3)"
    assert change(-0.2, 0.03, "error") == "-20 points (± 3)"
    assert change(-0.2, 0.03, "brier") == "-0.200 (± 0.030)"
