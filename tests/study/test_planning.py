"""Plans before anything is drawn, and what became of them."""

import pytest
from tests.study import peopled

from comoderate.study import Study
from comoderate.study.demonstration import prepare

SEEN = """
[sample.seen]
design = "poisson"
size = 200
proportional_to = "views"

[sample.scored]
design = "poisson"
size = 200
proportional_to = "words"

[sample.experts]
of = "main"
size = 60
flagged_by = ["words"]

[scorer.words]"""


PLAN = "\n[plan]\nprevalence = [0.055, 0.45]\nrare = [0.012, 0.17]\nraters = 40\nhours = 5\nseconds = 20\n"


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plan") / "demo"
    study = prepare(folder, seed=3)
    settings = (folder / "study.toml").read_text(encoding="utf-8")
    (folder / "study.toml").write_text(settings + PLAN, encoding="utf-8")
    return Study.open(study.folder)


@pytest.mark.slow
def test_a_plan_foresees_the_standard_error(demo):
    found = demo.plan()
    main = found.table.set_index("sample").loc["main"]
    assert main["posts"] == 3600
    assert main["labels"] == 10_800
    table = demo.estimate()
    real = table[(table["target"] == "abusive") & (table["sample"] == "main") & (table["domain"] == "all")]
    assert main["se"] == pytest.approx(real["se"].item(), rel=0.25)


def test_a_plan_speaks_of_enrichment_and_of_what_a_campaign_affords(imported, little):
    little.edit(imported, "\n[review]\n", f"{PLAN}\n[review]\n")
    sentences = " ".join(Study.open(imported).plan().sentences)
    assert "enrichment" in sentences
    assert "can label 12,000 posts" in sentences


def test_a_plan_draws_nothing(tmp_path):
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "posts.csv").write_text("post_id,text\n" + "\n".join(f"p{i},hello {i}" for i in range(50)) + "\n")
    (folder / "study.toml").write_text(
        '[study]\ntitle = "t"\n[posts]\npath = "posts.csv"\n'
        '[codebook.question.q]\ntext = "?"\nanswers = ["no", "yes"]\n[target.t]\nquestion = "q"\npositive = ["yes"]\n'
        '[sample.main]\ndesign = "uniform"\nsize = 20\n[sample.experts]\nof = "main"\nsize = 5\nrated = 3\n'
        "[plan]\nprevalence = [0.1, 0.1]\nmargin = 0.1\n"
    )
    study = Study.open(folder)
    found = study.plan()
    assert found.table["posts"].tolist() == [20, 5]
    assert found.sentences[0] == "main: for overall prevalence within 10 points either way (95 %) 35 posts are needed."
    assert found.sentences[1].startswith("experts: sample 'main' is not drawn yet; it is planned as if")
    assert "raters" in found.sentences[-1]
    assert not (folder / "samples").exists()
    close = study.settings.plan.model_copy(update={"margin": 0.001})
    study.settings = study.settings.model_copy(update={"plan": close})
    assert "not even all 50 posts in hand are enough" in study.plan().sentences[0]


def test_a_poisson_plan_knows_the_real_chances(tmp_path):
    toml = peopled.TOML.replace("\n[scorer.words]", SEEN, 1).replace('[totals]\npath = "totals.csv"\n', "")
    study = Study.open(peopled.write(tmp_path / "study", toml))
    guessed = study.plan()
    assert guessed.table.set_index("sample").loc["scored", "design"] == "Poisson, chances not known yet"
    text = " ".join(guessed.sentences)
    assert "scored: scorer 'words' has not scored the posts yet; each post is taken" in text
    assert "main: scorer 'words' has not scored the posts yet; a tenth" in text
    study.score("words")
    assert "has not scored" not in " ".join(study.plan().sentences)
    found = study.plan().table.set_index("sample")
    assert found.loc["seen", "posts"] == 200
    assert found.loc["seen", "design"].startswith("Poisson")
    assert found.loc["seen", "design_effect"] > 1.05 > found.loc["main", "design_effect"]
    assert found.loc["scored", "rare_posts"] > found.loc["seen", "rare_posts"]
    assert found.loc["experts", "design"] == "second phase"
    study.draw("main")
    drawn = study.plan().table.set_index("sample").loc["experts"]
    assert drawn["design"] == "second phase, 2 strata"
    assert drawn["posts"] == 60
    assert drawn["design_effect"] != found.loc["experts", "design_effect"]
