import pytest
from pydantic import ValidationError

from comoderate.study.settings import AssessSettings, SurfaceAttributeSettings, SurfaceSettings


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kind": "mentions"}, "need them"),
        ({"kind": "which"}, "need them"),
        ({"kind": "category", "terms": ["hat"]}, "need them"),
        ({"kind": "category", "edges": [0.5]}, "edges belong to"),
        ({"kind": "number", "edges": [2, 1]}, "must increase"),
        ({"kind": "number", "edges": [1, 1]}, "must increase"),
        ({"kind": "language", "column": "text"}, "takes no column"),
        ({"kind": "colour"}, "Input should be"),
        ({"kind": "predicted", "scorers": {"hats": "a"}}, "two values"),
        ({"kind": "predicted", "scorers": {"hats": "a"}, "rest": "hats"}, "scorer of its own"),
        ({"kind": "predicted", "scorers": {"hats": "a", "caps": "b"}, "column": "c"}, "takes no column"),
        ({"kind": "category", "truth": "hat"}, "belong to kind"),
        ({"bins": 0}, "greater than or equal to 1"),
    ],
)
def test_what_does_not_fit_is_refused(given, message):
    with pytest.raises(ValidationError, match=message):
        SurfaceAttributeSettings(**given)


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"kind": "scorer", "column": "service", "edges": [0.2, 0.8]},
        {"kind": "text_length", "edges": [40, 120]},
        {"kind": "mentions", "terms": ["hat"]},
        {"kind": "number", "bins": 3, "column": "followers"},
    ],
)
def test_what_fits_is_taken(given):
    own = SurfaceAttributeSettings(**given)
    assert own.model_dump(include=set(given)) == {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}


def test_defaults_ask_for_nothing_special():
    own = SurfaceSettings()
    assert (own.loss, own.estimator, own.attributes, own.scorers) == ("error", "auto", (), ())
    assert AssessSettings().cohort is None
    with pytest.raises(ValidationError, match="margin"):
        AssessSettings(margin=1.0)
