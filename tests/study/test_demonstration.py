"""The demonstration: estimates stand beside a known truth, and their intervals hold it as often as they should."""

import pandas as pd
import pytest

from comoderate.errors import ComoderateError
from comoderate.study import Study
from comoderate.study.demonstration import compare, make_demo, prepare


def held(table: pd.DataFrame, *keys: str) -> str:
    """How many intervals hold the truth, by some columns, as text."""
    counts = table.groupby(list(keys))["covered"].agg(["sum", "size"])
    counts["share"] = counts["sum"] / counts["size"]
    return counts.round(3).to_string()


@pytest.mark.slow
def test_estimates_stand_beside_the_truth(tmp_path):
    study = prepare(tmp_path / "demo", seed=4)
    study.estimate()
    table = compare(study)
    shown = table[["target", "cohort", "domain", "group", "n", "value", "low", "high", "truth", "covered"]]
    print(shown.to_string())
    assert set(table["target"]) == {"abusive", "severe"}
    assert set(table["cohort"]) == {"volunteers", "experts"}
    assert set(table["domain"]) == {"all", "target_group", "platform", "length"}
    assert len(table) == 2 * 2 * (1 + 4 + 3 + 3)
    assert not table[["value", "low", "high", "truth"]].isna().any().any()
    assert ((table["low"] <= table["truth"]) & (table["truth"] <= table["high"])).equals(table["covered"])
    assert table["covered"].mean() > 0.8
    whole = table[(table["domain"] == "all") & (table["target"] == "abusive")]
    assert (whole["value"] - whole["truth"]).abs().max() < 0.03
    assert list(table.loc[table["cohort"].eq("experts") & table["domain"].eq("all"), "n"]) == [1000, 1000]


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """A demonstration without its labels: its folder."""
    folder = tmp_path_factory.mktemp("demonstration") / "demo"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Study, "draw", stop)
        with pytest.raises(KeyboardInterrupt):
            prepare(folder, seed=2)
    return folder


def stop(*_, **__):
    raise KeyboardInterrupt


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_another_demonstration_is_refused(few):
    before = contents(few)
    with pytest.raises(ComoderateError, match=r"another demonstration.*Remove the folder"):
        prepare(few, seed=3)
    assert contents(few) == before


def test_another_study_is_refused(tmp_path):
    (tmp_path / "study.toml").write_text("[study]\n")
    with pytest.raises(ComoderateError, match="holds another study"):
        make_demo(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["study.toml"]


def test_a_folder_of_other_things_is_refused(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(ComoderateError, match="not empty"):
        make_demo(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


@pytest.mark.slow
def test_an_interrupted_demonstration_goes_on(few):
    posts = (few / "posts.csv").read_bytes()
    study = prepare(few, seed=2)
    assert (few / "posts.csv").read_bytes() == posts
    assert len(study.sample("main")) == 3_600
    assert len(pd.read_csv(few / "volunteers.csv")) > 3 * 3_600
    assert study.settings.cohorts == ("volunteers", "experts")


@pytest.mark.slow
def test_intervals_hold_the_truth_over_twenty_seeds(tmp_path):
    tables = []
    for seed in range(1, 21):
        study = prepare(tmp_path / str(seed), seed=seed)
        study.estimate()
        tables.append(compare(study).assign(seed=seed))
    table = pd.concat(tables)
    print(f"in all: {table['covered'].mean():.3f} of {len(table)}")
    for keys in (["target", "cohort"], ["domain"], ["domain", "group"], ["seed"]):
        print(held(table, *keys))
    assert table["covered"].mean() >= 0.90
    assert table.groupby(["target", "cohort"])["covered"].mean().min() >= 0.85
