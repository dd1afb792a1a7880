"""The page as a browser and a reader get it: well-formed, closed to the outside, hostile text harmless."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comoderate.plots import PrevalenceDisplay
from comoderate.report import ReportContent, ReportSection, render
from comoderate.report.page import prose, verbatim

VOID = {"meta", "br", "hr", "img", "input", "link"}
PAYLOAD = """</style></svg></title>--><script>alert(1)</script><img src=x onerror=alert(1)>"'&#60;{{7*7}}\x00\ud800"""


class Page(HTMLParser):
    """Collects tags and text, and checks that tags are closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.details: list[tuple[str, str]] = []
        self.feed(html)
        assert not self.open, f"never closed: {self.open}"

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs), f"an attribute twice in {tag}"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"{tag} closed out of order"

    def handle_data(self, data):
        if not {"style", "title", "desc"} & set(self.open):
            self.text.append(data)
        if "blockquote" in self.open:
            assert "details" in self.open, "a post's text outside of its box"

    def named(self, tag):
        return [attributes for name, attributes in self.tags if name == tag]

    @property
    def prose(self) -> str:
        return re.sub(r"\s+", " ", "".join(self.text))


@pytest.fixture(scope="module")
def parsed(page):
    return Page(page)


def test_the_frame_of_the_page(page, parsed):
    assert page.startswith("<!doctype html>")
    assert parsed.named("html") == [{"lang": "en"}]
    policy = next(m["content"] for m in parsed.named("meta") if m.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'")
    assert len(parsed.named("h1")) == 1
    assert parsed.named("a")[0] == {"class": "skip", "href": "#main"}


def test_nothing_is_fetched_or_run(page, parsed):
    assert not parsed.named("script") + parsed.named("link") + parsed.named("img") + parsed.named("iframe")
    attributes = [pair for _, attributes in parsed.tags for pair in attributes.items()]
    assert all(v.startswith("#") for k, v in attributes if k in ("href", "src", "xlink:href"))
    assert not [k for k, _ in attributes if k.startswith("on")]
    addresses = set(re.findall(r"https?://[^\s\"<]+", page))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"url\((?!#)|@import|@font-face", page)


def test_ids_are_unique_and_links_lead_somewhere(parsed):
    ids = [a["id"] for _, a in parsed.tags if "id" in a]
    assert len(ids) == len(set(ids))
    wanted = [a["href"][1:] for a in parsed.named("a")]
    wanted += [
        i for _, a in parsed.tags for key in ("aria-labelledby", "aria-describedby") for i in a.get(key, "").split()
    ]
    assert set(wanted) <= set(ids)


def test_sections_stand_in_order(parsed):
    contents = [a["href"] for a in parsed.named("a") if a.get("href", "").count("#")][1:12]
    names = "in-short asked drawn how-much agree scorers review queue caveats cite glossary"
    assert contents == [f"#{name}" for name in names.split()]


def test_the_main_numbers_are_said(parsed):
    for text in (
        "An estimated 7.1 % (6.6 to 7.6) of posts are “abusive” by the labels of volunteers.",
        "On “Abusive?”, volunteers show fair agreement: Fleiss' κ 0.31 (0.28 to 0.34)",
        "experts show systemic disagreement: Fleiss' κ −0.07 (−0.12 to −0.02)",
        "“tfidf_logistic” ranks posts best for “abusive”: average precision 0.68 (0.64 to 0.72)",
        "If moderators read the 5 % of posts that the uncertainty strategy puts first",
        "undefined (no labels in this group)",
        "Sample “main”: 4,530 posts were drawn and 4,100 of them labelled; its numbers are about posts that survive",
        "No text left this machine.",
        "few labels",
    ):
        assert text in parsed.prose


def test_truth_and_full_data_stand_beside_the_estimates(make):
    known = pd.DataFrame({"target": ["abusive"], "domain": ["target_group"], "group": ["women"], "value": [0.0951]})
    text = Page(render(make(comparisons=known))).prose
    assert re.search(r"Truth.{0,300}7\.0 %", text)
    assert re.search(r"In the full data.*9\.5 %", text)
    assert "not known" in text


def test_figures_are_described(parsed):
    figures = parsed.named("svg")
    assert len(figures) >= 10
    assert all(f["role"] == "img" and f["aria-labelledby"] and f["aria-describedby"] for f in figures)


def test_tables_have_captions_headings_and_labels_for_phones(parsed):
    tables = parsed.named("table")
    assert len(parsed.named("caption")) == len(tables) > 8
    assert all(cell.get("data-label") for cell in parsed.named("td"))
    boxes = [a for a in parsed.named("div") if a.get("class") in ("cards", "scroll")]
    assert len(boxes) == len(tables)
    assert all(box["tabindex"] == "0" and box["role"] == "group" and box["aria-label"] for box in boxes)


def test_posts_are_hidden_each_in_a_box_of_its_own(page, parsed):
    boxes = [a for a in parsed.named("details") if a.get("class") == "post"]
    assert len(boxes) == len(parsed.named("blockquote")) == 20
    assert all("open" not in box for box in boxes)
    assert "details.post { display: none; }" in page[page.index("@media print") :]
    assert "Content warning." in parsed.prose


def test_an_audit_post_shows_no_score(parsed):
    found = re.search(r"p100222(.*?)p100259", parsed.prose).group(1)
    assert "audit post" in found
    assert "Probability" not in found


def test_the_same_content_gives_the_same_page(make, page):
    assert render(make()) == page


def hostile(make) -> ReportContent:
    """The study with a script in every text."""
    changed = {}
    for name in ("design", "totals", "prevalence", "agreement", "evaluation", "curves", "review", "queue"):
        frame = getattr(make(), name).copy()
        for column in frame.columns:
            if frame[column].dtype == object and column not in ("metric", "kind", "source", "day"):
                keep = column in ("domain", "scorer", "strategy", "group")
                frame[column] = [
                    f"{v} {PAYLOAD}" if keep and v != "all" else v if keep else PAYLOAD for v in frame[column]
                ]
        changed[name] = frame
    note = {
        "name": PAYLOAD,
        "description": PAYLOAD,
        "drawn": 1,
        "labelled": 1,
        "estimand": PAYLOAD,
        "warnings": [PAYLOAD],
    }
    words = dict.fromkeys(("title", "question", "description", "generated", "version", "language"), PAYLOAD)
    table = pd.DataFrame({PAYLOAD: [PAYLOAD]})
    figure = PrevalenceDisplay([PAYLOAD], [0.1], [0.0], [0.2], title=PAYLOAD, unit=PAYLOAD)
    extra = ReportSection(title=PAYLOAD, sentences=[PAYLOAD], tables=[(PAYLOAD, table)], figures=[figure])
    return make(
        **changed, **words, targets=[{"name": PAYLOAD, "sentence": PAYLOAD}], samples=[note], sendings=[PAYLOAD],
        warnings=[PAYLOAD], examples=pd.DataFrame({"post_id": [PAYLOAD], "text": [PAYLOAD], "label": [PAYLOAD]}),
        extras=[extra],
    )  # fmt: skip


def test_scripts_in_every_text_stay_text(make, parsed):
    html = render(hostile(make))
    found = Page(html)
    assert not found.named("script") + found.named("img")
    assert {tag for tag, _ in found.tags} <= {tag for tag, _ in parsed.tags} | {"h2", "blockquote"}
    assert not [k for _, a in found.tags for k in a if k.startswith("on")]
    assert "49" not in re.findall(r"\{\{.*?\}\}|49\x00", html)
    assert "{{7*7}}" in html
    assert "\x00" not in html
    html.encode("utf-8")
    ids = [a["id"] for _, a in found.tags if "id" in a]
    assert len(ids) == len(set(ids))
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+", i) for i in ids)


@settings(max_examples=25)
@given(st.text(max_size=60).filter(str.strip))
def test_any_text_of_a_post_comes_back_as_it_was(text):
    queue = pd.DataFrame(
        {"rank": [1], "post_id": ["p1"], "text": [text], "proba": [0.5], "review_score": [0.25], "reason": ["x"],
         "pi": [np.nan], "source": ["queue"]}
    )  # fmt: skip
    html = render(ReportContent(title="t", generated="g", version="v", queue=queue))
    Page(html)
    shown = re.search(r"<blockquote[^>]*>(.*?)</blockquote>", html, flags=re.S).group(1)
    assert shown == verbatim(text)


def test_a_study_without_results_says_so():
    text = Page(render(ReportContent(title="Bare", generated="2026", version="0"))).prose
    for sentence in ("Nothing has been measured yet", "No sample has been drawn yet", "There is no queue yet"):
        assert sentence in text


def test_services_that_received_text_are_named(make):
    text = Page(render(make(sendings=["perspective.example", "other.example"]))).prose
    assert "The text of posts was sent to perspective.example and other.example." in text
    assert "No text left" not in text


def test_posts_without_text_are_shown_without(make):
    queue = make().queue.assign(text=None)
    found = Page(render(make(queue=queue)))
    assert not found.named("blockquote")
    assert "The text is not in the study." in found.prose


def test_further_sections_stand_before_the_caveats(make):
    frame = pd.DataFrame({"rater": ["r1"], "value": [0.5], "low": [0.4], "high": [0.6], "n": [12.0], "gold": [True]})
    extra = ReportSection(title="Raters", sentences=["How raters did."], tables=[("Raters one by one", frame)])
    found = Page(render(make(extras=[extra])))
    anchors = [a["href"] for a in found.named("a")]
    assert anchors.index("#extra-raters") == anchors.index("#caveats") - 1
    assert re.search(r"r1 0\.50 \(0\.40 to 0\.60\) 12 yes", found.prose)


def test_numbers_stay_on_one_line():
    html = prose("An estimated 7.1 % (6.6 to 7.6) of <b> posts, κ −0.07 (−0.12 to −0.02), 5 %.")
    assert html.count('class="n"') == 3
    assert '<span class="n">7.1 % (6.6 to 7.6)</span>' in html
    assert "&lt;b&gt;" in html


def test_marks_that_turn_text_round_do_not_leave_a_name():
    html = render(ReportContent(title="abc\u202exyz", generated="g", version="v"))
    assert "\u202e" not in html
    assert "\u202e" in verbatim("abc\u202exyz")
