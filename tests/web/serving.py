"""A small study of mild posts, served for real by uvicorn in a thread; people and clients for it."""

from __future__ import annotations

import asyncio
import hashlib
import html
import re
import shutil
import socket
import ssl
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import httpx
import uvicorn
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page
from tests.study import little

from comoderate import annotation as store
from comoderate.annotation import Rater, create_invitation
from comoderate.study import Study
from comoderate.web.app import create_app
from comoderate.web.passwords import hashed
from comoderate.web.sessions import Session, SessionCookie

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
facts = { Mood = "shouting" }
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
POSTS = 40
PASSWORD = "five quiet ducks"
KNOWN = hashed(PASSWORD)
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""For clients that speak plain HTTP: reading the machine's certificates takes longer than most tests."""
CONSENT = hashlib.blake2b(b"\x1f", digest_size=5).hexdigest()
"""The version of the texts that the study of the tests leaves to the pages."""

SUBJECTS = ["The ferry", "My kettle", "The bakery", "Our library", "The orchard", "This queue", "The lamp", "A parcel"]
ENDS = ["was late again", "makes me smile", "is closed on Mondays", "smells of rain", "needs a new coat of paint"]


@cache
def _begun() -> Path:
    """The folder of the usual study with its sample drawn and an empty database."""
    study = Study.open(_files(little.kept("served") / "study", TOML, POSTS))
    study.draw("main")
    study.store().close()
    return study.folder


def write_study(folder: Path, *, toml: str = TOML, posts: int = POSTS) -> Path:
    """A study of mild invented posts, with what the usual settings make of the usual posts; gives its folder."""
    if posts == POSTS and not (folder / "study.toml").exists():
        shutil.copytree(_begun(), folder, dirs_exist_ok=True)
    return _files(folder, toml, posts)


def _files(folder: Path, toml: str, posts: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["post_id,text,created_at,views,answers,shouting"]
    for n in range(posts):
        text = f"{SUBJECTS[n % 8]} {ENDS[n % 5]}, says @neighbour{n} no {n}"
        lines.append(
            f'p{n:03d},"{text}",2026-03-{1 + n % 28:02d}T10:00:00Z,{n * 7},{"Is it?" if n % 4 == 0 else ""},no'
        )
    (folder / "posts.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "study.toml").write_text(toml.lstrip(), encoding="utf-8")
    return folder


class Prompt(uvicorn.Server):
    """A server that stops as soon as it is told to: the usual one takes two tenths of a second for it."""

    async def main_loop(self) -> None:
        await self.on_tick(0)
        while not await self.on_tick(1):
            await asyncio.sleep(0.01)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await asyncio.sleep(0)
        while self.server_state.tasks:
            await asyncio.sleep(0.01)
        await self.lifespan.shutdown()


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

    def start(self) -> None:
        """Serve, also once more after ``stop``."""
        config = uvicorn.Config(self.app, port=self.port, log_level="warning", proxy_headers=False, ws="none")
        self.server = Prompt(config)
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        while not self.server.started:
            time.sleep(0.01)

    def stop(self) -> None:
        """Answer nothing any more."""
        self.server.should_exit = True
        self.thread.join(10)

    def __enter__(self) -> Served:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def consent(self) -> str:
        """The version of what one agrees to, where the study leaves its texts to the pages."""
        return CONSENT

    def invite(self, role: str = "volunteer", cohort: str | None = None) -> str:
        """The address of an invitation."""
        secret, _ = create_invitation(self.db, role=role, cohort=cohort or f"{role}s", uses=1)
        return f"{self.url}/join/{secret}"

    def person(self, name: str, *, role: str = "volunteer", ready: bool = True) -> Rater:
        """A person; ``ready``: who agreed, finished the tutorial and passed the test."""
        found = store.add_rater(self.db, role=role, cohort=f"{role}s", login=name, password_hash=KNOWN)
        if ready:
            label = self.study.settings.codebook.label
            store.record_consent(self.db, found.rater_id, version=CONSENT)
            store.record_tutorial(self.db, found.rater_id, codebook=label)
            store.record_qualification(self.db, found.rater_id, codebook=label, score=1.0, passed=True)
        return found

    def cookie(self, person: Rater, **more) -> tuple[str, str]:
        """The cookie of a session of ``person``: name and value."""
        key = self.app.state.web.key
        signer = SessionCookie(self.app, key=key, max_age=3600, secure=False)
        session = Session(secret=store.open_session(self.db, person.rater_id), language="en", **more)
        name, _, value = signer.cookie(session).partition(";")[0].partition("=")
        return name, value

    def client(self, person: Rater | None = None) -> Client:
        """A client without a browser, signed in as ``person``."""
        return Client(self.url, {} if person is None else dict([self.cookie(person)]))

    def visit(self, page: Page, person: Rater, path: str = "/label/river", **more) -> Page:
        """Open a page in the browser as ``person``."""
        name, value = self.cookie(person, **more)
        page.context.add_cookies([{"name": name, "value": value, "url": self.url}])
        page.goto(self.url + path)
        return page

    def answers(self, person: Rater | None = None):
        """The live annotations, of one person or all."""
        with self.study.store() as opened:
            frame = opened.snapshot()
        return frame if person is None else frame[frame["rater_id"] == person.rater_id]


class Client(httpx.Client):
    """An HTTP client that takes the token against forgery from the last page, as a browser's form does."""

    def __init__(self, url: str, cookies: dict[str, str]) -> None:
        super().__init__(base_url=url, cookies=cookies, follow_redirects=True, timeout=30, verify=NO_TLS)

    def fields(self, page: httpx.Response, action: str = "") -> dict[str, str]:
        """The hidden fields of the first form on ``page`` that sends to ``action``."""
        named = f'<form[^>]*action="{re.escape(action)}"[^>]*>.*?</form>' if action else "<form.*?</form>"
        form = re.search(named, page.text, re.S)
        assert form, f"no form {action!r} on {page.url}"
        pairs = re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', form[0])
        return {name: html.unescape(value) for name, value in pairs}

    def fill(self, page: httpx.Response, action: str, **more) -> httpx.Response:
        """Fill in and send a form of ``page``."""
        return self.post(action, data={**self.fields(page, action), **more})


def run_apart(function: Callable[..., Any], *args: Any) -> Any:
    """The value of a coroutine, run in a thread of its own: the browser's loop may be running in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(anyio.run, function, *args).result()


def axe(page: Page) -> None:
    """Nothing that axe knows of WCAG 2.2 AA is broken on the page as it stands."""
    options = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    found = Axe().run(page, options=options)
    assert found.violations_count == 0, f"{page.url}\n{found.generate_report()}"
