"""Memory for Pydantic AI agents: a toolset, whose instructions are the context of the user."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.toolsets import FunctionToolset

from . import steps
from .client import Kith
from .error import KithInvalid
from .optional import OptionalMemory, User, one
from .tools import EXPLORE, REMEMBER, Tools


def kith_toolset(memory: Kith | None = None, *, user: User = None, max_tokens: int = steps.CONTEXT_TOKENS) -> FunctionToolset[Any]:
    """Returns the tools remember and explore, with the context of the user as instructions.

    A function as user reads it from the dependencies of the run.

    Where Kith is away, or the function returns no user, the agent runs without memory and the log says so.
    """
    optional = OptionalMemory(memory)
    tools = Tools(optional.memory)

    def whose(context: RunContext[Any]) -> str | None:
        return optional.user(user, context.deps)  # raises an UnknownUser

    async def instructions(context: RunContext[Any]) -> str | None:
        return await optional.arun("context", lambda: one(steps.context(whose(context), max_tokens)))

    async def remember(context: RunContext[Any], text: str) -> str:
        return await _retrying(tools.aremember(text, lambda: whose(context)))

    async def explore(context: RunContext[Any], query: str) -> str:
        return await _retrying(tools.aexplore(query, lambda: whose(context)))

    toolset: FunctionToolset[Any] = FunctionToolset(instructions=instructions, id="kith")
    toolset.add_function(remember, description=REMEMBER)
    toolset.add_function(explore, description=EXPLORE)
    return toolset


async def _retrying(call: Awaitable[str]) -> str:
    """Lets the model try again what it did wrong."""
    try:
        return await call
    except KithInvalid as error:
        raise ModelRetry(str(error)) from error
