"""An open conversation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from . import steps
from .api import MessageWrite

if TYPE_CHECKING:
    from .client import AsyncKith, Kith


class Conversation:
    """A conversation, with the context with which it began or goes on."""

    def __init__(self, memory: Kith, id: str, user: str | None, context: str) -> None:
        self.id, self.user, self.context = id, user, context
        self._memory = memory

    def add(self, role: str, text: str) -> None:
        """Stores a message."""
        self.add_messages([{"role": role, "text": text}])

    def add_messages(self, messages: Iterable[MessageWrite]) -> None:
        """Stores messages."""
        self._memory.send(steps.append(self.id, messages, self.user))

    def end(self, summary: str | None = None) -> None:
        """Ends the conversation. Contexts of the next week show its summary."""
        self._memory.send(steps.end(self.id, summary, self.user))


class AsyncConversation:
    """A conversation, with the context with which it began or goes on."""

    def __init__(self, memory: AsyncKith, id: str, user: str | None, context: str) -> None:
        self.id, self.user, self.context = id, user, context
        self._memory = memory

    async def add(self, role: str, text: str) -> None:
        """Stores a message."""
        await self.add_messages([{"role": role, "text": text}])

    async def add_messages(self, messages: Iterable[MessageWrite]) -> None:
        """Stores messages."""
        await self._memory.send(steps.append(self.id, messages, self.user))

    async def end(self, summary: str | None = None) -> None:
        """Ends the conversation. Contexts of the next week show its summary."""
        await self._memory.send(steps.end(self.id, summary, self.user))
