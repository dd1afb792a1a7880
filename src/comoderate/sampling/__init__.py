"""From millions of posts to a number that can be published: allocation, inclusion probabilities, estimation."""

from comoderate.sampling.allocation import allocate
from comoderate.sampling.effects import design_effect, kish_effective_size
from comoderate.sampling.hajek import hajek_domains, hajek_mean
from comoderate.sampling.inclusion import (
    independent_union,
    nested_union,
    poisson_pps,
    second_phase,
    union_inclusion,
)
from comoderate.sampling.linearised import SurveyDesign, survey_design
from comoderate.sampling.random_numbers import uniform
from comoderate.sampling.replicates import bootstrap_weights, replicate_weights
from comoderate.sampling.response import PostStrata, Respondents, post_stratify, respondent_weights
from comoderate.sampling.strata import collapse_single
from comoderate.sampling.two_phase import FirstPhase

__all__ = [
    "FirstPhase",
    "PostStrata",
    "Respondents",
    "SurveyDesign",
    "allocate",
    "bootstrap_weights",
    "collapse_single",
    "design_effect",
    "hajek_domains",
    "hajek_mean",
    "independent_union",
    "kish_effective_size",
    "nested_union",
    "poisson_pps",
    "post_stratify",
    "replicate_weights",
    "respondent_weights",
    "second_phase",
    "survey_design",
    "uniform",
    "union_inclusion",
]
