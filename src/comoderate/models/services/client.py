"""One request to a service, and what became of it."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from comoderate.models.services.pace import retry_after
from comoderate.models.services.paths import NonsenseError
from comoderate.models.services.request import fill, resolve
from comoderate.models.services.spec import Service

if TYPE_CHECKING:
    import httpx

Outcome = Literal["answered", "failed", "nonsense", "rejected", "refused"]
BUSY = 429
_AGAIN = {408, 425, BUSY}
_THE_TEXT = {400, 413, 414, 422}
_LONGEST = 32_000_000


class Reply(NamedTuple):
    """What became of one request.

    Attributes:
        outcome: ``answered``; ``failed``: worth another try; ``nonsense``: likewise, but an answer came;
            ``rejected``: the service will not have these texts; ``refused``: it will not have us, and no further try
            helps.
        parts: answered: the part of the answer for each text.
        problem: else: what went wrong, without texts, secrets or addresses.
        wait: seconds that the service asks to wait.
        billed: whether the service may charge for it.
    """

    outcome: Outcome
    parts: Sequence[Any] = ()
    problem: str = ""
    wait: float | None = None
    billed: bool = False


class Client:
    """Asks a service; made once, used by several threads.

    Args:
        service: what is asked.
        environment: where ``${NAME}`` in headers and address is looked up.

    Raises:
        ComoderateError: an environment variable is not set.
    """

    def __init__(self, service: Service, environment: Mapping[str, str]) -> None:
        import httpx

        logging.getLogger("httpx").setLevel(logging.WARNING)  # at INFO it logs addresses, which may hold a secret
        self.service = service
        self._url = resolve(service.url, environment)
        headers = {name: resolve(value, environment) for name, value in service.headers.items()}
        self._http = httpx.Client(
            timeout=httpx.Timeout(service.timeout), headers={"User-Agent": "comoderate", **headers}, verify=True
        )

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def ask(self, texts: Sequence[str], *, key: str) -> Reply:
        """Send some texts.

        Args:
            texts: at most ``batch_size``.
            key: names the request, so that a service that knows the header ``Idempotency-Key`` charges for it once
                however often it is sent.
        """
        import httpx

        body = fill(self.service.request, texts)
        sent = {"params": body} if self.service.method == "GET" else {"json": body}
        headers = {"Idempotency-Key": key}
        try:
            with self._http.stream(self.service.method, self._url, headers=headers, **sent) as response:
                return self._judge(response, len(texts))
        except httpx.ReadTimeout:
            return Reply("failed", problem=self._late, billed=True)
        except httpx.TimeoutException:
            return Reply("failed", problem=f"no connection within {self.service.timeout:g} s")
        except (httpx.InvalidURL, httpx.UnsupportedProtocol):
            return Reply("refused", problem="the address does not begin with http:// or https://")
        except httpx.ConnectError:
            return Reply("failed", problem="no connection")
        except httpx.HTTPError as error:
            return Reply("failed", problem=f"the connection broke ({type(error).__name__})", billed=True)

    @property
    def _late(self) -> str:
        return f"no whole answer within {self.service.timeout:g} s"

    def _judge(self, response: httpx.Response, n: int) -> Reply:
        status = response.status_code
        if status in _AGAIN or status >= 500:
            return Reply("failed", problem=f"status {status}", wait=retry_after(response.headers.get("Retry-After")))
        if status != 200:
            return Reply("rejected" if status in _THE_TEXT else "refused", problem=f"status {status}")
        content = self._whole(response)
        if isinstance(content, str):
            return Reply("failed", problem=content, billed=True)
        try:
            return Reply("answered", parts=self.service.split(json.loads(bytes(content)), n), billed=True)
        except NonsenseError as error:
            return Reply("nonsense", problem=str(error), billed=True)
        except (ValueError, RecursionError):
            return Reply("nonsense", problem="the answer is not JSON", billed=True)

    def _whole(self, response: httpx.Response) -> bytearray | str:
        """The content of an answer, or why it has none: it trickles, or has no end."""
        until, content = time.monotonic() + self.service.timeout, bytearray()
        for part in response.iter_bytes():
            content += part
            if time.monotonic() > until:
                return self._late
            if len(content) > _LONGEST:
                return "the answer is too long"
        return content
