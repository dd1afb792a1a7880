"""A prediction service of one's own: a real model behind HTTP on this machine, asked as any other service is."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from comoderate.models import Scorer

CATEGORIES = ((0.3, "Basic Negative", "Anger"), (0.15, "Basic Negative", "Sadness"), (0.0, "Basic Neutral", "None"))
"""What the service says in words: above a probability, a category and an emotion."""


def answer(proba: float) -> dict[str, Any]:
    """The service's answer on one text: a score, and the two labels that some services give instead."""
    category, emotion = next((one, two) for least, one, two in CATEGORIES if proba >= least)
    return {"score": proba, "category": category, "emotion": emotion}


@contextmanager
def serving(scorer: Scorer) -> Iterator[str]:
    """A server for as long as the block lasts; gives its address.

    It takes ``{"texts": [...]}`` and answers ``{"answers": [{"score": …, "category": …, "emotion": …}, …]}``.
    """
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))))["texts"]
            content = json.dumps({"answers": [answer(p) for p in _ask(scorer, lock, texts)]}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/score"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _ask(scorer: Scorer, lock: threading.Lock, texts: Sequence[str]) -> list[float]:
    with lock:
        return [float(p) for p in scorer.predict_proba(list(texts))]
