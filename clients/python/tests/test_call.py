"""How calls are repeated, and what they raise, without a Kith."""

import asyncio
import gc
import logging
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from kith import AsyncKith, Kith, KithError, KithInvalid, KithUnavailable, api
from kith import call as calls
from kith import optional, steps
from kith.request import Steps
from kith.tools import Tools

BUSY = {"type": "about:blank", "title": "Service Unavailable", "status": 503, "detail": "the database does not answer"}


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "FIRST_PAUSE", 0.001)


def memory(*answers: httpx.Response | Exception, timeout: float = 5) -> tuple[Kith, list[httpx.Request]]:
    left, seen = list(answers), list[httpx.Request]()

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        one = left.pop(0)
        if isinstance(one, Exception):
            raise one
        return one

    return Kith("http://kith.invalid/", "kith_test", "noor", timeout=timeout, transport=httpx.MockTransport(answer)), seen


def test_a_read_is_repeated() -> None:
    kith, seen = memory(httpx.Response(503, json=BUSY), httpx.ConnectError("refused"), httpx.Response(200, text="# About Noor"))
    assert kith.context() == "# About Noor"
    assert len(seen) == 3 and str(seen[0].url) == "http://kith.invalid/v1/context?format=text&max_tokens=1300&user_id=noor"


def test_a_write_with_a_key_is_repeated_with_it() -> None:
    stored = {"entity_key": "s-1", "status": "created", "messages": [], "mentions": [], "warnings": []}
    kith, seen = memory(httpx.ReadError("broken"), httpx.Response(200, json=stored))
    assert kith.remember("I live in Ghent.") == ["s-1"]
    keys = {request.headers["Idempotency-Key"] for request in seen}
    assert len(seen) == 2 and len(keys) == 1


def test_another_write_is_repeated_only_if_nothing_was_done() -> None:
    kith, seen = memory(httpx.Response(429, json=BUSY | {"status": 429}), httpx.Response(503, json=BUSY))
    with pytest.raises(KithUnavailable, match="503 the database does not answer"):
        kith.send(api.open_conversation({}))
    assert len(seen) == 2


def test_opening_a_conversation_is_repeated() -> None:
    kith, seen = memory(httpx.Response(503, json=BUSY), httpx.Response(200, text="# About Noor"))
    assert kith.conversation("talk").context == "# About Noor" and len(seen) == 2
    missing, done = httpx.Response(404, json=BUSY | {"status": 404}), httpx.Response(200, json={})
    kith, seen = memory(missing, httpx.Response(503, json=BUSY), done, done)
    kith.run(steps.store("talk", [{"role": "user", "text": "Hello."}], None))
    path = "/v1/conversations"
    assert [request.url.path for request in seen] == [f"{path}/talk/messages", path, path, f"{path}/talk/messages"]


def test_it_stops_after_five_tries_and_at_the_deadline() -> None:
    kith, seen = memory(*[httpx.Response(503) for _ in range(9)])
    with pytest.raises(KithUnavailable, match="503 service unavailable"):
        kith.context()
    assert len(seen) == calls.TRIES
    kith, seen = memory(httpx.Response(503, headers={"Retry-After": "7"}), timeout=1)
    with pytest.raises(KithUnavailable) as raised:
        kith.context()
    assert len(seen) == 1 and raised.value.retry_after == 7


@pytest.mark.parametrize(
    ("answer", "kind", "text"),
    [
        (httpx.Response(404, html="<p>nginx</p>"), KithError, "404 not found"),
        (httpx.Response(200, text="<p>a page</p>"), KithError, "is this the address of a Kith"),
        (httpx.ReadTimeout("slow"), KithUnavailable, "no answer in time"),
        (httpx.ConnectError("refused"), ConnectionError, "GET /v1/me: refused"),
    ],
)
def test_errors(answer: httpx.Response | Exception, kind: type[Exception], text: str) -> None:
    kith, _ = memory(*[answer] * calls.TRIES)
    with pytest.raises(kind, match=text):
        kith.send(api.get_me())


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(200, html="<p>Welcome</p>"),
        httpx.Response(200, json={"a": 1}),
        httpx.Response(200, content=b"# About Noor"),
        httpx.Response(200, content=b"\xff\xfe", headers={"Content-Type": "text/markdown; charset=utf-8"}),
    ],
)
def test_a_text_that_is_not_of_kith(answer: httpx.Response) -> None:
    kith, seen = memory(answer)
    with pytest.raises(KithError, match="the answer is not a text; is this the address of a Kith"):
        kith.context()
    assert len(seen) == 1
    kith, _ = memory(httpx.Response(200, content="# Ü".encode(), headers={"Content-Type": "Text/Markdown; charset=utf-8"}))
    assert kith.context() == "# Ü"


def test_a_text_and_nodes_are_not_one_write() -> None:
    kith, seen = memory()
    with pytest.raises(KithInvalid, match="call remember for each"):
        kith.remember("I live in Ghent.", nodes=[{"kind": "concept", "name": "Tides"}])
    assert seen == []


def test_what_a_lost_answer_deleted_is_deleted() -> None:
    kith, seen = memory(httpx.ReadError("broken"), httpx.Response(404, json=BUSY | {"status": 404}))
    kith.run(steps.clear("talk", None))
    assert [request.url.path for request in seen] == ["/v1/nodes/source/talk"] * 2
    kith, _ = memory(httpx.Response(403, json=BUSY | {"status": 403}))
    with pytest.raises(KithError, match="403"):
        kith.run(steps.delete("item", "i-1", None))


def test_faults_are_shown_up_to_three() -> None:
    faults = [{"location": f"body.{name}", "message": "is required"} for name in "abcde"]
    kith, _ = memory(httpx.Response(422, json=BUSY | {"status": 422, "detail": "invalid", "errors": faults}))
    with pytest.raises(ValueError) as raised:
        kith.send(api.get_me())
    assert str(raised.value) == "422 invalid; body.a is required; body.b is required; body.c is required; and 2 more"


def test_a_large_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "MAX_ANSWER", 10)
    kith, seen = memory(httpx.Response(200, text="12345678901"))
    with pytest.raises(KithError, match="more than 10 bytes"):
        kith.context()
    assert len(seen) == 1


@pytest.mark.parametrize(("own", "of_the_call"), [(30.0, 0.8), (0.8, None)])
def test_a_sequence_has_one_deadline(own: float, of_the_call: float | None) -> None:
    seen = list[str]()

    def slowly(request: httpx.Request) -> httpx.Response:
        seen.append(request.method)
        time.sleep(0.6)
        return httpx.Response(200) if request.method == "DELETE" else httpx.Response(404, json=BUSY | {"status": 404})

    def deletes() -> Steps[None]:
        for key in "abc":
            yield from steps.delete("item", key, None)

    kith = Kith("http://kith.invalid", "kith_test", timeout=own, transport=httpx.MockTransport(slowly))
    with pytest.raises(KithUnavailable, match="no answer in time"):
        kith.run(steps.store("talk", [{"role": "user", "text": "Hello."}], None), timeout=of_the_call)
    seen.clear()
    with pytest.raises(KithUnavailable, match="no answer in time"):
        kith.run(deletes(), timeout=of_the_call)
    assert len(seen) == 2
    with pytest.raises(KithUnavailable, match="no answer in time"):
        asyncio.run(kith.as_async().run(deletes(), timeout=of_the_call))
    assert len(seen) == 4


def test_an_agent_waits_for_all_parts_of_a_call_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """httpx has a timeout for each part: a server that sends an answer bit by bit is late for none."""
    monkeypatch.setattr(optional, "TIMEOUT", 0.3)
    released = threading.Event()

    class Slow(httpx.BaseTransport, httpx.AsyncBaseTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            released.wait(20)
            return httpx.Response(200, text="late")

        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            await asyncio.sleep(20)
            return httpx.Response(200, text="late")

    memory = optional.OptionalMemory(Kith("http://kith.invalid", "kith_test", transport=Slow()))
    began = time.monotonic()
    assert memory.run("context", lambda: optional.one(steps.context(None, None))) is None
    assert asyncio.run(memory.arun("context", lambda: optional.one(steps.context(None, None)))) is None
    assert time.monotonic() - began < 15
    released.set()


def test_async_is_repeated_too() -> None:
    def answers(left: list[httpx.Response]) -> Callable[[httpx.Request], httpx.Response]:
        return lambda request: left.pop(0)

    kith = AsyncKith("http://kith.invalid", "kith_test", transport=httpx.MockTransport(answers([httpx.Response(503), httpx.Response(200, text="# A")])))
    assert asyncio.run(kith.context()) == "# A"


class Answer(httpx.BaseTransport):
    """A transport for sync programs alone."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, text="# Sync")


class AsyncAnswer(httpx.AsyncBaseTransport):
    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, text="# Async")


def test_each_client_has_its_transport() -> None:
    kith = Kith("http://kith.invalid", "kith_test", transport=Answer(), async_transport=AsyncAnswer())
    assert kith.context() == "# Sync"
    assert asyncio.run(kith.as_async().context()) == "# Async"
    assert asyncio.run(AsyncKith("http://kith.invalid", "kith_test", async_transport=AsyncAnswer()).context()) == "# Async"
    kith = Kith("http://kith.invalid", "kith_test", transport=Answer())
    with pytest.raises(ValueError, match="pass async_transport"):
        kith.as_async()
    with pytest.raises(ValueError, match="pass async_transport"):
        AsyncKith("http://kith.invalid", "kith_test", transport=Answer())


def test_clients_of_closed_loops_are_released(monkeypatch: pytest.MonkeyPatch) -> None:
    made = list["weakref.ref[httpx.AsyncClient]"]()

    class Client(httpx.AsyncClient):
        """Holds its event loop, as one with open connections does."""

        def __init__(self, **given: Any) -> None:
            super().__init__(**given)
            self.loop = asyncio.get_running_loop()
            made.append(weakref.ref(self))

    monkeypatch.setattr(httpx, "AsyncClient", Client)
    kith = AsyncKith("http://kith.invalid", "kith_test", async_transport=AsyncAnswer())
    for _ in range(3):
        asyncio.run(kith.context())
    gc.collect()
    assert [one() is not None for one in made] == [False, False, True]


@pytest.mark.parametrize("nobody", [lambda given: given, lambda given: "", ""])
def test_a_stranger_does_not_get_the_memory_of_the_owner(nobody: optional.User, caplog: pytest.LogCaptureFixture) -> None:
    kith, seen = memory()
    agent, tools = optional.OptionalMemory(kith), Tools(kith)

    def whose() -> str | None:
        return agent.user(nobody, None)

    with caplog.at_level(logging.WARNING, "kith"):
        assert agent.run("context", lambda: optional.one(steps.context(whose(), None))) is None
        assert asyncio.run(agent.arun("context", lambda: optional.one(steps.context(whose(), None)))) is None
        assert tools.explore("boiler", whose) == tools.remember("I live in Ghent.", whose) == optional.AWAY
        assert asyncio.run(tools.aexplore("boiler", whose)) == asyncio.run(tools.aremember("I live in Ghent.", whose)) == optional.AWAY
    assert seen == []
    assert caplog.text.count("the agent goes on without memory: context: the program names no user for this call") == 2
    assert caplog.text.count("the agent goes on without memory") == 6
    assert agent.user(None, "x") == "noor" and agent.user(lambda given: given, "x") == "x" and agent.user("y", "x") == "y"


def test_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KITH_URL", "http://memory.invalid/")
    monkeypatch.setenv("KITH_KEY", "kith_env")
    assert Kith().url == "http://memory.invalid"
    monkeypatch.delenv("KITH_KEY")
    with pytest.raises(ValueError, match="no API key"):
        Kith()
    with pytest.raises(ValueError, match="http or https"):
        Kith("memory.invalid", "kith_x")
