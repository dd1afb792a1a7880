"""Every command on a real study: what it prints for people, and as JSON for programs."""

import json

import pandas as pd
import pytest

from comoderate.cli import agree, demo, draw, evaluate, importing, init, report, review, run, score, train
from comoderate.study import Study

MODULES = (agree, demo, draw, evaluate, importing, init, report, review, run, score, train)
NAMES = [module.NAME for module in MODULES if module not in (init, demo)]


def test_names():
    assert len({module.NAME for module in MODULES}) == len(MODULES)


@pytest.fixture(scope="module")
def own(ran, little, tmp_path_factory):
    """A copy of the little study on which these commands run."""
    return little.copy(ran, tmp_path_factory.mktemp("commands") / "study")


@pytest.mark.parametrize("name", NAMES)
def test_json_parses_and_progress_stays_out_of_it(cli, own, name):
    ran = cli(name, own, "--json")
    assert ran.code == 0
    assert ran.json
    assert "up to date" in ran.err
    assert "NaN" not in ran.out


@pytest.mark.parametrize("name", NAMES)
def test_a_table_for_people(cli, own, name):
    ran = cli("--quiet", name, own)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("\n")
    assert "Traceback" not in ran.out
    assert "nan" not in ran.out.lower().split()


def test_a_study_is_found_in_the_current_folder(cli, own, monkeypatch):
    monkeypatch.chdir(own)
    assert cli("report").out == "report: report/index.html\n"
    assert cli("report", "study.toml").out == "report: report/index.html\n"


def test_import_says_what_it_dropped(cli, changing, little):
    little.edit(changing, "[posts]\n", '[posts]\nduplicates = "first"\nmissing_text = "drop"\n')
    little.edit(changing, 'form = "long"\n', 'form = "long"\nunknown_posts = "drop"\n')
    little.edit(changing, 'form = "wide"\n', 'form = "wide"\nunknown_posts = "drop"\nduplicates = "last"\n')
    frame = pd.read_csv(changing / "posts.csv")
    frame.loc[frame["post_id"] == "p0007", "text"] = None
    pd.concat([frame, frame.iloc[[1]]]).to_csv(changing / "posts.csv", index=False)
    experts = pd.read_csv(changing / "experts.csv")
    pd.concat([experts, experts.iloc[[0]]]).to_csv(changing / "experts.csv", index=False)
    ran = cli("--quiet", "import", changing)
    assert ran.code == 0
    first, *rest = ran.out.splitlines()
    assert first == "posts: 399 of 401 imported (dropped: 1 repeated, 1 without text, 0 without a time)"
    assert rest[0].startswith("volunteers: ")
    assert rest[0].endswith(" of unknown posts dropped)")
    assert rest[1] == "experts: 721 answers, 0 new (1 repeated and 2 of unknown posts dropped)"
    assert cli("import", changing, "--json").json["posts"] == {
        "read": 401, "written": 399, "dropped_duplicates": 1, "dropped_missing_text": 1, "dropped_missing_time": 0,
        "columns": 8,
    }  # fmt: skip


def test_columns_can_be_named_on_the_command_line(cli, fresh, little):
    frame = pd.read_csv(fresh / "posts.csv").rename(columns={"text": "tweet", "author": "who"})
    frame.to_csv(fresh / "posts.csv", index=False)
    assert cli("import", fresh).code == 1
    assert "column 'text'" in cli("import", fresh).err
    assert cli("import", fresh, "--column", "text=tweet", "--column", "author=who").code == 0
    again = cli("import", fresh)  # the names are remembered
    assert again.code == 0
    assert again.err.count("up to date") == 3
    assert Study.open(fresh).posts().frame(["text"])["text"].tolist() == frame["tweet"].tolist()


def test_files_named_on_the_command_line_are_remembered(cli, fresh, tmp_path):
    for name in ("posts", "experts"):
        (fresh / f"{name}.csv").rename(tmp_path / f"my_{name}.csv")
    assert "there is no such file" in cli("--quiet", "import", fresh).err
    named = ["--posts", tmp_path / "my_posts.csv", "--annotations", f"experts={tmp_path / 'my_experts.csv'}"]
    assert cli("--quiet", "import", fresh, *named).code == 0
    assert cli("import", fresh).err.count("up to date") == 3


def test_a_bad_file_is_not_remembered(cli, fresh, tmp_path):
    (tmp_path / "bad.csv").write_text("post_id,text\n1,a,b\n")
    assert cli("import", fresh, "--posts", tmp_path / "bad.csv").code == 1
    assert cli("import", fresh).code == 0


def test_sample_says_how_many_and_how_likely(cli, own):
    found = cli("sample", own, "--json").json
    phases = found["main"]["phases"]
    assert phases["base"] == 150
    assert 30 < phases["enrich"] <= 40  # the word list calls no more posts positive
    assert found["main"]["drawn"] == sum(phases.values())
    assert found["experts"]["drawn"] == 120
    low, high = found["main"]["pi"]
    assert 0 < low < high <= 1
    assert list(cli("sample", own, "--name", "experts", "--json").json) == ["experts"]
    assert cli("--quiet", "sample", own).out.startswith(f"main: {sum(phases.values())} posts (150 base, ")


def test_a_sample_for_raters_goes_into_a_file(cli, own, tmp_path):
    ran = cli("sample", own, "--name", "experts", "--export", tmp_path / "for_raters.csv")
    assert ran.code == 0
    frame = pd.read_csv(tmp_path / "for_raters.csv", dtype=str)
    drawn = Study.open(own).sample("experts")["post_id"]
    assert sorted(frame["post_id"]) == sorted(drawn)
    assert frame["text"].notna().all()
    assert not {"author", "thread", "u", "pi", "proba"} & set(frame)  # nothing that tells who wrote, or sways
    assert cli("sample", own, "--export", tmp_path / "both.csv").code == 2
    assert not (tmp_path / "both.csv").exists()


def test_agree_by_group(cli, own):
    whole = pd.DataFrame(cli("agree", own, "--json").json)
    assert set(whole["domain"]) == {"all"}
    table = pd.DataFrame(cli("agree", own, "--by", "platform,week", "--json").json)
    assert set(table["domain"]) == {"all", "platform", "week"}
    assert set(table.loc[table["domain"] == "week", "group"]) == {"2026-W10", "2026-W11"}
    assert "0.4" in cli("--quiet", "agree", own).out


def test_evaluate_by_group_marks_the_small_ones(cli, own):
    found = cli("evaluate", own, "--by", "platform", "--json").json
    prevalence, evaluation = pd.DataFrame(found["prevalence"]), pd.DataFrame(found["evaluation"])
    for table in (prevalence, evaluation):
        few = table["few"].astype(bool)
        assert (few == (table["n"] < 30)).all()
        assert few.any()
    assert {"words", "bayes", "service", "volunteers"} <= set(evaluation["scorer"])
    assert " few" in cli("--quiet", "evaluate", own, "--by", "platform").out


def test_train_and_score_one_scorer(cli, own):
    cards = cli("train", own, "--scorer", "bayes", "--json").json
    assert list(cards) == ["bayes"]
    labelled = Study.open(own).labelled_with_warnings("abusive", "main").frame
    assert cards["bayes"]["posts"] == labelled["y"].notna().sum()
    found = cli("score", own, "--scorer", "bayes", "--json").json
    assert found["bayes"]["posts"] == 400
    assert found["bayes"]["target"] == "abusive"
    assert cli("--quiet", "train", own, "--scorer", "words").out.startswith("words@")


def test_review_prints_curves_or_the_queue(cli, own):
    curves = pd.DataFrame(cli("review", own, "--curves", "--json").json)
    assert set(curves["review_fraction"]) == {0.05, 0.2}
    queue = pd.DataFrame(cli("review", own, "--queue", "7", "--json").json)
    assert queue["rank"].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert "queue: 20 posts in" in cli("--quiet", "review", own).out


def test_force_makes_it_again(cli, own):
    assert "agreement: up to date" in cli("agree", own).err
    forced = cli("agree", own, "--force").err
    assert "agreement: done in" in forced
    assert "labels: up to date" in forced


def test_run_gives_all_results(cli, own):
    found = cli("run", own, "--json").json
    assert found["report"].endswith("report/index.html")
    assert set(found["results"]) == {"prevalence", "agreement", "evaluation", "review"}
    assert all(found["results"].values())


def test_init_makes_a_study_that_opens(cli, tmp_path, little):
    little.write(tmp_path / "data")
    ran = cli("init", tmp_path / "new", "--posts", tmp_path / "data" / "posts.csv", "--title", 'A "new" one', "--json")
    assert ran.code == 0
    assert ran.json == {"study": str(tmp_path / "new" / "study.toml")}
    settings = Study.open(tmp_path / "new").settings
    assert settings.study.title == 'A "new" one'
    assert settings.posts.created_at == "created_at"
    assert cli("--quiet", "import", tmp_path / "new").out.startswith("posts: 400 of 400 imported")
    ran = cli("--quiet", "run", tmp_path / "new")
    assert ran.code == 0
    assert "there are no labels yet" in ran.out
    assert cli("run", tmp_path / "new", "--json").json == {"report": None, "results": {}}
    assert len(Study.open(tmp_path / "new").sample("main")) == 400
    assert cli("init", tmp_path / "bare").out.count("comoderate run") == 1


@pytest.mark.slow
def test_demo(cli, tmp_path):
    ran = cli("demo", tmp_path / "demo", "--seed", "3", "--json")
    assert ran.code == 0
    table = pd.DataFrame(ran.json["estimates"])
    assert len(table) == 44
    assert table["covered"].mean() > 0.8
    again = cli("demo", tmp_path / "demo", "--seed", "3")
    assert "done in" not in again.err
    assert f"{int(table['covered'].sum())} of 44 intervals hold the truth" in again.out
    assert json.dumps(str(tmp_path / "demo" / "report" / "index.html"))[1:-1] in again.out
