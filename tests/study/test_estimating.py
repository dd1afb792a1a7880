"""Prevalence, overall and by group."""

import numpy as np
import pandas as pd
import pytest

from comoderate.errors import ComoderateError
from comoderate.study.estimating import FEW, design_of, domain_values, prevalence


def labelled(n=200, **columns):
    rng = np.random.default_rng(1)
    base = {
        "post_id": [f"p{i}" for i in range(n)], "y": (rng.random(n) < 0.3) * 1.0, "weight": rng.uniform(1, 4, n),
        "stratum": np.repeat(["a", "b"], n // 2), "cluster": None, "pi": 0.5,
    }  # fmt: skip
    return pd.DataFrame({**base, **columns})


def posts(n=200):
    days = pd.Timestamp("2020-12-30") + pd.to_timedelta(np.arange(n) // 40, unit="D")
    platform = np.where(np.arange(n) < 20, "river", "square")
    return pd.DataFrame(
        {"post_id": [f"p{i}" for i in range(n)], "day": days.strftime("%Y-%m-%d"), "platform": platform}
    )


def test_the_share_is_the_weighted_mean():
    table, attributes = labelled(), posts()
    table.loc[:30, ["y", "weight"]] = np.nan
    found = prevalence(table, attributes, by=("platform", "week"))
    known = table[table["weight"] > 0]
    assert found["value"][0] == pytest.approx(np.average(known["y"], weights=known["weight"]))
    assert found["n"][0] == 169
    square = known[attributes.loc[known.index, "platform"] == "square"]
    row = found[found["group"] == "square"].iloc[0]
    assert row["value"] == pytest.approx(np.average(square["y"], weights=square["weight"]))
    assert ((found["low"] <= found["value"]) & (found["value"] <= found["high"])).all()


def test_groups_with_few_labels_are_marked():
    found = prevalence(labelled(), posts(), by=("platform",)).set_index("group")
    assert found["few"].to_dict() == {"all": False, "river": True, "square": False}
    assert found.loc["river", "n"] == 20 < FEW
    assert prevalence(labelled(10), posts(10))["few"][0]  # all posts as well as a group


def test_days_and_weeks():
    frame = posts()
    assert domain_values(frame, "day")[0] == "2020-12-30"
    assert sorted(domain_values(frame, "week").unique()) == ["2020-W53"]
    assert domain_values(pd.DataFrame({"day": ["2021-01-04"]}), "week")[0] == "2021-W01"
    for domain, said in (("week", "no dates"), ("platform", "no platform")):
        with pytest.raises(ComoderateError, match=said):
            domain_values(pd.DataFrame({"post_id": ["a"]}), domain)


def test_clusters_widen_and_a_finite_population_narrows():
    table = labelled(y=np.repeat([0.0, 1.0, 0.0, 0.0], 50), weight=2.0)
    plain = prevalence(table, posts())["se"][0]
    clustered = prevalence(table.assign(cluster=np.repeat([f"c{i}" for i in range(20)], 10)), posts())["se"][0]
    finite = prevalence(table, posts(), design=design_of(table, finite=True))["se"][0]
    assert clustered > 1.5 * plain
    assert finite == pytest.approx(plain * np.sqrt(0.5), rel=0.02)


def test_nothing_labelled_is_undefined_and_not_zero():
    table = labelled(y=np.nan, weight=np.nan)
    found = prevalence(table, posts(), by=("platform",))
    assert np.isnan(found["value"][0])
    assert found["reason"][0]
