import numpy as np
import pandas as pd
import pytest

from comoderate.errors import ComoderateError
from comoderate.study import Study, assessing, making_surface, surfaces


@pytest.fixture(scope="module")
def assessed(audited, tmp_path_factory):
    """The folder after three rounds and their answers, and what the last round said."""
    folder = audited.write(tmp_path_factory.mktemp("assessed"))
    batch = Study.open(folder).assess("service").batch
    for _ in range(3):
        found = Study.open(folder).assess("service", answers=audited.answers(batch, folder / "answers.csv"))
        batch = found.batch
    return folder, found


def test_before_any_label_arms_that_count_are_asked_alike(audited, tmp_path):
    found = Study.open(audited.write(tmp_path)).assess("service", size=48)
    assert found.surface.about.labels == 0
    assert "No post has a label yet" in found.surface.sentences[0]
    assert len(found.batch) == len(set(found.batch["post_id"])) == 48
    posts = audited.posts().set_index("post_id").loc[found.batch["post_id"]]
    assert posts.groupby(["group", "topic"]).size().between(3, 5).all()
    assert not found.reached


def test_answers_sharpen_the_surface(assessed):
    _, found = assessed
    curve = making_surface.rounds(Study.open(assessed[0]), "service")
    assert list(curve["labels"]) == [0, 60, 120, 180]
    assert (np.diff(curve["error"]) < 0).all()
    assert curve["width"].iloc[-1] < 0.6 * curve["width"].iloc[0]
    assert found.surface.about.labels == 180
    assert (found.answers, found.new) == (60, 60)
    assert found.surface.arms.iloc[0]["group"] == "bakers"
    assert found.surface.arms.iloc[0]["topic"] == "music"


def test_the_table_of_arms_adds_up(assessed, audited):
    arms = assessed[1].surface.arms
    assert arms["posts"].sum() == len(audited.posts())
    assert arms["share"].sum() == pytest.approx(1)
    assert arms["labels"].sum() == 180
    assert ((arms["low"] <= arms["value"]) & (arms["value"] <= arms["high"])).all()
    assert ((arms["here_low"] <= arms["here"]) & (arms["here"] <= arms["here_high"])).all()
    text = pd.read_csv(assessed[0] / "surface" / "service" / "arms.csv")
    assert list(text.columns) == list(arms.columns)
    assert np.allclose(text["value"], arms["value"], rtol=1e-5)


def test_within_an_arm_posts_are_random(audited, tmp_path):
    """Posts of an arm are asked in an order that has nothing to do with their scores, dates or answers."""
    study = Study.open(audited.write(tmp_path))
    batch = study.assess("service", size=200, strategy="uniform").batch
    posts = audited.posts().assign(asked=audited.posts()["post_id"].isin(batch["post_id"]))
    assert abs(posts.loc[posts["asked"], "rude"].mean() - posts["rude"].mean()) < 0.1
    ferry = posts[posts["group"] == "ferrymen"]
    assert abs(np.corrcoef(ferry["asked"], ferry.index)[0, 1]) < 0.2


def test_open_posts_come_again_and_answered_ones_do_not(audited, tmp_path):
    folder = audited.write(tmp_path)
    first = Study.open(folder).assess("service", size=30).batch
    again = Study.open(folder).assess("service", size=30).batch
    assert list(first["post_id"]) == list(again["post_id"])
    answers = audited.answers(first.head(10), folder / "answers.csv")
    found = Study.open(folder).assess("service", size=30, answers=answers)
    assert list(found.batch["post_id"][:20]) == list(first["post_id"][10:])
    assert not set(first["post_id"][:10]) & set(found.batch["post_id"])
    assert len(surfaces.proposed(Study.open(folder), "service")) == 40


def test_a_round_that_was_killed_is_run_again(audited, tmp_path, monkeypatch):
    folder = audited.write(tmp_path)
    batch = Study.open(folder).assess("service", size=20).batch
    answers = audited.answers(batch, folder / "answers.csv")

    def killed(*_args, **_options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(making_surface, "write", killed)
        with pytest.raises(KeyboardInterrupt):
            Study.open(folder).assess("service", size=20, answers=answers)
    found = Study.open(folder).assess("service", size=20, answers=answers)
    assert (found.answers, found.new, found.surface.about.labels) == (20, 0, 20)
    assert len(found.batch) == 20


def test_a_changed_answer_replaces_the_old_one(audited, tmp_path):
    folder = audited.write(tmp_path)
    batch = Study.open(folder).assess("service", size=5).batch
    path = audited.answers(batch, folder / "answers.csv", rater="ada")
    Study.open(folder).assess("service", size=0, answers=path)
    turned = pd.read_csv(path)
    turned["answer"] = turned["answer"].map({"yes": "no", "no": "yes"})
    turned.to_csv(path, index=False)
    assert Study.open(folder).assess("service", size=0, answers=path).new == 5
    study = Study.open(folder)
    with study.store() as store:
        live = store.snapshot()
    assert len(live) == 5
    assert set(live["source"]) == {"assess"}
    assert set(live["rater_id"]) == {"ada"}
    assert live.set_index("post_id")["answer"].to_dict() == turned.set_index("post_id")["answer"].to_dict()


def test_rows_without_an_answer_wait(audited, tmp_path):
    folder = audited.write(tmp_path)
    first = Study.open(folder).assess("service", size=10)
    table = pd.read_csv(first.path)
    assert list(table.columns) == ["post_id", "text", "answer"]
    table["answer"] = [*["negative"] * 4, *[None] * 6]
    table.to_csv(first.path, index=False)
    found = Study.open(folder).assess("service", size=0, answers=first.path)
    assert (found.answers, found.surface.about.labels) == (4, 4)
    assert len(assessing.outstanding(Study.open(folder), "service")) == 6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("post_id,answer\np001,yes\n", "was not proposed"),
        ("post_id,answer\nASKED,perhaps\n", "is no answer"),
        ("post_id,verdict\nASKED,yes\n", "answer"),
        ("post_id,answer\n", "no records"),
    ],
)
def test_bad_answers_are_refused(audited, tmp_path, text, message):
    folder = audited.write(tmp_path)
    batch = Study.open(folder).assess("service", size=3).batch
    asked = str(batch["post_id"].iloc[0])
    unasked = next(name for name in audited.posts()["post_id"] if name not in set(batch["post_id"]))
    (folder / "answers.csv").write_text(text.replace("ASKED", asked).replace("p001", unasked))
    with pytest.raises(ComoderateError, match=message):
        Study.open(folder).assess("service", answers=folder / "answers.csv")
    assert not Study.open(folder).has_annotations()


def test_assessment_never_measures_how_much_there_is(assessed):
    study = Study.open(assessed[0])
    table = study.labelled_with_warnings("rude", "all", "assessors").frame
    assert table["y"].isna().all()
    assert surfaces.usable_labels(study, "service", "rude", "assessors")["y"].notna().sum() == 180


def test_when_all_is_labelled_all_is_known(audited, tmp_path):
    folder = audited.write(tmp_path)
    batch = Study.open(folder).assess("service", size=720).batch
    assert len(batch) == 720
    found = Study.open(folder).assess("service", answers=audited.answers(batch, folder / "answers.csv"))
    assert found.reached
    assert found.batch.empty
    arms, posts = found.surface.arms, audited.posts()
    right = (posts["service"] > 0.5) == posts["rude"]
    truth = right.groupby([posts["group"].fillna("missing"), posts["topic"]]).mean()
    here = arms.set_index(["group", "topic"])["here"]
    assert np.allclose(here, truth.reindex(here.index))
    assert "nothing more need be labelled" in found.sentences[0]


def test_a_post_with_a_label_of_another_source_is_used_once_it_is_chosen(audited, tmp_path):
    """Labels of a queue are of chosen posts: they count only where assessment would have asked for them anyway."""
    folder = audited.write(tmp_path)
    study = Study.open(folder)
    study.import_posts()
    posts = audited.posts().head(200)
    row = {"rater_id": "mod", "cohort": "assessors", "source": "queue", "codebook": study.settings.codebook.label}
    answers = posts["rude"].map({True: "yes", False: "no"})
    rows = [
        {**row, "response_id": f"queue/{name}", "post_id": name, "question": "rude", "answer": answer}
        for name, answer in zip(posts["post_id"], answers, strict=True)
    ]
    with study.store() as store:
        store.append(rows)
    found = Study.open(folder).assess("service", size=100)
    used = surfaces.usable_labels(Study.open(folder), "service", "rude", "assessors")
    asked = surfaces.proposed(Study.open(folder), "service")
    assert set(used.index) == set(asked["post_id"]) & set(posts["post_id"])
    assert len(used)
    assert len(found.batch) == 100
    assert not set(found.batch["post_id"]) & set(posts["post_id"])


def test_the_scorer_is_named_or_meant(audited, tmp_path):
    study = Study.open(audited.write(tmp_path))
    assert assessing.scorer_of(study) == "service"
    with pytest.raises(ComoderateError, match="no scorer 'other'"):
        study.assess("other")


def test_dear_labels_are_asked_for_less(audited, tmp_path):
    """Posts on music take ten times as long as others."""
    toml = audited.TOML.replace('harm = "harm"', 'harm = "harm", seconds = "seconds"')
    share = {}
    for name, cost in (("alike", ""), ("costs", 'cost = "seconds"\n')):
        folder = audited.write(tmp_path / name, toml=toml.replace("next = 60\n", f"next = 60\n{cost}"))
        posts = audited.posts().drop(columns="rude")
        seconds = np.where(posts["topic"] == "music", 100, 10).astype(object)
        seconds[5] = None
        posts.assign(seconds=seconds).to_csv(folder / "posts.csv", index=False)
        batch = Study.open(folder).assess("service").batch
        share[name] = (posts.set_index("post_id").loc[batch["post_id"], "topic"] == "music").mean()
    assert share["costs"] < 0.5 * share["alike"]


def test_the_length_of_the_text_as_its_cost(audited, tmp_path):
    toml = audited.TOML.replace("next = 60\n", 'next = 60\ncost = "characters"\n')
    assert len(Study.open(audited.write(tmp_path, toml=toml)).assess("service").batch) == 60


@pytest.mark.parametrize(
    ("cost", "message"), [("stars", "is no cost"), ("topic", "is no cost"), ("tarts", "ou mean 'stars'")]
)
def test_what_is_no_cost_is_refused(audited, tmp_path, cost, message):
    toml = audited.TOML.replace("next = 60\n", f'next = 60\ncost = "{cost}"\n')
    with pytest.raises(ComoderateError, match=message):
        Study.open(audited.write(tmp_path, toml=toml)).assess("service")
