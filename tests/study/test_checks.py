# ruff: noqa: E501 (a mistake and its line stand side by side)
"""Names in study.toml that refer to each other."""

import pytest

from comoderate.errors import ComoderateError
from comoderate.study.checks import attribute_names, domains
from comoderate.study.loading import load_settings


def load(folder, text):
    (folder / "study.toml").write_text(text)
    return load_settings(folder / "study.toml")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('at_least = "Problematic"', 'at_least = "Problematic"\ncohort = "voluntears"', r"target.abusive.cohort: there is no cohort 'voluntears'\. Did you mean 'volunteers'\?"),
        ('of = "main"', 'of = "man"', r"sample.experts.of: there is no sample 'man'\. Did you mean 'main'\?"),
        ('of = "main"', 'of = "experts"', r"sample.experts.of: there is no sample 'experts'\. The study has: main"),
        ('scorer = "words"', 'scorer = "word"', r"enrich.scorer: there is no scorer 'word'\. Did you mean 'words'\?"),
        ('kind = "naive_bayes"', 'kind = "naive_bayes"\nsample = "expert"', r"scorer.bayes.sample: there is no sample 'expert'"),
        ('kind = "naive_bayes"', 'kind = "naive_bayes"\ncohort = "jury"', r"scorer.bayes.cohort: there is no cohort 'jury'\. The study has: volunteers, experts"),
        ('service = "service"', 'servce = "service"', r"scorer.service.score: there is no recorded score"),
        ("[evaluate]\n", '[evaluate]\nsample = "mane"\n', r"evaluate.sample: there is no sample 'mane'"),
        ('experts = "experts" }', 'experts = "expert" }', r"evaluate.samples: there is no sample 'expert'"),
        ("[review]\n", '[review]\nscorer = "bays"\n', r"review.scorer: there is no scorer 'bays'\. Did you mean 'bayes'\?"),
        ("[review]\n", '[review]\ntarget = "abuse"\n', r"review.target: there is no target 'abuse'"),
        ('problem = "verdict"', 'problems = "verdict"', r"annotations.experts: there is no question 'problems'"),
        ('question = "type"', 'question = "types"', r"target.threat: question 'types' is not in the codebook"),
        ('question = "question"\n', "", r"annotations.volunteers: form = 'long' needs 'question'\. Add it"),
        ('columns = { problem = "verdict" }\n', "", r"annotations.experts: form = 'wide' needs 'columns'"),
        ('attributes = { platform = "platform" }', 'attributes = { week = "platform" }', r"posts: 'week' is a name that Comoderate uses itself"),
        ('attributes = { platform = "platform" }', 'attributes = { length = "platform" }', r"posts: 'length' is a name"),
        ('scorer = "words"', 'scorer = "bayes"', r"samples need each other in a circle \(main → main\)"),
    ],
)  # fmt: skip
def test_a_name_that_refers_to_nothing(tmp_path, little, old, new, said):
    assert old in little.TOML
    text = little.TOML if "platform" not in old else little.TOML.replace('by = ["platform"]', "")
    with pytest.raises(ComoderateError, match=said) as error:
        load(tmp_path, text.replace(old, new, 1))
    assert "\n" not in str(error.value)


def test_answers_of_a_question_are_checked(tmp_path, little):
    counts = '[annotations.votes]\nform = "counts"\ncohort = "x"\nanswers = { problem = { Awful = "n" } }\n\n[codebook]'
    with pytest.raises(ComoderateError, match=r"votes.answers.problem: there is no answer 'Awful'"):
        load(tmp_path, little.TOML.replace("[codebook]", counts, 1))


def test_votes_have_no_raters(tmp_path, little):
    counts = '[annotations.votes]\nform = "counts"\ncohort = "x"\nrater_id = "r"\nanswers = { problem = { No = "n" } }\n\n[codebook]'
    with pytest.raises(ComoderateError, match="vote counts have no raters"):
        load(tmp_path, little.TOML.replace("[codebook]", counts, 1))


def test_a_circle_through_two_samples(tmp_path, little):
    text = little.TOML.replace('scorer = "words"', 'scorer = "bayes"', 1)
    text = text.replace('kind = "naive_bayes"', 'kind = "naive_bayes"\nsample = "experts"', 1)
    with pytest.raises(ComoderateError, match=r"in a circle \(main → experts → main\)"):
        load(tmp_path, text)


def test_domains(tmp_path, little):
    settings = load(tmp_path, little.TOML)
    assert domains(settings) == ("day", "week", "platform", "length")
    assert attribute_names(settings) == ("platform", "length")
    short = load(tmp_path, little.TOML.replace("[posts]", "[posts]\nlength = false", 1))
    assert domains(short) == ("day", "week", "platform")
