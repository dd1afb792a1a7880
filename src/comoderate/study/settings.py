"""The keys of ``study.toml``, one class a table; every key is described here and nowhere else."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from comoderate.codebook import Codebook, Target

FORMAT = 1
"""The version of the study folder that this code writes; a study with a larger one is refused."""

Fraction = Annotated[float, Field(gt=0, le=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$")]
Duplicates = Literal["first", "last", "refuse"]
FileFormat = Literal["auto", "csv", "tsv", "jsonl", "parquet"]
StrategyName = Literal[
    "auto", "toxicity", "uncertainty", "random", "hybrid", "expected_error", "expected_auroc_gain",
    "expected_average_precision_gain", "expected_cost", "rater_disagreement", "even_errors",
]  # fmt: skip


class Table(BaseModel):
    """A table of ``study.toml``: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class StudySettings(Table):
    """What the study is called and asks."""

    title: str = Field(description="Title of the study, at the top of its report.")
    question: str = Field(default="", description="What the study asks, in a sentence.")
    description: str = Field(default="", description="What readers should know about the posts and the raters.")
    seed: int = Field(default=0, ge=0, description="Every random draw of the study follows from this number.")
    format: int = Field(
        default=FORMAT, ge=1, description="Version of the study's layout; written by `comoderate init`."
    )


class PostsSettings(Table):
    """Where posts come from, and what their columns are called there."""

    path: str | None = Field(
        default=None, description="The file of posts, relative to `study.toml`; `--posts` overrides it."
    )
    format: FileFormat = Field(
        default="auto",
        description="`auto` (from the file's name), `csv`, `tsv`, `jsonl` or `parquet`; each may be gzipped.",
    )
    encoding: str = Field(default="utf-8", description="Character encoding of a text file.")
    post_id: str | list[str] = Field(
        default="post_id",
        description="Column of the post's id, a list of columns that identify a post together, or `(row)`: "
        "posts are named by their row.",
    )
    text: str | None = Field(
        default="text", description="Column of the text; an empty name where only recorded probabilities are assessed."
    )
    created_at: str | None = Field(default=None, description="Column of the time: ISO 8601, or seconds since 1970.")
    author: str | None = Field(default=None, description="Column of the author; kept only as a keyed hash.")
    thread: str | None = Field(
        default=None, description="Column of the thread or conversation; kept only as a keyed hash."
    )
    views: str | None = Field(default=None, description="Column of the number of views.")
    attributes: dict[Name, str] = Field(
        default_factory=dict, description="Attributes of a post: name in the study = column in the file."
    )
    scores: dict[Name, str] = Field(
        default_factory=dict,
        description='Recorded probabilities of other services, for `kind = "recorded"` scorers: name = column.',
    )
    length: bool = Field(
        default=True, description="Whether to add the attribute `length` (short, medium or long text)."
    )
    duplicates: Duplicates = Field(
        default="refuse",
        description="A post id that occurs again: `refuse` the file, or keep the `first` or the `last`.",
    )
    missing_text: Literal["drop", "refuse"] = Field(
        default="refuse", description="A post without text: `refuse` the file, or `drop` the post and count it."
    )


class TotalsSettings(Table):
    """Daily totals of the world, where only a capped daily sample of it is in hand."""

    path: str = Field(description="File with a row a day, relative to `study.toml`.")
    day: str = Field(default="day", description="Column of the day (YYYY-MM-DD).")
    total: str = Field(default="N", description="Column of the number of posts in the world on that day.")


class AnnotationsSettings(Table):
    """Answers that already exist, in one of five forms."""

    form: Literal["long", "wide", "one-hot", "raters", "counts"] = Field(
        description="`long` (a row an answer), `wide` (a row a judgement, a column a question), `one-hot` (a row a "
        "judgement, a column an answer), `raters` (a row a post, a column a rater, for one question) or `counts` (a "
        "row a post, votes in columns)."
    )
    path: str | None = Field(
        default=None, description="The file, relative to `study.toml`; by default the file of posts."
    )
    format: FileFormat = Field(default="auto", description="As for posts.")
    encoding: str = Field(default="utf-8", description="Character encoding of a text file.")
    cohort: Name = Field(description="Which raters these are: `volunteers`, `experts`, …")
    post_id: str | list[str] | None = Field(
        default=None, description="Column or columns of the post's id; by default as for posts."
    )
    rater_id: str | None = Field(default=None, description="Column of the rater; leave out where raters are unknown.")
    rater: str | None = Field(
        default=None, description="One name for the rater of all rows: an adjudicated label, say."
    )
    rater_columns: dict[str, str] = Field(
        default_factory=dict,
        description="Form `raters`: rater = column; an empty cell says that the rater did not judge.",
    )
    rater_question: str | None = Field(default=None, description="Form `raters`: the question that they answered.")
    question: str | None = Field(default=None, description="Form `long`: column that names the question.")
    answer: str | None = Field(default=None, description="Form `long`: column of the answer.")
    columns: dict[str, str] = Field(default_factory=dict, description="Form `wide`: question = column.")
    answers: dict[str, dict[str, str]] = Field(
        default_factory=dict, description="Forms `one-hot` and `counts`: question = { answer = column }."
    )
    recode: dict[str, dict[str, str]] = Field(
        default_factory=dict,
        description="Answers that the file spells otherwise: question = { spelling there = answer in the codebook }; "
        "an empty answer stands for none given.",
    )
    created_at: str | None = Field(default=None, description="Column of the time of the answer.")
    seconds: str | None = Field(default=None, description="Column of the seconds that the answer took.")
    duplicates: Duplicates = Field(
        default="refuse",
        description="A rater who judged a post twice: `refuse`, or keep the `first` or `last` judgement.",
    )
    unknown_posts: Literal["refuse", "drop"] = Field(
        default="refuse", description="An annotation of a post that was not imported: `refuse`, or `drop` and count."
    )
    source: Literal["import", "sample", "gold", "tutorial"] = Field(
        default="import",
        description="How these posts were chosen for labelling; `gold` and `tutorial` answers never enter an estimate.",
    )


class RatersSettings(Table):
    """What is known about raters, to see whether groups of them agree."""

    path: str | None = Field(
        default=None,
        description="A file with a row a rater, relative to `study.toml`; by default the file of the first import of "
        "annotations that names raters.",
    )
    format: FileFormat = Field(default="auto", description="As for posts.")
    encoding: str = Field(default="utf-8", description="Character encoding of a text file.")
    rater_id: str = Field(default="rater_id", description="Column of the rater.")
    attributes: dict[Name, str] = Field(
        min_length=1, description="Attributes of a rater: name in the study = column in the file."
    )
    duplicates: Duplicates = Field(
        default="refuse",
        description="A rater who occurs again with other attributes: `refuse`, or keep the `first` or `last` row.",
    )


class EnrichSettings(Table):
    """A second phase that takes more of the posts that a scorer calls positive."""

    scorer: Name = Field(description="The scorer that says which posts are taken in greater number.")
    size: int = Field(ge=1, description="How many posts to add.")
    threshold: float = Field(
        default=0.5, ge=0, le=1, description="Posts with a probability above it count as positive."
    )


class SampleSettings(Table):
    """A draw of posts with known inclusion probabilities."""

    design: Literal["stratified", "uniform", "poisson", "census"] = Field(
        default="stratified",
        description="`stratified` by day in proportion to totals, `uniform`, `poisson` (each post by itself, with a "
        "chance in proportion to a score or to views), or `census` (every post has `pi` = 1).",
    )
    size: int | None = Field(
        default=None, ge=1, description="How many posts to draw (before enrichment); not for a census."
    )
    of: Name | None = Field(
        default=None, description="Draw from this sample instead of from all posts: a second phase, for experts say."
    )
    proportional_to: Name | None = Field(
        default=None, description="Design `poisson`: `views`, or the scorer whose probabilities set the chances."
    )
    least: Share = Field(
        default=0.1,
        description="Design `poisson`: the smallest chance of any post, as a share of the average; above 0, so that "
        "no post is left out for good.",
    )
    rated: int | None = Field(
        default=None, ge=1, description="Second phase: only posts with exactly so many ratings in the first sample."
    )
    flagged_by: tuple[Name, ...] = Field(
        default=(),
        description="Second phase: half of the posts from those that all these scorers call positive (above 0.5), half "
        "from the rest.",
    )
    enrich: EnrichSettings | None = Field(
        default=None, description="A phase that adds posts that a scorer calls positive."
    )
    cluster: Literal["author", "thread"] | None = Field(
        default=None, description="Posts of one author or thread resemble each other: widen intervals accordingly."
    )
    finite: bool = Field(
        default=False,
        description="Whether estimates speak of exactly the posts counted in the totals (a finite population "
        "correction narrows their intervals), not of a longer stream.",
    )
    estimand: str = Field(
        default="",
        description="What an estimate from this sample speaks of, in words: `posts that survive`, say.",
    )

    @model_validator(mode="after")
    def _sizes(self) -> SampleSettings:
        if (self.size is None) != (self.design == "census"):
            raise ValueError("a census has no size" if self.size else "size is missing")
        if self.design == "census" and (self.enrich or self.of):
            raise ValueError("a census cannot be enriched or be a second phase")
        if self.of and self.enrich:
            raise ValueError("a second phase cannot be enriched")
        if (self.design == "poisson") != (self.proportional_to is not None):
            raise ValueError('proportional_to belongs to design = "poisson", and it needs it')
        if self.design == "poisson" and (self.enrich or self.of):
            raise ValueError("a Poisson sample cannot be enriched or be a second phase")
        if (self.rated or self.flagged_by) and not self.of:
            raise ValueError("rated and flagged_by belong to a second phase: name its first sample in of")
        return self

    @property
    def scorers(self) -> tuple[str, ...]:
        """The scorers that must have scored the posts before the draw."""
        enriching = (self.enrich.scorer,) if self.enrich else ()
        sizes = (self.proportional_to,) if self.proportional_to not in {None, "views"} else ()
        return tuple(name for name in (*enriching, *sizes, *self.flagged_by) if name)


class ScorerSettings(Table):
    """Anything that gives a post a probability."""

    kind: Literal["naive_bayes", "tfidf_logistic", "lexicon", "recorded"] = Field(
        description="`naive_bayes` and `tfidf_logistic` are trained on the study's labels, `lexicon` counts listed "
        "words, `recorded` reads probabilities from the file of posts."
    )
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
    score: Name | None = Field(
        default=None, description="Kind `recorded`: which of `[posts] scores`; by default the scorer's own name."
    )
    folds: tuple[int, ...] = Field(
        default=(),
        description="Train one model on these folds; by default one for each fold that is left out. It is then refused "
        "as a measure of itself: see `only_folds` under `[evaluate]`.",
    )
    options: dict[str, int | float | bool | str] = Field(
        default_factory=dict, description="Settings of the scorer's class, as its documentation names them."
    )
    compare: bool = Field(
        default=True, description="Whether the scorer stands in the comparison (a filter that only enriches need not)."
    )

    @model_validator(mode="after")
    def _fitting(self) -> ScorerSettings:
        if (self.kind == "lexicon") != bool(self.words):
            raise ValueError('words belong to kind = "lexicon", and it needs them')
        if self.score and self.kind != "recorded":
            raise ValueError('score belongs to kind = "recorded"')
        return self


class PlanSettings(Table):
    """What `comoderate sample --plan` takes for granted before there are labels."""

    prevalence: tuple[Share, Share] = Field(
        default=(0.05, 0.3),
        description="Guessed share of positive posts: among those that the enriching scorer does not flag, and among "
        "those that it flags.",
    )
    rare: tuple[Share, Share] = Field(default=(0.002, 0.02), description="The same for a rare type that matters.")
    overlap: int = Field(default=3, ge=1, description="Ratings wanted a post.")
    seconds: float | None = Field(
        default=None, gt=0, description="Seconds that a rating takes; by default the median of the ratings there are."
    )
    raters: int | None = Field(default=None, ge=1, description="People who will rate.")
    hours: float | None = Field(default=None, gt=0, description="Hours that each of them gives.")


class EvaluateSettings(Table):
    """How scorers are compared."""

    sample: Name | None = Field(default=None, description="Posts whose labels measure; by default the first sample.")
    truth: tuple[Name, ...] = Field(
        default=(), description="Cohorts whose majority counts as the truth; by default all cohorts, each in turn."
    )
    samples: dict[Name, Name] = Field(
        default_factory=dict,
        description="A sample of its own for a cohort's labels: cohort = sample (experts who labelled a second phase).",
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


class CostSettings(Table):
    """What mistakes and reading cost, in one currency."""

    missed: float = Field(ge=0, description="Cost of a positive post that is left up.")
    wrongly_removed: float = Field(ge=0, description="Cost of a negative post that is acted on.")
    minute: float = Field(default=0.0, ge=0, description="Cost of a minute of a moderator's time.")
    minutes_per_post: float = Field(default=1.0, gt=0, description="Mean time to read one post.")
    currency: str = Field(default="", description="What the costs are counted in, for tables: `EUR`.")


class ModeratorsSettings(Table):
    """How often moderators are right; without this table they are taken to be always right."""

    sensitivity: Share = Field(
        default=1.0, description="Share of positive posts that a rested moderator calls positive."
    )
    specificity: Share = Field(
        default=1.0, description="Share of negative posts that a rested moderator calls negative."
    )
    from_: Name | None = Field(
        default=None,
        alias="from",
        description="A cohort whose answers, measured against another's labels, say both instead.",
    )
    against: Name | None = Field(default=None, description="The cohort that `from` is measured against.")
    readings: int = Field(default=1, ge=1, description="Moderators who read each post; the majority decides.")
    fatigue: float = Field(
        default=0.0, ge=0, description="By how much the log odds of being right fall over a moderator's shift."
    )
    shift: int = Field(default=500, ge=1, description="Posts that a moderator reads in a shift.")


class ReviewSettings(Table):
    """Who reads the posts that a scorer cannot decide."""

    scorer: Name | None = Field(
        default=None,
        description="The scorer whose posts are reviewed; by default the one with the best average precision.",
    )
    target: Name | None = Field(default=None, description="The target; by default the first.")
    strategy: StrategyName = Field(
        default="uncertainty",
        description="What orders the queue; `auto` takes what cross-fitting on the labelled posts advises.",
    )
    objective: Literal["accuracy", "auroc", "average_precision", "review_efficiency", "cost"] = Field(
        default="accuracy", description="Which metric of model and moderators together the advice makes large."
    )
    fractions: tuple[Fraction, ...] = Field(
        default=(0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2),
        description="Shares of posts that moderators can read, for the curves.",
    )
    capacity: int | None = Field(
        default=None, ge=1, description="How many posts the queue holds; by default a twentieth of all posts."
    )
    per_day: int | None = Field(
        default=None, ge=1, description="How many posts are read a day, for backlog and waiting time."
    )
    max_wait: int | None = Field(
        default=None, ge=0, description="Days after which a post that was not read leaves the queue; by default never."
    )
    stream: Literal["unlabelled", "all"] = Field(
        default="unlabelled",
        description="What the queue, audit included, is made of: posts without a label for the target, or all.",
    )
    audit_share: float = Field(
        default=0.05, ge=0, le=1, description="Share of the capacity for random posts of the whole stream."
    )
    threshold: float = Field(default=0.5, ge=0, le=1, description="A post above it counts as predicted positive.")
    min_precision: float | None = Field(
        default=None,
        ge=0,
        lt=1,
        description="Act without reading only above a threshold at which so large a share is positive.",
    )
    max_false_positive_rate: Share | None = Field(
        default=None, description="Act without reading on at most this share of the negative posts."
    )
    level: float = Field(
        default=0.95, gt=0.5, lt=1, description="How sure it is that thresholds for acting keep what they promise."
    )
    cohort: Name = Field(default="moderators", description="The cohort under which moderators' decisions are stored.")
    cost: CostSettings | None = Field(default=None, description="What mistakes and reading cost.")
    moderators: ModeratorsSettings | None = Field(default=None, description="How often moderators are right.")

    @model_validator(mode="after")
    def _priced(self) -> ReviewSettings:
        if self.cost is None and "cost" in (self.objective, self.strategy.removeprefix("expected_")):
            raise ValueError('objective = "cost" and strategy = "expected_cost" need the table [review.cost]')
        return self


class PrivacySettings(Table):
    """What is hidden."""

    anonymise: bool = Field(default=True, description="Replace handles and links in every text that is shown.")


class Settings(Table):
    """The whole of ``study.toml``."""

    study: StudySettings = Field(description="What the study is called and asks.")
    posts: PostsSettings = Field(default_factory=PostsSettings, description="Where posts come from.")
    totals: TotalsSettings | None = Field(default=None, description="Daily totals of the world.")
    annotations: dict[Name, AnnotationsSettings] = Field(
        default_factory=dict, description="Answers that already exist, by import."
    )
    raters: RatersSettings | None = Field(default=None, description="What is known about raters.")
    codebook: Codebook = Field(description="The questions.")
    target: dict[Name, Target] = Field(min_length=1, description="The targets, by name.")
    sample: dict[Name, SampleSettings] = Field(
        min_length=1, description="The samples, by name; the first is the main one."
    )
    scorer: dict[Name, ScorerSettings] = Field(default_factory=dict, description="The scorers, by name.")
    plan: PlanSettings = Field(default_factory=PlanSettings, description="What a plan takes for granted.")
    evaluate: EvaluateSettings = Field(default_factory=EvaluateSettings, description="How scorers are compared.")
    review: ReviewSettings = Field(default_factory=ReviewSettings, description="Who reads what.")
    privacy: PrivacySettings = Field(default_factory=PrivacySettings, description="What is hidden.")

    @property
    def cohorts(self) -> tuple[str, ...]:
        """The cohorts of all imports, in order, once each."""
        return tuple(dict.fromkeys(source.cohort for source in self.annotations.values()))
