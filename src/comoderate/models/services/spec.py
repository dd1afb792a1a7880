"""What a prediction service is: how it is asked, how its answers are read, what it costs."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from comoderate.models.services.paths import AnswerPath, NonsenseError, follow, parse_path, split_answer
from comoderate.models.services.rules import Rule, apply_rules

CANARIES = (
    "Thank you for the directions, we found the station easily.",
    "You are a complete fool and nobody wants you here.",
    "The meeting on the new bridge starts at seven.",
    "Shut up, you pathetic liar.",
    "I don't agree with this at all, and here is why.",
)
"""Invented texts that show, when they are scored again, whether a service has changed."""


@dataclass(frozen=True, kw_only=True)
class Service:
    """A prediction service that is reached over HTTP.

    Attributes:
        url: its address; ``${NAME}`` stands for an environment variable, here and in ``headers``.
        method: ``POST`` (the request is sent as JSON) or ``GET`` (as parameters of the address).
        request: the request as JSON; the text ``{texts}`` stands for the list of texts, ``{text}`` for a single one.
        answer: paths to the numbers (or the category) of a text; of several numbers the largest counts.
        headers: headers of every request; secrets belong into environment variables.
        batch_size: most texts in one request; 1 where the request holds ``{text}``.
        timeout: seconds to wait for an answer.
        concurrency: requests under way at once.
        requests_per_second: most requests a second; None for no limit but the service's own.
        retries: how often a failed request is sent again, after waiting longer each time.
        longest_wait: most seconds between two tries, unless the service asks for more.
        patience: after so many requests in a row that failed to the end, the service counts as out of order.
        scale: numbers are divided by it to lie in [0, 1].
        categories: for answers that are a category: its probability.
        rules: for answers that are several categories, see :func:`apply_rules`; fields are paths.
        otherwise: the probability of a category, or of categories, that nothing above names.
        price: price of one text.
        price_per_request: price of one request.
        budget: what may be spent, all runs together, which needs a price; None for no limit.
        canaries: texts that are scored anew before each run.
        canary_tolerance: a canary's probability that moves further means a new version of the service.
    """

    url: str
    request: Any
    answer: tuple[str, ...] = ()
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    batch_size: int = 1
    timeout: float = 30.0
    concurrency: int = 2
    requests_per_second: float | None = None
    retries: int = 5
    longest_wait: float = 60.0
    patience: int = 5
    scale: float = 1.0
    categories: Mapping[str, float] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    otherwise: float | None = None
    price: float = 0.0
    price_per_request: float = 0.0
    budget: float | None = None
    canaries: tuple[str, ...] = CANARIES
    canary_tolerance: float = 0.01

    def __post_init__(self) -> None:
        self._check_request()
        self._check_answer()

    def _check_request(self) -> None:
        several, single = holds(self.request, "{texts}"), holds(self.request, "{text}")
        if several == single:
            raise ValueError("the request must hold {texts}, for a list of texts, or {text}, for one: one of the two")
        if single and self.batch_size != 1:
            raise ValueError("a request with {text} holds one text: leave batch_size at 1, or write {texts}")
        if self.method not in {"GET", "POST"}:
            raise ValueError(f"method is {self.method!r}: write POST or GET")
        if self.budget is not None and not (self.price or self.price_per_request):
            raise ValueError("a budget without a price limits nothing: give price, of a text, or price_per_request")
        if self.method == "GET" and not (isinstance(self.request, Mapping) and single):
            raise ValueError("a GET request is a table of parameters with {text}")

    def _check_answer(self) -> None:
        if bool(self.answer) == bool(self.rules):
            raise ValueError("say where the answer stands: paths under answer, or rules over categories")
        paths = self._paths
        if len({path.before for path in paths}) > 1:
            raise ValueError("all paths of an answer must be the same up to [*]")
        if self.batch_size > 1 and paths[0].before is None:
            raise ValueError("texts are sent together: the answer's paths need [*], for an element a text")

    @cached_property
    def _paths(self) -> list[AnswerPath]:
        fields = dict.fromkeys(name for rule in self.rules for name in rule.when)
        return [parse_path(text) for text in (*self.answer, *fields)]

    @property
    def host(self) -> str:
        """Whose service it is, for people: the address without path, parameters and secrets."""
        return self.url.partition("://")[2].partition("/")[0].rpartition("@")[2] or self.url

    @cached_property
    def identity(self) -> str:
        """Ten hex digits over what decides about the answers: address, method and request; secrets are not in it."""
        return _digest([self.url, self.method, self.request, sorted(self.headers.items())])

    @cached_property
    def reading(self) -> str:
        """Ten hex digits over how answers become probabilities."""
        rules = [[dict(rule.when), rule.proba] for rule in self.rules]
        return _digest([self.answer, self.scale, dict(self.categories), rules, self.otherwise])

    def split(self, document: Any, n: int) -> list[Any]:
        """The part of an answer for each of ``n`` texts.

        Raises:
            NonsenseError: the answer does not have that form.
        """
        return split_answer(document, self._paths, n)

    def read(self, part: Any) -> float:
        """The probability in the part of an answer that is about one text.

        Raises:
            NonsenseError: it holds no number in [0, 1], nor a known category.
        """
        values = [follow(part, path.after) for path in self._paths]
        if self.rules:
            fields = dict.fromkeys(name for rule in self.rules for name in rule.when)
            found = apply_rules(dict(zip(fields, map(_text, values), strict=True)), self.rules, self.otherwise)
            return _known(found, "no rule fits the categories")
        if self.categories:
            return _known(self.categories.get(str(values[0]), self.otherwise), "the category has no probability")
        return max(_number(value, self.scale) for value in values)

    def cost(self, texts: int, requests: int) -> float:
        """The price of some texts in some requests."""
        return texts * self.price + requests * self.price_per_request


def holds(template: Any, placeholder: str) -> bool:
    """Whether a request's template holds a placeholder."""
    if isinstance(template, Mapping):
        return any(holds(part, placeholder) for part in template.values())
    if isinstance(template, str):
        return placeholder in template
    return isinstance(template, Sequence) and any(holds(part, placeholder) for part in template)


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def _known(value: float | None, problem: str) -> float:
    if value is None:
        raise NonsenseError(problem)
    return value


def _number(value: Any, scale: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NonsenseError("the answer is not a number")
    scaled = value / scale
    if not (math.isfinite(scaled) and 0.0 <= scaled <= 1.0):
        raise NonsenseError("the answer is not in [0, 1]")
    return float(scaled)


def _digest(content: Any) -> str:
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.blake2b(text.encode(), digest_size=5).hexdigest()
