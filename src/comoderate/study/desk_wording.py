"""Why a post came to a moderator, in plain words; said only after the decision."""

from __future__ import annotations

from comoderate.annotation import DeskItem
from comoderate.study.review_wording import STRATEGIES, percent

AUDIT = (
    "It was drawn at random from all posts, whatever the scorer said of it. Such posts are mixed in so that there is "
    "an honest number for how much there is in the whole stream."
)


def why(item: DeskItem, *, positive: str) -> list[str]:
    """Why the post was in the queue, in sentences.

    Args:
        item: the post as its moderator may see it after deciding.
        positive: what the scorer's threshold stands for: ``remove``, say.

    Returns:
        Sentences, the reason first; one that says so where all is withheld still.
    """
    if item.withheld or item.source is None:
        return ["That is said once you have decided."]
    told = [_reason(item)]
    if item.proba is not None:
        told.append(_score(item, item.proba, positive))
    if item.pi is not None:
        told.append(f"One in {round(1 / item.pi):,} posts of the stream was drawn so." if item.pi < 1 else "")
    return [text for text in told if text]


def _reason(item: DeskItem) -> str:
    if item.source == "audit":
        return AUDIT
    reason = item.reason or "the strategy chose it"
    place = "" if item.rank is None else f" It stood at place {item.rank:,.0f} of the queue."
    return f"It is here because of this: {reason}.{place}"


def _score(item: DeskItem, proba: float, positive: str) -> str:
    named = f"The scorer {item.scorer}" if item.scorer else "The scorer"
    start = f"{named} gave it {percent(proba)}"
    if item.threshold is None:
        return f"{start}."
    above = proba > item.threshold
    doubt = "close to" if abs(proba - item.threshold) < 0.1 else "well above" if above else "well below"
    alone = f"Without you it would have said: {positive}." if above else "Without you it would have left it."
    return f"{start}, {doubt} the {percent(item.threshold)} at which it acts. {alone}"


def strategy(name: str) -> str:
    """A strategy's name with what it means."""
    return f"{name} ({STRATEGIES[name]})" if name in STRATEGIES else name
