"""From millions of posts to a number that can be published: allocation, inclusion probabilities, estimation."""

from comoderate.sampling.allocation import allocate
from comoderate.sampling.assisted import assisted_domains, assisted_mean, cross_fitted
from comoderate.sampling.comparisons import benjamini_hochberg, holm, p_value, simultaneous_level
from comoderate.sampling.concentration import Concentration, concentration
from comoderate.sampling.effects import design_effect, kish_effective_size
from comoderate.sampling.hajek import hajek_domains, hajek_mean
from comoderate.sampling.inclusion import (
    PpsRule,
    independent_union,
    nested_union,
    poisson_pps,
    pps_rule,
    second_phase,
    union_inclusion,
)
from comoderate.sampling.linearised import SurveyDesign, survey_design
from comoderate.sampling.planning import (
    Advice,
    Assumptions,
    Plan,
    advise,
    campaign_size,
    plan_enriched,
    plan_poisson,
    plan_second_phase,
    plan_stratified,
    plan_uniform,
    size_for,
)
from comoderate.sampling.random_numbers import uniform
from comoderate.sampling.ratios import difference, domain_differences, domain_ratios, ratio, relative_risk, scaled
from comoderate.sampling.replicates import bootstrap_weights, replicate_weights
from comoderate.sampling.response import PostStrata, Respondents, post_stratify, respondent_weights
from comoderate.sampling.strata import collapse_single
from comoderate.sampling.two_phase import FirstPhase
from comoderate.sampling.unions import DayTable, UnionSample, union_sample

__all__ = [
    "Advice",
    "Assumptions",
    "Concentration",
    "DayTable",
    "FirstPhase",
    "Plan",
    "PostStrata",
    "PpsRule",
    "Respondents",
    "SurveyDesign",
    "UnionSample",
    "advise",
    "allocate",
    "assisted_domains",
    "assisted_mean",
    "benjamini_hochberg",
    "bootstrap_weights",
    "campaign_size",
    "collapse_single",
    "concentration",
    "cross_fitted",
    "design_effect",
    "difference",
    "domain_differences",
    "domain_ratios",
    "hajek_domains",
    "hajek_mean",
    "holm",
    "independent_union",
    "kish_effective_size",
    "nested_union",
    "p_value",
    "plan_enriched",
    "plan_poisson",
    "plan_second_phase",
    "plan_stratified",
    "plan_uniform",
    "poisson_pps",
    "post_stratify",
    "pps_rule",
    "ratio",
    "relative_risk",
    "replicate_weights",
    "respondent_weights",
    "scaled",
    "second_phase",
    "simultaneous_level",
    "size_for",
    "survey_design",
    "uniform",
    "union_inclusion",
    "union_sample",
]
