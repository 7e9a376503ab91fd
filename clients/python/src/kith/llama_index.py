"""Memory for LlamaIndex: a block of its Memory."""

from __future__ import annotations

from typing import Any

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.memory import BaseMemoryBlock
from llama_index.core.utils import get_tokenizer

from . import api, steps
from .client import Kith
from .optional import OptionalMemory, one
from .request import Request, new_key

LEAST_TOKENS = 100  # of a context
TRIES = 3  # to shorten one


class KithMemoryBlock(BaseMemoryBlock[str]):
    """Gives the context of the user, and stores the messages that leave the short-term memory.

    Where Kith is away, the block is empty and the log says so.
    """

    name: str = Field(default="kith", description="The name of the block.")
    user: str | None = Field(default=None, description="Whose memory it is; default: that of the client.")
    max_tokens: int = Field(default=steps.CONTEXT_TOKENS, description="The most o200k tokens of the context.")
    _optional: OptionalMemory = PrivateAttr()
    _new: str = PrivateAttr(default_factory=new_key)

    def __init__(self, memory: Kith | None = None, **fields: Any) -> None:
        super().__init__(**fields)
        self._optional = OptionalMemory(memory)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        return await self._context(self.max_tokens, block_kwargs.get("session_id"))

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Asks for a shorter context. LlamaIndex drops a block that is still too long, and it counts with another tokenizer than Kith."""
        has = _count(content)
        fewer = min(self.max_tokens, has) - tokens_to_truncate
        for _ in range(TRIES):
            if fewer < LEAST_TOKENS:
                break
            shorter = await self._context(fewer, None)
            over = _count(shorter) - (has - tokens_to_truncate)
            if over <= 0:
                return shorter or None
            fewer -= over
        return None

    async def _aput(self, messages: list[ChatMessage]) -> None:
        """Messages are stored in the conversation of their session."""
        for session in dict.fromkeys(_session(message) for message in messages):
            said = [_said(message) for message in messages if _session(message) == session and _is_said(message)]
            if said:
                await self._store(session or self._new, said)

    async def _store(self, conversation: str, said: list[api.MessageWrite]) -> None:
        await self._optional.arun("storing messages", lambda: steps.store(conversation, said, self._user()))

    async def _context(self, max_tokens: int, conversation: str | None) -> str:
        def asked() -> Request[str]:
            return api.get_context_text(user_id=self._user(), max_tokens=max_tokens, conversation_id=conversation)

        return await self._optional.arun("context", lambda: one(asked())) or ""

    def _user(self) -> str | None:
        return self._optional.user(self.user)


def _count(content: str) -> int:
    return len(get_tokenizer()(content)) if content else 0  # without a context LlamaIndex passes an empty list


def _session(message: ChatMessage) -> str | None:
    session = message.additional_kwargs.get("session_id")
    return session if isinstance(session, str) and session else None


def _is_said(message: ChatMessage) -> bool:
    return message.role in (MessageRole.USER, MessageRole.ASSISTANT) and bool((message.content or "").strip())


def _said(message: ChatMessage) -> api.MessageWrite:
    return {"role": message.role.value, "text": steps.storable(message.content or "")}
