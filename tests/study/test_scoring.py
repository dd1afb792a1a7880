"""Scoring in a study: services, functions, categories, what fails, and what was broken off."""

import json
import multiprocessing
import random
import shutil
import signal
import time

import numpy as np
import pandas as pd
import pytest

from comoderate.errors import CannotScoreError, ComoderateError
from comoderate.models.batch import SCHEMA
from comoderate.models.services.cache import text_digest
from comoderate.study import Study, crossfit, scoring

HTTP = """
[scorer.remote]
kind = "http"
sends_text = true

[scorer.remote.service]
preset = "list"
url = "{url}"
request = { texts = "{texts}" }
answer = ["scores[*]"]
timeout = 1.0
longest_wait = 0.02
{more}

[evaluate]"""


@pytest.fixture
def fresh(imported):
    """Before anything was scored: here it is not about how posts come in."""
    return imported


@pytest.fixture
def server(service_server):
    with service_server.Server() as running:
        yield running


def with_service(folder, little, server, more=""):
    little.edit(folder, "[evaluate]", HTTP.replace("{url}", server.url).replace("{more}", more).lstrip())
    return folder


def texts(study):
    return study.posts().frame(["post_id", "text"])


def test_a_service_scores_every_post_once(fresh, little, server, service_server):
    study = Study.open(with_service(fresh, little, server))
    table = study.score("remote")
    assert list(table.columns) == list(SCHEMA)
    frame = texts(study)
    assert table["post_id"].tolist() == frame["post_id"].tolist()
    assert table["proba"].tolist() == [service_server.score(text) for text in frame["text"]]
    assert table[["total", "aleatoric", "epistemic", "error"]].isna().all().all()
    assert not table["seen"].any()
    different = frame["text"].nunique()
    assert sum(server.charged.values()) == different + 5  # and the canaries
    study = Study.open(fresh)
    study.score("remote")
    assert sum(server.charged.values()) == different + 10
    study.score("remote", force=True)
    assert sum(server.charged.values()) == different + 10
    summary = study.artefacts.record("scores:remote")["summary"]
    assert (summary["sent"], summary["host"]) == (0, server.url[7:].partition("/")[0])


def test_a_service_that_changed_is_a_new_version(fresh, little, server, service_server):
    first = Study.open(with_service(fresh, little, server))
    first.score("remote")
    server.version = 2
    study = Study.open(fresh)
    table = study.score("remote")
    assert table["proba"].tolist() == [service_server.score(text, 2) for text in texts(study)["text"]]
    assert len(list((fresh / "scores").glob("remote@*"))) == 2


def test_scores_stay_usable_where_the_service_cannot_be_reached(fresh, little, server):
    before = Study.open(with_service(fresh, little, server, "retries = 0\npatience = 1")).score("remote")
    server.behave = lambda n, texts: "error"
    heard = little.Heard()
    pd.testing.assert_frame_equal(Study.open(fresh, listener=heard).score("remote"), before)
    assert "scores:remote" in heard.up_to_date
    assert "taken to be as it was" in heard.notes[-1][1]


@pytest.mark.slow
def test_posts_that_the_service_rejects_are_counted_and_left_out(fresh, little, server):
    study = Study.open(with_service(fresh, little, server))
    study.import_posts()
    bad = set(texts(study)["text"].iloc[::7])
    server.behave = lambda n, sent: "reject" if bad & set(sent) else "ok"
    table = study.score("remote").set_index("post_id")
    failed = texts(study).set_index("post_id")["text"].isin(bad)
    assert table.index[table["proba"].isna()].tolist() == failed.index[failed].tolist()
    assert set(table.loc[failed, "error"]) == {"status 400"}
    record = study.artefacts.record("scores:remote")["summary"]
    assert record["errors"] == {"status 400": int(failed.sum())}
    assert f"no probability for {failed.sum()} of 400 posts" in record["warnings"][0]
    evaluation = study.evaluate()
    mine = evaluation[(evaluation["domain"] == "all") & (evaluation["truth"] == "volunteers")].set_index("scorer")
    labelled = study.labelled_with_warnings("abusive", "main").frame
    used = (labelled["weight"] > 0) & ~labelled["post_id"].map(failed).to_numpy(dtype=bool)
    assert set(mine.loc["remote", "n"]) == {int(used.sum())}
    assert set(mine.loc["words", "n"]) == {int((labelled["weight"] > 0).sum())}


@pytest.mark.slow
def test_a_service_that_stops_answering_is_left_out_and_the_study_goes_on(fresh, little, server):
    folder = with_service(fresh, little, server, "retries = 0\npatience = 2\nprice = 0.01\nbudget = 1.0")
    study = Study.open(folder)
    table = study.evaluate()
    assert "remote" not in set(table["scorer"])
    assert "bayes" in set(table["scorer"])
    assert "the budget of 1 " in study.pipeline.missing["scores:remote"]
    charged = sum(server.charged.values())
    assert 60 < charged <= 100
    with pytest.raises(CannotScoreError, match="Raise budget"):
        Study.open(folder).score("remote")
    little.edit(folder, "budget = 1.0", "budget = 100.0")
    study = Study.open(folder)
    assert study.score("remote")["proba"].notna().all()
    assert "remote" in set(study.evaluate()["scorer"])
    posts = set(texts(study)["text"])
    assert {count for text, count in server.charged.items() if text in posts} == {1}


def test_no_text_leaves_the_machine_unless_the_file_says_so(fresh, little, server):
    with_service(fresh, little, server)
    little.edit(fresh, "sends_text = true\n", "")
    with pytest.raises(ComoderateError, match="write sends_text = true to allow it"):
        Study.open(fresh)
    assert not server.seen


def test_secrets_are_nowhere_in_the_study(fresh, little, server, monkeypatch):
    monkeypatch.setenv("REMOTE_KEY", "hush-hush")
    with_service(fresh, little, server, 'headers = { X-Key = "${REMOTE_KEY}" }')
    Study.open(fresh).score("remote")
    assert server.headers["X-Key"] == "hush-hush"
    assert not [name for name, content in little.files(fresh).items() if b"hush" in content]


def test_a_forgotten_post_leaves_no_answer(fresh, little, server):
    study = Study.open(with_service(fresh, little, server))
    study.score("remote")
    text = texts(study).set_index("post_id").loc["p0007", "text"]
    study.forget(["p0007"])
    held = b"".join(path.read_bytes() for path in (fresh / ".comoderate" / "services").iterdir())
    assert text_digest(text) not in held
    assert text_digest(texts(study)["text"].iloc[0]) in held


# Functions, categories, gaps


def shout(texts):
    return [np.nan if "no7 " in text else text.count("e") / len(text) for text in texts]


def test_a_python_function(fresh, little):
    little.edit(fresh, "[evaluate]", '[scorer.mine]\nkind = "callable"\n\n[evaluate]')
    study = Study.open(fresh, functions={"mine": shout})
    table = study.score("mine")
    expected = shout(texts(study)["text"])
    np.testing.assert_array_equal(table["proba"], expected)
    assert table.loc[table["proba"].isna(), "error"].tolist() == ["mine gave no probability"]
    again = Study.open(fresh)  # without the function, as from the command line: what was scored stays
    pd.testing.assert_frame_equal(again.score("mine"), table)
    with pytest.raises(ComoderateError, match="no function is given for scorer 'mine'"):
        again.score("mine", force=True)
    other = Study.open(fresh, functions={"mine": lambda texts: [0.5] * len(texts)})
    assert set(other.score("mine")["proba"]) == {0.5}


def test_recorded_categories_by_the_published_rule(fresh, little):
    frame = pd.read_csv(fresh / "posts.csv")
    frame["Category"] = np.where(frame.index % 2, "Basic Negative", "Basic Positive")
    frame["Emotion"] = np.array(["Anger", "Disgust", "Joy", None], dtype=object)[frame.index % 4]
    frame.to_csv(fresh / "posts.csv", index=False)
    little.edit(
        fresh, '{ platform = "platform" }', '{ platform = "platform", category = "Category", emotion = "Emotion" }'
    )
    rule = '{ when = { category = ["Basic Negative"], emotion = ["Anger", "Disgust"] }, proba = 1.0 }'
    crimson = f'[scorer.crimson]\nkind = "recorded"\notherwise = 0.0\nrules = [{rule}]\n\n[evaluate]'
    little.edit(fresh, "[evaluate]", crimson)
    table = Study.open(fresh).score("crimson")
    np.testing.assert_array_equal(table["proba"], np.tile([0.0, 1.0, 0.0, np.nan], 100))
    assert set(table["error"].iloc[3::4]) == {scoring.UNRECORDED}
    little.edit(fresh, "emotion = [", "mood = [")
    with pytest.raises(ComoderateError, match="no attribute 'mood'"):
        Study.open(fresh)


def test_a_missing_recorded_score(fresh, little):
    frame = pd.read_csv(fresh / "posts.csv")
    frame.loc[frame.index % 10 == 0, "service"] = np.nan
    frame.to_csv(fresh / "posts.csv", index=False)
    with pytest.raises(ComoderateError, match="set missing_score = 'keep'"):
        Study.open(fresh).score("service")
    little.edit(fresh, "[posts]\n", '[posts]\nmissing_score = "keep"\n')
    study = Study.open(fresh)
    table = study.score("service")
    assert table["proba"].isna().tolist() == [number % 10 == 0 for number in range(400)]
    assert "no score is recorded" in study.artefacts.record("scores:service")["summary"]["warnings"][0]
    evaluation = study.evaluate().query("scorer == 'service' and domain == 'all'")
    assert evaluation["value"].notna().all()
    whole = study.evaluate().query("scorer == 'words' and domain == 'all'")
    assert evaluation["n"].max() < whole["n"].max()


def test_recorded_members_are_an_ensemble(fresh, little):
    frame = pd.read_csv(fresh / "posts.csv")
    frame["other"] = np.clip(1.1 * frame["service"] - 0.05, 0, 1)
    frame.to_csv(fresh / "posts.csv", index=False)
    little.edit(fresh, 'scores = { service = "service" }', 'scores = { service = "service", other = "other" }')
    study_file = (fresh / "study.toml").read_text()
    own = '\n[scorer.both]\nkind = "recorded"\ntarget = "abusive"\nmembers = ["service", "other"]\n'
    (fresh / "study.toml").write_text(study_file + own)
    table = Study.open(fresh).score("both")
    both = frame[["service", "other"]].to_numpy()
    np.testing.assert_allclose(table["proba"], both.mean(axis=1))
    np.testing.assert_allclose(table["epistemic"], both.var(axis=1), atol=1e-12)
    np.testing.assert_allclose(table["total"], table["aleatoric"] + table["epistemic"])
    (fresh / "study.toml").write_text(study_file + own.replace("other", "others"))
    with pytest.raises(ComoderateError, match=r"scorer.both.members"):
        Study.open(fresh)
    (fresh / "study.toml").write_text(study_file + own.replace(', "other"', ""))
    with pytest.raises(ComoderateError, match="members are at least two"):
        Study.open(fresh)


# Broken off


def test_scoring_goes_on_where_it_was_broken_off(ran, changing, little, monkeypatch):
    monkeypatch.setattr(scoring, "CHUNK", 60)
    calls = []
    call = scoring.FoldScorer.__call__

    def counted(self, frame):
        calls.append(len(frame))
        if len(calls) == 4:
            raise KeyboardInterrupt
        return call(self, frame)

    monkeypatch.setattr(scoring.FoldScorer, "__call__", counted)
    with pytest.raises(KeyboardInterrupt):
        Study.open(changing).score("bayes", force=True)
    table = Study.open(changing).score("bayes")
    assert calls == [60] * 7 + [40]  # seven chunks, the fourth of them twice
    pd.testing.assert_frame_equal(
        table.drop(columns="scored_at"), Study.open(ran).scores("bayes").drop(columns="scored_at")
    )
    assert not list((changing / ".comoderate").glob("scoring/bayes"))


SCORE = """
import time
from comoderate.study import Study, scoring
scoring.CHUNK = 20
call = scoring.FoldScorer.__call__
scoring.FoldScorer.__call__ = lambda self, frame: (time.sleep(0.05), call(self, frame))[1]
Study.open(folder).score("bayes")
"""


@pytest.fixture(scope="module")
def killed():
    """Runs code in a process of its own, and kills it as soon as a condition holds; false where it ended before."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["comoderate.study.scoring"])

    def run(code, folder, until):
        process = context.Process(target=exec, args=(code, {"folder": str(folder)}))
        process.start()
        while process.is_alive() and not until():
            time.sleep(0.001)
        process.kill()
        process.join()
        return process.exitcode == -signal.SIGKILL

    return run


@pytest.mark.slow
def test_killed_at_random_five_times_the_scores_are_the_same(ran, changing, killed, monkeypatch):
    monkeypatch.setattr(scoring, "CHUNK", 20)
    chance = random.Random(5)
    study = Study.open(changing)
    study.artefacts.forget("scores:bayes")
    (folder,) = (changing / "scores").glob("bayes@*")
    shutil.rmtree(folder)

    def kept():
        return len(list((changing / ".comoderate" / "scoring").glob("bayes/*/chunk-*.parquet")))

    for _ in range(5):
        goal = kept() + chance.randint(1, 3)
        assert killed(SCORE, changing, lambda goal=goal: kept() >= goal)
    assert 5 <= kept() < 20
    table = Study.open(changing).score("bayes")
    whole = Study.open(ran).scores("bayes")
    pd.testing.assert_frame_equal(table.drop(columns="scored_at"), whole.drop(columns="scored_at"))


ASK = """
from comoderate.study import Study
Study.open(folder).score("remote")
"""


@pytest.mark.slow
def test_killed_at_random_five_times_a_service_is_paid_once(fresh, little, server, service_server, killed):
    """While it fails, limits, stalls, breaks off and talks nonsense."""
    study = Study.open(with_service(fresh, little, server, "batch_size = 4\nconcurrency = 3\nretries = 20"))
    study.import_posts()
    chance = random.Random(8)
    moods = ["ok"] * 12 + ["error", "busy", "html", "banana", "drop", "silent"]
    server.behave = lambda n, _: (time.sleep(0.01), chance.choice(moods))[1]
    for _ in range(5):
        goal = len(server.seen) + chance.randint(4, 20)
        assert killed(ASK, fresh, lambda goal=goal: len(server.seen) >= goal)
    wanted = texts(study)["text"]
    before = sum(server.charged[text] for text in set(wanted))
    assert 0 < before < wanted.nunique()
    table = Study.open(fresh).score("remote")
    assert table["proba"].tolist() == [service_server.score(text) for text in wanted]
    assert {server.charged[text] for text in wanted} == {1}


def test_uncertainty_where_the_method_gives_it(ran):
    table = Study.open(ran).scores("bayes")
    np.testing.assert_allclose(table["total"], table["proba"] * (1 - table["proba"]))
    assert table[["aleatoric", "epistemic"]].isna().all().all()


def test_the_summary_is_json(ran):
    assert json.loads((ran / ".comoderate" / "scores-bayes.json").read_text())["summary"]["posts"] == 400


def test_a_model_that_another_study_trained(ran, audited, tmp_path):
    """Its members speak together, and no post counts as one that it learnt from."""
    toml = audited.TOML.replace(
        '[scorer.older]\nkind = "recorded"', f'[scorer.older]\nkind = "model"\npath = "{ran}/models/bayes"'
    )
    study = Study.open(audited.write(tmp_path, toml=toml))
    found = study.score("older")
    assert found["proba"].notna().all()
    assert not found["seen"].any()
    version = study.artefacts.record("scores:older")["summary"]["version"]
    assert version == crossfit.version(ran / "models" / "bayes")
    fitted = crossfit.load(ran / "models" / "bayes")[0]
    texts = audited.posts()["text"].tolist()
    assert np.allclose(found["proba"], fitted.predict_proba(texts, np.full(len(texts), -1)))
    assert study.assess("older", size=3).surface.about.version == version


def test_a_model_that_is_not_there_is_one_line(audited, tmp_path):
    toml = audited.TOML.replace(
        '[scorer.older]\nkind = "recorded"', '[scorer.older]\nkind = "model"\npath = "../nowhere"'
    )
    with pytest.raises(ComoderateError, match="no trained model here"):
        Study.open(audited.write(tmp_path, toml=toml)).score("older")
    with pytest.raises(ComoderateError, match="path belongs to kind"):
        Study.open(audited.write(tmp_path, toml=toml.replace('path = "../nowhere"', "")))
