import pandas as pd
import pytest

from comoderate.plots import AgreementDisplay


def test_statistics_have_their_names_and_negative_values_room():
    frame = pd.DataFrame(
        {"question": ["q1", "q2"], "cohort": "experts", "statistic": "fleiss_kappa", "value": [0.5, -0.3],
         "low": [0.4, -0.4], "high": [0.6, -0.2]}
    )  # fmt: skip
    display = AgreementDisplay.from_frame(frame)
    axes = display.plot().axes[0]
    assert axes.get_xlim()[0] < -0.4
    assert "q2, Fleiss' κ: −0.30 (−0.40 to −0.20)" in display.describe()


def test_undefined_values_are_said():
    axes = AgreementDisplay(["q"], [float("nan")], [float("nan")], [float("nan")]).plot().axes[0]
    assert [t.get_text() for t in axes.texts] == ["undefined"]


def test_a_series_entry_a_row():
    with pytest.raises(ValueError, match="series has 1 entries, but 2 are needed"):
        AgreementDisplay(["a", "b"], [0, 0], [0, 0], [0, 0], series=["x"])
