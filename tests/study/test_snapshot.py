"""The dashboard's numbers: computed apart, stored, and read at once."""

import json
import time

import pytest

from comoderate.study import Study
from comoderate.study.snapshot import FILE, NOTHING_YET, Refresher, main, make, read


def test_everything_is_there_and_is_plain_json(ran):
    content = make(Study.open(ran))
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    assert content["problems"] == []
    assert content["annotations"] > 1000
    assert {row["target"] for row in content["progress"]} == {"abusive", "threat"}
    assert 0 < content["judgements"] < content["annotations"]
    kappa = [row["statistics"]["fleiss_kappa"] for row in content["agreement"] if row["question"] == "problem"]
    assert len(kappa) == 2
    assert all(row["low"] < row["value"] < row["high"] for row in kappa)
    assert content["queue"] == {"posts": 20, "readings": 20}
    assert content["queue_empty"] is None
    assert content["raters"][0]["verdict"]
    assert content["caution"]


def test_numbers_of_an_older_version_are_computed_anew(tmp_path):
    (tmp_path / FILE).parent.mkdir()
    (tmp_path / FILE).write_text('{"annotations": 3, "agreement": []}')
    assert read(tmp_path) is None


def test_a_study_without_answers_says_so(fresh):
    campaigns = "".join(f'[campaign.{c}]\nsample = "main"\ncohort = "{c}"\n' for c in ("volunteers", "experts"))
    text = (fresh / "study.toml").read_text()
    start, end = text.index("[annotations.volunteers]"), text.index("[codebook]")
    (fresh / "study.toml").write_text(text[:start] + campaigns + text[end:])
    study = Study.open(fresh)
    content = make(study)
    assert content["problems"] == [NOTHING_YET]
    assert (content["annotations"], content["progress"]) == (0, [])


@pytest.mark.slow
def test_a_process_of_its_own_refreshes(changing):
    (changing / FILE).unlink(missing_ok=True)
    assert read(changing) is None
    refresher = Refresher(changing)
    assert not refresher.start()
    assert refresher.start(now=True)
    assert not refresher.start(now=True)
    while refresher.running:
        time.sleep(0.2)
    assert refresher.problem() is None
    assert read(changing)["annotations"] > 1000
    assert not refresher.start()
    assert refresher.start(now=True)
    assert not refresher.queueing
    assert refresher.start(now=True, everything=True)
    assert refresher.queueing
    assert not refresher.start(now=True, everything=True)
    refresher.stop()
    assert not refresher.running


def test_what_goes_wrong_is_kept_for_the_page(tmp_path):
    assert main([str(tmp_path)]) == 1
    assert "no study here" in Refresher(tmp_path).problem()
