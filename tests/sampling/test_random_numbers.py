import numpy as np
import pytest

from comoderate.sampling import uniform


def test_numbers_never_change():
    expected = [0.18502835553822305, 0.12200345008551661, 0.23363982553775253, 0.982052337799003]
    np.testing.assert_array_equal(uniform(7, "draw", ["a", "b", "1105", "é"]), expected)


def test_purpose_and_seed_make_other_numbers():
    ids = [str(i) for i in range(2000)]
    one, two, three = uniform(1, "draw", ids), uniform(1, "experts", ids), uniform(2, "draw", ids)
    assert abs(np.corrcoef(one, two)[0, 1]) < 0.08
    assert abs(np.corrcoef(one, three)[0, 1]) < 0.08
    assert abs(one.mean() - 0.5) < 0.03
    assert one.min() >= 0
    assert one.max() < 1


def test_order_of_ids_does_not_matter_and_none_is_fine():
    np.testing.assert_array_equal(uniform(1, "p", iter(["x", "y"])), uniform(1, "p", ["y", "x"])[::-1])
    assert uniform(1, "p", []).shape == (0,)


def test_purpose_without_zero_byte():
    with pytest.raises(ValueError, match="zero byte"):
        uniform(1, "a\0b", ["x"])
