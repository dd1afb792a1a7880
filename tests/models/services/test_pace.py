"""Rate, pauses and waits, with a clock of our own."""

import random
from datetime import UTC, datetime, timedelta

import pytest

from comoderate.models.services.pace import MOST_ASKED, Pace, backoff, retry_after


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_a_steady_rate():
    clock = Clock()
    pace = Pace(4.0, clock=clock, sleep=clock.sleep)
    times = []
    for _ in range(5):
        pace.wait()
        times.append(clock.now)
    assert times == [100.0, 100.25, 100.5, 100.75, 101.0]
    clock.now = 200.0  # time that nobody used is not made up for
    pace.wait()
    pace.wait()
    assert clock.now == 200.25


def test_no_limit():
    clock = Clock()
    pace = Pace(None, clock=clock, sleep=clock.sleep)
    for _ in range(100):
        pace.wait()
    assert clock.now == 100.0
    pace.pause(7.0)
    pace.wait()
    assert clock.now == 107.0


def test_a_wait_ends_where_the_work_does():
    clock = Clock()
    pace = Pace(0.001, clock=clock, sleep=lambda seconds: True)
    pace.wait()
    pace.wait()
    assert clock.now == 100.0


def test_waits_double_and_differ():
    chance = random.Random(1)
    for attempt in range(12):
        found = [backoff(attempt, longest=60.0, chance=chance) for _ in range(200)]
        bound = min(60.0, 0.5 * 2**attempt)
        assert 0 <= min(found) < 0.1 * bound
        assert 0.9 * bound < max(found) <= bound
    assert backoff(10_000, longest=60.0, chance=chance) <= 60.0


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("", None),
        ("3", 3.0),
        ("0.5", 0.5),
        ("-3", 0.0),
        ("soon", None),
        ("nan", None),
        ("1e9", MOST_ASKED),
    ],
)
def test_retry_after(header, seconds):
    assert retry_after(header) == seconds


def test_retry_after_a_date():
    later = datetime.now(UTC) + timedelta(seconds=90)
    found = retry_after(later.strftime("%a, %d %b %Y %H:%M:%S GMT"))
    assert found is not None
    assert 80 < found < 91
