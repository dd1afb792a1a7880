import re

import numpy as np
import pandas as pd
import pytest

from comoderate.errors import ComoderateError
from comoderate.papers.benchmark import Options, Run
from comoderate.papers.cells import Cells
from comoderate.papers.collaboration import environments
from comoderate.study.stages import Silent


def make_run(folder, **options):
    return Run(
        Options(data=folder, out=folder / "out", **options), Cells(folder / "cells", Silent()), (0,), frozenset()
    )


def write(folder, name, frame, **options):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(path, index=False, **options)


def civil(folder, name="civil_comments/all_data.csv"):
    frame = pd.DataFrame(
        {
            "comment_text": ["a", "b", "c", "d"], "split": ["test", "test", "train", "test"],
            "toxicity": [0.0, 0.5, 0.9, 0.8], "female": [0.0, 0.6, 1.0, np.nan],
        }
    )  # fmt: skip
    write(folder, name, frame)


def test_civil_comments_keep_soft_labels_and_identities(tmp_path):
    civil(tmp_path)
    found = environments.civil_comments(make_run(tmp_path))
    assert found.texts == ["a", "b", "d"]
    assert found.y.tolist() == [0, 0, 1]
    assert found.any_toxicity.tolist() == [0, 1, 1]
    assert found.identities["female"].tolist() == [False, True, False]


def test_the_threshold_can_be_set(tmp_path):
    civil(tmp_path)
    assert environments.civil_comments(make_run(tmp_path, above=0.4)).y.tolist() == [0, 1, 1]


def test_jigsaws_files_leave_unlabelled_comments_out(tmp_path):
    train = pd.DataFrame({"id": ["1", "2"], "comment_text": ["x", "y"], "toxic": [0, 1]})
    test = pd.DataFrame({"id": ["3", "4"], "comment_text": ["z", "w"]})
    write(tmp_path, "wikipedia_talk/train.csv", train)
    write(tmp_path, "wikipedia_talk/test.csv", test)
    write(tmp_path, "wikipedia_talk/test_labels.csv", pd.DataFrame({"id": ["3", "4"], "toxic": [-1, 1]}))
    first, second = environments.wikipedia(make_run(tmp_path))
    assert (first.texts, second.texts, second.y.tolist()) == (["x", "y"], ["w"], [1])


def test_the_archive_that_the_papers_code_reads_has_labelled_test_posts(tmp_path):
    frame = pd.DataFrame({"id": ["1", "2"], "comment_text": ["x", "y"], "toxic": [0, 1]})
    write(tmp_path, "wikipedia_talk/wikidata_train.csv", frame)
    write(tmp_path, "wikipedia_talk/wikidata_test.csv", frame.iloc[1:])
    first, second = environments.wikipedia(make_run(tmp_path))
    assert (first.y.tolist(), second.texts, second.what) == ([0, 1], ["y"], "1 comments of Jigsaw's wikidata_test.csv")


def test_a_comment_may_say_null(tmp_path):
    path = tmp_path / "civil_comments" / "test_private_expanded.csv"
    path.parent.mkdir()
    path.write_text(
        'id,comment_text,split,toxicity,male\n1,null,private,0.0,\n2,"NA\n",private,0.8,0.5\n3,,private,0,0\n'
    )
    found = environments.civil_comments(make_run(tmp_path))
    assert found.texts == ["null", "NA\n", ""]
    assert found.y.tolist() == [0, 1, 0]
    assert found.identities["male"].tolist() == [False, True, False]


def test_the_original_annotations_as_they_are_published(tmp_path):
    """Revisions are numbers with a point, texts are quoted where they have quotes, and there is a third split."""
    folder = tmp_path / "wikipedia_talk"
    folder.mkdir()
    head = "rev_id\tcomment\tyear\tlogged_in\tns\tsample\tsplit\n"
    rows = [
        '10.0\t"``a""bNEWLINE_TOKENc"\t2002\tTrue\tarticle\trandom\ttrain\n',
        "20.0\td\t2002\tTrue\tuser\tblocked\tdev\n", "30.0\tNA\t2002\tFalse\tuser\tblocked\ttest\n",
    ]  # fmt: skip
    (folder / "toxicity_annotated_comments.tsv").write_text(head + "".join(rows))
    votes = [f"{rev}.0\t{worker}\t{vote}\t0.0" for rev in (10, 20, 30) for worker, vote in ((1, 0), (2, int(rev > 10)))]
    (folder / "toxicity_annotations.tsv").write_text(
        "rev_id\tworker_id\ttoxicity\ttoxicity_score\n" + "\n".join(votes) + "\n"
    )
    first, second = environments.wikipedia(make_run(tmp_path))
    assert (first.texts, second.texts) == (['``a"b\nc', "d"], ["NA"])
    assert first.toxicity.tolist() == [0.0, 0.5]


def test_the_original_annotations_become_shares(tmp_path):
    comments = pd.DataFrame({"rev_id": [1, 2], "comment": ["aNEWLINE_TOKENb", "c"], "split": ["train", "test"]})
    votes = pd.DataFrame({"rev_id": [1, 1, 1, 2], "worker_id": [1, 2, 3, 1], "toxicity": [1, 1, 0, 0]})
    write(tmp_path, "wikipedia_talk/toxicity_annotated_comments.tsv", comments, sep="\t")
    write(tmp_path, "wikipedia_talk/toxicity_annotations.tsv", votes, sep="\t")
    first, second = environments.wikipedia(make_run(tmp_path))
    assert first.texts == ["a\nb"]
    assert first.toxicity[0] == pytest.approx(2 / 3)
    assert second.y.tolist() == [0]


def test_ones_own_files_come_first_and_may_have_weights(tmp_path):
    frame = pd.DataFrame({"text": list("abcdefgh"), "toxic": [0, 1] * 4, "weight": [1.0, 2.0] * 4})
    for name in environments.OWN:
        write(tmp_path, name, frame)
    found = environments.load(make_run(tmp_path))
    assert len(found.train.texts) == 7
    assert len(found.validation.texts) == 1
    assert found.deployment.weight.sum() == 12


def test_weighting_to_a_rate_gives_that_rate(tmp_path):
    civil(tmp_path)
    posts = environments.civil_comments(make_run(tmp_path)).at_rate(0.02)
    assert posts.weight[posts.y == 1].sum() / posts.weight.sum() == pytest.approx(0.02)


def test_what_is_missing_gets_a_clear_line(tmp_path):
    with pytest.raises(ComoderateError, match="Wikipedia talk and CivilComments are not both here"):
        environments.load(make_run(tmp_path))
    write(tmp_path, "wikipedia_talk/train.csv", pd.DataFrame({"text": ["x"]}))
    write(tmp_path, "wikipedia_talk/test.csv", pd.DataFrame({"toxic": [1]}))
    with pytest.raises(ComoderateError, match="no column 'comment_text'"):
        environments.wikipedia(make_run(tmp_path))


@pytest.mark.parametrize(("name", "split"), [("civil_comments", "test_private"), ("all_data_with_identities", "test")])
def test_each_published_file_of_civil_comments_is_read(tmp_path, name, split):
    frame = pd.DataFrame(
        {"id": [1, 2, 3], "comment_text": ["a", "b", "c"], "split": [split, "train", "test_public"],
         "toxicity": [0.8, 0.9, 0.1], **dict.fromkeys(environments.IDENTITIES, 0.6)}
    )  # fmt: skip
    write(tmp_path, f"civil_comments/{name}.csv", frame)
    found = environments.civil_comments(make_run(tmp_path))
    assert found.texts == ["a"]
    assert len(found.identities) == 24


def test_the_competitions_private_test_needs_no_split(tmp_path):
    frame = pd.DataFrame({"comment_text": ["a", "b"], "toxicity": [0.0, 0.71], "rating": ["approved", "rejected"]})
    write(tmp_path, "civil_comments/test_private_expanded.csv", frame)
    assert environments.civil_comments(make_run(tmp_path)).y.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("frame", "line"),
    [
        ({"comment_text": ["a"]}, "no column 'toxicity' or 'target'"),
        ({"comment_text": ["a"], "toxicity": [0.1], "split": ["train"]}, "no split test_private or test, only train"),
        ({"comment_text": ["a", "b"], "toxicity": [0.1, 7]}, r"row 3: .*holds '7"),
    ],
)
def test_a_file_that_cannot_be_used_gets_one_line(tmp_path, frame, line):
    write(tmp_path, "civil_comments/test.csv", pd.DataFrame(frame))
    with pytest.raises(ComoderateError) as caught:
        environments.civil_comments(make_run(tmp_path))
    assert re.search(line, str(caught.value))
    assert "\n" not in str(caught.value)


def test_files_that_belong_together_are_asked_for(tmp_path):
    train = pd.DataFrame({"id": ["1"], "comment_text": ["x"], "toxic": [0]})
    write(tmp_path, "wikipedia_talk/train.csv", train)
    write(tmp_path, "wikipedia_talk/test.csv", train[["id", "comment_text"]])
    with pytest.raises(ComoderateError, match="no such file"):
        environments.wikipedia(make_run(tmp_path))
    write(tmp_path, "wikipedia_talk/test_labels.csv", pd.DataFrame({"id": ["1"], "toxic": [-1]}))
    with pytest.raises(ComoderateError, match="no comment has a label"):
        environments.wikipedia(make_run(tmp_path))


def test_a_file_that_is_no_table_gets_one_line(tmp_path):
    path = tmp_path / "wiki_talk" / "wiki_talk_20k.csv"
    path.parent.mkdir()
    path.write_bytes(b"PK\x03\x04\xff\xfe\n\x00\x80,,")
    with pytest.raises(ComoderateError, match=r"no table|no column"):
        environments.wikipedia(make_run(tmp_path))


def test_the_data_at_hand(shared, tmp_path):
    run = make_run(tmp_path)
    found = environments.load(Run(Options(data=shared / "data", out=tmp_path), run.cells, (0,), frozenset()))
    assert len(found.test.texts) == 4000
    assert len(found.train.texts) == 14_000
    y, weight = found.deployment.y, found.deployment.weight
    assert weight[y == 1].sum() / weight.sum() == pytest.approx(0.025)
