"""What the web gets of a study, and what the study gets back: answers from the web alone run to the report."""

from __future__ import annotations

import numpy as np
import pytest
from tests.web.serving import TOML, write_study

from comoderate import annotation as store
from comoderate.annotation import open_database, stream_tasks
from comoderate.errors import ComoderateError
from comoderate.study import Study
from comoderate.study.serving import Serving, gold_task
from comoderate.study.settings import CampaignSettings, WebSettings

GOLD = """
[[codebook.gold]]
text = "You are a numpty."
answers = { problem = "Very", kind = ["Insult"] }
explanation = "Somebody is called a name."
"""


def loaded(folder, *pairs: tuple[str, str]):
    """The study in ``folder`` after edits of its file, and its database with its tasks."""
    path = folder / "study.toml"
    text = path.read_text(encoding="utf-8")
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")
    study = Study.open(folder)
    db = open_database(study.store_url)
    Serving(study).load(db)
    return study, db


def tasks(db, campaign="river"):
    return [task for batch in stream_tasks(db, campaign=campaign) for task in batch]


def answer_all(db, raters: int, says) -> None:
    """``raters`` raters answer what they are given: ``says(text, rater)`` gives the answers."""
    for number in range(raters):
        person = store.add_rater(db, login=f"rater {number}")
        store.record_consent(db, person.rater_id, version="1")
        store.record_tutorial(db, person.rater_id, codebook="kindness@1")
        store.record_qualification(db, person.rater_id, codebook="kindness@1", score=1, passed=True)
        while (offer := store.next_task(db, person.rater_id, campaign="river")).task is not None:
            given = says(offer.task.text, number)
            store.submit(db, person.rater_id, offer.task.lease, given, idempotency_key=offer.task.lease, seconds=4.0)
        assert offer.reason in {"done", "later"}


def says(text: str, rater: int) -> dict[str, list[str]]:
    last = int(text.rsplit(" ", 1)[1])
    if last % 3 == 0 or (last % 7 == 0 and rater == 0):
        return {"problem": ["Very" if last % 2 else "Somewhat"], "kind": ["Insult"]}
    return {"problem": ["No"]}


def test_a_study_whose_only_answers_come_from_the_web_runs_to_its_report(tmp_path):
    folder = write_study(tmp_path / "web")
    _, db = loaded(folder, ('[scorer.bayes]\nkind = "naive_bayes"\n', ""))
    with db:
        answer_all(db, 2, says)
    study = Study.open(folder)
    assert study.cohorts == ("volunteers",)
    table = study.agree()
    kappa = table[(table["statistic"] == "fleiss_kappa") & (table["question"] == "problem")].iloc[0]
    assert (kappa["cohort"], kappa["n_items"]) == ("volunteers", 40)
    assert 0.5 < kappa["value"] < 1
    found = study.labelled_with_warnings("unkind", "main").frame
    assert found["y"].notna().sum() > 30
    page = study.run()
    assert page is not None
    assert "volunteers" in page.read_text(encoding="utf-8")
    estimate = study.result("prevalence").iloc[0]
    assert np.isfinite(estimate["value"])


def test_posts_are_anonymous_and_keep_how_they_were_drawn(tmp_path):
    folder = write_study(tmp_path / "web", toml=TOML.replace('"Marigold"', '"kettle"'))
    study, db = loaded(folder, ("size = 40", "size = 10"))
    drawn = study.sample("main").set_index("post_id")["pi"]
    found = tasks(db)
    assert {task["post_id"]: task["pi"] for task in found} == pytest.approx(drawn.to_dict())
    texts = " ".join(task["text"] for task in found)
    assert "@neighbour" not in texts
    assert "kettle" not in texts
    db.close()


def test_the_order_is_that_of_the_study(tmp_path):
    folder = write_study(tmp_path / "web")
    study, db = loaded(folder, ('sample = "main"\noverlap', 'sample = "main"\norder = "stored"\noverlap'))
    order = {task["post_id"]: task["order"] for task in tasks(db)}
    assert sorted(order, key=order.__getitem__) == study.sample("main")["post_id"].tolist()
    db.close()


def test_what_a_scorer_doubts_comes_first(tmp_path):
    folder = write_study(tmp_path / "web")
    words = '[scorer.words]\nkind = "lexicon"\nwords = ["ferry", "late"]\n\n[evaluate]'
    study, db = loaded(
        folder, ('sample = "main"\noverlap', 'sample = "main"\norder = "uncertainty"\nscorer = "words"\noverlap'),
        ('[scorer.bayes]\nkind = "naive_bayes"\n', ""), ("[evaluate]", words),
    )  # fmt: skip
    proba = study.scores("words").set_index("post_id")["proba"]
    for task in tasks(db):
        assert task["order"] == pytest.approx(abs(proba[task["post_id"]] - 0.5))
    db.close()


def test_assessment_gives_out_what_it_proposed(tmp_path):
    folder = write_study(tmp_path / "web")
    words = '[scorer.words]\nkind = "lexicon"\nwords = ["ferry", "late"]\n\n[assess]\nnext = 5\n\n[evaluate]'
    study, db = loaded(
        folder, ('sample = "main"\noverlap', 'sample = "main"\norder = "surface"\nscorer = "words"\noverlap'),
        ('[scorer.bayes]\nkind = "naive_bayes"\n', ""), ("[evaluate]", words),
    )  # fmt: skip
    found = sorted(tasks(db), key=lambda task: task["order"])
    assert {task["source"] for task in found} == {"assess"}
    assert len(found) == 5
    answer_all(db, 2, says)
    assert len(study.assess("words").batch) == 5
    assert len(tasks(db)) == 10  # given out at once, by an application that runs
    db.close()


def test_gold_posts_are_tasks_named_by_their_content(tmp_path):
    gold = TOML.replace("[codebook.language.ar]", GOLD + "\n[codebook.language.ar]", 1)
    folder = write_study(tmp_path / "web", toml=gold)
    study, db = loaded(folder, ("overlap = 2", "overlap = 2\ngold_rate = 0.2"))
    kinds = [task for task in tasks(db) if task["source"] == "gold"]
    (post,) = study.settings.codebook.gold
    assert [task["post_id"] for task in kinds] == [gold_task(post, study.settings.codebook, 2)["post_id"]]
    shown = next(task["context"] for task in Serving(study).tasks(study.settings.campaign["river"]) if "gold" in task)
    assert set(shown) == {"date", "views", "facts"}  # of a post of the sample, and never the post that it answers
    db.close()


@pytest.mark.parametrize(
    "wrong",
    ["gold_rate = 0.6", 'mix = { sample = "main", rate = 1.0 }', "lease_minutes = inf",
     f"opt_outs = {{ {', '.join(f'k{n} = 1' for n in range(63))} }}".replace("= 1", '= "x"')],
)  # fmt: skip
def test_what_the_database_takes_no_campaign_for_is_refused_in_the_file(tmp_path, wrong):
    name = wrong.split(" ", 1)[0]
    toml = "\n".join(line for line in TOML.splitlines() if not line.startswith(name))
    folder = write_study(tmp_path / "web", toml=toml.replace("overlap = 2", f"overlap = 2\n{wrong}"))
    with pytest.raises(ComoderateError, match=name):
        Study.open(folder)


def test_a_cohort_is_measured_on_the_sample_of_its_campaign(tmp_path):
    more = '\n[sample.two]\ndesign = "uniform"\nsize = 5\n[campaign.bench]\nsample = "two"\ncohort = "experts"\n'
    study = Study.open(write_study(tmp_path / "one", toml=TOML + more))
    assert (study.sample_for("volunteers"), study.sample_for("experts")) == ("main", "two")
    named = "[evaluate]\nsample = 'main'"
    study = Study.open(write_study(tmp_path / "two", toml=TOML.replace("[evaluate]", named) + more))
    assert study.sample_for("experts") == "main"
    study = Study.open(
        write_study(tmp_path / "both", toml=TOML + more + more[more.index("[c") :].replace("bench", "b2"))
    )
    assert study.sample_for("experts") == "main"  # two campaigns may be of two samples


def test_benign_posts_keep_the_sample_that_drew_them(tmp_path):
    calm = '[sample.calm]\ndesign = "uniform"\nsize = 20\n\n[campaign.river]\nmix = { sample = "calm", rate = 0.5 }'
    folder = write_study(tmp_path / "web")
    study, db = loaded(folder, ("size = 40", "size = 10"), ("[campaign.river]", calm))
    main, mixed = study.sample("main").set_index("post_id"), study.sample("calm").set_index("post_id")
    kinds = {task["post_id"]: (task["kind"], task["pi"]) for task in tasks(db)}
    assert {name for name, (kind, _) in kinds.items() if kind == "post"} == set(main.index)
    benign = {name: pi for name, (kind, pi) in kinds.items() if kind == "benign"}
    assert set(benign) == set(mixed.index) - set(main.index)
    assert benign == pytest.approx(mixed["pi"].reindex(list(benign)).to_dict())
    db.close()


def test_loading_again_changes_nothing(tmp_path):
    folder = write_study(tmp_path / "web")
    study, db = loaded(folder)
    before = tasks(db)
    Serving(study).load(db)
    assert tasks(db) == before
    db.close()


def test_a_changed_question_is_refused_once_it_was_answered(tmp_path):
    folder = write_study(tmp_path / "web")
    _, db = loaded(folder)
    with db:
        answer_all(db, 1, says)
    edit = ("Is this post unkind to somebody?", "Is this post rude?")
    path = folder / "study.toml"
    path.write_text(path.read_text(encoding="utf-8").replace(*edit), encoding="utf-8")
    changed = Study.open(folder)
    with open_database(changed.store_url) as again, pytest.raises(ComoderateError, match="another wording"):
        Serving(changed).load(again)
    with pytest.raises(ComoderateError, match="another wording"):
        changed.agree()


def test_a_changed_tutorial_is_no_other_wording(tmp_path):
    folder = write_study(tmp_path / "web")
    _, db = loaded(folder)
    with db:
        answer_all(db, 1, says)
    _, again = loaded(folder, ("A grumble about rain attacks nobody.", "Nobody is attacked by a grumble."))
    again.close()
    assert len(Study.open(folder).agree())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('sample = "main"\noverlap', 'sample = "mian"\noverlap', "Did you mean 'main'"),
        ('answers_to = "answers"', 'answers_to = "nothing"', "attribute"),
        ("opt_outs = { shouting", "opt_outs = { whispering", "attribute"),
        ('contact = "', 'user_header = "X-User"\ncontact = "', "proxies"),
    ],
)
def test_campaigns_that_name_what_is_not_there(tmp_path, old, new, message):
    folder = write_study(tmp_path / "web", toml=TOML.replace(old, new, 1))
    with pytest.raises(ComoderateError, match=message):
        Study.open(folder)


def test_settings_that_contradict_themselves():
    with pytest.raises(ValueError, match="proxies"):
        WebSettings(user_header="X-Remote-User")
    assert WebSettings(user_header="X-Remote-User", proxies=("10.0.0.1",)).user_header
    with pytest.raises(ValueError, match="answers_to"):
        CampaignSettings(sample="main", context=("answers_to",))
    assert CampaignSettings(sample="main").cohort == "volunteers"
