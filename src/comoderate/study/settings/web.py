"""The keys of ``study.toml`` on the web application: who may enter, and what campaigns ask of whom."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from comoderate.study.settings.base import Name, Table

Shown = Literal["date", "views", "answers_to"]
Role = Literal["volunteer", "expert", "moderator", "coordinator"]


class WebSettings(Table):
    """The web application: its database, who may enter, and how."""

    database: str | None = Field(
        default=None,
        description="Where people and answers are kept: a `postgresql://user@host/name` for a team; by default "
        "`annotations.db` in the study's folder. Leave a password out: libpq finds it in `~/.pgpass` or `PGPASSWORD`.",
    )
    contact: str = Field(default="", description="Whom volunteers can write to, shown on every page: a mail address.")
    languages: tuple[str, ...] = Field(
        default=("en",), min_length=1, description="Languages that are offered, the first by default: `en`, `ar`, …"
    )
    session_hours: float = Field(default=12.0, gt=0, le=8_760, description="Hours after which one signs in again.")
    proxies: tuple[str, ...] = Field(
        default=(),
        description="Addresses or networks of reverse proxies whose `X-Forwarded-For` and `-Proto` are believed.",
    )
    user_header: str | None = Field(
        default=None,
        description="For single sign-on: the header in which one of `proxies` names who is signed in, `X-Remote-User` "
        "say. Off by default; passwords are then not asked for.",
    )
    names: tuple[str, ...] = Field(
        default=(),
        description="Further words to hide in posts, where handles and links do not suffice: people's names.",
    )

    @model_validator(mode="after")
    def _trusted(self) -> WebSettings:
        if self.user_header and not self.proxies:
            raise ValueError("user_header needs proxies = […]: anyone else could name whom they like")
        return self


class MixSettings(Table):
    """Posts of another sample mixed in, to give raters calmer ones between."""

    sample: Name = Field(description="A sample of mostly benign posts; its inclusion probabilities stay known.")
    rate: float = Field(default=0.25, gt=0, le=0.9, description="Share of a rater's posts that come from it.")


class CampaignSettings(Table):
    """One campaign: which posts a cohort labels on the web, how often each, and how raters are looked after."""

    title: str = Field(default="", description="What raters read above it; by default the study's title.")
    sample: Name = Field(description="The sample whose posts are labelled.")
    cohort: Name = Field(default="volunteers", description="The cohort under which the answers are stored.")
    roles: tuple[Role, ...] = Field(default=("volunteer",), min_length=1, description="Whose work it is.")
    overlap: int = Field(default=3, ge=1, description="Distinct raters a post.")
    order: Literal["random", "uncertainty", "surface", "stored"] = Field(
        default="random",
        description="`random`; by a scorer's `uncertainty`, for training; as the sample is `stored`; or `surface`: "
        "instead of the sample, the posts that `comoderate assess` proposes, also while the application runs. Only "
        "answers in random order measure before all is labelled.",
    )
    scorer: Name | None = Field(
        default=None,
        description="For `uncertainty` and `surface`: whose; by default the first, or the one that is reviewed.",
    )
    source: Literal["sample", "audit", "assess", "queue"] = Field(
        default="sample", description="How these posts were chosen, stored with every answer."
    )
    lease_minutes: float = Field(
        default=30.0,
        gt=0,
        le=525_600,
        description="Minutes after which a post that was shown and not answered goes to another.",
    )
    ahead: int = Field(
        default=3, ge=0, le=20, description="Posts that the browser fetches ahead, for when it is offline."
    )
    gold_rate: float = Field(
        default=0.0, ge=0, le=0.5, description="Share of a rater's posts that are the codebook's gold posts."
    )
    mix: MixSettings | None = Field(default=None, description="Benign posts mixed in.")
    context: tuple[Shown, ...] = Field(
        default=(), description="What stands beside a post: `date`, `views`, `answers_to` (the post it answers)."
    )
    facts: dict[str, Name] = Field(
        default_factory=dict,
        description="Further facts beside a post: what raters read = an attribute: `{ Likes = "
        '"likes" }`; nothing that tells who wrote it.',
    )
    answers_to: Name | None = Field(
        default=None, description="The attribute that holds the text of the post that a post answers."
    )
    opt_outs: dict[Name, str] = Field(
        default_factory=dict,
        max_length=62,
        description="Kinds of posts that raters may decline to see: attribute = what raters read. A post is of the "
        "kind where the attribute is `yes`, `true` or `1`.",
    )
    reveal: bool = Field(
        default=True, description="Whether posts can be shown on demand only; raters may choose otherwise."
    )
    cap: int | None = Field(
        default=50, ge=1, description="Harmful posts a day after which a rater is sent home; posts they called harmful."
    )
    break_after: int = Field(default=20, ge=1, description="Posts in a row after which a break is suggested.")
    consent: str = Field(default="", description="What volunteers agree to; by default a short plain text.")
    warning: str = Field(default="", description="The content warning; by default a short plain text.")
    tutorial: bool = Field(default=True, description="Whether the codebook's tutorial comes first, if it has one.")
    qualification: bool = Field(default=True, description="Whether the codebook's qualification must be passed.")
    open: bool = Field(default=True, description="Whether it gives out posts when the application starts.")

    @model_validator(mode="after")
    def _whole(self) -> CampaignSettings:
        if "answers_to" in self.context and self.answers_to is None:
            raise ValueError("context has answers_to: name the attribute with its text under answers_to")
        return self
