"""The report on paper: nothing wider than the page, no table cut within a row, no link to nowhere."""

import re

import pandas as pd
import pytest

from comoderate.report import render
from comoderate.report.content import ReportSection

PRINTED = 688  # CSS pixels of an A4 page between the margins
WIDER = """wide => [...document.querySelectorAll('table, svg, p, li, dl')]
  .filter(e => e.getBoundingClientRect().height > 0 && e.getBoundingClientRect().right > wide + 1)
  .filter(e => !e.closest('.wide')).map(e => e.textContent.slice(0, 60))"""


def test_what_holds_on_paper(make):
    page = render(make())
    paper = page[page.index("@media print") : page.index("</style>")]
    assert re.search(r"tbody tr[^}]*{ break-inside: avoid; }", paper)
    assert re.search(r"h2, h3, caption[^}]*{ break-after: avoid; }", paper)
    assert "@media screen and (max-width" in page  # rows become cards on a phone, never on paper
    anchors = set(re.findall(r'href="#([^"]+)"', page))
    assert anchors <= set(re.findall(r'id="([^"]+)"', page))


def test_a_table_of_many_columns_gets_a_page_on_its_side(make):
    many = pd.DataFrame([dict.fromkeys((f"column {n}" for n in range(12)), 1)])
    extra = ReportSection(title="Much", tables=[("Many columns", many), ("Few columns", many.iloc[:, :3])])
    page = render(make(extras=[extra]))
    assert re.search(r'class="cards wide"[^>]*aria-label="Many columns"', page)
    assert re.search(r'class="cards"[^>]*aria-label="Few columns"', page)


@pytest.mark.slow
def test_nothing_is_wider_than_the_paper(make, tmp_path):
    from playwright.sync_api import sync_playwright
    from tests.web.serving import CHROMIUM

    if not CHROMIUM.exists():
        pytest.skip(f"the browser is not there: {CHROMIUM}")
    (tmp_path / "report.html").write_text(render(make()), encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": PRINTED, "height": 1000})
        page.emulate_media(media="print")
        page.goto(f"file://{tmp_path}/report.html")
        assert page.evaluate(WIDER, PRINTED) == []
        browser.close()
