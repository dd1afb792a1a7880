"""Answers that are only categories as scores, by a rule that the study states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Rule(NamedTuple):
    """A probability for posts whose categories are among those listed.

    Attributes:
        when: name of a field → the categories that fit; all fields must fit.
        proba: the probability of such a post.
    """

    when: Mapping[str, tuple[str, ...]]
    proba: float


def apply_rules(values: Mapping[str, str | None], rules: Sequence[Rule], otherwise: float | None) -> float | None:
    """The probability that the first fitting rule gives.

    Delisle et al. (2019) read a service's two labels in this way: abusive where ``Category`` is Basic Negative and
    ``Emotion`` is Anger or Disgust, else not.

    Args:
        values: field → its category; None where it is missing.
        rules: in order.
        otherwise: the probability where no rule fits; None where such a post has none.

    Returns:
        None where a field that a rule asks for is missing, or no rule fits and ``otherwise`` is None.
    """
    if any(values.get(name) is None for rule in rules for name in rule.when):
        return None
    for rule in rules:
        if all(values[name] in fitting for name, fitting in rule.when.items()):
            return rule.proba
    return otherwise
