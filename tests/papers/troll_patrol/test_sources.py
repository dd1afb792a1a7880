import numpy as np
import pytest

from comoderate.papers.benchmark import Options, Run
from comoderate.papers.cells import Cells
from comoderate.papers.troll_patrol import raters, sources
from comoderate.study.stages import Silent


@pytest.fixture
def run(shared, tmp_path):
    return Run(Options(data=shared / "data", out=tmp_path), Cells(tmp_path, Silent()), (0,), frozenset())


def test_a_rater_is_measured_against_the_others():
    counts = np.array([[3, 0, 0], [1, 2, 0]])
    table = sources.confusion(counts)
    np.testing.assert_allclose(table.sum(axis=1), 1)
    # Three say no with the others; of the second post the lone no stands against two, whose own others are tied.
    np.testing.assert_allclose(table[0], np.array([3.5, 0.5, 0.5]) / 4.5)
    np.testing.assert_allclose(table[1], np.array([1.5, 0.5, 0.5]) / 2.5)


def test_the_worlds_hold_all_three_answers(run):
    for make in (sources.davidson, sources.misogyny):
        world = make(run, 0)
        assert world.posts["post_id"].is_unique
        assert set(world.posts["truth"]) == {0, 1, 2}
        assert (world.posts.loc[world.posts["truth"] == 0, "type"] == "").all()
        assert world.posts["created_at"].str.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ").all()


def test_no_filter_learns_from_the_campaign_itself(run):
    davidson = set(sources.davidson(run, 0).posts["text"])
    for texts, labels in sources.other_corpora(run, "davidson").values():
        assert len(texts) == len(labels)
        assert not davidson & set(texts)


def test_ratings_follow_the_confusion(run):
    world = sources.misogyny(run, 0)
    confusion = np.array([[0.9, 0.1, 0.0], [0.2, 0.6, 0.2], [0.0, 0.3, 0.7]])
    found = raters.rate(world, confusion, "experts", seed=0)
    truth = world.posts["truth"].to_numpy()
    for code in range(3):
        share = np.bincount(found.answer[truth == code].ravel(), minlength=3) / (3 * (truth == code).sum())
        np.testing.assert_allclose(share, confusion[code], atol=0.05)
    assert ((found.type >= 0) == (found.answer > 0)).all()


def test_volunteers_are_three_or_more_and_differ_within_a_post(run):
    world = sources.davidson(run, 0)
    found = raters.rate(world, np.eye(3), "volunteers", seed=0)
    assert set(np.unique(found.counts.sum(axis=1))) == {3, 4, 5, 6}
    assert (np.sort(found.rater, axis=1)[:, 1:] != np.sort(found.rater, axis=1)[:, :-1]).all()
    three = found.three(0)
    assert (three.counts.sum(axis=1) == 3).all()
    assert (three.counts <= found.counts).all()
    rows = found.rows(world, world.posts["post_id"].iloc[:10], "volunteers")
    first = rows[rows["question"] == "problem"]
    assert len(first) == found.counts[:10].sum()
    assert not first.duplicated(["post_id", "rater_id"]).any()


def test_annotators_vote_on_presence_and_on_type_only_where_they_found_abuse(run):
    tables = sources.annotator_counts(run)
    assert {"problem", "type: sexist", "type: racist"} <= set(tables)
    assert all((counts.sum(axis=1) >= 2).all() for counts in tables.values())
    assert len(tables["type: sexist"]) < len(tables["problem"])
