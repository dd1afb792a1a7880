from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from crowdkit.aggregation import MajorityVote

from comoderate.agreement import Majority


def test_reference(reference):
    item, rater = np.nonzero(~np.isnan(reference.ratings))
    answer = np.searchsorted(reference.categories, reference.ratings[item, rater])
    labels = Majority(ties="first").fit_predict(item, rater, answer)
    np.testing.assert_array_equal(reference.categories[labels], reference.libraries["crowdkit.MajorityVote"])


def test_crowdkit(crowd):
    frame = pd.DataFrame({"task": crowd.item, "worker": crowd.rater, "label": crowd.answer})
    known = MajorityVote().fit_predict(frame).sort_index()
    np.testing.assert_array_equal(Majority().fit_predict(crowd.item, crowd.rater, crowd.answer), known)


def test_experts_settle_ties():
    made = Majority(ties="expert", experts=(1,))
    labels = made.fit_predict([0, 0, 1, 1, 1], [0, 2, 0, 1, 3], [0, 1, 0, 0, 1], cohort=[0, 1, 0, 0, 1])
    np.testing.assert_array_equal(labels, [1, 0])
    np.testing.assert_allclose(made.skills_, [0.5, 1, 1, 0])
    np.testing.assert_allclose(made.prior_, [(0.5 + 2 / 3) / 2, (0.5 + 1 / 3) / 2])


@pytest.mark.parametrize("options", [{"ties": "toss"}, {"ties": "expert"}])
def test_errors(options):
    with pytest.raises(ValueError, match="ties"):
        Majority(**options).fit([0], [0], [0])
