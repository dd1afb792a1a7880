import pandas as pd
import pytest

from comoderate.study import Study, drifting
from comoderate.study.surface_sections import grid_display, surface_sections
from comoderate.study.surface_tables import widest_pair
from comoderate.study.surface_wording import percent


@pytest.fixture(scope="module")
def told(audited, tmp_path_factory):
    folder = audited.write(tmp_path_factory.mktemp("told"))
    batch = Study.open(folder).assess("service", size=200).batch
    Study.open(folder).assess("service", size=0, answers=audited.answers(batch, folder / "answers.csv"))
    Study.open(folder).report()
    return Study.open(folder)


def test_the_report_has_a_section_with_words_tables_and_figures(told):
    (section,) = surface_sections(told)
    assert section.title == "Where “service” fails"
    assert "This rests on 200 labels" in " ".join(section.sentences)
    assert [type(figure).__name__ for figure in section.figures] == ["QuantileDisplay", "HeatmapDisplay", "BandDisplay"]
    assert [caption.split(",")[0] for caption, _ in section.tables][:2] == [
        "Combinations of attributes",
        "Single values",
    ]
    first = section.tables[0][1].iloc[0]
    assert first["accuracy"].endswith(")")
    assert "%" in first["of all posts"]
    assert first["of these posts"].endswith(")")
    assert section.tables[1][1]["against the mean"].str.contains(r"points \(± \d+(?:\.\d+)?\)$").all()
    page = (told.folder / "report" / "index.html").read_text()
    assert "Where “service” fails" in page
    assert "no estimate of how much there is uses them" in page


def test_the_report_does_not_count_assessed_posts_as_its_sample(told):
    page = (told.folder / "report" / "index.html").read_text()
    assert "720 posts were drawn and 0 of them labelled" in page


def test_the_report_says_what_changed(told, audited):
    """Against another scorer, since a day, and, once scores change, since the version before."""
    text = audited.TOML.replace("min_posts = 10\n", 'min_posts = 10\nagainst = "older"\nsince = "2026-05-05"\n')
    (told.folder / "study.toml").write_text(text.lstrip())
    posts = audited.posts().drop(columns="rude")
    worse = (posts["topic"] == "trains") & (posts["group"] == "gardeners")
    changed = posts.assign(service=posts["service"].where(~worse, 1 - posts["service"]))
    changed.to_csv(told.folder / "posts.csv", index=False)
    study = Study.open(told.folder)
    study.surface("service")
    (section,) = surface_sections(study)
    captions = [caption for caption, _ in section.tables if "surest changes" in caption]
    assert [caption.split(" ")[1] for caption in captions] == ["since", "compared", "since"]
    assert "its version" in captions[0]
    first = dict(section.tables)[captions[0]].iloc[0]
    assert (first["group"], first["topic"], first["jointly"]) == ("gardeners", "trains", "surely worse")
    said = " ".join(section.sentences)
    assert "Compared with “older”, the accuracy of “service” over all posts is" in said
    assert "Since 2026-05-05, the accuracy of “service” over all posts is" in said
    audited.write(told.folder, toml=audited.TOML)
    again = Study.open(told.folder)
    again.surface("service")
    (section,) = surface_sections(again)
    assert [caption for caption, _ in section.tables if "its version" in caption]


def test_a_version_with_the_same_scores_is_no_change(audited, tmp_path):
    folder = audited.write(tmp_path)
    Study.open(folder).score("service")
    audited.posts().drop(columns="rude").assign(stars=1).to_csv(folder / "posts.csv", index=False)
    study = Study.open(folder)
    study.score("service")
    assert drifting.earlier_version(study, "service") is not None
    assert drifting.asked(study, "service") == []


def test_no_surface_no_section(audited, tmp_path):
    toml = audited.TOML.split("[surface]")[0]
    study = Study.open(audited.write(tmp_path, toml=toml))
    assert surface_sections(study) == []


def test_cells_without_labels_are_in_brackets():
    cells = [("x", "u", 0.5, 4, 0), ("x", "v", 1.0, 4, 2), ("y", "u", 0.25, 8, 1)]
    arms = pd.DataFrame(cells, columns=["a", "b", "value", "concerned", "labels"]).assign(posts=9)
    shown = grid_display(arms, "a", "b", measure="accuracy")
    assert shown.value[0].tolist() == [0.5, 1.0]
    assert shown.few.tolist() == [[True, False], [False, False]]


def test_the_pair_that_is_shown_differs_most():
    rows = [(a, b, c, 0.9 - 0.5 * (a == "p" and c == "k"), 5, 1) for a in "pq" for b in "rs" for c in "kl"]
    arms = pd.DataFrame(rows, columns=["a", "b", "c", "value", "concerned", "labels"]).assign(posts=5)
    assert set(widest_pair(arms, ["a", "b", "c"])) == {"a", "c"}
    assert widest_pair(arms, ["a"]) is None


@pytest.mark.parametrize(("value", "text"), [(0.4321, "43 %"), (0.0432, "4.3 %"), (1.0, "100 %"), (0.0996, "10 %")])
def test_percentages(value, text):
    assert percent(value) == text
