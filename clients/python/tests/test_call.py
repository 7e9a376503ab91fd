"""How calls are repeated, and what they raise, without a Kith."""

import asyncio
import threading
import time
from collections.abc import Callable

import httpx
import pytest
from kith import AsyncKith, Kith, KithError, KithUnavailable, api
from kith import call as calls
from kith import optional, steps

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


def test_a_sequence_has_one_deadline() -> None:
    def slowly(request: httpx.Request) -> httpx.Response:
        time.sleep(0.15)
        return httpx.Response(404, json=BUSY | {"status": 404})

    kith = Kith("http://kith.invalid", "kith_test", transport=httpx.MockTransport(slowly))
    with pytest.raises(KithUnavailable, match="no answer in time"):
        kith.run(steps.store("talk", [{"role": "user", "text": "Hello."}], None), timeout=0.2)


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
    first, second = optional.one(steps.context(None, None)), optional.one(steps.context(None, None))
    assert memory.run("context", first) is None
    assert asyncio.run(memory.arun("context", second)) is None
    assert time.monotonic() - began < 15
    released.set()


def test_async_is_repeated_too() -> None:
    def answers(left: list[httpx.Response]) -> Callable[[httpx.Request], httpx.Response]:
        return lambda request: left.pop(0)

    kith = AsyncKith("http://kith.invalid", "kith_test", transport=httpx.MockTransport(answers([httpx.Response(503), httpx.Response(200, text="# A")])))
    assert asyncio.run(kith.context()) == "# A"


def test_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KITH_URL", "http://memory.invalid/")
    monkeypatch.setenv("KITH_KEY", "kith_env")
    assert Kith().url == "http://memory.invalid"
    monkeypatch.delenv("KITH_KEY")
    with pytest.raises(ValueError, match="no API key"):
        Kith()
    with pytest.raises(ValueError, match="http or https"):
        Kith("memory.invalid", "kith_x")
