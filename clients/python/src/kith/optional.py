"""A memory that enriches an agent and never stops it."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import logging
import threading
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from .client import Kith
from .error import KithError, KithUnavailable
from .request import Request, Steps

T = TypeVar("T")
User: TypeAlias = str | Callable[[Any], str | None] | None
"""Whose memory it is: a user, or a function that reads the user from what a call of the agent is given. None: the user of the client."""
Work: TypeAlias = Callable[[], Steps[T]]
"""Makes the steps of a call, and may raise a KithError before there are any."""
TIMEOUT = 2.0  # seconds that an agent waits for its memory
AWAY = "The memory is not available now. Go on without it."

log = logging.getLogger("kith")


class UnknownUser(KithError):
    """The program has a user for each call of the agent, and named none for this one."""


def one(request: Request[T]) -> Steps[T]:
    """Returns steps of a single request."""
    answer: T = yield request
    return answer


def within(memory: Kith, steps: Steps[T]) -> T:
    """Runs steps for TIMEOUT at most. What is late goes on in its thread: a timeout of httpx is one of connecting, of each write and of each read."""
    done, context = concurrent.futures.Future[T](), contextvars.copy_context()

    def work() -> None:
        try:
            done.set_result(context.run(memory.run, steps, timeout=TIMEOUT))
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=work, name="kith", daemon=True).start()
    try:
        return done.result(TIMEOUT)
    except concurrent.futures.TimeoutError:
        raise KithUnavailable("no answer in time") from None


async def awithin(memory: Kith, steps: Steps[T]) -> T:
    """Runs steps for TIMEOUT at most."""
    try:
        return await asyncio.wait_for(memory.as_async().run(steps, timeout=TIMEOUT), TIMEOUT)
    except asyncio.TimeoutError:
        raise KithUnavailable("no answer in time") from None


def log_failure(what: str, error: KithError) -> None:
    """Logs why the agent goes on without memory."""
    level = logging.WARNING if isinstance(error, (KithUnavailable, UnknownUser)) else logging.ERROR
    log.log(level, "the agent goes on without memory: %s: %s", what, error)


class OptionalMemory:
    """Sends requests, waits for two seconds at most, and logs what failed instead of raising it."""

    def __init__(self, memory: Kith | None) -> None:
        self.memory = memory or Kith()

    def user(self, user: User, given: Any = None) -> str | None:
        """Returns whose memory it is in a call of the agent that is given something; raises UnknownUser if the program does not say.

        The user of the client is only for programs that pass no user: a stranger must not get the memory of its owner.
        """
        if user is None:
            return self.memory.user
        found = user(given) if callable(user) else user
        if not found:
            raise UnknownUser("the program names no user for this call")
        return found

    def run(self, what: str, work: Work[T]) -> T | None:
        """Returns the result, or None if that failed."""
        try:
            return within(self.memory, work())
        except KithError as error:
            log_failure(what, error)
            return None

    async def arun(self, what: str, work: Work[T]) -> T | None:
        """Returns the result, or None if that failed."""
        try:
            return await awithin(self.memory, work())
        except KithError as error:
            log_failure(what, error)
            return None

