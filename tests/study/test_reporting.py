"""The report: one page that needs no network and hides abusive text."""

import re

import pytest

from comoderate.study import Study
from comoderate.study.reporting import SHOWN, content


@pytest.fixture(scope="module")
def page(ran):
    return (ran / "report" / "index.html").read_text()


@pytest.fixture(scope="module")
def found(ran):
    return content(Study.open(ran))


def test_the_page_is_self_contained(page):
    loaded = re.findall(r"""<(?:script|link|img|iframe|source)[^>]*(?:src|href)=["']([^"']*)""", page)
    assert all(address.startswith(("data:", "#")) for address in loaded)
    assert "@import" not in page
    assert not re.search(r"url\((?!['\"]?(?:data:|#))", page)


def test_the_page_warns_and_hides_texts(page, ran):
    assert "A little study" in page
    assert "How much abuse is there?" in page
    texts = Study.open(ran).posts().frame(["post_id", "text"]).set_index("post_id")["text"]
    shown = Study.open(ran).queue()["post_id"].head(SHOWN)
    outside = re.sub(r"<details(?![^>]*\bopen\b).*?</details>", "", page, flags=re.DOTALL)
    assert sum(texts[post][:30] in page for post in shown) >= SHOWN - 3
    assert not any(texts[post][:30] in outside for post in shown)
    assert re.search("content warning|abusive language|offensive", page, re.IGNORECASE)


def test_the_page_says_how_posts_were_drawn_and_what_is_estimated(page):
    assert "Up to 40 more of those that the scorer" in page
    assert "120 posts of the sample “main”" in page
    assert "daily totals" in page


def test_what_the_report_is_made_from(found, ran):
    study = Study.open(ran)
    assert found.title == "A little study"
    assert found.totals["N"].tolist() == [60] * 10
    assert found.totals["in_hand"].tolist() == [40] * 10
    assert found.totals["drawn"].sum() == len(study.sample("main"))
    assert set(found.design["sample"]) == {"main", "experts"}
    assert found.truths is None
    assert set(found.agreement["domain"]) == {"all"}
    assert any("have no rating" in text for text in found.warnings)


def test_texts_are_shown_without_handles(found):
    assert len(found.queue) == SHOWN
    assert found.queue["text"].str.len().gt(10).all()
    assert not found.queue["text"].str.contains("@someone").any()


@pytest.mark.slow
def test_days_out_of_reach_are_in_the_totals(changing, little):
    with (changing / "totals.csv").open("a") as file:
        file.write("2026-03-12,9\n")
    study = Study.open(changing)
    study.report()
    days = content(study).totals.set_index("day")
    assert days.loc["2026-03-12", ["N", "in_hand", "drawn"]].tolist() == [9, 0, 0]
    assert "none in hand" in (changing / "report" / "index.html").read_text()
