"""Claims of the accuracy surface's paper, judged on errors that are known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from comoderate.papers.accuracy_surface import claims
from comoderate.papers.accuracy_surface.estimators import OURS


def errors(**factors):
    """Rows of five seeds in one world; each estimator's errors are a factor times luck that all share."""
    luck = np.random.default_rng(0).uniform(1, 2, 5)
    return pd.DataFrame([
        {"world": "hills", "estimator": name, "seed": seed, "macro": factor * luck[seed], "worst": factor * luck[seed]}
        for name, factor in factors.items() for seed in range(5)
    ])  # fmt: skip


def test_a_saving_that_all_seeds_share_is_sure():
    found = {one.claim: one for one in claims.estimation(errors(BetaGP=0.5, **{"Beta-I": 1.0, OURS: 0.4}))}
    assert set(found) == {"smoothing over arms helps"}  # the others' estimators are not there
    verdict = found["smoothing over arms helps"]
    assert verdict.difference.value == pytest.approx(0.5)
    assert verdict.verdict == "holds"


def test_a_claim_that_is_reversed_does_not_hold():
    found = {
        one.claim: one for one in claims.estimation(errors(**{"BetaGP-SLP": 1.0, "BetaGP": 0.8, "BetaGP-SL": 1.0}))
    }
    assert found["supervision of scales and pooling together help"].verdict == "does not hold"


def curve(seed, macro, **more):
    return {"world": "hills", "seed": seed, "macro": [9.0, macro], **more}


def test_exploration_is_judged_at_the_last_label():
    kinds = {(OURS, "error_reduction"): 1.0, (OURS, "random"): 2.0, ("BetaGP", "variance"): 1.0,
             ("BetaGP-SLP", "variance"): 1.5, ("Beta-I", "variance"): 1.2}  # fmt: skip
    rows = [
        curve(seed, error * (1 + seed / 9), estimator=name, strategy=strategy)
        for (name, strategy), error in kinds.items() for seed in range(3)
    ]  # fmt: skip
    told = {one.claim: (round(one.difference.value, 3), one.verdict) for one in claims.exploration(rows)}
    assert told == {
        "the variance of BetaGP-SLP explores better than that of Beta-I": (round(1 - 1.5 / 1.2, 3), "does not hold"),
        "the variance of BetaGP explores worse than that of Beta-I": (round(1 - 1.2 / 1.0, 3), "does not hold"),
        "choosing what to label beats random labels": (0.5, "holds"),
    }


def test_a_calibration_that_was_not_run_leaves_its_claims_open():
    rows = [curve(seed, error, kind=kind) for kind, error in (("raw", 2.0), ("temp", 1.0)) for seed in range(3)]
    told = {one.claim: one.verdict for one in claims.calibration(rows)}
    assert told["temperatures help"] == "holds"
    assert told["the joint potential helps beyond temperatures"] == "open"
