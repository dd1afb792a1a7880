import numpy as np

from comoderate.models import NaiveBayes
from comoderate.models.services import Service, ServiceScorer
from comoderate.papers.troll_patrol.service import answer, serving


def test_the_service_is_asked_as_any_other(tmp_path):
    scorer = NaiveBayes().fit(["you fool", "thank you", "fool", "nice day"], np.array([1.0, 0.0, 1.0, 0.0]))
    texts = ["what a fool", "a nice day to you"]
    with serving(scorer) as address:
        service = Service(
            url=address, request={"texts": "{texts}"}, answer=("answers[*].score",), batch_size=2, canaries=()
        )
        with ServiceScorer(service, tmp_path) as asked:
            found = asked.predict(texts)
    np.testing.assert_allclose(found.proba, scorer.predict_proba(texts), atol=1e-6)


def test_labels_follow_the_score():
    assert answer(0.9)["emotion"] == "Anger"
    assert answer(0.2) == {"score": 0.2, "category": "Basic Negative", "emotion": "Sadness"}
    assert answer(0.0)["category"] == "Basic Neutral"
