"""A session of the OpenAI Agents SDK, kept as a conversation."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from agents.exceptions import AgentsException, UserError
from agents.items import TResponseInputItem
from agents.memory import SessionABC, SessionSettings
from agents.memory.session_settings import resolve_session_limit

from . import api, steps
from .client import Kith
from .error import KithError, KithInvalid
from .request import Steps

T = TypeVar("T")


class KithSession(SessionABC):
    """Keeps the items of a session exactly as they were given.

    What fails is an AgentsException: without Kith there is no session. The requests that an item makes wrong are a UserError.
    """

    def __init__(
        self, session_id: str, memory: Kith | None = None, *, user: str | None = None, session_settings: SessionSettings | None = None
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._memory = memory or Kith()
        self._user = self._memory.user if user is None else user

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Returns the items, or the last of them, the oldest first."""
        return await self._run(self._read(resolve_session_limit(limit, self.session_settings)))

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Adds items at the end."""
        if items:
            await self._run(steps.store(self.session_id, [_message(item) for item in items], self._user))

    async def pop_item(self) -> TResponseInputItem | None:
        """Removes and returns the last item; None if there is none."""
        return await self._run(self._pop())

    async def clear_session(self) -> None:
        """Removes all items."""
        await self._run(steps.clear(self.session_id, self._user))

    def _read(self, limit: int | None) -> Steps[list[TResponseInputItem]]:
        if limit is not None and limit <= 0:
            return []
        start = 0
        if limit is not None:
            # The number of a message is at least its place, as messages before it may have been removed.
            page = yield from steps.page(self.session_id, self._user, 0, 1)
            start = max(0, page["message_count"] - limit) if page is not None else 0
        messages = yield from steps.messages(self.session_id, self._user, start)
        return [_item(message) for message in (messages if limit is None else messages[-limit:])]

    def _pop(self) -> Steps[TResponseInputItem | None]:
        try:
            popped: api.Popped = yield api.pop_messages(self.session_id, {"user_id": self._user, "count": 1})
        except KithError as error:
            if error.status != 404:
                raise
            return None
        return _item(popped["messages"][-1]) if popped["messages"] else None

    async def _run(self, work: Steps[T]) -> T:
        try:
            return await self._memory.as_async().run(work)
        except KithInvalid as error:
            raise UserError(str(error)) from error
        except KithError as error:
            raise AgentsException(str(error)) from error


def _message(item: TResponseInputItem) -> api.MessageWrite:
    """Returns an item as a message: its role, or its type where it has none."""
    given = cast(dict[str, Any], item)
    return {"role": str(given.get("role") or given.get("type") or "item"), "parts": [given]}


def _item(message: api.Message) -> TResponseInputItem:
    """Returns the item of a message. A message that something else stored becomes a plain one."""
    parts: Any = message.get("parts")
    return cast(TResponseInputItem, parts[0] if parts else {"role": message["role"], "content": message["text"]})
