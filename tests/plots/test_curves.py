import numpy as np
import pandas as pd
import pytest

from comoderate.plots import Curve, PrecisionRecallDisplay, RocDisplay


@pytest.fixture
def frame() -> pd.DataFrame:
    key = {"target": "t", "sample": "s", "truth": "experts", "kind": "precision-recall"}
    model = pd.DataFrame({**key, "scorer": "m", "x": [1.0, 0.5, 0.0], "y": [0.1, 0.6, 1.0], "threshold": [0, 0.5, 1]})
    crowd = pd.DataFrame(
        {**key, "scorer": "volunteers", "x": [1.0, 0.7, 0], "y": [0.1, 0.8, 1], "threshold": [0, 0.5, 1]}
    )
    return pd.concat([model, crowd])


def test_people_are_a_point(frame):
    display = PrecisionRecallDisplay.from_frame(frame)
    assert [c.name for c in display.curves] == ["m"]
    assert [(p.name, p.x, p.y) for p in display.points] == [("volunteers", 0.7, 0.8)]


def test_the_evaluation_gives_the_point_its_intervals(frame):
    key = {"target": "t", "sample": "s", "truth": "experts", "scorer": "volunteers", "domain": "all"}
    evaluation = pd.DataFrame(
        [
            {**key, "metric": "precision", "value": 0.75, "low": 0.7, "high": 0.8},
            {**key, "metric": "recall", "value": 0.65, "low": 0.6, "high": 0.7},
        ]
    )
    (point,) = PrecisionRecallDisplay.from_frame(frame, evaluation=evaluation).points
    assert (point.x, point.y, point.x_range, point.y_range) == (0.65, 0.75, (0.6, 0.7), (0.7, 0.8))


def test_the_point_on_the_roc_plane_has_the_recall_that_was_evaluated(frame):
    key = {"target": "t", "sample": "s", "truth": "experts", "scorer": "volunteers", "domain": "all"}
    evaluation = pd.DataFrame([{**key, "metric": "recall", "value": 0.78, "low": 0.7, "high": 0.8}])
    roc = frame.assign(kind="roc")
    (point,) = RocDisplay.from_frame(roc, evaluation=evaluation).points
    assert (point.x, point.y) == (0.7, 0.8)


def test_curves_run_from_left_to_right(frame):
    display = PrecisionRecallDisplay.from_frame(frame)
    np.testing.assert_array_equal(display.curves[0].x, [0, 0.5, 1])
    np.testing.assert_array_equal(display.curves[0].y, [1, 0.6, 0.1])


def test_a_step_holds_the_precision_of_its_right_end():
    display = PrecisionRecallDisplay([Curve("m", np.array([0.0, 0.5, 1.0]), np.array([1.0, 0.8, 0.4]))])
    assert display.plot().axes[0].lines[0].get_drawstyle() == "steps-pre"
    assert "m: 80.0 % at 20 %, 80.0 % at 50 %, 40.0 % at 80 %." in display.describe()


def test_the_diagonal_is_chance(frame):
    display = RocDisplay.from_frame(frame.assign(kind="roc"))
    labels = [line.get_label() for line in display.plot().axes[0].lines]
    assert "scorer that knows nothing" in labels


def test_labels_name_units(frame):
    axes = PrecisionRecallDisplay.from_frame(frame).plot().axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("Recall (%)", "Precision (%)")
