import pytest

from comoderate.errors import ComoderateError
from comoderate.models import Encoder, TrollPatrol


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "oracle"}, "method is 'oracle'. Choose one of: deterministic"),
        ({"epochs": 0}, "epochs is 0. Choose a number more than 0"),
        ({"alpha": 1.5}, "alpha is 1.5. Choose a number from 0 to 1"),
        ({"gamma": -1.0}, "gamma is -1.0. Choose a number 0 or more"),
        ({"dropout": float("nan")}, "dropout is nan"),
        ({"class_weight": "even"}, "class_weight is 'even'"),
        ({"method": "ensemble", "members": 1}, "at least two members"),
        ({"debias": "product"}, "has no words"),
        ({"spectral_layers": "("}, "no regular expression"),
        ({"follow_ups": {"a b": {"answers": ["x"]}}}, "no plain word"),
        ({"follow_ups": {"type": {"several": True}}}, "is not described"),
    ],
)
def test_settings_that_make_no_sense(settings, message):
    with pytest.raises(ComoderateError, match=message.replace("(", r"\(")):
        Encoder(**settings).fit(["a", "b"], [0, 1])


def test_defaults_follow_the_mode():
    tuned, frozen = Encoder()._plan(), Encoder(frozen=True)._plan()
    assert (tuned.epochs, tuned.batch_size, tuned.learning_rate) == (3, 32, 1e-4)
    assert (frozen.epochs, frozen.batch_size, frozen.learning_rate) == (20, 128, 1e-3)
    assert Encoder()._plan().ridge == 1
    assert Encoder(precision_update="moving_average")._plan().ridge == 1e-3
    assert tuned.n_members == 1
    assert Encoder(method="ensemble")._plan().n_members == 4


def test_methods_that_share_members_have_one_key():
    keys = [Encoder(method=method)._plan().key() for method in ("deterministic", "mc_dropout", "ensemble")]
    assert keys[0] == keys[1] == keys[2]
    assert Encoder(method="sngp")._plan().key() != keys[0]
    assert Encoder(random_state=0)._plan().key() == keys[0] != Encoder(random_state=1)._plan().key()


def test_troll_patrol_has_the_encoders_defaults():
    plan = TrollPatrol()._plan()
    assert (plan.units, plan.pooling, plan.debias) == (64, "first", None)
