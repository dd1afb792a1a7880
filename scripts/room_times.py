"""A pytest plugin: how long the tests of each room took, and which are over a limit.

Being over it is said, not an error: how long tests take depends on the machine and on what else it does, and a run
that was right must not fail for that.

PYTHONPATH=scripts pytest -p room_times --room-seconds 180
"""

from __future__ import annotations

from collections import defaultdict

import pytest


class RoomTimes:
    """Adds up set-up, call and tear-down of every test by its folder under tests/, over all workers."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count one phase of one test."""
        parts = report.nodeid.partition("::")[0].split("/")
        self.seconds[parts[1] if len(parts) > 2 else "house"] += report.duration

    @property
    def slow(self) -> list[str]:
        """The rooms over the limit."""
        return sorted(room for room, seconds in self.seconds.items() if seconds > self.limit)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the rooms, the slowest first."""
        terminalreporter.section("seconds by room")
        for room, seconds in sorted(self.seconds.items(), key=lambda pair: -pair[1]):
            terminalreporter.line(f"{seconds:7.1f}  {room}")
        for room in self.slow:
            terminalreporter.line(
                f"SLOW: the tests of {room} took over {self.limit:.0f} s. On an idle machine, mark the dearest slow",
                yellow=True,
            )


def pytest_addoption(parser: pytest.Parser) -> None:
    """The limit."""
    parser.addoption("--room-seconds", type=float, default=float("inf"), help="say so if a room's tests take longer")


def pytest_configure(config: pytest.Config) -> None:
    """Count in the main process only; the workers send their reports there."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(RoomTimes(config.getoption("room_seconds")), "room-times-counter")
