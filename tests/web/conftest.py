"""A small study, served for real by uvicorn in a thread, and Debian's Chromium to visit it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("playwright")
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, sync_playwright

from comoderate.annotation import create_invitation
from comoderate.study import Study
from comoderate.web.app import create_app

CHROMIUM = Path("/usr/bin/chromium")
TOML = """
[study]
title = "Kindness on the river"
question = "How often are people unkind to each other here?"
seed = 4
format = 1

[posts]
path = "posts.csv"
created_at = "created_at"
views = "views"
attributes = { answers = "answers", shouting = "shouting" }

[codebook]
name = "kindness"

[codebook.question.problem]
text = "Is this post unkind to somebody?"
kind = "ordinal"
answers = ["No", "Somewhat", "Very"]
definitions = { No = "Nobody is attacked.", Somewhat = "It may hurt somebody.", Very = "It is meant to hurt." }
examples = { Somewhat = ["Your cake was dry, as always."] }

[codebook.question.kind]
text = "In which way?"
kind = "multiple"
answers = ["Mockery", "Insult", "Threat"]
when = { problem = ["Somewhat", "Very"] }

[codebook.question.note]
text = "Anything else?"
kind = "text"
required = false
when = { problem = ["Very"] }

[codebook.care]
after = { problem = ["Very"] }
resources = [{ name = "Listening line", url = "https://help.example/", text = "day and night" }]

[[codebook.tutorial]]
text = "Lovely weather for ducks and for nobody else."
answers = { problem = "No" }
explanation = "A grumble about rain attacks nobody."

[[codebook.tutorial]]
text = "Only a numpty would park like that."
answers = { problem = "Somewhat", kind = ["Insult"] }
explanation = "Somebody is called a name."

[codebook.qualification]
pass_mark = 0.5

[[codebook.qualification.post]]
text = "The ferry was late again."
answers = { problem = "No" }

[[codebook.qualification.post]]
text = "What a windbag you are."
answers = { problem = "Very", kind = ["Insult"] }

[codebook.language.ar]
name = "العربية"
[codebook.language.ar.question.problem]
text = "هل هذا المنشور جارح؟"
answers = { No = "لا", Somewhat = "قليلا", Very = "جدا" }

[target.unkind]
question = "problem"
at_least = "Somewhat"

[sample.main]
design = "uniform"
size = 40

[campaign.river]
sample = "main"
overlap = 2
context = ["date", "views", "answers_to"]
answers_to = "answers"
opt_outs = { shouting = "Posts in capital letters" }
break_after = 100
cap = 60

[web]
languages = ["en", "ar"]
contact = "coordinator@example.org"
names = ["Marigold"]

[scorer.bayes]
kind = "naive_bayes"

[evaluate]
folds = 2
replicates = 20
"""
SUBJECTS = ["The ferry", "My kettle", "The bakery", "Our library", "The orchard", "This queue", "The lamp", "A parcel"]
ENDS = ["was late again", "makes me smile", "is closed on Mondays", "smells of rain", "needs a new coat of paint"]


def write_study(folder: Path, *, toml: str = TOML, posts: int = 40) -> Path:
    """A study of mild invented posts; gives its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["post_id,text,created_at,views,answers,shouting"]
    for n in range(posts):
        text = f"{SUBJECTS[n % 8]} {ENDS[n % 5]}, says @neighbour{n} no {n}"
        lines.append(f'p{n:03d},"{text}",2026-03-{1 + n % 28:02d}T10:00:00Z,{n * 7},{"Is it?" if n % 4 == 0 else ""},no')
    (folder / "posts.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "study.toml").write_text(toml.lstrip(), encoding="utf-8")
    return folder


class Served:
    """A study that runs on a port of its own.

    Attributes:
        url: its address.
        app: the application.
        study: the study.
        db: its database.
    """

    def __init__(self, folder: Path, **options) -> None:
        self.study = Study.open(folder)
        self.app = create_app(self.study, **options)
        self.db = self.app.state.web.db
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        config = uvicorn.Config(self.app, port=self.port, log_level="error", proxy_headers=False, ws="none")
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=self.server.run, daemon=True)

    def __enter__(self) -> Served:
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self.server.should_exit = True
        self.thread.join(10)

    def invite(self, role: str = "volunteer", cohort: str | None = None) -> str:
        """The address of an invitation."""
        secret, _ = create_invitation(self.db, role=role, cohort=cohort or f"{role}s", uses=1)
        return f"{self.url}/join/{secret}"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    if not CHROMIUM.exists():
        pytest.skip(f"the browser is not there: {CHROMIUM}")
    with sync_playwright() as playwright:
        options = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        found = playwright.chromium.launch(executable_path=str(CHROMIUM), args=options)
        yield found
        found.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_study(tmp_path / "study")


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


def axe(page: Page) -> None:
    """Nothing that axe knows of WCAG 2.2 AA is broken on the page as it stands."""
    options = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    found = Axe().run(page, options=options)
    assert found.violations_count == 0, f"{page.url}\n{found.generate_report()}"
