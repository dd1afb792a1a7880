import warnings

import numpy as np
import pytest

pytest.importorskip("gpytorch")

import torch

from comoderate.surface import gp, surface_scores
from comoderate.surface.gp_likelihood import BetaLikelihood, ScaleSupervision, accuracy, nodes, scale, shapes
from comoderate.surface.gp_parts import Encoder, SparseProcesses
from comoderate.surface.gp_step import Bound, climb
from comoderate.surface.inputs import Counts

ARMS = np.array(np.meshgrid(range(3), range(4), range(3))).reshape(3, -1).T
QUICK = {"steps": (20, 10), "n_inducing": 8}


def world(seed=0):
    rng = np.random.default_rng(seed)
    truth = 1 / (1 + np.exp(-1 - sum(rng.normal(0, 1.0, 4)[a] for a in ARMS.T)))
    n = rng.integers(0, 12, len(ARMS)).astype(float)
    return n, rng.binomial(n.astype(int), truth).astype(float), truth


MAKERS = {
    "bern": lambda: gp.BernGP(**QUICK),
    "beta": lambda: gp.BetaGP(**QUICK),
    "sl": lambda: gp.BetaGP(supervision="gamma", **QUICK),
    "alpha_beta": lambda: gp.BetaGP(supervision="gamma", parameters="alpha_beta", **QUICK),
    "slp_code": lambda: gp.BetaGP(supervision="gamma", pooling="code", encoding="integer", link="code", **QUICK),
    "slp_paper": lambda: gp.BetaGP(supervision="dirichlet", pooling="paper", conjugate=False, **QUICK),
}
every = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS.keys())


@every
def test_what_every_surface_owes(make):
    n, c, _ = world()
    fitted = make().fit(ARMS, n, c)
    p = fitted.predict(ARMS, pool_size=n + 10)
    assert np.isfinite([p.mean, p.variance, p.low, p.high]).all()
    assert ((p.low <= p.mean) & (p.mean <= p.high)).all()
    assert (p.variance > 0).all()
    assert 0 < fitted.predict([[99, 0, 0]]).mean[0] < 1
    again = make().fit(ARMS, n, c).predict(ARMS, pool_size=n + 10)
    assert np.allclose(p.mean, again.mean, atol=1e-6)


@every
def test_no_labels_and_one_sided_counts_are_no_errors(make):
    arms, zero = ARMS[:4], np.zeros(4)
    assert make().fit(arms, zero, zero).predict(arms).mean.shape == (4,)
    p = make().fit(arms, np.full(4, 9.0), np.full(4, 9.0)).predict(arms)
    assert (p.mean > 0.5).all()


@pytest.mark.slow
def test_neighbours_help():
    n, c, truth = world()
    ours = gp.BetaGP().fit(ARMS, n, c).predict(ARMS).mean
    constant = np.full(len(ARMS), c.sum() / n.sum())
    size = np.full(len(ARMS), 10)
    assert (
        surface_scores(truth, ours, pool_size=size).macro < 0.7 * surface_scores(truth, constant, pool_size=size).macro
    )


@pytest.mark.slow
def test_scales_follow_counts_only_with_supervision():
    arms = np.arange(10)[:, None]
    n = np.array([1, 1, 1, 20, 20, 20, 20, 1, 1, 1.0])
    c = n * 0.5

    def ratio(supervision):
        fitted = gp.BetaGP(
            supervision=supervision,
            supervision_weight=1.0,
            encoding="integer",
            n_inducing=10,
            steps=(400, 0),
            embedding_rate=0.02,
        )
        psi = fitted.fit(arms, n, c).scales(arms)
        return psi[3:7].mean() / psi[[0, 1, 2, 7, 8, 9]].mean()

    assert ratio("gamma") > 2 * ratio("none")


@pytest.mark.slow
def test_length_scale_on_noisy_accuracies_is_shorter():
    arms = np.arange(40)[:, None]
    truth = 0.5 + 0.4 * np.sin(np.arange(40) / 6)
    noisy = np.random.default_rng(0).binomial(3, truth)

    def roughness(n, c):
        """How much of the kernel is lost between neighbouring arms."""
        fitted = gp.BernGP(encoding="integer", steps=(300, 0), n_inducing=20, embedding_rate=0.002).fit(arms, n, c)
        k = fitted.model_.similarity(Encoder(arms, "integer")(arms)).numpy()
        return 1 - np.mean(np.diag(k, 1) / np.diag(k)[:-1])

    assert roughness(np.full(40, 50.0), noisy / 3 * 50) > roughness(np.full(40, 50.0), 50 * truth)


def test_expected_likelihood_without_uncertainty_is_beta_binomial():
    from scipy.special import betaln, expit

    mean, zero = torch.tensor([[0.3, -1.0], [2.0, 1.0]]).double(), torch.zeros(2, 2).double()
    n, c = np.array([5.0, 3.0]), np.array([2.0, 3.0])
    phi, psi = expit(np.array([0.3, -1.0])), np.log1p(np.exp(np.array([2.0, 1.0])))
    wanted = (betaln(phi * psi + c, (1 - phi) * psi + n - c) - betaln(phi * psi, (1 - phi) * psi)).sum()
    assert float(BetaLikelihood(n, c, "plain")(mean, zero).value) == pytest.approx(wanted)


def test_supervision_is_the_density_that_it_says():
    from scipy.stats import dirichlet, gamma

    psi = np.array([2.0, 3.0, 1.5])
    g = torch.tensor(np.log(np.expm1(psi)))
    mean, n = torch.stack([g, g]), np.array([2.0, 4.0, 14.0])
    assert float(ScaleSupervision(n, "dirichlet")(mean)[0]) == pytest.approx(dirichlet.logpdf(n / n.sum(), psi))
    assert float(ScaleSupervision(n, "gamma")(mean)[0]) == pytest.approx(gamma.logpdf(n.clip(0.01, 10), psi).sum())


def library_loss(model, inputs, n, c, options):
    """The same bound by GPyTorch's own arithmetic and differentiation, log-gamma functions and all."""
    size = model.mean_module.constant.shape[0]
    found = model(model.embed(inputs).expand(size, -1, -1))
    n, c = torch.tensor(n), torch.tensor(c)
    divergence = model.variational_strategy.kl_divergence().sum()
    if size == 1:
        x, w = nodes(20)
        phi = accuracy(found.mean[0][:, None] + found.variance[0].sqrt()[:, None] * x, options.get("link", "plain"))
        return divergence - ((c[:, None] * phi.log() + (n - c)[:, None] * (1 - phi).log()) @ w).sum()
    (x, w), (y, v) = nodes(6), nodes(3)
    first = found.mean[0][:, None, None] + found.variance[0].sqrt()[:, None, None] * x[:, None]
    second = found.mean[1][:, None, None] + found.variance[1].sqrt()[:, None, None] * y
    parameters = options.get("parameters", "mean_scale")
    a, b = shapes(first, second, options.get("link", "plain"), parameters)
    n3, c3 = n[:, None, None], c[:, None, None]
    log = torch.lgamma(a + c3) + torch.lgamma(b + n3 - c3) - torch.lgamma(a + b + n3)
    log = log - torch.lgamma(a) - torch.lgamma(b) + torch.lgamma(a + b)
    tied = 0.0
    if kind := options.get("supervision"):
        psi = scale(found.mean[1]) if parameters == "mean_scale" else scale(found.mean[0]) + scale(found.mean[1])
        if kind == "dirichlet":
            tied = torch.distributions.Dirichlet(psi).log_prob(n / n.sum())
        else:
            tied = torch.distributions.Gamma(psi, 1.0).log_prob(n.clamp(0.01, 10.0)).sum()
    return divergence - (log * (w[:, None] * v)).sum() - options.get("supervision_weight", 0.01) * tied


def both_ways(kind, options, counts):
    """An estimator's bound, and the library's, of one and the same model."""
    estimator = kind(**options)
    inputs = Encoder(ARMS, "onehot")(ARMS)
    torch.manual_seed(3)
    model = SparseProcesses(inputs[::3], kind.n_processes, [0.5, 1.0][: kind.n_processes])
    model(model.embed(inputs).expand(kind.n_processes, -1, -1))  # draws the variational mean
    q = model.variational_strategy._variational_distribution
    with torch.no_grad():
        q.chol_variational_covar.add_(0.1 * torch.randn_like(q.chol_variational_covar).tril())
    bound = Bound(model, inputs, estimator.likelihood(counts))
    return bound, lambda: library_loss(model, inputs, counts.n, counts.c, options)


TWINS = {
    "bern": (gp.BernGP, {"link": "code"}),
    "beta": (gp.BetaGP, {}),
    "gamma": (gp.BetaGP, {"supervision": "gamma", "link": "code", "supervision_weight": 1.0}),
    "dirichlet": (gp.BetaGP, {"supervision": "dirichlet"}),
    "alpha_beta": (gp.BetaGP, {"supervision": "gamma", "parameters": "alpha_beta"}),
}


@pytest.mark.parametrize(("kind", "options"), TWINS.values(), ids=TWINS.keys())
def test_loss_and_gradient_are_those_of_the_library(kind, options):
    n, c, _ = world()
    n, c = n * 0.5 + 1.0, c * 0.5  # whole counts and halves, and arms with none wrong
    bound, library = both_ways(kind, options, Counts(ARMS, n, c))
    wanted = library()
    wanted.backward()
    slopes = {name: p.grad.clone() for name, p in bound.model.named_parameters()}
    assert float(bound()) == pytest.approx(float(wanted.detach()), rel=1e-9)
    for name, p in bound.model.named_parameters():
        assert torch.allclose(p.grad, slopes[name], rtol=1e-6, atol=1e-6 * float(slopes[name].abs().max())), name


def test_steps_lead_where_those_of_the_library_lead():
    n, c, _ = world()
    counts = Counts(ARMS, n, c)
    ours, _ = both_ways(gp.BetaGP, {"supervision": "gamma"}, counts)
    theirs, library = both_ways(gp.BetaGP, {"supervision": "gamma"}, counts)
    climb(ours, 25, 0.02, 1e-3)
    embedding = list(theirs.model.embed.parameters())
    rest = [p for p in theirs.model.parameters() if not any(p is other for other in embedding)]
    adam = torch.optim.Adam([{"params": rest}, {"params": embedding, "lr": 1e-3}], lr=0.02)
    for _ in range(25):
        adam.zero_grad()
        library().backward()
        adam.step()
    for one, two in zip(ours.model.marginals(ours.inputs), theirs.model.marginals(ours.inputs)):
        assert torch.allclose(one, two, atol=1e-5)


def test_a_frozen_embedding_stays():
    n, c, _ = world()
    bound, _ = both_ways(gp.BetaGP, {}, Counts(ARMS, n, c))
    before = [p.clone() for p in bound.model.embed.parameters()]
    frozen = Bound(bound.model, bound.inputs, bound.likelihood, frozen=True)
    loss = float(frozen())
    climb(frozen, 5, 0.02, 0.0)
    assert float(frozen()) < loss
    assert all(torch.equal(p, old) for p, old in zip(bound.model.embed.parameters(), before))


def test_marginals_are_those_of_the_library():
    inputs = Encoder(ARMS, "onehot")(ARMS)
    torch.manual_seed(3)
    model = SparseProcesses(inputs[::3], 2, [0.5, 1.0])
    wanted = model(model.embed(inputs).expand(2, -1, -1))  # also draws the variational mean
    with torch.no_grad():
        model.variational_strategy._variational_distribution.chol_variational_covar.add_(0.1)
    wanted = model(model.embed(inputs).expand(2, -1, -1))
    mean, variance = model.marginals(inputs)
    assert torch.allclose(mean, wanted.mean, atol=1e-8)
    assert torch.allclose(variance, wanted.variance, atol=1e-8)


def test_alpha_and_beta_say_the_same_as_mean_and_scale():
    f, g = torch.tensor([0.3, -1.0]).double(), torch.tensor([2.0, 1.0]).double()
    a, b = shapes(f, g, "plain", "mean_scale")
    phi, psi = torch.sigmoid(f), torch.nn.functional.softplus(g)
    assert torch.allclose(a / (a + b), phi)
    assert torch.allclose(a + b, psi)
    back = [torch.log(torch.expm1(x)) for x in (a, b)]
    assert torch.allclose(torch.stack(shapes(*back, "plain", "alpha_beta")), torch.stack([a, b]))


@pytest.mark.parametrize("option", ["supervision", "pooling", "encoding", "link", "parameters"])
def test_unknown_options_are_refused(option):
    with pytest.raises(ValueError, match=option):
        gp.BetaGP(**{option: "other"}).fit([[0]], [1], [1])


def test_all_names_are_there():
    assert list(gp.KINDS) == ["BernGP", "BetaGP", "BetaGP-SL", "BetaGP-SLP"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert all(isinstance(make(), gp.BetaGP) for make in gp.KINDS.values())
