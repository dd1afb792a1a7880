"""What a report says in words about targets, samples and whole studies; no number is made here."""

from __future__ import annotations

from comoderate.codebook import Codebook, Target
from comoderate.study.settings import SampleSettings

_AGGREGATION = {
    "majority": "most of its raters say so",
    "any": "at least one rater says so",
    "soft": "all of its raters say so",
    "dawid_skene": "it is more likely than not that",
    "one_coin": "it is more likely than not that",
    "hierarchical": "it is more likely than not that",
}
_SKILLS = {
    "dawid_skene": "each rater's habit of erring",
    "one_coin": "how often each rater is right",
    "hierarchical": "each rater's habit of erring, and those of raters like them",
}
_TIES = {
    "abstain": "An even split gives no label.",
    "positive": "An even split counts as positive.",
    "negative": "An even split counts as negative.",
    "ordinal-median": "An even split gets the answer halfway between the two middle ones.",
}


def target_sentence(target: Target, codebook: Codebook) -> str:
    """What makes a post positive."""
    answers = " or ".join(f"“{answer}”" for answer in target.positive_answers(codebook))
    question = codebook.question[target.question].text
    if target.aggregation in _SKILLS:
        return _modelled(target, answers, question)
    ties = ""
    if target.aggregation == "majority":
        ties = _TIES.get(target.ties, f"Even splits are settled by {target.tie_cohort}.")
    return f"A post counts where {_AGGREGATION[target.aggregation]}: {answers} to “{question}” {ties}".strip()


def _modelled(target: Target, answers: str, question: str) -> str:
    trust = f" The answers of {target.anchor_cohort} are trusted most." if target.anchor_cohort else ""
    return (
        f"A post counts where {_AGGREGATION[target.aggregation]} {answers} is the right answer to “{question}”, given "
        f"who answered what and {_SKILLS[target.aggregation]} (Dawid and Skene).{trust}"
    )


def sample_sentence(settings: SampleSettings, *, capped: bool, drawn: int | None = None) -> str:
    """How a sample was drawn.

    Args:
        settings: of the sample.
        capped: whether daily totals count more than is in hand.
        drawn: how many posts it was, what was added by a scorer aside; where not given, as many as were asked for.
    """
    if settings.design == "census":
        if settings.finite:
            return "Every imported post is in the sample, so no number depends on the luck of a draw."
        return (
            "Every imported post is in the sample. Intervals treat the posts as drawn at random from a longer stream."
        )
    short = drawn is not None and settings.design != "poisson" and drawn < (settings.size or 0)
    if settings.of:
        if short:
            return f"All {drawn:,} posts that could be drawn of “{settings.of}”; {settings.size:,} were asked for."
        return f"{settings.size:,} posts of the sample “{settings.of}”{_second_phase(settings)}."
    if short:
        base = f"All {drawn:,} posts in hand; {settings.size:,} were asked for."
    elif settings.design == "uniform":
        base = f"{settings.size:,} posts, each with the same chance."
    elif settings.design == "poisson":
        base = f"About {settings.size:,} posts, each with a chance in proportion to its {settings.proportional_to}."
    else:
        base = f"{settings.size:,} posts, day by day, in proportion to the number of posts on each day."
    if capped and settings.design == "stratified":
        base += " The number of posts on a day comes from a count, for only a part of them was in hand."
    if settings.enrich:
        size = settings.enrich.size
        added = "All others that" if size == "all" else f"Up to {size:,} more of those that"
        base += (
            f" {added} the scorer “{settings.enrich.scorer}” calls positive were added; weights undo the excess in "
            "every estimate."
        )
    return base


def _second_phase(settings: SampleSettings) -> str:
    """From which posts of the first phase, and with what chances."""
    rated = f", of those with exactly {settings.rated} ratings" if settings.rated else ""
    if not settings.flagged_by:
        return f"{rated}, each with the same chance"
    scorers = " and ".join(f"“{name}”" for name in settings.flagged_by)
    return f"{rated}: half of them called positive by {scorers}, half not; weights undo that in every estimate"


def estimand_sentence(settings: SampleSettings, *, capped: bool, people: str = "") -> str:
    """What an estimate from a sample speaks of.

    Args:
        settings: of the sample.
        capped: whether daily totals count more than is in hand.
        people: the people whom posts must mention, where there is a population: ``57 people``.
    """
    if settings.estimand:
        return settings.estimand
    posts = f"posts that mention at least one of {people}" if people else "posts"
    if capped:
        return f"all {posts}, as counted in the daily totals of days with posts in hand"
    if settings.finite:
        return f"exactly the imported {posts}"
    return f"the stream of {posts} that the imported ones come from" if people else (
        "the stream that the imported posts come from"
    )  # fmt: skip
