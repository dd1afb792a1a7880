"""A synthetic study whose truth is known: posts in a world larger than what was collected, and raters who err.

The world is a stream of posts about four groups of people on three platforms, with bursts; of each day only so many
posts as the daily cap allows are in hand. Every post has a *state* (:data:`STATES`), finer than the answers that
raters may give: a borderline post is not abusive, yet draws complaints. A post is truly positive where its state is
at least Problematic (target ``abusive``) or at least Abusive (target ``severe``). Since every rater errs, what a
majority of three raters would say is a truth of its own; it is computed exactly, from the raters' confusion
matrices and the probability of each ordered choice of three, so that estimates from such labels have something
exact to be held against. The words are invented and mild.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from comoderate.errors import ComoderateError

Choose = Callable[[Sequence[Any]], Any]

STATES = ("clearly fine", "borderline", "Problematic", "Abusive", "threat")
ANSWERS = ("No", "Problematic", "Abusive")
TYPES = ("insult", "sexism", "racism", "threat")
TARGETS = {"abusive": 1, "severe": 2}
"""Each target with the lowest answer (a position in :data:`ANSWERS`) that makes a post positive."""
TRUTHS = ("true", "volunteers", "experts")
DOMAINS = ("all", "target_group", "platform", "length", "day")

GROUPS = {"politicians": (0.35, 1.0), "journalists": (0.25, 1.8), "athletes": (0.22, 0.8), "artists": (0.18, 1.1)}
"""Each group of people that posts are about: share of the posts, and relative risk of abuse."""
PLATFORMS = {"square": (0.5, 1.0), "river": (0.3, 1.5), "forum": (0.2, 0.6)}
"""Each platform: share of the posts, and relative risk of abuse."""

PREVALENCE = 0.07
BORDERLINE = 0.10
STATE_GIVEN_POSITIVE = (0.56, 0.34, 0.10)
START = pd.Timestamp("2026-01-05", tz="UTC")
COPIES = 0.04

LEXICON = ("dolt", "clown", "nitwit", "numpty", "twerp", "dunce", "buffoon", "windbag", "weasel", "get lost")
"""Words of the abuse vocabulary that a person would list: what a lexicon scorer of the study looks for."""
_UNLISTED = ("muppet", "dimwit", "blockhead", "toad", "ninny", "pest", "plonker")
_INSULTS = LEXICON[:-1] + _UNLISTED

_TOPICS = {
    "politicians": "speech budget debate vote bill campaign manifesto hearing amendment election council reform",
    "journalists": "article column interview headline report scoop bulletin editorial story podcast source review",
    "athletes": "match race goal season transfer penalty final training relay record coach stadium",
    "artists": "album concert painting novel premiere exhibition lyric film chorus role sculpture poem",
}
_ANYTHING = (
    "weather train bus coffee garden bridge market holiday recipe phone queue traffic parcel kettle bicycle museum "
    "neighbour library lunch ferry picture ticket window river street"
)
_GOOD = "great lovely brilliant fine decent superb proper clever moving funny sharp solid charming splendid warm fair"
_BAD = "dreadful weak dull careless wrong poor shameful silly messy slow cheap lazy clumsy hollow dreary sloppy"
_WHEN = (
    "today|tonight|this morning|last night|again|on monday|this week|at last|before lunch|after work|all day|"
    "at the weekend|next month|by the sea|in the rain|on the way home"
)
_PEOPLE = "everyone|friends|all of you|my sister|our team|the neighbours|mum|the whole street|colleagues|my mates"

_NEUTRAL = (
    "the {noun} was {good} {when}", "watched the {noun} {when} with {people}", "thanks for the {noun} {people}",
    "has anyone seen the {noun} {when}?", "{people} talked about the {noun} and the {other}",
    "looking forward to the {noun} {when}", "a {good} {noun} and a {good} {other}", "can we get the {other} {when}?",
    "what a {good} {noun}", "{when} {people} went for the {other}", "i keep thinking about that {noun}",
    "no {other} {when}, so more time for the {noun}", "you said the {noun} would be {good}",
)  # fmt: skip
_HEATED = (
    "the {noun} was {bad} {when}", "shame about that {bad} {noun}", "i am angry about the {noun}",
    "what a {bad} {noun} {when}", "a {bad} {noun} from {people}", "who let this {bad} {noun} happen?",
    "you were {bad} {when}", "stop defending the {bad} {noun}",
)  # fmt: skip
_IMPLICIT = (
    "people like you should never touch the {noun}", "of course you would like a {bad} {noun}",
    "nobody asked for you or your {noun}", "go back to the {other} and stay there", "your kind ruins every {noun}",
    "do us a favour and stop", "sure, the {noun}, as if you could read",
)  # fmt: skip
_EXPLICIT = (
    "you are a {insult}", "what a {bad} {insult} you are", "get lost, you {insult}",
    "only a {insult} makes that {noun}", "{insult} of the year", "shut it {insult}",
    "you {bad} {insult}, take your {noun} and get lost",
)  # fmt: skip
_THREAT = (
    "you will pay for that {noun}, {insult}", "we know where you have your {other}",
    "watch your back {when}, {insult}", "one more {noun} and you will regret it", "we will find you {when}",
)  # fmt: skip
_INNOCENT = (
    "the {insult} in the film was {good}", "i felt like a {insult} {when}", "we like to get lost in the {noun}",
    "my {insult} of a kettle broke {when}", "as a child i played a {insult} {when}",
)  # fmt: skip

_PIECES: dict[str, tuple[Sequence[str], tuple[float, float, float, float, float]]] = {
    "heated": (_HEATED, (0.15, 0.75, 0.45, 0.35, 0.3)),
    "implicit": (_IMPLICIT, (0.015, 0.10, 0.30, 0.25, 0.15)),
    "explicit": (_EXPLICIT, (0.004, 0.05, 0.50, 0.75, 0.45)),
    "threat": (_THREAT, (0.002, 0.01, 0.02, 0.05, 0.85)),
    "innocent": (_INNOCENT, (0.03, 0.06, 0.02, 0.02, 0.02)),
}
"""Sentences beside the neutral ones, with the probability that a post of each state holds one."""

_VOLUNTEER = ((0.975, 0.02, 0.005), (0.74, 0.22, 0.04), (0.36, 0.47, 0.17), (0.14, 0.32, 0.54), (0.05, 0.15, 0.80))
_EXPERT = ((0.992, 0.007, 0.001), (0.87, 0.12, 0.01), (0.18, 0.70, 0.12), (0.04, 0.20, 0.76), (0.01, 0.06, 0.93))
_HASTY = ((0.99, 0.008, 0.002), (0.96, 0.03, 0.01), (0.85, 0.11, 0.04), (0.65, 0.20, 0.15), (0.50, 0.22, 0.28))
_HARSH = ((0.90, 0.08, 0.02), (0.40, 0.40, 0.20), (0.12, 0.43, 0.45), (0.04, 0.16, 0.80), (0.02, 0.06, 0.92))
_RANDOM = ((0.75, 0.15, 0.10),) * 5

_PURPOSES = {"choice": 1, "answer": 2, "type": 3, "second type": 4, "seconds": 5, "moment": 6}


class Raters(NamedTuple):
    """A pool of raters.

    Attributes:
        rater_id: (R,) names.
        confusion: (R, 5, 3) probability of each of :data:`ANSWERS` given each of :data:`STATES`.
        type_skill: (R,) probability of naming the right type.
        activity: (R,) relative rate at which each rater takes posts.
    """

    rater_id: NDArray[np.object_]
    confusion: NDArray[np.float64]
    type_skill: NDArray[np.float64]
    activity: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Synthetic:
    """A synthetic study.

    Attributes:
        seed: the seed it was made from.
        posts: the posts in hand, in order of time: post_id, text, created_at (UTC), day (``YYYY-MM-DD``), author,
            views, target_group, platform, length.
        totals: day, N: the posts of the whole world on each day.
        cap: the largest number of posts in hand on a day.
        raters: the pools by cohort (``volunteers``, ``experts``).
        world: a row for every post of the world: post_id, day, in_hand, state and type as truly are, k (whether a
            lexicon of :data:`LEXICON` flags it), the attributes, and for each truth and target the probability that
            this truth calls it positive, as ``y_abusive``, ``y_severe`` (0 or 1), ``volunteers_abusive``, …
    """

    seed: int
    posts: pd.DataFrame
    totals: pd.DataFrame
    cap: int
    raters: dict[str, Raters]
    world: pd.DataFrame

    @cached_property
    def truth(self) -> dict[str, Any]:
        """The true values for the whole world.

        Returns:
            ``prevalence``: a frame target, truth, domain, group, value, N (truth is one of :data:`TRUTHS`, domain of
            :data:`DOMAINS`); ``posts``: :attr:`world`; and the overall values by target and truth, as
            ``truth["abusive"]["volunteers"]``.
        """
        frames = [_prevalence(self.world, target, truth) for target in TARGETS for truth in TRUTHS]
        overall = {
            target: {truth: float(self.world[truth_column(target, truth)].mean()) for truth in TRUTHS}
            for target in TARGETS
        }
        return {"prevalence": pd.concat(frames, ignore_index=True), "posts": self.world, **overall}

    @cached_property
    def volunteers(self) -> pd.DataFrame:
        """Three volunteers' answers on every post in hand, as :meth:`annotate` gives them."""
        return self.annotate(self.posts["post_id"], "volunteers")

    @cached_property
    def experts(self) -> pd.DataFrame:
        """Three experts' answers on a thousand random posts in hand."""
        ids = self.posts["post_id"].to_numpy()
        chosen = np.random.default_rng([self.seed, 77]).choice(len(ids), min(1000, len(ids)), replace=False)
        return self.annotate(ids[np.sort(chosen)], "experts")

    def annotate(self, post_ids: Iterable[str], cohort: str, overlap: int = 3, seed: int | None = None) -> pd.DataFrame:
        """What raters of a cohort answer on the posts asked for.

        Each post goes to ``overlap`` different raters, chosen one after the other in proportion to their activity.
        Everything hangs on (seed, post, rater): other posts, their order, and a larger overlap change nothing of
        the answers already given.

        Args:
            post_ids: posts of the world.
            cohort: ``volunteers`` or ``experts``.
            overlap: raters a post, at most the size of the pool.
            seed: None for the study's own.

        Returns:
            A row an answer: post_id, rater_id, cohort, question (``problem``, with an answer of :data:`ANSWERS`;
            after an answer other than No also ``type``, with one or two of :data:`TYPES`), answer, created_at, seconds.

        Raises:
            ComoderateError: unknown posts or cohort, or more raters asked for than there are.
        """
        if cohort not in self.raters:
            raise ComoderateError(f"there is no cohort {cohort!r}", do=f"choose from {', '.join(self.raters)}")
        pool = self.raters[cohort]
        if not 1 <= overlap <= len(pool.rater_id):
            raise ComoderateError(f"{cohort} are {len(pool.rater_id)}: overlap can't be {overlap}")
        asked = list(post_ids)
        at = pd.Index(self.world["post_id"]).get_indexer(pd.Index(asked, dtype=object))
        if (at < 0).any():
            raise ComoderateError(f"there is no post {asked[int(np.argmin(at))]!r}")
        return _annotate(self.world, at, pool, cohort, overlap, self.seed if seed is None else seed)


def make_study(seed: int, n_posts: int = 20_000, n_days: int = 60) -> Synthetic:
    """A synthetic study with known truth.

    Args:
        seed: the same seed gives the same study.
        n_posts: posts in hand, to within rounding; the world holds about a sixth more.
        n_days: days from 5 January 2026.

    Returns:
        The study: frames, raters and truth.

    Raises:
        ComoderateError: fewer than ten posts a day, or no day.
    """
    if n_days < 1 or n_posts < 10 * n_days:
        raise ComoderateError(f"{n_posts} posts over {n_days} days are too few", do="ask for at least ten a day")
    rng = np.random.default_rng(seed)
    cap = round(1.15 * n_posts / n_days)
    volume, is_burst = _volumes(rng, n_posts, n_days, cap)
    world = _world(rng, volume, is_burst, cap)
    original = _originals(rng, world["state"].to_numpy())
    texts = _texts(random.Random(seed), world, original)
    world["length"] = _lengths(texts)
    world["k"] = _flagged(texts)
    raters = {"volunteers": _volunteers(rng), "experts": _experts(rng)}
    for target, lowest in TARGETS.items():
        world[f"y_{target}"] = (world["state"].to_numpy() >= lowest + 1).astype(float)
        for cohort, pool in raters.items():
            world[f"{cohort}_{target}"] = majority_probability(pool, lowest)[world["state"]]
    posts = world.assign(text=texts)[world["in_hand"]]
    world["state"] = pd.Categorical.from_codes(
        world["state"].to_numpy(dtype=np.int64), dtype=pd.CategoricalDtype(list(STATES), ordered=True)
    )
    columns = ["post_id", "text", "created_at", "day", "author", "views", "target_group", "platform", "length"]
    totals = pd.DataFrame({"day": _days(n_days), "N": volume})
    return Synthetic(seed, posts[columns].reset_index(drop=True), totals, cap, raters, world)


def truth_column(target: str, truth: str) -> str:
    """The column of :attr:`Synthetic.world` that holds a truth for a target."""
    return f"y_{target}" if truth == "true" else f"{truth}_{target}"


def majority_probability(pool: Raters, lowest: int) -> NDArray[np.float64]:
    """Probability that at least two of three raters answer ``lowest`` or higher, for each state.

    Three different raters are chosen one after the other in proportion to activity a, so that the ordered triple
    (i, j, k) has probability a_i · a_j/(1 − a_i) · a_k/(1 − a_i − a_j) with Σa = 1; given the triple the answers are
    independent. Both are summed over all triples: no simulation. As answers are ordinal this is also the probability
    that the median answer reaches ``lowest``.

    Args:
        pool: at least three raters.
        lowest: position in :data:`ANSWERS`.

    Returns:
        (5,) probability for each of :data:`STATES`.
    """
    a = pool.activity / pool.activity.sum()
    i, j, k = (axis.ravel() for axis in np.indices((len(a),) * 3))
    apart = (i != j) & (j != k) & (i != k)
    i, j, k = i[apart], j[apart], k[apart]
    chance = a[i] * a[j] / (1 - a[i]) * a[k] / (1 - a[i] - a[j])
    yes = pool.confusion[:, :, lowest:].sum(axis=2)
    p, q, r = yes[i], yes[j], yes[k]
    return np.asarray(chance @ (p * q * (1 - r) + p * (1 - q) * r + (1 - p) * q * r + p * q * r))


def _prevalence(world: pd.DataFrame, target: str, truth: str) -> pd.DataFrame:
    column = truth_column(target, truth)
    parts = []
    for domain in DOMAINS:
        keys = pd.Series("all", index=world.index) if domain == "all" else world[domain].astype(str)
        part = world[column].groupby(keys).agg(value="mean", N="size")
        parts.append(part.rename_axis("group").reset_index().assign(domain=domain, target=target, truth=truth))
    return pd.concat(parts)[["target", "truth", "domain", "group", "value", "N"]]


def _days(n_days: int) -> list[str]:
    return [str(day) for day in pd.date_range(START, periods=n_days).strftime("%Y-%m-%d")]


def _volumes(
    rng: np.random.Generator, n_posts: int, n_days: int, cap: int
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Posts of the world by day, such that the cap leaves ``n_posts`` of them, and which days are bursts."""
    shape = np.exp(rng.normal(0, 0.15, n_days)) * np.where(np.arange(n_days) % 7 >= 5, 0.8, 1.0)
    is_burst = np.zeros(n_days, dtype=bool)
    is_burst[rng.choice(n_days, max(1, n_days // 12), replace=False)] = True
    shape[is_burst] *= rng.uniform(2.0, 4.0, is_burst.sum())
    low, high = 0.0, 20.0 * n_posts / n_days
    for _ in range(60):
        scale = (low + high) / 2
        reached = np.minimum(np.rint(shape * scale), cap).sum() >= n_posts
        low, high = (low, scale) if reached else (scale, high)
    return np.maximum(np.rint(shape * high), 1).astype(np.int64), is_burst


def _world(rng: np.random.Generator, volume: NDArray[np.int64], is_burst: NDArray[np.bool_], cap: int) -> pd.DataFrame:
    n, n_days = int(volume.sum()), len(volume)
    day = np.repeat(np.arange(n_days), volume)
    moment = day * 86_400 + np.floor(rng.random(n) * 86_400)
    moment.sort()
    group = rng.choice(len(GROUPS), n, p=[share for share, _ in GROUPS.values()])
    platform = rng.choice(len(PLATFORMS), n, p=[share for share, _ in PLATFORMS.values()])
    mood = np.exp(rng.normal(0, 0.15, n_days)) * np.where(is_burst, 1.5, 1.0)
    state = _states(rng, _risk(GROUPS)[group] * _risk(PLATFORMS)[platform] * (mood / mood[day].mean())[day])
    type_ = np.where(state == 4, 3, np.where(state >= 2, rng.choice(3, n, p=[0.6, 0.25, 0.15]), -1))
    order = pd.Series(rng.random(n)).groupby(day).rank().to_numpy()
    return pd.DataFrame(
        {
            "post_id": [f"p{number:06d}" for number in range(1, n + 1)],
            "created_at": START + pd.to_timedelta(moment, unit="s"),
            "day": np.asarray(_days(n_days), dtype=object)[day],
            "in_hand": order <= cap,
            "author": _authors(rng, state >= 2),
            "views": np.floor(np.exp(rng.normal(5.5, 1.6, n))).astype(np.int64) + 1,
            "target_group": np.asarray(list(GROUPS), dtype=object)[group],
            "platform": np.asarray(list(PLATFORMS), dtype=object)[platform],
            "state": state,
            "type": np.asarray([*TYPES, None], dtype=object)[type_],
        }
    )


def _risk(table: dict[str, tuple[float, float]]) -> NDArray[np.float64]:
    """Relative risks, scaled to mean 1 over the shares."""
    share, risk = np.array(list(table.values())).T
    return np.asarray(risk / (share @ risk))


def _states(rng: np.random.Generator, risk: NDArray[np.float64]) -> NDArray[np.int64]:
    """A state for each post: positive with probability ``PREVALENCE`` · risk."""
    positive = rng.random(len(risk)) < np.minimum(PREVALENCE * risk, 0.9)
    fine = (rng.random(len(risk)) < BORDERLINE).astype(np.int64)
    return np.where(positive, rng.choice([2, 3, 4], len(risk), p=STATE_GIVEN_POSITIVE), fine)


def _authors(rng: np.random.Generator, positive: NDArray[np.bool_]) -> NDArray[np.object_]:
    """An author for each post: few write much, and a few of them write much of the abuse."""
    n_authors = max(3, len(positive) // 5)
    activity = np.exp(rng.normal(0, 1.0, n_authors))
    malice = activity * np.exp(rng.normal(0, 1.3, n_authors))
    kind = rng.choice(n_authors, len(positive), p=activity / activity.sum())
    rude = rng.choice(n_authors, len(positive), p=malice / malice.sum())
    names = np.array([f"author-{number:05d}" for number in range(n_authors)], dtype=object)
    return np.asarray(names[np.where(positive, rude, kind)])


def _originals(rng: np.random.Generator, state: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each post the earlier post of the same state that it repeats; −1 where it is an original."""
    is_copy, u = rng.random(len(state)) < COPIES, rng.random(len(state))
    original = np.full(len(state), -1)
    for code in range(len(STATES)):
        own = np.flatnonzero((state == code) & ~is_copy)
        copies = np.flatnonzero((state == code) & is_copy)
        earlier = np.searchsorted(own, copies)
        has = earlier > 0
        original[copies[has]] = own[np.floor(u[copies[has]] * earlier[has]).astype(np.int64)]
    return original


def _texts(rng: random.Random, world: pd.DataFrame, original: NDArray[np.int64]) -> list[str]:
    texts: list[str] = []
    nouns = {group: words.split() for group, words in _TOPICS.items()}
    authors, choose = world["author"].tolist(), _chooser(rng)
    for state, group, source, author in zip(world["state"], world["target_group"], original, authors):
        if source >= 0:
            name = authors[source].replace("-", "_")
            texts.append(f"RT @{name}: {texts[source]}" + choose(("", "", "!", " https://t.co/" + author[-5:])))
        else:
            texts.append(_text(rng, choose, int(state), nouns[group]))
    return texts


_FILL = {"other": _ANYTHING.split(), "good": _GOOD.split(), "bad": _BAD.split()}
_FILL |= {"when": _WHEN.split("|"), "people": _PEOPLE.split("|")}


def _chooser(rng: random.Random) -> Choose:
    """``rng.choice``, from the same bits, without its layers of calls: texts are thousands of choices."""
    bits = rng.getrandbits

    def choose(among: Sequence[Any]) -> Any:
        n = len(among)
        width = n.bit_length()
        at = bits(width)
        while at >= n:
            at = bits(width)
        return among[at]

    return choose


def _text(rng: random.Random, choose: Choose, state: int, nouns: list[str]) -> str:
    """One post: neutral sentences, and among them those that its state brings."""
    sentences = [choose(_NEUTRAL) for _ in range(choose((1, 1, 2, 2, 3, 4)))]
    for patterns, chance in _PIECES.values():
        if rng.random() < chance[state]:
            sentences.insert(rng.randrange(len(sentences) + 1), choose(patterns))
    filled = [_fill(rng, choose, sentence, nouns) for sentence in sentences]
    handle = f"@user_{rng.randrange(900)} " if rng.random() < 0.3 else ""
    between: str = choose((". ", "! ", ", ", " … "))
    return handle + between.join(filled)


def _fill(rng: random.Random, choose: Choose, pattern: str, nouns: list[str]) -> str:
    words = {slot: choose(choices) for slot, choices in _FILL.items()}
    return pattern.format(noun=choose(nouns), insult=_insult(rng, choose), **words)


def _insult(rng: random.Random, choose: Choose) -> str:
    """A word of the abuse vocabulary, now and then masked or misspelt."""
    word: str = choose(_INSULTS)
    if rng.random() > 0.15:
        return word
    at = rng.randrange(1, len(word))
    masked: str = choose(("*", "", word[at] * 2))
    return word[:at] + masked + word[at + 1 :]


def _lengths(texts: Sequence[str]) -> NDArray[np.object_]:
    words = np.array([text.count(" ") + 1 for text in texts])
    names = np.array(["short", "medium", "long"], dtype=object)
    return np.asarray(names[np.searchsorted([9, 20], words)])


def _flagged(texts: Sequence[str]) -> NDArray[np.bool_]:
    """Whether each text holds an entry of :data:`LEXICON` as whole words."""
    pattern = r"(?<![\w*])(?:" + "|".join(LEXICON) + r")(?![\w*])"
    return pd.Series(texts).str.lower().str.contains(pattern, regex=True).to_numpy(dtype=bool)


def _volunteers(rng: np.random.Generator) -> Raters:
    """Forty volunteers: most careful, five hasty, three harsh, two who answer at random."""
    base = [_HASTY] * 5 + [_HARSH] * 3 + [_RANDOM] * 2 + [_VOLUNTEER] * 30
    return _pool(rng, "volunteer", base, concentration=40, skill=(0.6, 0.85), spread=0.8)


def _experts(rng: np.random.Generator) -> Raters:
    return _pool(rng, "expert", [_EXPERT] * 3, concentration=150, skill=(0.88, 0.95), spread=0.0)


def _pool(
    rng: np.random.Generator, name: str, base: Sequence[Any], *, concentration: float, skill: tuple[float, float],
    spread: float,
) -> Raters:  # fmt: skip
    drawn = rng.standard_gamma(np.asarray(base, dtype=np.float64) * concentration)
    n = len(base)
    return Raters(
        rater_id=np.array([f"{name}-{number:02d}" for number in range(1, n + 1)], dtype=object),
        confusion=drawn / drawn.sum(axis=2, keepdims=True),
        type_skill=rng.uniform(*skill, n),
        activity=np.exp(rng.normal(0, spread, n)),
    )


def _uniform(seed: int, purpose: str, post: NDArray[np.int64], rater: NDArray[np.int64]) -> NDArray[np.float64]:
    """A uniform number in [0, 1) for each post and rater, by SplitMix64's finaliser (Steele, Lea and Flood 2014)."""
    value = np.array([(seed * 64 + _PURPOSES[purpose]) % 2**64], dtype=np.uint64)
    for part in (post, rater):
        value = _mix(value + np.uint64(0x9E3779B97F4A7C15) * (part.astype(np.uint64) + np.uint64(1)))
    return np.asarray((_mix(value) >> np.uint64(11)) * 2.0**-53)


def _mix(value: NDArray[np.uint64]) -> NDArray[np.uint64]:
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(value ^ (value >> np.uint64(31)), dtype=np.uint64)


def _choose(seed: int, at: NDArray[np.int64], activity: NDArray[np.float64], overlap: int) -> NDArray[np.int64]:
    """(n, overlap) raters, drawn one after the other in proportion to activity (exponential clocks)."""
    u = _uniform(seed, "choice", at[:, None], np.arange(len(activity))[None, :])
    return np.argsort(-np.log1p(-u) / activity, axis=1, kind="stable")[:, :overlap]


def _annotate(
    world: pd.DataFrame, at: NDArray[np.int64], pool: Raters, cohort: str, overlap: int, seed: int
) -> pd.DataFrame:
    post, rater = np.repeat(at, overlap), _choose(seed, at, pool.activity, overlap).ravel()
    salted = rater + (0 if cohort == "volunteers" else 1_000)
    state = world["state"].cat.codes.to_numpy()[post]
    reached = pool.confusion[rater, state].cumsum(axis=1)
    answer = (_uniform(seed, "answer", post, salted)[:, None] >= reached[:, :2]).sum(axis=1)
    delay = np.rint(86_400 * (1 + 20 * _uniform(seed, "moment", post, salted))).astype("timedelta64[s]")
    began = world["created_at"].dt.tz_localize(None).to_numpy()[post] + delay
    seconds = np.round(4 + 60 * _uniform(seed, "seconds", post, salted) ** 3, 1)
    rows = [(np.arange(len(post)), "problem", np.asarray(ANSWERS, dtype=object)[answer])]
    for asked, named in _types(world, post, salted, pool.type_skill[rater], seed, answer > 0):
        rows.append((asked, "type", np.asarray(TYPES, dtype=object)[named]))
    index = np.concatenate([which for which, _, _ in rows])
    frame = pd.DataFrame(
        {
            "post_id": world["post_id"].to_numpy()[post[index]],
            "rater_id": pool.rater_id[rater[index]],
            "cohort": cohort,
            "question": np.repeat([question for _, question, _ in rows], [len(which) for which, _, _ in rows]),
            "answer": np.concatenate([given for _, _, given in rows]),
            "created_at": pd.DatetimeIndex(began[index], tz="UTC"),
            "seconds": seconds[index],
        }
    )
    return frame.iloc[np.argsort(index, kind="stable")].reset_index(drop=True)


def _types(
    world: pd.DataFrame, post: NDArray[np.int64], salted: NDArray[np.int64], skill: NDArray[np.float64], seed: int,
    asked: NDArray[np.bool_],
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:  # fmt: skip
    """Types named: the right one with the rater's skill, else another; one in eight names a second."""
    right = pd.Index(TYPES).get_indexer(pd.Index(world["type"].to_numpy()[post]))
    u, v = _uniform(seed, "type", post, salted), _uniform(seed, "second type", post, salted)
    wrong = np.floor((u - skill) / (1 - skill) * 3).clip(0, 2).astype(np.int64)
    guessed = np.searchsorted([0.6, 0.85], u)
    named = np.where(right < 0, guessed, np.where(u < skill, right, (right + 1 + wrong) % 4))
    again = (named + 1 + np.floor(v * 24).astype(np.int64)) % 4
    first, second = np.flatnonzero(asked), np.flatnonzero(asked & (v < 0.125))
    return [(first, named[first]), (second, again[second])]
