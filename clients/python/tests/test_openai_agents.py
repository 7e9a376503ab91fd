"""The session answers as the SDK's SQLiteSession, call for call."""

import asyncio
import uuid
from typing import Any

import pytest

from agents import SQLiteSession
from agents.exceptions import AgentsException, UserError
from agents.memory import Session
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from kith import Kith, api
from kith.openai_agents import KithSession

ITEMS: list[Any] = [
    {"role": "user", "content": "What shall I cook?"},
    {"role": "user", "content": [{"type": "input_text", "text": "See é\n"}, {"type": "input_image", "image_url": "https://x.invalid/a.png", "detail": "auto"}]},
    {"type": "function_call", "call_id": "c-1", "name": "explore", "arguments": '{"query": "a"}', "status": "completed"},
    {"type": "function_call_output", "call_id": "c-1", "output": ""},
    {"id": "m-1", "type": "message", "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": "Soup.", "annotations": [], "logprobs": None}]},
    {"type": "reasoning", "id": "r-1", "summary": [], "encrypted_content": "x" * 3000},
]
limits = st.none() | st.integers(0, 5)
calls = st.one_of(
    st.tuples(st.just("add_items"), st.lists(st.sampled_from(ITEMS), max_size=4)),
    st.tuples(st.just("get_items"), limits),
    st.tuples(st.just("pop_item")),
    st.sampled_from([("clear_session",), ("pop_item",), ("get_items", None)]),
)


@settings(max_examples=20, deadline=None, derandomize=True, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(called=st.lists(calls, min_size=4, max_size=12))
def test_same_answers(everybody: Kith, called: list[tuple[Any, ...]]) -> None:
    name = f"s-{uuid.uuid4()}"
    ours, theirs = KithSession(name, everybody, user=name), SQLiteSession(name)
    assert isinstance(ours, Session)

    async def answers() -> None:
        for method, *args in [("add_items", ITEMS), *called]:
            assert await getattr(ours, method)(*args) == await getattr(theirs, method)(*args), (method, args)
        assert await ours.get_items() == await theirs.get_items()
        await everybody.as_async().close()

    asyncio.run(answers())
    theirs.close()


def test_what_was_said_is_remembered(memory: Kith) -> None:
    asyncio.run(KithSession(f"{memory.user}-1", memory).add_items([{"role": "user", "content": "I am allergic to peanuts."}]))
    assert "allergic to peanuts" in memory.context()


def test_messages_of_others_are_plain_items(memory: Kith, user: str) -> None:
    talk = memory.conversation(f"{user}-1")
    talk.add("user", "Hello.")
    assert asyncio.run(KithSession(talk.id, memory).get_items()) == [{"role": "user", "content": "Hello."}]


def test_errors(memory: Kith, away: Kith, user: str) -> None:
    with pytest.raises(AgentsException, match="connection refused"):
        asyncio.run(KithSession("s", away).get_items())
    large: Any = {"role": "user", "content": "x" * (1 << 20)}
    with pytest.raises(UserError, match="422"):
        asyncio.run(KithSession(f"{user}-2", memory).add_items([large]))
    memory.send(api.open_conversation({"conversation_id": f"{user}-3", "user_id": user}))
    memory.send(api.end_conversation(f"{user}-3", {"user_id": user}))
    with pytest.raises(AgentsException, match="409"):
        asyncio.run(KithSession(f"{user}-3", memory).add_items([ITEMS[0]]))
