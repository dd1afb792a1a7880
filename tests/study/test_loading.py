# ruff: noqa: E501 (a mistake and its line stand side by side)
"""study.toml: every mistake is one line that names the key and the nearest right one."""

import pytest

from comoderate.errors import ComoderateError
from comoderate.study.loading import known_keys, load_settings
from comoderate.study.settings import FORMAT, Settings


@pytest.fixture
def broken(tmp_path, little):
    """Writes study.toml with one part replaced; gives the line of the error."""

    def line(old, new):
        assert old in little.TOML
        (tmp_path / "study.toml").write_text(little.TOML.replace(old, new, 1))
        with pytest.raises(ComoderateError) as error:
            load_settings(tmp_path / "study.toml")
        assert "\n" not in str(error.value)
        return str(error.value).removeprefix(f"{tmp_path}/")

    return line


def test_the_little_study_loads(tmp_path, little):
    (tmp_path / "study.toml").write_text(little.TOML)
    settings = load_settings(tmp_path / "study.toml")
    assert settings.study.seed == 11
    assert settings.cohorts == ("volunteers", "experts")
    assert list(settings.sample) == ["main", "experts"]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("seed = 11", "sed = 11", "study.toml, study.sed: unknown key 'sed'. Did you mean 'seed'?"),
        ("[review]", "[reviews]", "study.toml, reviews: unknown key 'reviews'. Did you mean 'review'?"),
        (
            'enrich = { scorer = "words", size = 40 }',
            'enrich = { scorer = "words", size = 40, treshold = 0.4 }',
            "study.toml, sample.main.enrich.treshold: unknown key 'treshold'. Did you mean 'threshold'?",
        ),
        (
            "[evaluate]",
            "[privacy]\nzzz = 1\n\n[evaluate]",
            "study.toml, privacy.zzz: unknown key 'zzz'. Known here: anonymise",
        ),
        ('title = "A little study"\n', "", "study.toml, study.title: this key is missing. Add it"),
        ("[sample.main]", '[sample."in main"]', "study.toml, sample.in main: 'in main' cannot be a name. Use letters, digits, - and _"),
        ('form = "long"', 'form = "longish"', "study.toml, annotations.volunteers.form: input should be 'long', 'wide', 'one-hot', 'raters' or 'counts' (found 'longish')"),
        ("size = 150", "size = 0", "study.toml, sample.main.size: input should be greater than or equal to 1 (found 0)"),
        ("size = 150", "", "study.toml, sample.main: size is missing"),
        ('design = "stratified"', 'design = "census"', "study.toml, sample.main: a census has no size"),
        ('words = ["numpty", "windbag"]', "", 'study.toml, scorer.words: words belong to kind = "lexicon", and it needs them'),
        ('at_least = "Problematic"', 'at_least = "Problematic"\npositive = ["Abusive"]', "study.toml, target.abusive: give either positive = [answers] or at_least = answer"),
        ("fractions = [0.05, 0.2]", "fractions = [0.05, 2]", "study.toml, review.fractions.1: input should be less than or equal to 1 (found 2)"),
        ('by = ["platform"]', 'by = "platform"', "study.toml, evaluate.by: input should be a valid tuple (found 'platform')"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_line(broken, old, new, line):
    assert broken(old, new) == line


def test_a_newer_format_is_refused_before_its_unknown_keys(broken):
    line = broken("format = 1", f"format = {FORMAT + 1}\nmood = 3")
    assert "newer version" in line
    assert "Upgrade Comoderate" in line


@pytest.mark.parametrize("value", ["0", '"one"', "1.5"])
def test_a_format_that_is_none(broken, value):
    assert broken("format = 1", f"format = {value}").startswith("study.toml, study.format: ")


def test_a_study_that_is_no_table(tmp_path):
    (tmp_path / "study.toml").write_text("study = 3\n")
    with pytest.raises(ComoderateError, match=r"study\.toml, study: input should be"):
        load_settings(tmp_path / "study.toml")


def test_a_missing_file_and_a_file_that_is_no_toml(tmp_path):
    with pytest.raises(ComoderateError, match="there is no study here.*comoderate init"):  # noqa: RUF043
        load_settings(tmp_path / "study.toml")
    (tmp_path / "study.toml").write_text("[study\n")
    with pytest.raises(ComoderateError, match="this is not TOML: .*line 1"):  # noqa: RUF043
        load_settings(tmp_path / "study.toml")


def test_known_keys_follow_a_path():
    assert set(known_keys(Settings, [])) == set(Settings.model_fields)
    assert "threshold" in set(known_keys(Settings, ["sample", "main", "enrich"]))
    assert "kind" in set(known_keys(Settings, ["codebook", "question", "problem"]))
    assert list(known_keys(Settings, ["sample"])) == []  # names of one's own
    assert list(known_keys(Settings, ["posts", "attributes"])) == []
    assert list(known_keys(Settings, ["nothing", "here"])) == []
