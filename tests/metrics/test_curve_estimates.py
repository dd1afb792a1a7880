import numpy as np

import comoderate.metrics as m

FRACTIONS = [0.0, 0.05, 0.2]


def sample(n=300):
    rng = np.random.default_rng(0)
    p = rng.random(n)
    return (rng.random(n) < p).astype(float), p


def test_each_curve_is_what_its_own_metric_estimates():
    y, p = sample()
    got = m.estimate_curves(y, p, p, review_fraction=FRACTIONS, replicates=40, random_state=0).intervals
    assert list(got) == list(m.CollaborationCurves._fields)
    for name, estimates in got.items():
        alone = m.estimate(getattr(m, name), y, p, p, review_fraction=FRACTIONS, replicates=40, random_state=0)
        assert len(estimates) == 3
        for a, b in zip(estimates, alone):
            np.testing.assert_allclose([a.value, a.low, a.high], [b.value, b.low, b.high], atol=1e-9)
            assert a.reason == b.reason


def test_bands_are_wider_than_intervals():
    y, p = sample()
    options = {"review_fraction": FRACTIONS, "replicates": 100, "random_state": 0}
    points, bands = m.estimate_curves(y, p, p, **options)
    for name in ("oracle_collaborative_accuracy", "oracle_collaborative_auroc"):
        for a, b in zip(points[name], bands[name]):
            assert b.high - b.low > a.high - a.low
    assert "capacity" in bands["review_efficiency"][0].reason


def test_bands_of_shares_are_shares():
    y, p = sample(60)
    bands = m.estimate_curves(y, p, p, review_fraction=[0.02, 0.05], replicates=40, random_state=0).bands
    for estimates in bands.values():
        assert all(not (one.low < 0 or one.high > 1) for one in estimates)
