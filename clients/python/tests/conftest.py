"""Tests against a running Kith: KITH_URL, KITH_KEY of a team of their own, and KITH_ADMIN_KEY, which makes keys of it."""

import os
import uuid
from collections.abc import Iterator

import httpx
import pytest
from kith import Kith, api, optional


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The machine of the tests may be slow."""
    monkeypatch.setattr(optional, "TIMEOUT", 30.0)


@pytest.fixture
def user() -> str:
    """A user whom nobody knows."""
    return f"u-{uuid.uuid4()}"


@pytest.fixture(scope="session")
def everybody() -> Iterator[Kith]:
    """A memory for users whom a test names itself."""
    with Kith() as memory:
        yield memory


@pytest.fixture
def memory(user: str) -> Iterator[Kith]:
    with Kith(user=user) as memory:
        yield memory


@pytest.fixture
def bound(user: str) -> Iterator[Kith]:
    """A memory whose key is that of a user, who is not named otherwise."""
    with Kith(key=os.environ["KITH_ADMIN_KEY"]) as admin:
        made = admin.send(api.create_key({"scopes": ["read", "write"], "user_id": f"{user}-bound"}))
    with Kith(key=made["key"]) as memory:
        yield memory


@pytest.fixture
def away(user: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kith]:
    """A memory that does not answer."""

    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("connection refused", request=request)

    monkeypatch.setattr(optional, "TIMEOUT", 0.5)
    with Kith("http://kith.invalid", "kith_away", user, timeout=0.1, transport=httpx.MockTransport(refuse)) as memory:
        yield memory


@pytest.fixture
def forgetful() -> Iterator[tuple[Kith, list[str]]]:
    """A memory with one item, whose deletion it answers too late, and the methods of the requests that it gets."""
    asked = list[str]()

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.method)
        if request.method == "GET":
            return httpx.Response(200, json={"nodes": [{"entity_key": "i-1", "user_id": "noor"}], "next": None})
        return httpx.Response(503 if len(asked) == 2 else 404)

    with Kith("http://kith.invalid", "kith_test", "noor", transport=httpx.MockTransport(answer)) as memory:
        yield memory, asked
