"""What is known of how posts were drawn enters the estimates."""

import numpy as np
import pandas as pd
import pytest

from comoderate.sampling import assisted_mean, hajek_domains, hajek_mean
from comoderate.study import Study
from comoderate.study.designs import design, known_design


def drawn(*, capped=False, enriched=False, clustered=False):
    """Strata of two days and 40 posts of them, flagged ones three times as likely where there was an enrichment."""
    days = ["2024-05-01", "2024-05-02"]
    strata = pd.DataFrame(
        {"phase": "base", "N": 100, "in_hand": 60 if capped else 100, "drawn": 12 if enriched else 20}, index=days
    ).assign(enriched=enriched)
    authors = [f"a{i % 11}" for i in range(39)] + [None]
    used = pd.DataFrame({"post_id": [f"p{i}" for i in range(40)], "stratum": np.repeat(days, 20)})
    pi = np.where(np.arange(40) % 2, 0.12, 0.36) if enriched else 0.2
    return strata, used.assign(cluster=authors if clustered else None, pi=pi)


@pytest.mark.parametrize("finite", [False, True])
@pytest.mark.parametrize("capped", [False, True])
@pytest.mark.parametrize("enriched", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_every_design_of_a_first_phase_is_one_that_the_estimators_take(finite, capped, enriched, clustered):
    generator = np.random.default_rng(0)
    strata, used = drawn(capped=capped, enriched=enriched, clustered=clustered)
    found = known_design(strata, used, finite=finite)
    assert ("first_phase" in found) == ((capped or enriched) and not clustered)
    if "first_phase" in found:
        assert found["first_phase"].stream == (not finite and not capped)
    y, score, weight = (generator.random(40) < 0.3) * 1.0, generator.random(40), 1 / used["pi"].to_numpy()
    assert assisted_mean(y, weight, score, generator.random(200), **found).se > 0
    assert all(e.se > 0 for _, e in hajek_domains(y, weight, used["stratum"].to_numpy(), **found))


def test_a_good_scorer_makes_an_enriched_interval_narrower_once_its_posts_are_strata():
    strata, used = drawn(enriched=True)
    flagged = used["pi"].to_numpy() > 0.2
    y = np.where(flagged, np.arange(40) % 8 > 0, np.arange(40) == 1) * 1.0
    weight = 1 / used["pi"].to_numpy()
    days = hajek_mean(y, weight, stratum=used["stratum"].to_numpy())
    stream, exact = (hajek_mean(y, weight, **known_design(strata, used, finite=finite)) for finite in (False, True))
    assert exact.value == stream.value == days.value
    assert exact.se < stream.se < days.se


def test_a_study_takes_what_it_knows_of_its_samples(ran):
    study = Study.open(ran)
    for name in study.settings.sample:
        table = study.labelled_with_warnings("abusive", name).frame
        found = design(study, "abusive", name, table)
        assert all(len(values) == len(table) for key, values in found.items() if key != "first_phase")
