"""What the advice on review says in words."""

from types import SimpleNamespace

import pandas as pd
import pytest

from comoderate.study.review_wording import advice_sentences, amount, ends, percent


@pytest.mark.parametrize(("value", "said"), [(0.05, "5 %"), (0.12345, "12.3 %"), (0.0, "0 %"), (1.0, "100 %")])
def test_percent(value, said):
    assert percent(value) == said


def test_amounts_are_shares_or_numbers():
    assert amount(0.5, "accuracy") == "50 %"
    assert amount(0.51234, "auroc") == "0.512"


def test_an_interval_or_nothing():
    assert ends(SimpleNamespace(low=0.1, high=0.2), "accuracy") == " (10 to 20 %)"
    assert ends(SimpleNamespace(low=float("nan"), high=float("nan")), "accuracy") == ""


def test_without_advice_it_says_why():
    (said,) = advice_sentences(pd.DataFrame(), pd.DataFrame())
    assert said.startswith("No advice on review")
