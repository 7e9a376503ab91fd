"""The clients: Kith for sync programs, AsyncKith for asyncio."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import httpx

from . import steps
from .api import NodeWrite, RelationshipWrite
from .call import Call
from .conversation import AsyncConversation, Conversation
from .error import KithError
from .request import Request, Steps, new_key

T = TypeVar("T")
LOCAL = "http://127.0.0.1:8080"


class _Client:
    """What both clients are made of."""

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        user: str | None = None,
        *,
        timeout: float = 30.0,
        transport: httpx.BaseTransport | None = None,
        async_transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """Takes the address (default: KITH_URL, or http://127.0.0.1:8080) and the API key (default: KITH_KEY).

        user is whose memory it is where a method names nobody; default: the user of the key. timeout is the seconds that a
        method may take, with all its requests and their repetitions. transport sends the requests of Kith, async_transport
        those of AsyncKith and as_async(); default: httpx's own. One that is both, as httpx.MockTransport, is given once, as
        transport.
        """
        self.url = (url or os.environ.get("KITH_URL") or LOCAL).rstrip("/")
        self.user = user
        self.timeout = timeout
        self._key = key or os.environ.get("KITH_KEY") or ""
        self._transport, self._async_transport = transport, async_transport
        if not self.url.startswith(("http://", "https://")):
            raise ValueError("the url is not one of http or https")
        if not self._key.isascii() or not self._key.isprintable() or not self._key:
            raise ValueError("no API key: pass key, or set KITH_KEY")
        self._connect()

    def _connect(self) -> None:
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.url!r}, user={self.user!r})"

    def _call(self, request: Request[Any], timeout: float | None) -> Call:
        return Call(request, self.url, self._key, self.timeout if timeout is None else timeout)

    def _ends(self, timeout: float | None) -> float:
        return time.monotonic() + (self.timeout if timeout is None else timeout)

    def _for_async(self) -> httpx.AsyncBaseTransport | None:
        """Returns the transport for asyncio; None: httpx's own, which never replaces one that was given."""
        if self._async_transport is not None or self._transport is None:
            return self._async_transport
        if not isinstance(self._transport, httpx.AsyncBaseTransport):
            raise ValueError("the transport is not one for asyncio: pass async_transport")
        return self._transport

    def _user(self, user: str | None) -> str | None:
        return self.user if user is None else user


class Kith(_Client):
    """A memory, for sync programs. It is safe for threads."""

    def _connect(self) -> None:
        self._http = httpx.Client(transport=self._transport)
        self._async: AsyncKith | None = None
        self._making = threading.Lock()

    def as_async(self) -> AsyncKith:
        """Returns the same memory for asyncio, always the same object. Close it in each event loop that used it: close() here does not."""
        with self._making:
            if self._async is None:
                self._async = AsyncKith(self.url, self._key, self.user, timeout=self.timeout, async_transport=self._for_async())
            return self._async

    def context(self, user: str | None = None, *, max_tokens: int | None = steps.CONTEXT_TOKENS) -> str:
        """Returns what an agent should know about a user, as Markdown for a prompt."""
        return self.send(steps.context(self._user(user), max_tokens))

    def remember(
        self,
        text: str | None = None,
        *,
        nodes: Iterable[NodeWrite] = (),
        relationships: Iterable[RelationshipWrite] = (),
        user: str | None = None,
    ) -> list[str]:
        """Stores a text, or nodes and relationships, all or nothing. Returns their keys."""
        return self.run(steps.remember(text, nodes, relationships, self._user(user)))

    def explore(
        self, query: str | Sequence[str], *, user: str | None = None, limit: int = 5, max_tokens: int | None = steps.EXPLORE_TOKENS
    ) -> str:
        """Searches a memory, and returns what is found as Markdown for a prompt."""
        return self.send(steps.explore(query, self._user(user), limit, max_tokens))

    def conversation(
        self, id: str | None = None, *, user: str | None = None, max_tokens: int | None = steps.CONTEXT_TOKENS
    ) -> Conversation:
        """Opens a conversation, or goes on with one."""
        id, user = id or new_key(), self._user(user)
        return Conversation(self, id, user, self.send(steps.open_conversation(id, user, max_tokens)))

    def send(self, request: Request[T], *, timeout: float | None = None) -> T:
        """Sends a request of kith.api, and returns its answer."""
        call = self._call(request, timeout)
        while True:
            try:
                answer: T = self._once(call)
                return answer
            except KithError as error:
                pause = call.pause(error)
            time.sleep(pause)

    def _once(self, call: Call) -> Any:
        try:
            with self._http.stream(**call.sending()) as response:
                for part in response.iter_bytes():
                    call.read(part)
        except httpx.HTTPError as error:
            raise call.failed(error) from error
        return call.answer(response)

    def run(self, sequence: Steps[T], *, timeout: float | None = None) -> T:
        """Sends requests that follow from one another, within one timeout for all of them together; default: that of the client."""
        ends = self._ends(timeout)
        try:
            request = next(sequence)
            while True:
                try:
                    answer = self.send(request, timeout=ends - time.monotonic())
                except KithError as error:
                    request = sequence.throw(error)
                else:
                    request = sequence.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result

    def close(self) -> None:
        """Closes the connections, without those of as_async(), which belong to their event loops."""
        self._http.close()

    def __enter__(self) -> Kith:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class AsyncKith(_Client):
    """A memory, for asyncio. It may be used in several event loops, one after the other."""

    def _connect(self) -> None:
        self._async_transport = self._for_async()
        # Connections live in the event loop that made them.
        self._https: WeakKeyDictionary[asyncio.AbstractEventLoop, httpx.AsyncClient] = WeakKeyDictionary()

    async def context(self, user: str | None = None, *, max_tokens: int | None = steps.CONTEXT_TOKENS) -> str:
        """Returns what an agent should know about a user, as Markdown for a prompt."""
        return await self.send(steps.context(self._user(user), max_tokens))

    async def remember(
        self,
        text: str | None = None,
        *,
        nodes: Iterable[NodeWrite] = (),
        relationships: Iterable[RelationshipWrite] = (),
        user: str | None = None,
    ) -> list[str]:
        """Stores a text, or nodes and relationships, all or nothing. Returns their keys."""
        return await self.run(steps.remember(text, nodes, relationships, self._user(user)))

    async def explore(
        self, query: str | Sequence[str], *, user: str | None = None, limit: int = 5, max_tokens: int | None = steps.EXPLORE_TOKENS
    ) -> str:
        """Searches a memory, and returns what is found as Markdown for a prompt."""
        return await self.send(steps.explore(query, self._user(user), limit, max_tokens))

    async def conversation(
        self, id: str | None = None, *, user: str | None = None, max_tokens: int | None = steps.CONTEXT_TOKENS
    ) -> AsyncConversation:
        """Opens a conversation, or goes on with one."""
        id, user = id or new_key(), self._user(user)
        return AsyncConversation(self, id, user, await self.send(steps.open_conversation(id, user, max_tokens)))

    async def send(self, request: Request[T], *, timeout: float | None = None) -> T:
        """Sends a request of kith.api, and returns its answer."""
        call = self._call(request, timeout)
        while True:
            try:
                answer: T = await self._once(call)
                return answer
            except KithError as error:
                pause = call.pause(error)
            await asyncio.sleep(pause)

    async def _once(self, call: Call) -> Any:
        try:
            async with self._client().stream(**call.sending()) as response:
                async for part in response.aiter_bytes():
                    call.read(part)
        except httpx.HTTPError as error:
            raise call.failed(error) from error
        return call.answer(response)

    def _client(self) -> httpx.AsyncClient:
        loop = asyncio.get_running_loop()
        if loop not in self._https:
            self._forget_closed_loops()
            self._https[loop] = httpx.AsyncClient(transport=self._async_transport)
        return self._https[loop]

    def _forget_closed_loops(self) -> None:
        """A client of a closed loop cannot be closed any more. It holds its loop, so the dictionary alone would keep both."""
        for loop in [loop for loop in self._https if loop.is_closed()]:
            del self._https[loop]

    async def run(self, sequence: Steps[T], *, timeout: float | None = None) -> T:
        """Sends requests that follow from one another, within one timeout for all of them together; default: that of the client."""
        ends = self._ends(timeout)
        try:
            request = next(sequence)
            while True:
                try:
                    answer = await self.send(request, timeout=ends - time.monotonic())
                except KithError as error:
                    request = sequence.throw(error)
                else:
                    request = sequence.send(answer)
        except StopIteration as end:
            result: T = end.value
            return result

    async def close(self) -> None:
        """Closes the connections of this event loop."""
        client = self._https.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.aclose()

    async def __aenter__(self) -> AsyncKith:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()
