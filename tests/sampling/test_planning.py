import numpy as np
import pytest

from comoderate.sampling import (
    Assumptions,
    advise,
    campaign_size,
    hajek_mean,
    plan_enriched,
    plan_poisson,
    plan_second_phase,
    plan_stratified,
    plan_uniform,
    poisson_pps,
    size_for,
)

PAPER = Assumptions(np.full(365, 39_700), np.full(365, 6_000), 0.08, (0.05, 0.3), (0.0005, 0.01))


def test_uniform_is_the_textbook():
    got = plan_uniform(Assumptions([1000.0], [1000.0], 0.0, (0.1, 0.1), (0.01, 0.01), ratings=2), 100)
    assert got.labels == 200
    assert got.se == pytest.approx(np.sqrt(0.09 * (1 / 100 - 1 / 1000)))
    assert got.rare_posts == pytest.approx(1)
    with pytest.raises(ValueError, match="capped"):
        plan_uniform(PAPER, 100)


def test_expected_errors_are_those_of_simulated_draws():
    generator = np.random.default_rng(0)
    total, hand, base, rate = 3000, 900, 300, 0.5
    flagged = np.arange(total) < 450
    p = np.where(flagged, 0.4, 0.04)
    values = []
    for _ in range(1500):
        y = generator.random(total) < p
        held = generator.permutation(total)[:hand]
        rest = held[base:][flagged[held[base:]]]
        index = np.concatenate([held[:base], rest[generator.random(len(rest)) < rate]])
        share = flagged[held].mean()
        means = [y[index][flagged[index] == k].mean() for k in (False, True)]
        values.append((1 - share) * means[0] + share * means[1] - y.mean())
    plan = plan_enriched(Assumptions([total], [hand], 0.15, (0.04, 0.4), (0.001, 0.01)), base, rate)
    assert np.std(values) == pytest.approx(plan.se, rel=0.06)


@pytest.mark.parametrize("finite", [False, True])
@pytest.mark.parametrize("rate", [0.0, 0.3])
def test_expected_errors_are_those_that_weights_1_over_pi_will_have(finite, rate):
    generator = np.random.default_rng(1)
    days, hand, base, p = 20, 90, 30, np.array([0.05, 0.4])
    errors = []
    for _ in range(60):
        flagged = generator.random((days, hand)) < 0.3
        y = generator.random((days, hand)) < p[flagged.astype(int)]
        extra = flagged & (np.arange(hand) >= base)
        taken = (np.arange(hand) < base) | (extra & (generator.random((days, hand)) < rate))
        share = ((taken & extra).sum(axis=1) / np.maximum(extra.sum(axis=1), 1))[:, None]
        pi = np.where(flagged, (base + share * (hand - base)) / hand, base / hand)[taken]
        day = np.repeat(np.arange(days)[:, None], hand, axis=1)[taken]
        found = hajek_mean(y[taken].astype(float), 1 / pi, stratum=day, pi=pi if finite else None)
        errors.append(found.se)
    total = np.full(days, hand)
    assumed = Assumptions(total, total, 0.3, (0.05, 0.4), finite=finite, post_stratified=False)
    assert np.mean(errors) == pytest.approx(plan_enriched(assumed, days * base, rate).se, rel=0.03)


def test_a_longer_stream_costs_more():
    q = np.linspace(0.01, 0.4, 50)
    exact, stream = (plan_poisson(np.full(50, 0.5), q, finite=finite).se for finite in (True, False))
    assert stream == pytest.approx(exact * np.sqrt(2))
    assert plan_uniform(Assumptions([50.0], [50.0], finite=True), 50).se == 0
    assert plan_uniform(Assumptions([50.0], [50.0], prevalence=(0.1, 0.1), finite=False), 50).se == pytest.approx(
        np.sqrt(0.09 / 50)
    )


def test_enrichment_pays_for_the_rare_type_only():
    got = advise(PAPER, 50_000)
    assert not got.pays_overall
    assert got.pays_rare
    assert got.enriched.posts == pytest.approx(got.plain.posts, rel=0.01)
    assert "does not pay for overall prevalence" in got.sentence
    assert "pays for the rare type" in got.sentence
    assert got.enriched.rare_posts > got.plain.rare_posts
    useless = advise(PAPER._replace(prevalence=(0.07, 0.07), rare=(0.001, 0.001)), 50_000)
    assert not useless.pays_rare


def test_campaign():
    assert campaign_size(raters=10, hours=2, seconds=12, overlap=3) == 2000
    assert campaign_size(raters=10, hours=2, seconds=12, overlap=3, skipped=0.5) == 1000
    with pytest.raises(ValueError, match="positive"):
        campaign_size(raters=0, hours=2, seconds=12)


def test_size_for_reaches_the_error_and_no_less_would():
    size = size_for(PAPER, se=0.002)
    assert plan_stratified(PAPER, size).se <= 0.002 < plan_stratified(PAPER, size - 365).se
    assert size_for(Assumptions([900.0], [30.0]), se=1e-6) == 30
    with pytest.raises(ValueError, match="se must be"):
        size_for(PAPER, se=0)


def test_poisson_by_score_beats_equal_chances_for_the_rare_type():
    generator = np.random.default_rng(1)
    q = generator.beta(0.3, 4, 20_000)
    equal = plan_poisson(np.full(len(q), 0.05), q, rare=q**2)
    sized = plan_poisson(poisson_pps(np.sqrt(q), 1000, least=0.005), q, rare=q**2)
    assert sized.posts == pytest.approx(equal.posts)
    assert sized.rare_se < equal.rare_se
    with pytest.raises(ValueError, match="same length"):
        plan_poisson([0.1], [0.1, 0.2])
    with pytest.raises(ValueError, match="pi must lie"):
        plan_poisson([0.0], [0.1])


def test_second_phase_adds_its_own_error():
    first = plan_stratified(PAPER, 20_000)
    got = plan_second_phase(first, [0.9, 0.1], [500, 500], [0.05, 0.3])
    assert got.posts == 1000
    assert got.se**2 == pytest.approx(
        first.se**2 + 0.81 * 0.0475 * (1 / 500 - 1 / 18_000) + 0.01 * 0.21 * (1 / 500 - 1 / 2000)
    )
    many = plan_second_phase(first, [0.9, 0.1], [500, 500], [0.05, 0.3], eligible=[1e9, 1e9])
    assert many.se**2 == pytest.approx(first.se**2 + 0.81 * 0.0475 / 500 + 0.01 * 0.21 / 500)
    with pytest.raises(ValueError, match="quota"):
        plan_second_phase(first, [0.9, 0.1], [500, 5000], [0.05, 0.3])
    with pytest.raises(ValueError, match="sum to 1"):
        plan_second_phase(first, [0.9], [500], [0.05])


def test_a_plan_reads_as_a_sentence():
    text = str(plan_stratified(PAPER, 50_000))
    assert text.startswith("stratified by day: 50,000 posts, 150,000 labels; overall 7.00 % ±")


@pytest.mark.parametrize(
    ("assumed", "message"),
    [
        (Assumptions([5.0], [6.0]), "totals must be at least"),
        (Assumptions([0.0], [0.0]), "some total positive"),
        (Assumptions([5.0], [5.0], 1.5), "must lie in"),
    ],
)
def test_bad_totals(assumed, message):
    with pytest.raises(ValueError, match=message):
        plan_stratified(assumed, 3)
    with pytest.raises(ValueError, match=message):
        advise(assumed, 3)


def test_bad_sizes():
    with pytest.raises(ValueError, match="rate"):
        plan_enriched(PAPER, 100, 2.0)
    with pytest.raises(ValueError, match="share"):
        advise(PAPER, 100, share=0)
