"""The keys of ``study.toml``, one class a table; every key is described here and nowhere else."""

from __future__ import annotations

from pydantic import Field

from comoderate.codebook import Codebook, Target
from comoderate.study.settings.annotations import AnnotationsSettings, RatersSettings
from comoderate.study.settings.base import FORMAT, Name, PrivacySettings, StudySettings, Table
from comoderate.study.settings.population import MentionsSettings, PopulationSettings
from comoderate.study.settings.posts import CorpusSettings, PostsSettings, TotalsSettings
from comoderate.study.settings.review import (
    CostSettings,
    DeskSettings,
    ExperimentSettings,
    ModeratorsSettings,
    ReviewSettings,
)
from comoderate.study.settings.samples import EnrichSettings, PlanSettings, SampleSettings
from comoderate.study.settings.scorers import EvaluateSettings, ScorerSettings
from comoderate.study.settings.surface import ASSESSORS, AssessSettings, SurfaceAttributeSettings, SurfaceSettings
from comoderate.study.settings.web import CampaignSettings, MixSettings, WebSettings

__all__ = [
    "ASSESSORS",
    "FORMAT",
    "AnnotationsSettings",
    "AssessSettings",
    "CampaignSettings",
    "CorpusSettings",
    "CostSettings",
    "DeskSettings",
    "EnrichSettings",
    "EvaluateSettings",
    "ExperimentSettings",
    "MentionsSettings",
    "MixSettings",
    "ModeratorsSettings",
    "PlanSettings",
    "PopulationSettings",
    "PostsSettings",
    "PrivacySettings",
    "RatersSettings",
    "ReviewSettings",
    "SampleSettings",
    "ScorerSettings",
    "Settings",
    "StudySettings",
    "SurfaceAttributeSettings",
    "SurfaceSettings",
    "Table",
    "TotalsSettings",
    "WebSettings",
]


class Settings(Table):
    """The whole of ``study.toml``."""

    study: StudySettings = Field(description="What the study is called and asks.")
    posts: PostsSettings = Field(default_factory=PostsSettings, description="Where posts come from.")
    totals: TotalsSettings | None = Field(default=None, description="Daily totals of the world.")
    population: PopulationSettings | None = Field(default=None, description="The people whom posts mention.")
    mentions: MentionsSettings = Field(default_factory=MentionsSettings, description="Which post mentions whom.")
    corpus: CorpusSettings = Field(default_factory=CorpusSettings, description="Where samples are drawn.")
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
    surface: SurfaceSettings | None = Field(
        default=None, description="Where scorers fail; with this table, surfaces stand in the report."
    )
    assess: AssessSettings = Field(
        default_factory=AssessSettings, description="What is labelled next to know that better."
    )
    web: WebSettings = Field(default_factory=WebSettings, description="The web application.")
    campaign: dict[Name, CampaignSettings] = Field(
        default_factory=dict, description="What is labelled on the web, by campaign."
    )
    privacy: PrivacySettings = Field(default_factory=PrivacySettings, description="What is hidden.")

    @property
    def cohorts(self) -> tuple[str, ...]:
        """The cohorts of imports, campaigns and assessment, in order, once each; a study that only assesses has one."""
        imported = (source.cohort for source in self.annotations.values())
        asked = (campaign.cohort for campaign in self.campaign.values())
        named = dict.fromkeys([*imported, *asked, *([self.assess.cohort] if self.assess.cohort else [])])
        return tuple(named) or (() if self.surface is None else (ASSESSORS,))

    def sample_of(self, cohort: str) -> str | None:
        """The sample of its own on which a cohort's labels measure: as ``[evaluate]`` says, else where it has one
        campaign and no import, that one's; None for the study's."""
        own = [one for one in self.campaign.values() if one.cohort == cohort]
        alone = len(own) == 1 and own[0].order != "surface" and self.evaluate.sample is None
        imported = any(source.cohort == cohort for source in self.annotations.values())
        return self.evaluate.samples.get(cohort) or (own[0].sample if alone and not imported else None)
