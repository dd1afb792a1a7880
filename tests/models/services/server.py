"""A prediction service that misbehaves to order and counts what it would charge for."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ODD = {"banana": "banana", "nan": float("nan"), "large": 7.5}


def score(text: str, version: int = 1) -> float:
    """The service's probability for a text: any number will do."""
    digest = hashlib.blake2b(f"{version} {text}".encode(), digest_size=4).digest()
    return round(int.from_bytes(digest, "big") / 2**32, 6)


class Server:
    """Takes ``{"texts": [...]}``, gives ``{"scores": [...]}``; use it in a ``with`` block.

    Attributes:
        behave: what to do with request number n (from 0) about these texts: ``ok``, ``error`` (500), ``busy`` (429
            with Retry-After), ``silent`` (does the work, charges, never answers), ``deaf`` (neither), ``trickle``
            (a byte at a time), ``html``, ``short`` (one score too few), ``banana`` (a word for the first score),
            ``reject`` (400), ``forbid`` (401), ``broke`` (402), ``drop`` (closes the connection), ``move`` (302).
        charged: how often each text was charged for.
        seen: the texts of each request.
        headers: the headers of the last request.
        version: of the model; another gives other scores.
        remembers: whether a request with a known Idempotency-Key gets the same answer and is not charged again.
    """

    def __init__(self) -> None:
        self.behave: Callable[[int, list[str]], str] = lambda n, texts: "ok"
        self.charged: Counter[str] = Counter()
        self.seen: list[list[str]] = []
        self.headers: dict[str, str] = {}
        self.version, self.remembers, self.retry_after = 1, True, "0.05"
        self.lock, self.released = threading.Lock(), threading.Event()
        self._known: dict[str, bytes] = {}
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._http.handle_error = lambda *_: None  # a client that was killed is none of our business

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/score"

    def __enter__(self) -> Server:
        threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.released.set()
        self._http.shutdown()
        self._http.server_close()

    def answer(self, texts: list[str], key: str, odd: Any = None) -> bytes:
        """Do the work, and charge for it unless it was done before; ``odd`` in place of the first score is free."""
        with self.lock:
            if self.remembers and key in self._known:
                return self._known[key]
            scores: list[Any] = [score(text, self.version) for text in texts]
            if odd is not None:
                scores[0] = odd
            self.charged.update(texts if odd is None else texts[1:])
            self._known[key] = json.dumps({"scores": scores}).encode()
            return self._known[key]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_POST(self) -> None:
                texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["texts"]
                with server.lock:
                    number = len(server.seen)
                    server.seen.append(texts)
                    server.headers = dict(self.headers)
                try:
                    self.act(server.behave(number, texts), texts)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def act(self, what: str, texts: list[str]) -> None:
                key = self.headers.get("Idempotency-Key", "")
                if what in {"html", "short"} and server.remembers and key in server._known:
                    what = "ok"
                statuses = {"error": 500, "busy": 429, "reject": 400, "forbid": 401, "broke": 402, "move": 302}
                if what in statuses:
                    self.reply(statuses[what], b"no")
                elif what in {"drop", "deaf", "silent"}:
                    if what == "silent":
                        server.answer(texts, key)
                    if what != "drop":
                        server.released.wait(30)
                    self.close_connection = True
                elif what == "html":
                    self.reply(200, b"<html>Something went wrong</html>")
                elif what == "short":
                    self.reply(200, json.dumps({"scores": [0.5] * (len(texts) - 1)}).encode())
                elif what in ODD:
                    self.reply(200, server.answer(texts, key, ODD[what]))
                else:
                    self.reply(200, server.answer(texts, key), trickle=what == "trickle")

            def reply(self, status: int, content: bytes, *, trickle: bool = False) -> None:
                self.send_response(status)
                if status == 429:
                    self.send_header("Retry-After", server.retry_after)
                if status == 302:
                    self.send_header("Location", server.url)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                for start in range(0, len(content), 1 if trickle else len(content)):
                    self.wfile.write(content[start : start + (1 if trickle else len(content))])
                    if trickle:
                        self.wfile.flush()
                        server.released.wait(0.1)

        return Handler
