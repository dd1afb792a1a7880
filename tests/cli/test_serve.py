"""``comoderate serve``: where it listens, and the first invitation."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from tests.web.serving import write_study

from comoderate.annotation import add_rater, find_reset, open_database
from comoderate.study import Study


def serve(*arguments: str, **options) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from comoderate.cli import main; main()", "--quiet", "serve", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def run(monkeypatch: pytest.MonkeyPatch, folder: Path, *options: str) -> int:
    """Run the command in this process; its exit status."""
    from comoderate.cli import main

    monkeypatch.setattr(sys, "argv", ["comoderate", "serve", str(folder), *options])
    try:
        main()
    except SystemExit as stopped:
        return int(stopped.code or 0)
    return 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--host", "0.0.0.0"], "without TLS"),
        (["--host", "192.168.0.7"], "--insecure"),
        (["--host", "0.0.0.0", "--behind-proxy"], r"Name it under \[web\] proxies"),
        (["--cert", "nothing.pem"], "go together"),
        (["--cert", "nothing.pem", "--cert-key", "nothing.pem"], "no such file"),
    ],
)
def test_listening_beyond_this_computer_needs_tls_or_a_word(tmp_path: Path, capsys, monkeypatch, options, message):
    assert run(monkeypatch, write_study(tmp_path / "study"), *options) in {1, 2}
    told = " ".join(capsys.readouterr().err.split())
    assert re.search(message, told.replace("│ ", "")), told


def test_the_first_start_prints_the_coordinators_invitation_and_ctrl_c_ends(tmp_path: Path):
    port = free_port()
    running = serve(str(write_study(tmp_path / "study")), "--port", str(port))
    try:
        link = running.stdout.readline().strip()
        assert link.startswith(f"http://127.0.0.1:{port}/join/")
        for _ in range(600):
            try:
                with urllib.request.urlopen(link) as page:
                    assert "coordinate this study" in page.read().decode()
                break
            except OSError:
                import time

                time.sleep(0.1)
        else:
            pytest.fail("the server never answered")
    finally:
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=30)
    assert "Traceback" not in err
    assert not list((tmp_path / "study").rglob("*.tmp"))


def test_a_coordinator_who_is_locked_out_gets_a_link(tmp_path: Path, capsys, monkeypatch):
    folder = write_study(tmp_path / "study")
    with open_database(Study.open(folder).store_url) as db:
        person = add_rater(db, role="coordinator", cohort="coordinators", login="co")
        assert run(monkeypatch, folder, "--port", "8765", "--reset", "co") == 0
        told = capsys.readouterr()
        secret = told.out.strip().removeprefix("http://127.0.0.1:8765/reset/")
        assert find_reset(db, secret) == person
    assert "once, within 24 hours" in told.err
    assert run(monkeypatch, folder, "--reset", "cox") == 1
    assert "The coordinators are co" in " ".join(capsys.readouterr().err.split())
