"""The bodies of the API: what is sent and what comes back."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

MOST = 1_000
"""Posts or decisions in one request."""


def _sound(text: str) -> str:
    """Text that can be stored and shown."""
    if any(ord(c) < 32 and c not in "\n\r\t" for c in text) or any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        raise ValueError("control characters and half surrogates cannot be stored")
    return text


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("white space alone says nothing")
    return text


Sound = AfterValidator(_sound)
Id = Annotated[str, Field(min_length=1, max_length=200), Sound, AfterValidator(_filled)]
Short = Annotated[str, Field(max_length=200), Sound]


def _dated(value: datetime) -> datetime:
    if not 1970 <= value.year < 2200:
        raise ValueError("a time between 1970 and 2200 is needed")
    return value


When = Annotated[datetime, AfterValidator(_dated)]


class Body(BaseModel):
    """What a program sends: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid")


class Post(Body):
    """One post, under the study's own names."""

    post_id: Id = Field(description="The post's id; one that the study has already is left alone.")
    text: Annotated[str, Field(max_length=20_000), Sound] = Field(default="", description="The text.")
    created_at: When | None = Field(default=None, description="When it was written.")
    author: Short | None = Field(default=None, description="Who wrote it; kept only as a keyed hash.")
    thread: Short | None = Field(default=None, description="The conversation; kept only as a keyed hash.")
    views: Annotated[int, Field(ge=0, le=2**53)] | None = Field(default=None, description="How often it was seen.")
    attributes: dict[str, Short] = Field(default_factory=dict, max_length=100, description="Attributes, by name.")
    scores: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field(
        default_factory=dict, max_length=100, description="Probabilities of other services, by name."
    )


class Posts(Body):
    """Posts to push."""

    posts: list[Post] = Field(min_length=1, max_length=MOST, description="All are stored, or none.")


class PostsAccepted(BaseModel):
    """What became of pushed posts."""

    stored: int = Field(description="How many were stored; the next import takes them in.")
    known: list[str] = Field(description="Ids of those that the study had already.")


class Decision(Body):
    """One decision that was made elsewhere."""

    post_id: Id = Field(description="A post of the queue.")
    decision: Annotated[str, Field(min_length=1, max_length=100), Sound] = Field(
        description="An answer to the target's question, `positive` or `negative`."
    )
    moderator: Annotated[str, Field(min_length=1, max_length=100), Sound, AfterValidator(_filled)] = Field(
        description="Who decided, by a pseudonym that stays the same."
    )
    decided_at: When | None = Field(default=None, description="When; by default now.")
    seconds: Annotated[float, Field(ge=0, le=86_400)] | None = Field(default=None, description="How long it took.")
    note: Annotated[str, Field(max_length=1_000), Sound] | None = Field(default=None, description="A note.")
    key: Annotated[str, Field(min_length=1, max_length=100), Sound] | None = Field(
        default=None, description="The same key of the same moderator is stored once, however often it is sent."
    )


class Decisions(Body):
    """Decisions to push."""

    decisions: list[Decision] = Field(
        min_length=1, max_length=MOST, description="All are checked before any is stored."
    )


class DecisionsStored(BaseModel):
    """What became of pushed decisions."""

    stored: int = Field(description="How many are stored now, those sent before among them.")


class Page(BaseModel):
    """A page of a list."""

    next: int | None = Field(description="Send it as `after` for the next page; null on the last.")


class Queued(BaseModel):
    """A post of the queue. What tells how it was chosen is there only with the scope `queue:scores`."""

    rank: int
    post_id: str
    target: str
    text: str
    proba: float | None = None
    review_score: float | None = None
    reason: str | None = None
    pi: float | None = None
    source: str | None = None


class Queue(Page):
    """A page of the queue."""

    items: list[Queued]


class Decided(BaseModel):
    """A decision on a queued post."""

    decision_id: int
    post_id: str
    target: str
    decision: str
    actor: str
    source: str
    stage: str
    decided_at: str
    seconds: float | None
    note: str | None


class DecisionsPage(Page):
    """A page of decisions."""

    items: list[Decided]


class Annotation(BaseModel):
    """One rater's answer to one question on one post."""

    number: int
    response_id: str
    post_id: str
    rater_id: str | None = Field(description="A keyed hash.")
    cohort: str
    source: str
    codebook: str
    question: str
    answer: str
    created_at: str | None
    seconds: float | None


class Annotations(Page):
    """A page of annotations."""

    items: list[Annotation]


class Estimates(BaseModel):
    """The numbers of the dashboard's last snapshot."""

    made_at: str = Field(description="When they were computed.")
    annotations: int = Field(description="From how many answers.")
    progress: list[dict[str, Any]] = Field(description="A row a target and cohort: error now, planned, still needed.")
    prevalence: list[dict[str, Any]] = Field(description="A row a target, cohort and group: value, low, high, …")
    agreement: list[dict[str, Any]] = Field(description="A row a question, cohort and statistic.")
    problems: list[str] = Field(description="What could not be computed, and why.")
