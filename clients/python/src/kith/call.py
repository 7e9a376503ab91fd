"""One call: what is sent, how its answer is read, and when it is sent again. A sync and an async client share it."""

from __future__ import annotations

import json
import random
import time
from typing import Any, TypedDict

import httpx

from .error import KithError, KithUnavailable, error_of
from .request import Request

TRIES = 5
FIRST_PAUSE = 0.25  # seconds
MAX_PAUSE = 10.0
MAX_ANSWER = 64 << 20  # bytes
TEXTS = ("text/markdown", "text/plain")


class Sending(TypedDict):
    """The arguments of httpx."""

    method: str
    url: str
    params: dict[str, Any]
    content: bytes | None
    headers: dict[str, str]
    timeout: float


class Call:
    """A request that is being sent, until a deadline that holds for all tries together."""

    def __init__(self, request: Request[Any], url: str, key: str, timeout: float) -> None:
        self.request = request
        self._url = url + request.path
        self._key = key
        self._ends = time.monotonic() + timeout
        self._tries = 0
        self._read = bytearray()

    def sending(self) -> Sending:
        """Returns what the next try sends; raises an error after the deadline."""
        if self._remaining() <= 0:
            raise self._late()
        self._tries += 1
        self._read.clear()
        headers = {"Authorization": f"Bearer {self._key}"}
        if self.request.key is not None:
            headers["Idempotency-Key"] = self.request.key
        content = None
        if self.request.body is not None:
            content = json.dumps(self.request.body, allow_nan=False).encode()
            headers["Content-Type"] = "application/json"
        return {
            "method": self.request.method,
            "url": self._url,
            "params": {name: value for name, value in self.request.query.items() if value is not None},
            "content": content,
            "headers": headers,
            "timeout": max(self._remaining(), 0.001),  # some time has passed since the check
        }

    def read(self, part: bytes) -> None:
        """Takes a part of the answer."""
        self._read += part
        if len(self._read) > MAX_ANSWER:
            raise KithError(f"{self._name()}: the answer has more than {MAX_ANSWER} bytes")
        if self._remaining() < 0:
            raise self._late()

    def answer(self, response: httpx.Response) -> Any:
        """Returns what was read; raises an error unless it is a success."""
        if not response.is_success:
            raise error_of(response.status_code, response.headers, bytes(self._read))
        kind = "a text" if self.request.text else "JSON"
        try:
            if self.request.text:
                return self._text(response)
            return json.loads(self._read) if self._read else None
        except ValueError:
            raise KithError(f"{self._name()}: the answer is not {kind}; is this the address of a Kith?") from None

    def _text(self, response: httpx.Response) -> str:
        """Returns the answer as a text; raises a ValueError for a page of HTML, or what is not UTF-8."""
        if response.headers.get("content-type", "").partition(";")[0].strip().lower() not in TEXTS:
            raise ValueError("another media type")
        return self._read.decode()

    def failed(self, error: httpx.HTTPError) -> KithUnavailable:
        """Returns the error of a try that got no answer."""
        if isinstance(error, httpx.TimeoutException):
            return self._late()
        return KithUnavailable(f"{self._name()}: {error or type(error).__name__}")

    def _late(self) -> KithUnavailable:
        return KithUnavailable(f"{self._name()}: no answer in time")

    def pause(self, error: KithError) -> float:
        """Returns the seconds until the next try; raises the error if there is none."""
        if not self._repeats(error) or self._tries == TRIES:
            raise error
        most: float = FIRST_PAUSE * 2 ** (self._tries - 1)
        pause = min(max(random.uniform(most / 2, most), error.retry_after or 0), MAX_PAUSE)
        if pause >= self._remaining():
            raise error
        return pause

    def _repeats(self, error: KithError) -> bool:
        """Reports whether nothing was done, or doing it again changes nothing."""
        return error.status == 429 or self.request.again and isinstance(error, KithUnavailable)

    def _remaining(self) -> float:
        return self._ends - time.monotonic()

    def _name(self) -> str:
        return f"{self.request.method} {self.request.path.split('?')[0]}"
