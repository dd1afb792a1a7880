import math

import pytest
import torch

from comoderate.models.encoders.gaussian import MOVING, GaussianHead, mean_field


@pytest.fixture
def head():
    with torch.random.fork_rng():
        torch.manual_seed(0)
        yield GaussianHead(16, size=512, length_scale=1.0, ridge=1.0)


def test_features_approximate_the_kernel(head):
    x = torch.randn(5, 16)
    scaled = torch.nn.functional.layer_norm(x, (16,))
    expected = torch.exp(-(torch.cdist(scaled, scaled) ** 2) / (2 * 16))
    features = head(x).features
    assert torch.allclose(features @ features.T, expected, atol=0.2)


def test_precision_is_the_sum_over_the_epoch(head):
    head.output.weight.data.normal_()
    x, weight = torch.randn(30, 16), torch.rand(30) + 0.5
    head.reset()
    for start in range(0, 30, 7):
        head.add(head(x[start : start + 7]), weight[start : start + 7])
    out = head(x)
    p = torch.sigmoid(out.mean)
    expected = torch.einsum("b,bi,bj->ij", weight * p * (1 - p), out.features, out.features)
    assert torch.allclose(head.precision, expected, atol=1e-5)
    head.settle()
    covariance = torch.linalg.inv(expected.double() + torch.eye(512, dtype=torch.float64))
    variance = torch.einsum("bi,ij,bj->b", out.features.double(), covariance, out.features.double())
    assert torch.allclose(head.variance(out.features).double(), variance, atol=1e-5)
    head.reset()
    assert not head.precision.any()


def test_moving_average(head):
    x = torch.randn(8, 16)
    out = head(x)
    head.blend(out, torch.ones(8))
    assert torch.allclose(head.precision, (1 - MOVING) * out.features.T @ out.features / 8, atol=1e-7)


def test_far_from_all_training_texts_the_variance_is_the_prior(head):
    near = torch.randn(1, 16) + 0.05 * torch.randn(200, 16)
    head.add(head(near), torch.ones(200))
    head.settle()
    at, away = head.variance(head(near[:1]).features), head.variance(head(-near[:1]).features)
    assert float(at) < 0.1
    assert float(away) == pytest.approx(1, abs=0.2)


def test_mean_field():
    mean, variance = torch.tensor([2.0, 2.0]), torch.tensor([0.0, 3.0])
    assert mean_field(mean, variance, math.pi / 8).tolist() == pytest.approx([2, 2 / math.sqrt(1 + 3 * math.pi / 8)])
