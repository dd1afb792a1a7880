"""A model's README."""

import tomllib

import pytest
import yaml

from comoderate.models.card import LIMITS, UNKNOWN, Bin, Card, Measured, with_weak

MEASURED = [
    Measured("average precision", "average_precision", 0.71234, 0.65, 0.77, 400),
    Measured("AUROC", "auroc", float("nan"), float("nan"), float("nan"), 400),
    Measured("average precision", "average_precision", 0.5, 0.3, 0.7, 60, "platform: the | square"),
]


def card(**keys):
    base = {
        "name": "deep: “one”", "version": "0123456789", "kind": "encoder", "task": "A post counts where it is rude.",
        "data": ["400 labelled posts"], "study": 'A "study": of posts', "truth": "experts", "measured": MEASURED,
        "bins": [Bin(0.05, 0.1, 0.75), Bin(0.9, 0.8, 0.25)], "options": {"epochs": 3},
    }  # fmt: skip
    return Card(**{**base, **keys})


def front(text):
    first, head, _ = text.split("---\n", 2)
    assert first == ""
    return yaml.safe_load(head)


def test_front_matter_is_what_the_hub_reads():
    found = front(card(languages=["en"], base="some/encoder").readme())
    assert found["library_name"] == "comoderate"
    assert found["pipeline_tag"] == "text-classification"
    assert found["language"] == ["en"]
    assert found["base_model"] == "some/encoder"
    (index,) = found["model-index"]
    (result,) = index["results"]
    assert index["name"] == "deep: “one”"
    assert result["dataset"]["name"] == 'A "study": of posts'
    assert result["metrics"] == [
        {"type": "average_precision", "name": "average precision (0.650 to 0.770)", "value": 0.7123}
    ]


def test_the_hub_s_own_reader_takes_it():
    hub = pytest.importorskip("huggingface_hub")
    found = hub.ModelCard(card().readme())
    assert found.data.library_name == "comoderate"
    assert found.data.eval_results[0].metric_type == "average_precision"


def test_it_says_what_was_measured_and_what_was_not():
    text = card(weak=["posts in dialect: accuracy .61"], notes=["One model."]).readme()
    assert "| all posts | average precision | 0.712 | 0.650 | 0.770 | 400 |" in text
    assert "| all posts | AUROC | – | – | – | 400 |" in text
    assert "| posts | labels | average precision |" in text
    assert "| platform: the \\| square | 60 | 0.500 (0.300 to 0.700) |" in text
    assert "| 0.050 | 0.100 | 0.750 |" in text
    assert "- posts in dialect: accuracy .61" in text
    assert "- One model." in text
    assert "`epochs`: 3" in text
    assert all(limit in text for limit in LIMITS)
    assert UNKNOWN in card().readme()
    assert "## Settings" not in card(options={}).readme()


def test_it_says_how_to_use_it_and_where_f1_is_measured():
    text = card(threshold=0.4321, folders=["fold-0", "fold-1"]).readme()
    assert "from a probability of 0.432, where F1 is best" in text
    assert "`folder` is one of `fold-0`, `fold-1` in this one" in text
    block = text.split("```toml\n")[1].split("```")[0]
    assert tomllib.loads(block)["scorer"] == {"deep: “one”": {"kind": "model", "path": "…"}}
    plain = card(name="bayes").readme()
    assert "[scorer.bayes]" in plain
    assert "`folder` is this one" in plain
    assert "F1" not in plain


def test_a_group_may_lack_a_measure():
    one = Measured("AUROC", "auroc", 0.75, float("nan"), float("nan"), 60, "week: 2")
    text = card(measured=[*MEASURED, one]).readme()
    assert "| platform: the \\| square | 60 | 0.500 (0.300 to 0.700) | – |" in text
    assert "| week: 2 | 60 | – | 0.750 |" in text


def test_weak_groups_may_become_known_later():
    weak = ["long posts: accuracy .61", "posts in dialect: accuracy .57"]
    assert with_weak(card().readme(), weak) == card(weak=weak).readme()
    assert with_weak(card(weak=weak).readme(), []) == card().readme()
    assert with_weak("another page", weak) == "another page"
