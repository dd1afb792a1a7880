"""The keys of ``study.toml`` on scorers and their comparison."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from comoderate.models import services
from comoderate.study.settings.base import Name, Share, Table

TRAINED = ("naive_bayes", "tfidf_logistic", "davidson_features", "encoder", "troll_patrol", "lexicon")
"""Kinds that become a model in the study's folder."""

Number = int | float | bool | str
Option = Number | tuple[Number, ...]


class RuleSettings(Table):
    """A probability for posts whose categories are among those listed."""

    when: dict[str, tuple[str, ...]] = Field(
        min_length=1,
        description="Field → categories; all fields must fit. A field is an attribute of the post (`recorded`), or a "
        "path in the answer (`http`).",
    )
    proba: Share = Field(description="The probability of such a post.")

    def rule(self) -> services.Rule:
        """The same for those who apply it."""
        return services.Rule(self.when, self.proba)


class ServiceSettings(Table):
    """A prediction service that is asked over HTTP."""

    preset: Literal["list", "openai", "mistral", "google", "azure", "perspective", "hugging_face"] | None = Field(
        default=None,
        description="The shape of a known service; every key below that is given replaces the preset's. `perspective` "
        "ends with 2026 and is there for replaying.",
    )
    url: str | None = Field(
        default=None, description="Its address. `${VARIABLE}` stands for an environment variable, as in `headers`."
    )
    method: Literal["POST", "GET"] | None = Field(default=None, description="By default `POST`.")
    request: Any = Field(
        default=None,
        description="The request, as the service wants it (a table, a list or a text, sent as JSON). `{texts}` stands "
        "for the list of texts, `{text}` for a single one.",
    )
    answer: tuple[str, ...] = Field(
        default=(),
        description="Where a text's number or category stands in the answer: `results[*].scores.hate`, "
        "`[*][label=toxic].score`; `[*]` is the list with an element a text. Of several numbers the largest counts.",
    )
    headers: dict[str, str] | None = Field(
        default=None, description="Headers; a secret is written `${VARIABLE}` and never stored."
    )
    batch_size: int | None = Field(default=None, ge=1, description="Texts in one request.")
    timeout: float | None = Field(default=None, gt=0, description="Seconds to wait for an answer; by default 30.")
    concurrency: int | None = Field(default=None, ge=1, le=64, description="Requests at once; by default 2.")
    requests_per_second: float | None = Field(
        default=None, gt=0, description="Most requests a second; a pause that the service asks for is kept anyway."
    )
    retries: int | None = Field(default=None, ge=0, description="Further tries of a failed request; by default 5.")
    longest_wait: float | None = Field(
        default=None, gt=0, description="Most seconds between tries, which wait longer each time; by default 60."
    )
    patience: int | None = Field(
        default=None, ge=1, description="Failures in a row after which scoring stops; by default 5."
    )
    scale: float | None = Field(
        default=None, gt=0, description="Numbers are divided by it, where a service gives severities up to it."
    )
    categories: dict[str, Share] | None = Field(
        default=None, description="Where the answer is a category: its probability."
    )
    rules: tuple[RuleSettings, ...] | None = Field(
        default=None, description="Where the answer is several categories: rules `{ when, proba }`, in order."
    )
    otherwise: Share | None = Field(
        default=None, description="The probability of categories that are not named; by default such a post has none."
    )
    price: float | None = Field(default=None, ge=0, description="Price of a text, for `budget`.")
    price_per_request: float | None = Field(default=None, ge=0, description="Price of a request, for `budget`.")
    budget: float | None = Field(
        default=None,
        ge=0,
        description="What may be spent, all runs together; scoring stops before it is overdrawn. Needs a price.",
    )
    canaries: tuple[str, ...] | None = Field(
        default=None,
        description="Texts that are scored anew in each run, to notice that the service has changed; by default five "
        "invented ones, an empty list for none.",
    )
    canary_tolerance: float | None = Field(
        default=None, ge=0, description="How far a canary's probability may move; by default 0.01."
    )

    @model_validator(mode="after")
    def _whole(self) -> ServiceSettings:
        self.service()
        return self

    def service(self) -> services.Service:
        """The service that is meant.

        Raises:
            ValueError: keys that contradict each other, or too few.
        """
        own = {name: value for name, value in self if name not in {"preset", "rules"} and value not in (None, ())}
        if self.canaries is not None:
            own["canaries"] = self.canaries
        if self.rules:
            own["rules"] = tuple(rule.rule() for rule in self.rules)
        keys = services.with_preset(self.preset, own)
        if self.rules:
            keys.pop("answer", None)
        for name in ("url", "request"):
            if keys.get(name) in (None, ""):
                raise ValueError(f"{name} is missing")
        keys["answer"] = tuple(keys.get("answer", ()))
        return services.Service(**keys)


class ScorerSettings(Table):
    """Anything that gives a post a probability."""

    kind: Literal[
        "naive_bayes", "tfidf_logistic", "davidson_features", "encoder", "troll_patrol", "lexicon",
        "recorded", "model", "http", "pipeline", "callable",
    ] = Field(
        description="Trained on the study's labels: `naive_bayes`, `tfidf_logistic`, `davidson_features`, `encoder` "
        "and `troll_patrol` (these two need `comoderate[models]`). Not trained: `lexicon` counts listed words, "
        "`recorded` reads probabilities or categories from the file of posts, `model` is one that another study "
        "trained, `http` asks a service, `pipeline` is a Hugging Face text classifier on this machine, `callable` a "
        "function that an installed package or Python gives."
    )  # fmt: skip
    target: Name | None = Field(
        default=None, description="The target that the probabilities are for; by default the first."
    )
    sample: Name | None = Field(
        default=None, description="Train on the labelled posts of this sample; by default the first."
    )
    cohort: Name | None = Field(
        default=None, description="Train on the labels of these raters; by default the target's."
    )
    soft: bool = Field(default=False, description="Train on shares of positive ratings instead of majority labels.")
    weighted: bool = Field(
        default=True, description="Train with the sample's weights, so that probabilities fit the real stream."
    )
    words: tuple[str, ...] = Field(default=(), description="Kind `lexicon`: the words.")
    path: str | None = Field(
        default=None,
        description="Kind `model`: the folder of the model, `../other-study/models/NAME`, or one that `save` wrote in "
        "Python. No post of this study counts as one that it was trained on.",
    )
    score: Name | None = Field(
        default=None, description="Kind `recorded`: which of `[posts] scores`; by default the scorer's own name."
    )
    members: tuple[Name, ...] = Field(
        default=(),
        description="Kind `recorded`: which of `[posts] scores` are the members of an ensemble instead; the "
        "probability is their mean, and how far they differ the epistemic part of the uncertainty.",
    )
    rules: tuple[RuleSettings, ...] = Field(
        default=(),
        description="Kind `recorded`: probabilities from recorded categories instead: rules `{ when, proba }`, the "
        "first that fits counts; `when` names attributes.",
    )
    otherwise: Share | None = Field(
        default=None, description="With `rules`: the probability where none fits; by default such a post has none."
    )
    folds: tuple[int, ...] = Field(
        default=(),
        description="Train one model on these folds; by default one for each fold that is left out. It is then refused "
        "as a measure of itself: see `only_folds` under `[evaluate]`.",
    )
    options: dict[str, Option] = Field(
        default_factory=dict,
        description="Settings of the scorer's class, as [Scorers](models.md) lists them; for `pipeline`: `model` (a "
        "folder or a name on the hub), `label` (the one that means positive), `batch_size`, `max_length`.",
    )
    sends_text: bool = Field(
        default=False,
        description="Kind `http`: must be `true`, to say that the texts of posts may leave this machine. The report "
        "names the services that received them.",
    )
    service: ServiceSettings | None = Field(default=None, description="Kind `http`: the service.")
    compare: bool = Field(
        default=True, description="Whether the scorer stands in the comparison (a filter that only enriches need not)."
    )

    @property
    def trained(self) -> bool:
        """Whether it becomes a model in the study's folder."""
        return self.kind in TRAINED

    @property
    def learns(self) -> bool:
        """Whether it is trained on labels."""
        return self.trained and self.kind != "lexicon"

    @model_validator(mode="after")
    def _fitting(self) -> ScorerSettings:
        if (self.kind == "lexicon") != bool(self.words):
            raise ValueError('words belong to kind = "lexicon", and it needs them')
        if (self.kind == "model") != (self.path is not None):
            raise ValueError('path belongs to kind = "model", and it needs it')
        given = [name for name in ("score", "rules", "members") if getattr(self, name)]
        if given and self.kind != "recorded":
            raise ValueError(f'{given[0]} belongs to kind = "recorded"')
        if len(given) > 1:
            raise ValueError("score is a recorded probability, members are several, rules read categories: give one")
        if len(self.members) == 1:
            raise ValueError("members are at least two; for one recorded probability give score")
        if self.otherwise is not None and not self.rules:
            raise ValueError("otherwise belongs to rules")
        self._check_service()
        return self

    def _check_service(self) -> None:
        if (self.kind == "http") != (self.service is not None):
            raise ValueError('the table service belongs to kind = "http", and it needs it')
        if self.kind == "http" and not self.sends_text:
            raise ValueError("texts of posts would leave this machine: write sends_text = true to allow it")
        if self.kind == "pipeline" and not ("model" in self.options and "label" in self.options):
            raise ValueError('kind = "pipeline" needs options = { model = "…", label = "…" }')
        if self.options and self.kind in {"recorded", "model", "http"}:
            raise ValueError(f'options do not belong to kind = "{self.kind}"')


class EvaluateSettings(Table):
    """How scorers are compared."""

    sample: Name | None = Field(default=None, description="Posts whose labels measure; by default the first sample.")
    truth: tuple[Name, ...] = Field(
        default=(), description="Cohorts whose majority counts as the truth; by default all cohorts, each in turn."
    )
    samples: dict[Name, Name] = Field(
        default_factory=dict,
        description="A sample of its own for a cohort's labels: cohort = sample (experts who labelled a second phase); "
        "by default that of its campaign, where it has one campaign, no import, and no `sample` is named here.",
    )
    by: tuple[str, ...] = Field(default=(), description="Break estimates down by `day`, `week` or an attribute.")
    folds: int = Field(
        default=5,
        ge=2,
        le=20,
        description="Number of folds; posts of one author, one thread, or nearly the same text share one.",
    )
    only_folds: tuple[int, ...] = Field(
        default=(), description="Compare scorers only on posts of these folds; by default on all labelled posts."
    )
    replicates: int = Field(default=200, ge=20, le=5000, description="Bootstrap replicates for intervals.")
    level: float = Field(default=0.95, gt=0.5, lt=1, description="Nominal coverage of every interval.")
