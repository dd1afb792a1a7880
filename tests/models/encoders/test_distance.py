"""SNGP's variance knows text that is unlike anything in training; here on real posts, with a frozen encoder."""

import numpy as np
import pandas as pd
import pytest

from comoderate import metrics
from comoderate.models import Encoder


@pytest.mark.slow
def test_variance_tells_other_domains_from_the_own(shared):
    data = shared / "data"
    tweets = pd.read_csv(data / "davidson" / "labeled_data.csv").sample(1500, random_state=0)
    talk = pd.read_csv(data / "wiki_talk" / "wiki_talk_20k.csv").sample(300, random_state=0)["comment_text"].tolist()
    texts, y = tweets["tweet"].tolist(), (tweets["class"] < 2).to_numpy(float)
    scorer = Encoder(method="sngp", frozen=True, layers=3, max_length=48).fit(texts[:1200], y[:1200])
    found = scorer.predict_uncertainty([*texts[1200:], *talk])
    outside = np.repeat([0.0, 1.0], 300)
    assert metrics.auroc(y[1200:], found.proba[:300]) > 0.9
    assert metrics.auroc(outside, found.logit_variance.clip(0, 1)) >= 0.8
