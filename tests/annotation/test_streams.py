"""Annotations go in and out in batches, with or without what was taken back."""

from comoderate.annotation import append_annotations, stream_annotations


def row(k, **values):
    base = {"response_id": f"a{k}", "post_id": f"p{k % 5}", "rater_id": f"r{k % 3}", "cohort": "crowd"}
    return {**base, "source": "import", "codebook": "c@1", "question": "q", "answer": "yes", **values}


def test_everything_comes_back_in_order_in_batches(db):
    assert append_annotations(db, (row(k) for k in range(12))) == 12
    batches = list(stream_annotations(db, batch=5))
    assert [len(batch) for batch in batches] == [5, 5, 2]
    assert [found["response_id"] for batch in batches for found in batch] == [f"a{k}" for k in range(12)]
    seventh = batches[1][1]["number"]
    assert next(stream_annotations(db, after=seventh))[0]["response_id"] == "a7"


def test_filters_and_what_was_taken_back(db):
    append_annotations(db, [row(0), row(1, cohort="experts"), row(2, question="why"), row(3, source="gold")])
    append_annotations(db, [row(4, supersedes="a0"), row(5, answer=None, supersedes="a1")])

    def ids(**which):
        return [found["response_id"] for batch in stream_annotations(db, **which) for found in batch]

    assert ids() == ["a2", "a3", "a4"]
    assert len(ids(history=True)) == 6
    assert ids(question="why") == ["a2"]
    assert ids(sources=["gold"]) == ["a3"]
    assert ids(cohort="experts", history=True) == ["a1"]
    assert ids(rater_id="r1", history=True) == ["a1", "a4"]
    assert ids(campaign="soups") == []
