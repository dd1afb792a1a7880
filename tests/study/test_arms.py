import pandas as pd
import pytest

from comoderate.errors import ComoderateError
from comoderate.study import Study
from comoderate.study.arms import arms_of, value_names


def arms_with(audited, folder, surface):
    study = Study.open(audited.write(folder, toml=audited.TOML.split("[surface]")[0] + surface))
    study.import_posts()
    return arms_of(study)


def test_all_attributes_and_the_length_are_arms_unless_some_are_named(audited, tmp_path):
    assert arms_with(audited, tmp_path / "a", "").encoder.names == ["group", "topic", "stars", "harm", "length"]
    assert arms_with(audited, tmp_path / "b", '[surface]\nattributes = ["topic"]').encoder.names == ["topic"]
    found = arms_with(audited, tmp_path / "c", '[surface]\nloss = "harm"')
    assert found.encoder.names == ["group", "topic", "stars", "length"]


def test_missing_values_are_a_value_and_numbers_come_in_bins(audited, tmp_path):
    found = arms_with(audited, tmp_path, '[surface]\nattributes = ["group", "stars"]\nattribute.stars.bins = 3')
    names = value_names(found.encoder, found.codes)
    posts = audited.posts()
    assert (names["group"].eq("missing") == posts["group"].isna()).all()
    assert names["stars"].nunique() == 3
    assert names.groupby("stars").size().between(230, 250).all()
    lowest = names["stars"].str.startswith("below")
    assert posts.loc[lowest, "stars"].max() < posts.loc[~lowest, "stars"].min()


def test_attributes_are_made_from_the_text(audited, tmp_path):
    toml = """[surface]
attributes = ["size", "tongue", "hats", "first"]
attribute.size = { kind = "text_length", edges = [35, 45] }
attribute.tongue = { kind = "language" }
attribute.hats = { kind = "mentions", terms = ["hat", "umbrella"] }
attribute.first = { kind = "which", terms = ["nice", "nice hat", "bread"] }
"""
    found = arms_with(audited, tmp_path, toml)
    names, texts = value_names(found.encoder, found.codes), audited.posts()["text"]
    assert set(names["tongue"]) == {"English"}
    assert (names["hats"].eq("yes") == texts.str.contains("hat|umbrella")).all()
    assert set(names["first"]) == {"nice hat", "bread", "none"}
    assert (names["first"].eq("bread") == texts.str.contains("bread")).all()
    assert (names["size"].eq("below 35") == (texts.str.len() < 35)).all()


def test_rare_values_are_grouped(audited, tmp_path):
    found = arms_with(audited, tmp_path, '[surface]\nattributes = ["group"]\nrare = 230')
    values = pd.Series(value_names(found.encoder, found.codes)["group"])
    counts = audited.posts()["group"].value_counts()
    assert set(values) == {*counts.index[counts >= 230], "other", "missing"}


def test_a_scorer_is_an_attribute(audited, tmp_path):
    toml = """[surface]
attributes = ["topic", "confidence", "older"]
attribute.confidence = { kind = "scorer", column = "service", edges = [0.3, 0.7] }
attribute.older = { kind = "scorer" }
"""
    folder = audited.write(tmp_path, toml=audited.TOML.split("[surface]")[0] + toml)
    found = Study.open(folder).assess("service", size=8)
    arms, posts = found.surface.arms, audited.posts()
    assert set(arms["confidence"]) == {"below 0.3", "0.7 or more"}
    assert arms.groupby("older")["posts"].sum().to_dict() == {
        "below 0.5": int((posts["older"] < 0.5).sum()),
        "0.5 or more": int((posts["older"] >= 0.5).sum()),
    }
    assert "scores:older" in Study.open(folder).pipeline.stages["surface:service"].inputs


@pytest.mark.parametrize(
    ("surface", "message"),
    [
        ('attributes = ["tpoic"]', "id you mean 'topic'"),
        ('attribute.stars = { kind = "mentions" }', "need them"),
        ('attribute.size = { kind = "text_length", edges = [9, 3] }', "must increase"),
        ('attribute.size = { kind = "number" }', "no attribute in"),
        ('attribute.posts = { kind = "language" }', "uses itself"),
        ('attributes = ["group"]\nattribute.group = { kind = "number" }', "is not a number"),
        ('loss = "harmm"', "id you mean 'harm'"),
        ('cohort = "experts"', "no cohort"),
        ('attribute.sure = { kind = "scorer" }', "no scorer 'sure'"),
    ],
)
def test_mistakes_are_named(audited, tmp_path, surface, message):
    with pytest.raises(ComoderateError, match=message):
        arms_with(audited, tmp_path, f"[surface]\n{surface}")


def test_a_column_of_the_tables_is_no_attribute(audited, tmp_path):
    toml = audited.TOML.replace('topic = "topic"', 'value = "topic"').replace('["group", "topic"]', '["value"]')
    study = Study.open(audited.write(tmp_path, toml=toml))
    study.import_posts()
    with pytest.raises(ComoderateError, match="another name"):
        arms_of(study)


def test_without_text_and_attributes_there_are_no_arms(audited, tmp_path):
    text = audited.TOML.split("[surface]")[0].replace("created_at =", 'text = ""\ncreated_at =')
    kept = [line for line in text.splitlines() if not line.startswith("attributes")]
    study = Study.open(audited.write(tmp_path, toml="\n".join(kept)))
    study.import_posts()
    with pytest.raises(ComoderateError, match="nothing to make arms of"):
        arms_of(study)
