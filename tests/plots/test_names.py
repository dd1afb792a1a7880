import pytest

from comoderate.plots import statistic_name


@pytest.mark.parametrize(
    ("statistic", "name"),
    [
        ("fleiss_kappa", "Fleiss' κ"),
        ("fleiss_kappa, weighted", "Fleiss' κ, weighted"),
        ("ICC(1,1)", "ICC(1,1)"),
        ("my_own_index", "my own index"),
    ],
)
def test_statistic_name(statistic, name):
    assert statistic_name(statistic) == name
