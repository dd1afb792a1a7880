"""What a design will cost and how sharp it will be, before anything is drawn."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from comoderate.sampling.allocation import allocate

Floats = NDArray[np.float64]


class Assumptions(NamedTuple):
    """What a plan takes for granted; guesses and pilot figures.

    Attributes:
        total: (strata,) N, posts in the population.
        in_hand: (strata,) c, posts collected; ``total`` where there was no cap.
        flagged: (strata,) or one number, share of posts that the classifier calls positive.
        prevalence: share of abuse among (unflagged, flagged) posts.
        rare: share of the rare type among (unflagged, flagged) posts.
        ratings: labels wanted a post.
        finite: whether the estimate will speak of exactly these posts, not of a longer stream that they come from.
        post_stratified: whether its weights will be brought to the known numbers of flagged posts, not left at 1/pi.
    """

    total: ArrayLike
    in_hand: ArrayLike
    flagged: ArrayLike = 0.0
    prevalence: tuple[float, float] = (0.05, 0.3)
    rare: tuple[float, float] = (0.002, 0.02)
    ratings: int = 3
    finite: bool = True
    post_stratified: bool = True


class Plan(NamedTuple):
    """A design's price and precision.

    Attributes:
        design: what it is, in words.
        posts: posts to label, expected; ``labels``: that times ratings a post.
        prevalence, se: overall prevalence under the assumptions, and its expected standard error.
        rare, rare_se: the same for the rare type.
        rare_posts: expected number of labelled posts of the rare type.
        design_effect: variance of the overall prevalence by that of as many posts drawn at random (with replacement).
    """

    design: str
    posts: float
    labels: float
    prevalence: float
    se: float
    rare: float
    rare_se: float
    rare_posts: float
    design_effect: float

    def __str__(self) -> str:
        return (
            f"{self.design}: {self.posts:,.0f} posts, {self.labels:,.0f} labels; overall "
            f"{100 * self.prevalence:.2f} % ± {196 * self.se:.2f}, rare type {100 * self.rare:.3f} % ± "
            f"{196 * self.rare_se:.3f} "
            f"({self.rare_posts:,.0f} posts); design effect {self.design_effect:.2f}"
        )


class Advice(NamedTuple):
    """Whether an enrichment pays at the same number of labels.

    Attributes:
        pays_overall, pays_rare: whether the standard error falls by more than a twentieth.
        enriched, plain: the two plans compared.
        sentence: the verdict in words.
    """

    pays_overall: bool
    pays_rare: bool
    enriched: Plan
    plain: Plan
    sentence: str


def plan_uniform(assumed: Assumptions, size: int) -> Plan:
    """A simple random sample of the population, which needs all of it in hand.

    Args:
        assumed: totals and guesses.
        size: posts to label.

    Raises:
        ValueError: as :func:`plan_enriched`, or where a cap makes a uniform sample impossible.
    """
    total, hand, flagged = _strata(assumed)
    if np.any(hand < total):
        raise ValueError("a uniform sample needs every post in hand; stratify by day where collection was capped")
    everything, share = total.sum(), float(total @ flagged / total.sum())
    one = assumed._replace(total=[everything], in_hand=[everything], flagged=share)
    return plan_enriched(one, size, 0.0)._replace(design="uniform")


def plan_stratified(assumed: Assumptions, size: int) -> Plan:
    """A sample of each day in proportion to its total.

    Args:
        assumed: totals and guesses.
        size: posts to label.

    Raises:
        ValueError: as :func:`plan_enriched`.
    """
    return plan_enriched(assumed, size, 0.0)._replace(design="stratified by day")


def plan_enriched(assumed: Assumptions, base: int, rate: float) -> Plan:
    """A base sample in proportion to the days' totals, with a share of the remaining flagged posts.

    The expected variance of the post-stratified estimate is, with W_d the day's share of the population, s_k the cell's
    share of the day, and n_k the expected number of labelled posts of N_k: sum over days of W_d^2 times [sum over cells
    of s_k^2 p_k (1 - p_k) (1 / n_k - 1 / N_k), and (1 / c_d - 1 / N_d) times the variance of p_k over cells].

    Args:
        assumed: totals and guesses.
        base: posts in the base sample.
        rate: share of the flagged posts left in hand that are labelled too; 1 is a census, 0 no enrichment.

    Raises:
        ValueError: counts out of order, shares outside [0, 1], nothing to draw.
    """
    total, hand, flagged = _strata(assumed)
    if not 0 <= rate <= 1 or base < 1:
        raise ValueError("rate must lie in [0, 1], and base must be 1 or more")
    drawn = allocate(total, base, caps=hand).astype(np.float64)
    drawn = np.where(drawn > 0, drawn, min(base, float(hand.sum())) * total / total.sum())
    cell = np.stack([1 - flagged, flagged])
    taken = np.stack([drawn * cell[0], (drawn + rate * (hand - drawn)) * cell[1]])
    posts = float(taken.sum())
    (p, se), (r, rare_se) = (
        _expected(assumed, total, hand, cell, taken, rates) for rates in (assumed.prevalence, assumed.rare)
    )
    name = f"stratified by day, enriched by {100 * rate:.0f} % of the flagged"
    effect = se**2 * posts / (p * (1 - p)) if 0 < p < 1 else math.nan
    found = float(taken.sum(axis=1) @ np.array(assumed.rare))
    return Plan(name, posts, posts * assumed.ratings, p, se, r, rare_se, found, effect)


def _strata(assumed: Assumptions) -> tuple[Floats, Floats, Floats]:
    total, hand, flagged = np.broadcast_arrays(
        *(np.atleast_1d(np.asarray(a, dtype=np.float64)) for a in (assumed.total, assumed.in_hand, assumed.flagged))
    )
    if np.any(hand > total):
        raise ValueError("more posts in hand than the total of their stratum: totals must be at least the counts")
    if not np.all(hand >= 0) or not total.sum() > 0:
        raise ValueError("totals and counts must be 0 or more, and some total positive")
    shares = [flagged, np.array(assumed.prevalence), np.array(assumed.rare)]
    if not all(np.all((s >= 0) & (s <= 1)) for s in shares):
        raise ValueError("flagged, prevalence and rare must lie in [0, 1]")
    kept = (total > 0) & (hand > 0)
    return total[kept], hand[kept], flagged[kept]


def _expected(
    assumed: Assumptions, total: Floats, hand: Floats, cell: Floats, taken: Floats, rates: tuple[float, float]
) -> tuple[float, float]:
    """Mean and expected standard error of a share with the given rates in the two cells of each stratum."""
    p = np.array(rates)[:, None]
    part = total / total.sum()
    own, known = np.maximum(cell * total, 1e-300), 1.0 if assumed.finite else 0.0
    inverse = np.divide(1.0, taken, out=np.zeros_like(taken), where=taken > 0)
    left = np.maximum(inverse - known / own, 0)
    mean = (cell * p).sum(axis=0)
    overall = float(part @ mean)
    if assumed.post_stratified:
        within = (cell**2 * p * (1 - p) * left).sum(axis=0)
        between = (cell * (p - mean) ** 2).sum(axis=0) * (1 / hand - known / total)
    else:
        within = (cell**2 * (p * (1 - p) + (p - overall) ** 2) * left).sum(axis=0)
        between = -((mean - overall) ** 2) / np.maximum(taken.sum(axis=0), 1e-300)
    return overall, math.sqrt(max(0.0, float(part**2 @ (within + between))))


def advise(assumed: Assumptions, size: int, *, share: float = 0.2) -> Advice:
    """Whether it pays to spend a share of the labels on posts that a classifier flagged.

    Both plans label the same number of posts. Few flagged posts in hand may leave part of the share unspent; it then
    goes to the base sample.

    Args:
        assumed: totals and guesses.
        size: posts to label in all.
        share: part of them meant for the enrichment, in (0, 1).

    Raises:
        ValueError: as :func:`plan_enriched`, or a share outside (0, 1).
    """
    if not 0 < share < 1:
        raise ValueError("share must lie in (0, 1)")
    total, hand, flagged = _strata(assumed)
    base = max(1, round(size * (1 - share)))
    left = float(((hand - np.minimum(base * total / total.sum(), hand)) * flagged).sum())
    rate = min(1.0, size * share / left) if left > 0 else 0.0
    base = round(size - rate * left)
    enriched, plain = plan_enriched(assumed, base, rate), plan_stratified(assumed, size)
    overall, rare = enriched.se / plain.se, enriched.rare_se / plain.rare_se if plain.rare_se > 0 else 1.0
    verdict = [f"{_verdict(overall)} for overall prevalence ({_change(overall)})"]
    verdict.append(f"{_verdict(rare)} for the rare type ({_change(rare)})")
    found = f"{enriched.rare_posts:,.0f} posts of the rare type to learn from instead of {plain.rare_posts:,.0f}"
    sentence = f"At {size:,} posts, enrichment {verdict[0]} and {verdict[1]}; it gives {found}."
    return Advice(overall < 0.95, rare < 0.95, enriched, plain, sentence)


def _verdict(change: float) -> str:
    return "pays" if change < 0.95 else "does not pay"


def _change(change: float) -> str:
    return f"standard error {100 * abs(change - 1):.0f} % {'smaller' if change <= 1 else 'larger'}"


def campaign_size(*, raters: float, hours: float, seconds: float, overlap: float = 3.0, skipped: float = 0.0) -> int:
    """The number of posts that a campaign can label.

    Args:
        raters: people.
        hours: hours each of them gives.
        seconds: seconds a label takes (from a pilot; all that happens between two labels).
        overlap: labels wanted a post.
        skipped: share of posts shown that are passed over, in [0, 1).

    Raises:
        ValueError: numbers that are not positive, or a share outside [0, 1).
    """
    if min(raters, hours, seconds, overlap) <= 0 or not 0 <= skipped < 1:
        raise ValueError("raters, hours, seconds and overlap must be positive, and skipped in [0, 1)")
    return math.floor(raters * hours * 3600 * (1 - skipped) / (seconds * overlap) + 1e-9)


def size_for(assumed: Assumptions, *, se: float, rare: bool = False) -> int:
    """The smallest stratified sample whose expected standard error is at most ``se``.

    Args:
        assumed: totals and guesses.
        se: standard error wanted.
        rare: of the rare type instead of the overall prevalence.

    Returns:
        Posts; all that are in hand where even they don't suffice (a cap leaves an error that no labelling removes).

    Raises:
        ValueError: a standard error that is not positive, and as :func:`plan_enriched`.
    """
    if not se > 0:
        raise ValueError("se must be positive")
    low, high = 0, int(_strata(assumed)[1].sum())
    while high - low > 1:
        middle = (low + high) // 2
        plan = plan_stratified(assumed, middle)
        low, high = (low, middle) if (plan.rare_se if rare else plan.se) <= se else (middle, high)
    return high


def plan_poisson(
    pi: ArrayLike, proba: ArrayLike, *, rare: ArrayLike | None = None, ratings: int = 3, finite: bool = True
) -> Plan:
    """A Poisson sample with given inclusion probabilities (proportional to a score, or to views).

    The expected variance of the Hájek mean is sum (1 - pi) / pi E(y - p)^2 / N^2, with E over calibrated probabilities.
    For a longer stream than these posts (``finite=False``) 1 / pi takes the place of (1 - pi) / pi.

    Args:
        pi: (N,) inclusion probabilities of all posts, in (0, 1].
        proba: (N,) probability of each post to be positive, or a guess of it.
        rare: (N,) the same for the rare type; a tenth of ``proba`` where None.
        ratings: labels wanted a post.
        finite: whether the estimate will speak of exactly these posts.

    Raises:
        ValueError: probabilities out of range or of another length.
    """
    chance, q = np.asarray(pi, dtype=np.float64), np.asarray(proba, dtype=np.float64)
    r = q / 10 if rare is None else np.asarray(rare, dtype=np.float64)
    if chance.ndim != 1 or q.shape != chance.shape or r.shape != chance.shape:
        raise ValueError("pi, proba and rare must be one-dimensional and of the same length")
    if not (np.all((chance > 0) & (chance <= 1)) and np.all((q >= 0) & (q <= 1) & (r >= 0) & (r <= 1))):
        raise ValueError("pi must lie in (0, 1], proba and rare in [0, 1]")
    posts, found = float(chance.sum()), float(chance @ r)
    (p, se), (s, rare_se) = (_poisson_error(chance, values, finite) for values in (q, r))
    effect = se**2 * posts / (p * (1 - p)) if 0 < p < 1 else math.nan
    return Plan("Poisson, unequal probabilities", posts, posts * ratings, p, se, s, rare_se, found, effect)


def _poisson_error(pi: Floats, q: Floats, finite: bool) -> tuple[float, float]:
    p = float(q.mean())
    variance = (((1 - pi) if finite else 1.0) / pi * (q * (1 - p) ** 2 + (1 - q) * p**2)).sum() / len(q) ** 2
    return p, math.sqrt(variance)


def plan_second_phase(
    first: Plan,
    stratum_share: ArrayLike,
    quota: ArrayLike,
    prevalence: ArrayLike,
    *,
    eligible: ArrayLike | None = None,
    ratings: int = 3,
) -> Plan:
    """A second phase (experts) out of a first sample, with a quota in each stratum made of classifiers' answers.

    The expected variance is the first phase's for its own labels, and sum W_h^2 p_h (1 - p_h) (1 / m_h - 1 / n_h).

    Args:
        first: the plan of the first phase.
        stratum_share: (strata,) share of the first phase's eligible posts in each stratum, weighted; they sum to 1.
        quota: (strata,) posts for the second phase, m_h.
        prevalence: (strata,) share of abuse in each stratum.
        eligible: (strata,) posts of the first phase that may be drawn, n_h; its posts by their shares where None.
        ratings: labels wanted a post.

    Returns:
        A Plan of the second phase; its rare type is that of the first plan in proportion to prevalence.

    Raises:
        ValueError: lengths that differ, shares that don't sum to 1, quotas below 1 or above the stratum's posts.
    """
    share, m, p = (np.asarray(a, dtype=np.float64) for a in (stratum_share, quota, prevalence))
    if share.shape != m.shape or share.shape != p.shape or abs(share.sum() - 1) > 1e-6:
        raise ValueError("stratum_share, quota and prevalence must be of the same length, and the shares sum to 1")
    size = share * first.posts if eligible is None else np.asarray(eligible, dtype=np.float64)
    if np.any(m < 1) or np.any(m > np.ceil(size)):
        raise ValueError("each quota must lie between 1 and the posts of its stratum")
    mean, posts = float(share @ p), float(m.sum())
    loss = np.maximum(1 / m - 1 / size, 0)
    ratio = first.rare / first.prevalence if first.prevalence > 0 else 0.0
    se, rare_se = (
        math.sqrt(one**2 + float(share**2 * q * (1 - q) @ loss))
        for one, q in ((first.se, p), (first.rare_se, ratio * p))
    )
    effect = se**2 * posts / (mean * (1 - mean)) if 0 < mean < 1 else math.nan
    name = f"second phase, {len(m)} strata" if len(m) > 1 else "second phase"
    return Plan(name, posts, posts * ratings, mean, se, ratio * mean, rare_se, float(ratio * p @ m), effect)
