"""What a report says in words."""

import pytest

from comoderate.codebook import Codebook, Question, Target
from comoderate.study.settings import EnrichSettings, SampleSettings
from comoderate.study.wording import estimand_sentence, sample_sentence, target_sentence

CODEBOOK = Codebook(question={"p": Question(text="Bad?", kind="ordinal", answers=("no", "some", "much"))})


def test_a_target_in_words():
    said = target_sentence(Target(question="p", at_least="some"), CODEBOOK)
    assert (
        said
        == "A post counts where most of its raters say so: “some” or “much” to “Bad?” An even split gives no label."
    )
    said = target_sentence(Target(question="p", positive=("much",), aggregation="any"), CODEBOOK)
    assert said == "A post counts where at least one rater says so: “much” to “Bad?”"


@pytest.mark.parametrize(
    ("settings", "capped", "parts"),
    [
        (SampleSettings(design="census"), False, ["Every imported post"]),
        (SampleSettings(design="uniform", size=2000), False, ["2,000 posts, each with the same chance."]),
        (SampleSettings(size=10), True, ["day by day", "comes from a count"]),
        (SampleSettings(of="main", size=10), False, ["10 posts of the sample “main”, each with the same chance."]),
        (
            SampleSettings(of="main", size=10, rated=3, flagged_by=("a", "b")),
            False,
            ["of those with exactly 3 ratings", "called positive by “a” and “b”, half not", "weights undo that"],
        ),
        (
            SampleSettings(size=9, enrich=EnrichSettings(scorer="w", size=5)),
            False,
            ["Up to 5 more", "“w”", "weights undo"],
        ),
    ],
)
def test_a_sample_in_words(settings, capped, parts):
    said = sample_sentence(settings, capped=capped)
    assert all(part in said for part in parts)
    assert ("count" in said) == capped


def test_a_sample_that_asked_for_more_than_there_is():
    told = sample_sentence(SampleSettings(size=1000), capped=False, drawn=40)
    assert told == "All 40 posts in hand; 1,000 were asked for."
    assert "day by day" in sample_sentence(SampleSettings(size=1000), capped=False, drawn=1000)
    told = sample_sentence(SampleSettings(of="main", size=10), capped=False, drawn=7)
    assert told == "All 7 posts that could be drawn of “main”; 10 were asked for."
    drawn = SampleSettings(design="poisson", size=100, proportional_to="views")
    assert sample_sentence(drawn, capped=False, drawn=93).startswith(
        "About 100 posts, each with a chance in proportion"
    )


def test_what_an_estimate_speaks_of():
    assert estimand_sentence(SampleSettings(size=1, estimand="this"), capped=True) == "this"
    assert "daily totals" in estimand_sentence(SampleSettings(size=1), capped=True)
    assert estimand_sentence(SampleSettings(size=1, finite=True), capped=False) == "exactly the imported posts"
    assert "stream" in estimand_sentence(SampleSettings(size=1), capped=False)


def test_a_census_of_exactly_these_posts_has_no_luck():
    assert "longer stream" in sample_sentence(SampleSettings(design="census"), capped=False)
    exact = SampleSettings(design="census", finite=True)
    assert "no number depends on the luck" in sample_sentence(exact, capped=False)


def test_the_people_are_in_the_estimand():
    said = estimand_sentence(SampleSettings(size=1), capped=True, people="57 people")
    assert said.startswith("all posts that mention at least one of 57 people")
    assert "57 people" in estimand_sentence(SampleSettings(size=1), capped=False, people="57 people")
    exactly = estimand_sentence(SampleSettings(size=1, finite=True), capped=False, people="57 people")
    assert exactly == "exactly the imported posts that mention at least one of 57 people"


def test_enrichment_by_all_that_are_flagged_reads_well():
    own = SampleSettings(size=10, enrich={"scorer": "words", "size": "all"})
    assert "All others that the scorer “words” calls positive were added" in sample_sentence(own, capped=False)
