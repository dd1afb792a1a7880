"""One way to write numbers, and tables that end."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from comoderate.study import showing


def row(value, low=np.nan, high=np.nan):
    return SimpleNamespace(value=value, low=low, high=high)


def test_shares_counts_ratios_and_risks():
    assert showing.share(row(0.071, 0.066, 0.076)) == "7.1 % (6.6 to 7.6)"
    assert showing.amount(row(1234.4, 1100.0, 1380.0)) == "1,234 (1,100 to 1,380)"
    assert showing.amount(row(0.0185, 0.0164, 0.0207)) == "0.018 (0.016 to 0.021)"
    assert showing.amount(row(np.nan)) == "undefined"
    assert showing.amount(row(20.0)) == "20"
    assert showing.ratio(row(1.84, 1.52, 2.23)) == "1.84 (1.52 to 2.23)"
    assert showing.more_or_less(row(1.84, 1.52, 2.23)) == "84 % (52 to 123) more"
    assert showing.more_or_less(row(0.6, 0.5, 0.7)) == "40 % (30 to 50) less"
    assert showing.total(0.0868) == "0.09"
    assert showing.total(91_250.0) == "91,250"


def test_the_largest_groups_and_a_sentence():
    towns = pd.DataFrame({"domain": "town", "group": [f"t{i}" for i in range(200)], "n": range(200)})
    days = pd.DataFrame({"domain": "day", "group": [f"d{i}" for i in range(50)], "n": 1})
    few = pd.DataFrame({"domain": "kind", "group": ["a", "b"], "n": 9})
    shown, told = showing.largest(pd.concat([few, towns, days], ignore_index=True))
    assert shown["domain"].value_counts().to_dict() == {"day": 50, "town": showing.LARGEST, "kind": 2}
    assert set(shown.loc[shown["domain"] == "town", "group"]) == {f"t{i}" for i in range(170, 200)}
    assert list(told) == ["town"]
    assert "Town has 200 groups; the 30 with most labels" in told["town"]
    assert showing.largest(towns.iloc[:0])[1] == {}
