import pytest
import torch
from tests.models.battery import TEXTS, Y
from torch import nn

from comoderate.models.encoders.spectral import SpectralBound


@pytest.fixture
def net():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        network = nn.ModuleDict({"pooler": nn.Linear(20, 30), "head": nn.Linear(20, 20), "small": nn.Linear(5, 5)})
    network["pooler"].weight.data.mul_(10)
    network["small"].weight.data.mul_(0.01)
    return network


def norm(layer):
    return float(torch.linalg.matrix_norm(layer.weight.detach(), 2))


def test_chosen_layers_come_under_the_bound(net):
    before = norm(net["head"])
    bound = SpectralBound(net, pattern="pooler", bound=0.95, iterations=1)
    for _ in range(200):
        bound.project()
    assert norm(net["pooler"]) == pytest.approx(0.95, rel=1e-3)
    assert norm(net["head"]) == before


@pytest.mark.parametrize("iterations", [1, 20])
def test_one_estimate_never_exceeds_the_norm(net, iterations):
    true = norm(net["pooler"])
    bound = SpectralBound(net, pattern="pooler", bound=0.95, iterations=iterations)
    bound.project()
    left = norm(net["pooler"])
    assert left + 1e-5 >= 0.95
    assert left < true
    if iterations == 20:
        assert left == pytest.approx(0.95, rel=0.05)


def test_settled_it_is_exact_and_small_layers_stay(net):
    small = norm(net["small"])
    SpectralBound(net, pattern=".*", bound=0.5, iterations=1).settle()
    assert norm(net["pooler"]) == pytest.approx(0.5, rel=1e-5)
    assert norm(net["small"]) == small


def test_state_goes_on(net):
    one = SpectralBound(net, pattern="pooler", bound=1e9, iterations=1)
    one.project()
    other = SpectralBound(net, pattern="pooler", bound=1e9, iterations=1)
    other.restore(one.state())
    one.project()
    other.project()
    assert torch.equal(one.vectors["pooler"], other.vectors["pooler"])


def test_trained_networks_keep_the_bound(tuned):
    pattern = r"pooler|backbone\..*output\.dense"
    scorer = tuned(method="sngp", spectral_layers=pattern, spectral_bound=0.5, learning_rate=0.02)
    network = scorer.fit(TEXTS, Y).networks_[0]
    layers = SpectralBound(network, pattern=pattern, bound=1.0, iterations=1).layers
    assert len(layers) == 5
    assert all(norm(layer) <= 0.5 * (1 + 1e-4) for layer in layers.values())
