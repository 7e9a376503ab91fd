"""The tools that agents get, for any framework."""

from __future__ import annotations

from . import steps
from .client import Kith
from .error import KithError, KithInvalid
from .optional import AWAY, awithin, log_failure, within
from .request import Steps

REMEMBER = "Store one fact that should be known in later conversations, as a sentence that the user could say: I live in Ghent."
EXPLORE = "Search the memory of earlier conversations, by words and meaning. Ask a question, or name what you look for."


class Tools:
    """What the tools do. Of the errors only KithInvalid is raised: the model called wrongly and can do better."""

    def __init__(self, memory: Kith) -> None:
        self._memory = memory

    def remember(self, text: str, user: str | None) -> str:
        return self._run(_remember(text, user))

    async def aremember(self, text: str, user: str | None) -> str:
        return await self._arun(_remember(text, user))

    def explore(self, query: str, user: str | None) -> str:
        return self._run(_explore(query, user))

    async def aexplore(self, query: str, user: str | None) -> str:
        return await self._arun(_explore(query, user))

    def _run(self, work: Steps[str]) -> str:
        try:
            return within(self._memory, work)
        except KithInvalid:
            raise
        except KithError as error:
            log_failure("a tool", error)
            return AWAY

    async def _arun(self, work: Steps[str]) -> str:
        try:
            return await awithin(self._memory, work)
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
