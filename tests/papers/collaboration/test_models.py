import pytest

from comoderate.papers.collaboration import models
from comoderate.papers.collaboration.paper import CORRECTIONS


@pytest.mark.parametrize("corrected", [frozenset(), frozenset(CORRECTIONS)])
@pytest.mark.parametrize(("method", "loss"), models.names())
def test_the_pooler_is_bounded_as_published(method, loss, corrected):
    scorer = models.encoder(method, loss, models.SMALL, seed=0, corrected=corrected)
    assert scorer.get_params()["spectral_bound"] == 0.95
