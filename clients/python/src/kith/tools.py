"""The tools that agents get, for any framework."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from . import steps
from .client import Kith
from .error import KithError, KithInvalid
from .optional import AWAY, Work, awithin, log_failure, within
from .request import Steps

REMEMBER = "Store one fact that should be known in later conversations, as a sentence that the user could say: I live in Ghent."
EXPLORE = "Search the memory of earlier conversations, by words and meaning. Ask a question, or name what you look for."


Whose: TypeAlias = Callable[[], "str | None"]


class Tools:
    """What the tools do. Of the errors only KithInvalid is raised: the model called wrongly and can do better.

    whose returns whose memory it is, or raises an UnknownUser.
    """

    def __init__(self, memory: Kith) -> None:
        self._memory = memory

    def remember(self, text: str, whose: Whose) -> str:
        return self._run(lambda: _remember(text, whose()))

    async def aremember(self, text: str, whose: Whose) -> str:
        return await self._arun(lambda: _remember(text, whose()))

    def explore(self, query: str, whose: Whose) -> str:
        return self._run(lambda: _explore(query, whose()))

    async def aexplore(self, query: str, whose: Whose) -> str:
        return await self._arun(lambda: _explore(query, whose()))

    def _run(self, work: Work[str]) -> str:
        try:
            return within(self._memory, work())
        except KithInvalid:
            raise
        except KithError as error:
            log_failure("a tool", error)
            return AWAY

    async def _arun(self, work: Work[str]) -> str:
        try:
            return await awithin(self._memory, work())
        except KithInvalid:
            raise
        except KithError as error:
            log_failure("a tool", error)
            return AWAY


def _remember(text: str, user: str | None) -> Steps[str]:
    yield from steps.remember(text, (), (), user)
    return "Remembered."


def _explore(query: str, user: str | None) -> Steps[str]:
    found: str = yield steps.explore(query, user, 5, steps.EXPLORE_TOKENS)
    return found
