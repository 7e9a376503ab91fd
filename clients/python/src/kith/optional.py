"""A memory that enriches an agent and never stops it."""

from __future__ import annotations

import logging
from typing import TypeVar

from .client import Kith
from .error import KithError, KithUnavailable
from .request import Request, Steps

T = TypeVar("T")
TIMEOUT = 2.0  # seconds that an agent waits for its memory
AWAY = "The memory is not available now. Go on without it."

log = logging.getLogger("kith")


def one(request: Request[T]) -> Steps[T]:
    """Returns steps of a single request."""
    answer: T = yield request
    return answer


def log_failure(what: str, error: KithError) -> None:
    """Logs why the agent goes on without memory."""
    level = logging.WARNING if isinstance(error, KithUnavailable) else logging.ERROR
    log.log(level, "the agent goes on without memory: %s: %s", what, error)


class OptionalMemory:
    """Sends requests, waits for two seconds at most, and logs what failed instead of raising it."""

    def __init__(self, memory: Kith | None) -> None:
        self.memory = memory or Kith()

    def user(self, user: str | None) -> str | None:
        return self.memory.user if user is None else user

    def run(self, what: str, steps: Steps[T]) -> T | None:
        """Returns the result, or None if that failed."""
        try:
            return self.memory.run(steps, timeout=TIMEOUT)
        except KithError as error:
            log_failure(what, error)
            return None

    async def arun(self, what: str, steps: Steps[T]) -> T | None:
        """Returns the result, or None if that failed."""
        try:
            return await self.memory.as_async().run(steps, timeout=TIMEOUT)
        except KithError as error:
            log_failure(what, error)
            return None

