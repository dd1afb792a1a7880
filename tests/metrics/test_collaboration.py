import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.metrics import brute
from tests.metrics.strategies import posts

import comoderate.metrics as m

FRACTIONS = [0.0, 0.001, 0.1, 1 / 3, 0.5, 0.9, 1.0]


def assert_near(a, b, tolerance=1e-9):
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance, equal_nan=True)


@given(posts(), st.sampled_from([0.3, 0.5]))
def test_every_metric_of_the_pair_equals_its_slow_twin(data, threshold):
    y, p, u, w = data
    got = m.collaboration_curves(y, p, u, review_fraction=FRACTIONS, threshold=threshold, sample_weight=w)
    for i, fraction in enumerate(FRACTIONS):
        wrong, right, missed, rest = brute.reviewed_cells(y, p, u, fraction, w, threshold)
        total = w.sum()
        after = brute.expanded(y, p, u, fraction, w)
        assert_near(got.oracle_collaborative_accuracy[i], brute.divide(total - missed, total))
        assert_near(got.review_effectiveness[i], brute.divide(wrong, wrong + missed))
        if wrong + right > 1e-12 or wrong + right == 0:
            assert_near(got.review_efficiency[i], brute.divide(wrong, wrong + right))
        assert_near(got.oracle_collaborative_auroc[i], brute.auroc(*after))
        assert_near(got.oracle_collaborative_average_precision[i], brute.average_precision(*after))
        cells = m.review_counts(y, p, u, review_fraction=fraction, threshold=threshold, sample_weight=w)
        assert_near(cells, (wrong, right, missed, rest))


@given(posts(max_size=12))
def test_interpolated_area_equals_numeric_integration(data):
    y, p, u, w = data
    for fraction in (0.0, 0.4):
        got = m.oracle_collaborative_average_precision(
            y, p, u, review_fraction=fraction, sample_weight=w, interpolation="davis-goadrich"
        )
        assert_near(got, brute.interpolated(*brute.expanded(y, p, u, fraction, w)), 1e-4)


@given(posts(), st.floats(0, 1), st.sampled_from([0.3, 0.5]))
def test_decisions_of_the_pair_equal_the_slow_twin(data, fraction, threshold):
    y, p, u, w = data
    share = brute.share_reviewed(u, fraction, w)
    right, decided = w * share, w * (1 - share) * (p > threshold)
    hits = (right + decided)[y == 1].sum()
    false = decided[y == 0].sum()
    total = w[y == 1].sum()
    arguments = {"review_fraction": fraction, "threshold": threshold, "sample_weight": w}
    assert_near(m.oracle_collaborative_recall(y, p, u, **arguments), brute.divide(hits, total))
    if hits + false > 1e-12 or hits + false == 0:
        assert_near(m.oracle_collaborative_precision(y, p, u, **arguments), brute.divide(hits, hits + false))
        assert_near(m.oracle_collaborative_f1(y, p, u, **arguments), brute.divide(2 * hits, hits + false + total))


@given(posts(whole=True))
def test_whole_weights_equal_repeated_rows(data):
    y, p, u, w = data
    rows = np.repeat(np.arange(len(y)), w.astype(int))
    if len(rows) == 0:
        return
    a = m.collaboration_curves(y, p, u, review_fraction=FRACTIONS, sample_weight=w)
    b = m.collaboration_curves(y[rows], p[rows], u[rows], review_fraction=FRACTIONS)
    for x, z in zip(a, b):
        assert_near(x, z)


@given(posts(), st.floats(0.0, 1.0))
def test_identity_of_accuracy_and_efficiency(data, fraction):
    y, p, u, _ = data
    k = np.floor(len(y) * fraction + 1e-9)
    pair = m.oracle_collaborative_accuracy(y, p, u, review_fraction=fraction)
    efficiency = m.review_efficiency(y, p, u, review_fraction=fraction)
    assert_near(pair, m.accuracy(y, p) + (k / len(y) * efficiency if k else 0.0))


def test_reference_values(shared):
    datasets = json.loads((shared / "reference" / "collaboration.json").read_text())["datasets"]
    names = {
        "oc_acc": m.oracle_collaborative_accuracy,
        "review_efficiency": m.review_efficiency,
        "review_effectiveness": m.review_effectiveness,
        "oc_auroc": m.oracle_collaborative_auroc,
        "oc_auprc_step_AP": m.oracle_collaborative_average_precision,
    }
    for data in datasets.values():
        y, p = np.array(data["y"]), np.array(data["p"])
        for strategy in data["strategies"].values():
            u, rows = np.array(strategy["u"]), strategy["by_review_fraction"]
            fractions = [float(key) for key in rows]
            for name, fn in names.items():
                want = [np.nan if row[name] is None else row[name] for row in rows.values()]
                assert_near(fn(y, p, u, review_fraction=fractions), want)
            want = [row["oc_auprc_davis_goadrich"] for row in rows.values()]
            assert_near(
                m.oracle_collaborative_average_precision(
                    y, p, u, review_fraction=fractions, interpolation="davis-goadrich"
                ),
                want,
            )
            overall = strategy["overall"]
            assert_near(m.accuracy(y, p), overall["accuracy"])
            assert_near(m.auroc(y, p), overall["auroc"])
            assert_near(m.average_precision(y, p), overall["ap"])
            assert_near(m.average_precision(y, p, interpolation="davis-goadrich"), overall["auprc_davis_goadrich"])
            assert_near(m.calibration_auroc(y, p, u), overall["calibration_auroc"])
            assert_near(m.calibration_average_precision(y, p, u), overall["calibration_ap"])
            assert_near(
                m.calibration_average_precision(y, p, u, interpolation="davis-goadrich"),
                overall["calibration_auprc_davis_goadrich"],
            )


def test_a_single_fraction_gives_a_float_and_an_array_an_array():
    y, p, u = [0, 1, 1], [0.2, 0.4, 0.9], [0.1, 0.3, 0.2]
    assert isinstance(m.oracle_collaborative_auroc(y, p, u, review_fraction=0.5), float)
    assert m.oracle_collaborative_auroc(y, p, u, review_fraction=[0.5]).shape == (1,)


class TestFlawsOfThePublishedCode:
    """Each is a mistake in the code that accompanies the paper, shown not to be in ours."""

    def test_saturated_scores_keep_their_order(self):
        rng = np.random.default_rng(1)
        y = rng.random(4000) < 0.1
        logit = rng.normal(-12, 4, 4000) + 5 * y
        p = 1 / (1 + np.exp(-logit))
        assert_near(m.auroc(y, p), m.auroc(y, np.argsort(np.argsort(logit)) / 4000))

    def test_a_perfect_ranking_has_area_one_at_every_fraction(self):
        y = np.repeat([0, 1], 50)
        p = np.linspace(0, 1, 100)
        u = p * (1 - p)
        assert_near(m.oracle_collaborative_auroc(y, p, u, review_fraction=[0, 0.01, 0.5, 1]), 1.0)

    def test_efficiency_at_a_small_fraction_is_not_a_bin_average(self):
        y = np.zeros(1000)
        p = np.linspace(0.5001, 0.51, 1000)
        y[1:] = 1
        assert m.review_efficiency(y, p, 1 - p, review_fraction=0.001) == 1.0
        assert m.review_efficiency(y, p, 1 - p, review_fraction=0.002) == 0.5

    def test_everything_reviewed_is_accuracy_one(self):
        y, p = np.array([0, 1, 0, 1]), np.array([0.9, 0.1, 0.2, 0.8])
        assert m.oracle_collaborative_accuracy(y, p, p, review_fraction=1.0) == 1.0

    @pytest.mark.parametrize("threshold", [0.0, 0.2, 0.7, 1.0])
    def test_other_thresholds_work(self, threshold):
        y, p = np.array([0, 1, 0, 1]), np.array([0.9, 0.1, 0.2, 0.8])
        got = m.oracle_collaborative_accuracy(y, p, p, review_fraction=0.25, threshold=threshold)
        assert got == m.accuracy(y, p, threshold=threshold) + (0.25 if p.max() > threshold else 0.0)

    def test_weights_count(self):
        y, p = np.array([0, 1, 0, 1]), np.array([0.9, 0.1, 0.2, 0.8])
        weighted = m.oracle_collaborative_accuracy(y, p, p, review_fraction=0.0, sample_weight=[1, 1, 5, 5])
        assert weighted == pytest.approx(10 / 12)

    def test_nan_is_refused(self):
        for bad in range(3):
            arrays = [np.array([0.0, 1.0]), np.array([0.2, 0.3]), np.array([0.2, 0.3])]
            arrays[bad][0] = np.nan
            with pytest.raises(ValueError, match="NaN"):
                m.oracle_collaborative_auroc(*arrays, review_fraction=0.5)

    def test_no_post_is_dropped(self):
        y = np.zeros(1003)
        y[-3:] = 1
        p = np.full(1003, 0.2)
        assert m.accuracy(y, p) == pytest.approx(1000 / 1003)

    def test_a_soft_label_is_refused_rather_than_read_as_positive(self):
        with pytest.raises(ValueError, match="0 and 1"):
            m.auroc([0.0, 0.3, 1.0], [0.1, 0.2, 0.3])


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"y_proba": [0.1, 1.2]}, r"\[0, 1\]"),
        ({"review_fraction": 1.1}, "review_fraction"),
        ({"y_proba": [0.1]}, "1 values where 2"),
        ({"review_score": [1]}, "review_score"),
        ({"y_true": [[0, 1]]}, "one-dimensional"),
        ({"sample_weight": [1, -1]}, "sample_weight"),
    ],
)
def test_what_cannot_be_measured_is_refused(bad, words):
    good = {"y_true": [0, 1], "y_proba": [0.1, 0.2], "review_score": [1, 2], "review_fraction": 0.1}
    with pytest.raises(ValueError, match=words):
        m.oracle_collaborative_accuracy(**(good | bad))


def test_undefined_is_nan():
    one = np.array([1.0])
    assert np.isnan(m.oracle_collaborative_auroc(one, one, one, review_fraction=0.5))
    assert np.isnan(m.review_efficiency(one, one, one, review_fraction=0.0))
    assert np.isnan(m.review_effectiveness(one, one, one, review_fraction=1.0))
    assert np.isnan(m.oracle_collaborative_average_precision(one * 0, one, one, review_fraction=1.0))
    assert np.isnan(m.oracle_collaborative_accuracy(one, one, one, review_fraction=1.0, sample_weight=[0.0]))


def test_no_posts_at_all_is_undefined_not_an_error():
    for curve in m.collaboration_curves([], [], [], review_fraction=[0.0, 0.5]):
        assert np.isnan(curve).all()
    assert "negative" in m.estimate(m.auroc, [], [], replicates=2).reason


def test_infinite_review_scores_come_first_and_last():
    y, p = [0, 1, 1], [0.2, 0.3, 0.9]
    first = m.oracle_collaborative_accuracy(y, p, [0.0, np.inf, -np.inf], review_fraction=0.34)
    last = m.oracle_collaborative_accuracy(y, p, [0.0, -np.inf, np.inf], review_fraction=0.34)
    assert (first, last) == (1.0, pytest.approx(2 / 3))
