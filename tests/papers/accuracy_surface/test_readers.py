import numpy as np
import pandas as pd
import pytest

from comoderate.errors import ComoderateError
from comoderate.papers.accuracy_surface import readers
from comoderate.papers.benchmark import Options, Run
from comoderate.papers.cells import Cells
from comoderate.study.stages import Silent


def make_run(data, out):
    return Run(Options(data=data, out=out), Cells(out / "cells", Silent()), (0,), frozenset())


@pytest.fixture
def celeba(tmp_path):
    folder = tmp_path / "celeba"
    folder.mkdir()
    rng = np.random.default_rng(0)
    names = ["Male", *readers.FACES]
    rows = rng.choice([-1, 1], (60, len(names)))
    lines = ["60", " ".join(names), *(f"{i:06d}.jpg  " + "  ".join(map(str, row)) for i, row in enumerate(rows))]
    (folder / "list_attr_celeba.txt").write_text("\n".join(lines) + "\n")
    male = np.where(rows[:, 0] > 0, 0.9, 0.2)
    frame = pd.DataFrame({"image_id": [f"{i:06d}.jpg" for i in range(60)], "male": male}).iloc[:50]
    frame.to_csv(folder / "predictions.csv", index=False)
    return tmp_path


def test_celeba_joins_attributes_and_predictions(celeba, tmp_path):
    world = readers.celeba(make_run(celeba, tmp_path / "out"))
    assert world.pool.sum() == 50
    assert world.correct.all()
    assert world.attributes == readers.FACES


def test_a_bad_row_of_the_list_is_named(celeba, tmp_path):
    path = celeba / "celeba" / "list_attr_celeba.txt"
    path.write_text(path.read_text() + "\nx.jpg 1 1\n")
    with pytest.raises(ComoderateError, match="row 64"):
        readers.celeba(make_run(celeba, tmp_path / "out"))


def test_what_is_missing_is_noted(tmp_path):
    run = make_run(tmp_path, tmp_path / "out")
    assert readers.madlibs(run) is None
    assert readers.MADLIBS in run.missing


def test_madlibs_finds_one_or_two_identities(shared, tmp_path):
    world = readers.madlibs(make_run(shared / "data", tmp_path))
    assert world.pool.sum() == 30_240
    assert world.attributes == ("identity", "second identity", "template")
    assert 0.85 < world.correct.mean() < 0.95


def test_identities_take_the_longest_term():
    frame = pd.DataFrame(
        {
            "template": ["am_identity"] * 3 + ["being"],
            "phrase": ["I am african", "I am african american", "I am gay", "Being african american and gay is fun"],
        }
    )
    first, second = readers.identities(frame)
    assert (first[-1], second[-1]) == ("african american", "gay")
    assert second[0] == "none"


def test_flights_come_from_the_package(tmp_path):
    world = readers.flights(make_run(tmp_path, tmp_path), ("carrier", "origin", "month"))
    assert world.name == "flights-by-month"
    assert len(world.arms) > 300


def test_the_list_of_attributes_may_be_a_csv_file(celeba, tmp_path):
    path = celeba / "celeba" / "list_attr_celeba.txt"
    frame = readers.read_attributes(path)
    frame.to_csv(path.with_suffix(".csv"))
    pd.testing.assert_frame_equal(readers.read_attributes(path.with_suffix(".csv")), frame)
    path.unlink()
    assert readers.celeba(make_run(celeba, tmp_path / "out")).pool.sum() == 50
    frame.assign(Male=2).to_csv(path.with_suffix(".csv"))
    with pytest.raises(ComoderateError, match="row 2"):
        readers.celeba(make_run(celeba, tmp_path / "out"))


def test_predictions_are_probabilities_one_an_image(celeba, tmp_path):
    path = celeba / "celeba" / "predictions.csv"
    frame = pd.read_csv(path)
    pd.concat([frame, frame.iloc[:1]]).to_csv(path, index=False)
    with pytest.raises(ComoderateError, match=r"image 000000\.jpg has two predictions"):
        readers.celeba(make_run(celeba, tmp_path / "out"))
    frame.assign(male=-1).to_csv(path, index=False)
    with pytest.raises(ComoderateError, match="no number from 0 to 1"):
        readers.celeba(make_run(celeba, tmp_path / "out"))
