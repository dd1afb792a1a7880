"""Models on HateCheck's cases: no review there, and no number of the paper's beside them."""

import numpy as np
import pandas as pd
from tests.papers.collaboration.test_environments import make_run, write
from tests.papers.collaboration.test_evaluation import make_posts, make_probas, measured

from comoderate.papers.collaboration import elsewhere, pages


def cases(folder):
    frame = pd.DataFrame({"test_case": ["a", "b", "c"], "label_gold": ["hateful", "non-hateful", "hateful"]})
    write(folder, elsewhere.FILE, frame)


def test_hateful_cases_are_toxic(tmp_path):
    cases(tmp_path)
    found = elsewhere.hatecheck(make_run(tmp_path))
    assert (found.texts, found.y.tolist(), found.name) == (["a", "b", "c"], [1, 0, 1], "HateCheck")


def test_a_missing_file_is_noted_and_no_error(tmp_path):
    run = make_run(tmp_path)
    assert elsewhere.hatecheck(run) is None
    assert elsewhere.FILE in run.missing


def test_the_page_has_the_models_columns_and_their_claims(tmp_path):
    posts = make_posts(name="HateCheck")
    found = elsewhere.measured(make_run(tmp_path), posts, make_probas(posts), 0)
    sections = {one.name: one for one in pages.arrange([measured("test")], elsewhere=[found])}
    table = sections["table-1-hatecheck"]
    assert np.isnan(table.table["published"]).all()
    assert (table.table["low"] <= table.table["value"]).all()
    assert "Calibration" in sections["table-2-hatecheck"].title
    assert "curves-hatecheck" not in sections
    told = sections["claims"].table
    assert {"focal loss helps ranking", "ensembles predict best"} <= set(
        told.loc[told["where"] == "HateCheck", "claim"]
    )
