"""A service that fails, stalls, limits and talks nonsense: nothing is lost, nothing is paid for twice."""

import logging
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from comoderate.errors import CannotScoreError, ComoderateError
from comoderate.models.services import CANARIES, Service, ServiceScorer

TEXTS = [f"text number {number}" for number in range(60)]


def service(server, **keys):
    quick = {"timeout": 0.5, "longest_wait": 0.02, "batch_size": 8}
    return Service(**{"url": server.url, "request": {"texts": "{texts}"}, "answer": ("scores[*]",), **quick, **keys})


def scored(server, folder, texts=TEXTS, **keys):
    """Score texts; the answers and the counts."""
    with ServiceScorer(service(server, **keys), folder) as scorer:
        return scorer.predict(texts), scorer.counts


def truth(service_server, texts=TEXTS, version=1):
    return [service_server.score(text, version) for text in texts]


def paid_once(server, texts=TEXTS):
    return dict(server.charged) == dict.fromkeys(texts, 1)


def test_all_is_well(server, service_server, tmp_path):
    found, counts = scored(server, tmp_path, [*TEXTS, TEXTS[3], TEXTS[3]])
    assert found.proba.tolist() == truth(service_server, [*TEXTS, TEXTS[3], TEXTS[3]])
    assert found.error.tolist() == [None] * 62
    assert (counts.texts, counts.cached, counts.sent, counts.errors) == (62, 0, 60, 0)
    assert sorted(map(len, server.seen)) == [4, 8, 8, 8, 8, 8, 8, 8]
    again, counts = scored(server, tmp_path)
    assert again.proba.tolist() == found.proba.tolist()[:60]
    assert (counts.cached, counts.sent) == (60, 0)
    assert paid_once(server)


def test_no_texts(server, tmp_path):
    found, _ = scored(server, tmp_path, [])
    assert found.proba.shape == found.error.shape == (0,)
    assert not server.seen


@pytest.mark.parametrize(
    "what", ["error", "busy", "silent", "deaf", "trickle", "html", "short", "banana", "nan", "large", "drop"]
)
@pytest.mark.parametrize("concurrency", [1, 4])
def test_every_third_request_goes_wrong(server, service_server, tmp_path, what, concurrency):
    texts = TEXTS[:40]
    server.behave = lambda n, _: what if n % 3 == 0 else "ok"
    found, counts = scored(server, tmp_path, texts, concurrency=concurrency, timeout=0.3)
    assert found.proba.tolist() == truth(service_server, texts)
    assert counts.errors == 0
    assert paid_once(server, texts)


def test_all_sorts_of_failures_at_random(server, service_server, tmp_path):
    chance = random.Random(4)
    kinds = ["error", "busy", "silent", "html", "short", "banana", "drop", "ok", "ok", "ok"]
    server.behave = lambda n, texts: chance.choice(kinds)
    found, _ = scored(server, tmp_path, concurrency=3, timeout=0.3, retries=20)
    assert found.proba.tolist() == truth(service_server)
    assert paid_once(server)


def test_a_text_that_is_rejected_costs_no_other_its_score(server, service_server, tmp_path):
    bad = TEXTS[13]
    server.behave = lambda n, texts: "reject" if bad in texts else "ok"
    found, counts = scored(server, tmp_path)
    assert [text for text, problem in zip(TEXTS, found.error, strict=True) if problem] == [bad]
    assert found.error[13] == "status 400"
    assert np.isnan(found.proba[13])
    assert counts.errors == 1
    assert paid_once(server, [text for text in TEXTS if text != bad])
    requests = len(server.seen)
    again, _ = scored(server, tmp_path)
    assert again.error.tolist() == found.error.tolist()  # rejected for good
    assert len(server.seen) == requests


def test_a_text_that_fails_today_is_asked_for_again_tomorrow(server, service_server, tmp_path):
    server.behave = lambda n, texts: "error" if TEXTS[13] in texts else "ok"
    found, _ = scored(server, tmp_path, retries=1)
    assert found.error.tolist() == [None] * 13 + ["status 500"] + [None] * 46
    server.behave = lambda n, texts: "ok"
    found, counts = scored(server, tmp_path)
    assert found.proba.tolist() == truth(service_server)
    assert counts.sent == 1
    assert paid_once(server)


def test_nonsense_about_one_text_spoils_only_that_one(server, tmp_path):
    server.behave = lambda n, texts: "banana" if texts[0] == TEXTS[0] else "ok"
    found, _ = scored(server, tmp_path, retries=2)
    assert found.error.tolist() == ["the answer is not a number"] + [None] * 59
    assert server.charged[TEXTS[0]] == 0


def test_the_service_sets_the_pause(server, service_server, tmp_path):
    server.retry_after = "0.4"
    server.behave = lambda n, texts: "busy" if n == 0 else "ok"
    began = time.monotonic()
    found, _ = scored(server, tmp_path, concurrency=4)
    assert time.monotonic() - began > 0.4
    assert found.proba.tolist() == truth(service_server)


def test_the_rate_is_kept(server, tmp_path):
    began = time.monotonic()
    scored(server, tmp_path, concurrency=4, requests_per_second=20.0)
    assert time.monotonic() - began > 7 / 20
    assert len(server.seen) == 8


def test_a_service_out_of_order_stops_the_run_and_the_next_goes_on(server, service_server, tmp_path):
    server.behave = lambda n, texts: "ok" if n < 3 else "error"
    with pytest.raises(CannotScoreError, match=r"out of order \(status 500\)\. Try again later; what was answered is"):
        scored(server, tmp_path, concurrency=1, retries=1, patience=3)
    assert sum(server.charged.values()) == 24
    server.behave = lambda n, texts: "ok"
    found, counts = scored(server, tmp_path)
    assert found.proba.tolist() == truth(service_server)
    assert counts.sent == 36
    assert paid_once(server)


@pytest.mark.parametrize(("what", "status"), [("forbid", 401), ("broke", 402), ("move", 302)])
def test_a_refusal_stops_at_once(server, tmp_path, what, status):
    server.behave = lambda n, texts: what
    with pytest.raises(CannotScoreError, match=rf"refuses the request \(status {status}\)"):
        scored(server, tmp_path, concurrency=1)
    assert len(server.seen) == 1


def test_nobody_there(tmp_path, service_server):
    gone = service_server.Server()
    gone._http.server_close()
    with pytest.raises(CannotScoreError, match=r"out of order \(no connection\)"):
        scored(gone, tmp_path, retries=1, patience=2)


@pytest.mark.parametrize("url", ["ftp://localhost/x", "localhost/x"])
def test_no_address(server, tmp_path, url):
    with pytest.raises(CannotScoreError, match="does not begin with http"):
        scored(server, tmp_path, url=url)


def test_the_budget_is_never_overdrawn(server, service_server, tmp_path):
    server.remembers = False
    priced = {"price": 0.01, "price_per_request": 0.02}
    with pytest.raises(CannotScoreError, match=r"the budget of 0.32 .* raise budget|Raise budget"):
        scored(server, tmp_path, budget=0.32, **priced)
    charged, requests = sum(server.charged.values()), len(server.seen)
    assert charged == 24  # three requests of eight texts: .30; a fourth would make it .40
    assert charged * 0.01 + requests * 0.02 <= 0.32
    with pytest.raises(CannotScoreError, match="budget"):
        scored(server, tmp_path, budget=0.32, **priced)
    assert sum(server.charged.values()) == charged
    found, counts = scored(server, tmp_path, budget=1.0, **priced)
    assert found.proba.tolist() == truth(service_server)
    assert counts.spent == pytest.approx(60 * 0.01 + 8 * 0.02)
    assert paid_once(server)


def test_what_may_have_been_charged_counts_against_the_budget(server, tmp_path):
    server.behave = lambda n, texts: "silent"
    with pytest.raises(CannotScoreError, match="budget"):
        scored(server, tmp_path, budget=0.1, price=0.01, timeout=0.1)
    assert len(server.seen) == 1


def test_secrets_reach_the_service_and_nothing_else(server, tmp_path, caplog):
    caplog.set_level(logging.DEBUG)
    server.behave = lambda n, texts: "error" if n < 2 else "forbid"
    keys = {"headers": {"X-Key": "Bearer ${THEIR_KEY}"}, "url": server.url + "?key=${THEIR_KEY}"}
    scorer = ServiceScorer(service(server, **keys), tmp_path, environment={"THEIR_KEY": "hush-hush"})
    with scorer, pytest.raises(CannotScoreError) as error:
        scorer.predict(TEXTS)
    assert server.headers["X-Key"] == "Bearer hush-hush"
    written = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"hush" not in written + str(error.value).encode() + caplog.text.encode() + repr(scorer.service).encode()


def test_a_missing_secret_is_named_before_anything_is_sent(server, tmp_path):
    with pytest.raises(ComoderateError, match="environment variable NOT_SET_ANYWHERE is not set"):
        scored(server, tmp_path, headers={"X-Key": "${NOT_SET_ANYWHERE}"})
    assert not server.seen


def test_an_answer_that_repeats_the_text_is_stored_without_it(server, tmp_path):
    with ServiceScorer(service(server), tmp_path) as scorer:
        scorer.predict(TEXTS)
    files = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"text number" not in files


def test_one_text_a_request_and_another_reading_of_the_same_answers(server, service_server, tmp_path):
    one = {"request": {"texts": ["{text}"]}, "answer": ("scores[0]",), "batch_size": 1}
    found, _ = scored(server, tmp_path, **one)
    assert found.proba.tolist() == truth(service_server)
    other, counts = scored(server, tmp_path, **one, scale=2.0)
    assert counts.sent == 0
    assert other.proba.tolist() == [value / 2 for value in found.proba]


# Versions


def version(server, folder, *, rescore=True, **keys):
    with ServiceScorer(service(server, **keys), folder) as scorer:
        return scorer.version(rescore=rescore)


def test_the_same_service_keeps_its_version(server, tmp_path):
    first = version(server, tmp_path)
    assert first == version(server, tmp_path) == version(server, tmp_path, rescore=False)
    assert server.charged == dict.fromkeys(CANARIES, 2)  # canaries are rescored each time
    assert first != version(server, tmp_path, scale=2.0)


def test_a_service_that_changed_is_a_new_version_and_scores_anew(server, service_server, tmp_path):
    first = version(server, tmp_path)
    scored(server, tmp_path)
    server.version = 2
    assert version(server, tmp_path, rescore=False) == first
    second = version(server, tmp_path)
    assert second != first
    found, counts = scored(server, tmp_path)
    assert counts.sent == 60
    assert found.proba.tolist() == truth(service_server, version=2)
    assert version(server, tmp_path) == second


def test_a_small_move_within_the_tolerance_is_none(server, tmp_path):
    first = version(server, tmp_path, canary_tolerance=1.0)
    server.version = 2
    assert version(server, tmp_path, canary_tolerance=1.0) == first


def test_without_canaries_the_settings_are_the_version(server, tmp_path):
    assert version(server, tmp_path, canaries=()) == version(server, tmp_path, canaries=())
    assert not server.seen


def test_canaries_that_cannot_be_scored(server, tmp_path):
    server.behave = lambda n, texts: "reject"
    with pytest.raises(CannotScoreError, match="no answer for a canary"):
        version(server, tmp_path)


# Ended early

SCORE = """
import sys
from pathlib import Path
from comoderate.models.services import Service, ServiceScorer
url, folder = sys.argv[1:]
service = Service(
    url=url, request={"texts": "{texts}"}, answer=("scores[*]",), batch_size=4, concurrency=3, timeout=5.0,
    longest_wait=0.02,
)
with ServiceScorer(service, Path(folder)) as scorer:
    print(scorer.predict([f"text number {number}" for number in range(300)]).proba.tolist())
"""


def start(server, folder: Path) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", SCORE, server.url, str(folder)], stdout=subprocess.PIPE, text=True)


def wait_for_requests(server, n: int) -> None:
    until = time.monotonic() + 60
    while len(server.seen) < n and time.monotonic() < until:
        time.sleep(0.002)


@pytest.mark.slow
def test_killed_at_random_five_times(server, service_server, tmp_path):
    """The same result as without, and no text charged for twice by a service that knows request keys."""
    texts = [f"text number {number}" for number in range(300)]
    chance = random.Random(9)
    server.behave = lambda n, _: (time.sleep(0.01), chance.choice(["ok", "ok", "ok", "error", "busy", "banana"]))[1]
    for _ in range(5):
        process = start(server, tmp_path)
        wait_for_requests(server, len(server.seen) + chance.randint(2, 14))
        time.sleep(chance.uniform(0, 0.02))
        process.kill()
        process.communicate()
    out, _ = start(server, tmp_path).communicate()
    assert out.strip() == str(truth(service_server, texts))
    assert paid_once(server, texts)


@pytest.mark.slow
def test_a_service_without_request_keys_charges_twice_at_most_for_what_was_under_way(server, tmp_path):
    server.remembers = False
    server.behave = lambda n, _: (time.sleep(0.01), "ok")[1]
    for kills in range(3):
        process = start(server, tmp_path)
        wait_for_requests(server, 10 * (kills + 1))
        process.kill()
        process.communicate()
    start(server, tmp_path).communicate()
    assert len(server.charged) == 300
    assert sum(server.charged.values()) - 300 <= 3 * 3 * 4  # kills, requests at once, texts in each


@pytest.fixture
def _heeding_ctrl_c():
    """Processes that run tests for another one may ignore the signal."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_heeding_ctrl_c")
def test_ctrl_c_keeps_what_is_under_way(server, service_server, tmp_path):
    """The answers that arrive after the key was pressed are stored too."""
    server.behave = lambda n, _: (signal.raise_signal(signal.SIGINT) if n == 6 else None, time.sleep(0.05), "ok")[-1]
    server.remembers = False
    with pytest.raises(KeyboardInterrupt):
        scored(server, tmp_path, batch_size=2, concurrency=3)
    before = sum(server.charged.values())
    assert 0 < before < 60
    found, counts = scored(server, tmp_path)
    assert counts.sent == 60 - before
    assert found.proba.tolist() == truth(service_server)
    assert paid_once(server)


def test_the_cache_is_readable_by_others(server, tmp_path):
    scored(server, tmp_path)
    (file,) = tmp_path.glob("*.db")
    with sqlite3.connect(file) as db:
        assert db.execute("SELECT COUNT(*) FROM answer").fetchone() == (60,)
    db.close()
