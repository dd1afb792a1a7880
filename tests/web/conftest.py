"""What the tests of the web share: a served study, Debian's Chromium, a page that must not complain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, sync_playwright
from tests.study import little
from tests.web.serving import CHROMIUM, Served, write_study

from comoderate.study import Study
from comoderate.web.app import create_app


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip(f"the browser is not there: {CHROMIUM}")
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        found = playwright.chromium.launch(executable_path=str(CHROMIUM), args=options)
        yield found
        found.close()


@pytest.fixture(scope="session")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The study with its sample drawn and its database made, once for all tests."""
    folder = write_study(tmp_path_factory.mktemp("drawn") / "study")
    create_app(Study.open(folder)).state.web.db.close()
    return folder


@pytest.fixture
def folder(drawn: Path, tmp_path: Path) -> Path:
    return little.copy(drawn, tmp_path / "study")


@pytest.fixture
def served(folder: Path) -> Iterator[Served]:
    with Served(folder) as running:
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1100, "height": 800})
    context.set_default_timeout(15_000)
    opened = context.new_page()
    problems: list[str] = []
    opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    opened.on("pageerror", lambda error: problems.append(str(error)))
    yield opened
    context.close()
    # a refused answer or a cut network is what some tests are about; a broken script or policy is not
    broken = [p for p in problems if "Failed to load resource" not in p and "ERR_" not in p]
    assert not broken, broken
