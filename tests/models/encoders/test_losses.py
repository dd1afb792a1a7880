import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from comoderate.models.encoders.losses import binary_loss, follow_up_loss


def by_hand(logit, y, gamma, alpha):
    p = 1 / (1 + np.exp(-logit))
    first, second = (1, 1) if alpha is None else (alpha, 1 - alpha)
    return -y * first * (1 - p) ** gamma * np.log(p) - (1 - y) * second * p**gamma * np.log(1 - p)


@given(st.floats(-8, 8), st.floats(0, 1), st.sampled_from([0.0, 0.5, 1.0, 5.0]), st.sampled_from([None, 0.1, 0.5, 0.9]))
def test_against_the_formula(logit, y, gamma, alpha):
    ours = binary_loss(torch.tensor([logit]), torch.tensor([y]), gamma=gamma, alpha=alpha)
    assert float(ours[0]) == pytest.approx(by_hand(logit, y, gamma, alpha), rel=1e-3, abs=1e-6)


def test_without_gamma_and_alpha_it_is_the_cross_entropy():
    logit, y = torch.randn(20), torch.rand(20)
    expected = torch.nn.functional.binary_cross_entropy_with_logits(logit, y, reduction="none")
    assert torch.allclose(binary_loss(logit, y), expected, atol=1e-6)


def test_alpha_weighs_the_positive_class():
    positive = binary_loss(torch.zeros(1), torch.ones(1), gamma=2.0, alpha=0.1)
    negative = binary_loss(torch.zeros(1), torch.zeros(1), gamma=2.0, alpha=0.1)
    assert float(negative / positive) == pytest.approx(9)


def test_what_is_already_right_counts_less():
    easy, hard = binary_loss(torch.tensor([4.0, -4.0]), torch.ones(2), gamma=2.0) / binary_loss(
        torch.tensor([4.0, -4.0]), torch.ones(2)
    )
    assert easy < 1e-3 < 0.9 < hard


def test_a_soft_label_is_two_weighted_rows():
    logit = torch.tensor([0.7])
    one, zero = torch.ones(1), torch.zeros(1)
    mixed = 0.3 * binary_loss(logit, one, gamma=1.5, alpha=0.2) + 0.7 * binary_loss(logit, zero, gamma=1.5, alpha=0.2)
    assert torch.allclose(binary_loss(logit, torch.tensor([0.3]), gamma=1.5, alpha=0.2), mixed)


@pytest.mark.parametrize("gamma", [0.0, 2.0])
def test_far_logits_stay_finite(gamma):
    logit = torch.tensor([200.0, -200.0], requires_grad=True)
    loss = binary_loss(logit, torch.tensor([0.0, 1.0]), gamma=gamma).sum()
    loss.backward()
    assert torch.isfinite(loss)
    assert torch.isfinite(logit.grad).all()


@pytest.mark.parametrize("several", [True, False])
def test_follow_ups_that_were_not_asked_teach_nothing(several):
    logits = torch.randn(3, 2, requires_grad=True)
    y = torch.tensor([[1.0, 0.0], [np.nan, np.nan], [np.nan, 1.0]])
    loss = follow_up_loss(logits, y, several=several)
    loss.sum().backward()
    assert loss[1] == 0
    assert (logits.grad[1] == 0).all()
    assert loss[0] > 0
    if several:
        expected = torch.nn.functional.binary_cross_entropy_with_logits(logits[2, 1], torch.tensor(1.0))
        assert float(loss[2].detach()) == pytest.approx(float(expected.detach()))
        assert logits.grad[2, 0] == 0
    else:
        assert loss[2] == 0


def test_shares_of_one_answer_are_scaled():
    logits = torch.tensor([[2.0, 0.0]])
    halves = follow_up_loss(logits, torch.tensor([[0.5, 0.5]]), several=False)
    assert torch.allclose(halves, follow_up_loss(logits, torch.tensor([[0.2, 0.2]]), several=False))
