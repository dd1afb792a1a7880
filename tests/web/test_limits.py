"""How often something may be tried."""

from hypothesis import given
from hypothesis import strategies as st

from comoderate.web.limits import REMEMBERED, Limiter


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_tries_come_back_with_time():
    clock = Clock()
    limiter = Limiter(burst=3, per_minute=60, clock=clock)
    assert [limiter.allows("a") for _ in range(5)] == [True, True, True, False, False]
    assert limiter.allows("b")
    clock.now = 1.0
    assert [limiter.allows("a") for _ in range(2)] == [True, False]
    clock.now = 1_000.0
    assert [limiter.allows("a") for _ in range(4)] == [True, True, True, False]


def test_a_cheap_try_costs_less():
    limiter = Limiter(burst=2, per_minute=0, clock=Clock())
    assert sum(limiter.allows("a", cost=0.1) for _ in range(30)) in {19, 20}


@given(st.lists(st.floats(0, 5), max_size=40), st.integers(1, 5), st.floats(0, 120))
def test_no_window_holds_more_than_burst_and_rate(waits, burst, rate):
    clock = Clock()
    limiter = Limiter(burst=burst, per_minute=rate, clock=clock)
    allowed = []
    for wait in waits:
        clock.now += wait
        if limiter.allows("a"):
            allowed.append(clock.now)
    for i, begin in enumerate(allowed):
        for n, end in enumerate(allowed[i:], start=1):
            assert n <= burst + (end - begin) * rate / 60 + 1e-6


def test_memory_is_bounded():
    limiter = Limiter(burst=1, per_minute=1, clock=Clock())
    for n in range(REMEMBERED + 10):
        limiter.allows(str(n))
    assert len(limiter._left) == REMEMBERED
