"""The memory block, in the Memory of LlamaIndex."""

import asyncio
import logging

import httpx
import pytest

from kith import Kith, api
from kith.llama_index import KithMemoryBlock
from llama_index.core.llms import ChatMessage
from llama_index.core.memory import Memory
from llama_index.core.utils import get_tokenizer


def test_context_and_messages(memory: Kith, user: str) -> None:
    memory.remember("I am allergic to peanuts.")
    block = KithMemoryBlock(memory)
    chat = Memory.from_defaults(session_id=f"{user}-1", token_limit=60, token_flush_size=10, chat_history_token_ratio=0.5, memory_blocks=[block])

    async def talk() -> list[ChatMessage]:
        for i in range(8):
            await chat.aput(ChatMessage(role="user", content=f"The boiler number {i} was repaired by Samir in Ghent."))
            await chat.aput(ChatMessage(role="assistant", content="That is good to hear."))
        return await chat.aget()

    system = asyncio.run(talk())[0]
    assert system.role == "system" and "allergic to peanuts" in (system.content or "")
    page = memory.send(api.get_conversation(f"{user}-1", user_id=user))
    assert page["messages"][0]["text"] == "The boiler number 0 was repaired by Samir in Ghent." and page["message_count"] >= 2


def test_truncation_starts_from_the_content(memory: Kith) -> None:
    for thing in ("apples", "boats", "chess", "dahlias", "Ghent", "jazz", "lighthouses", "maps", "opera", "tea", "trains", "walnuts"):
        memory.remember(f"I love {thing}.")
    block, tokens = KithMemoryBlock(memory, priority=1), get_tokenizer()  # max_tokens is far more than the context has
    whole = asyncio.run(block.aget())
    less = asyncio.run(block.atruncate(whole, 50))
    assert less and len(tokens(less)) <= len(tokens(whole)) - 50
    assert asyncio.run(block.atruncate(whole, len(tokens(whole)) - 50)) is None  # 50 are not enough for a context
    chat = Memory.from_defaults(token_limit=len(tokens(whole)) - 50, memory_blocks=[block])
    assert "I love" in (asyncio.run(chat.aget())[0].content or "")


def test_a_context_that_is_too_long_as_the_framework_counts_is_asked_for_again() -> None:
    asked = list[int]()

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(int(request.url.params["max_tokens"]))
        return httpx.Response(200, text="tea " * (asked[-1] + 20))

    block = KithMemoryBlock(Kith("http://kith.invalid", "kith_test", transport=httpx.MockTransport(answer)))
    whole = "tea " * 400
    has = len(get_tokenizer()(whole))
    less = asyncio.run(block.atruncate(whole, 100))
    assert less and len(get_tokenizer()(less)) <= has - 100 and asked[0] == has - 100 and len(asked) == 2
    assert asyncio.run(block.atruncate("", 100)) is None and len(asked) == 2


def test_a_long_text_does_not_end_storing(memory: Kith, user: str) -> None:
    given = [ChatMessage(role="user", content=text, additional_kwargs={"session_id": f"{user}-1"}) for text in ("x" * 70_000, "One\0two")]
    asyncio.run(KithMemoryBlock(memory).aput(given))
    page = memory.send(api.get_conversation(f"{user}-1", user_id=user))
    assert [message["text"] for message in page["messages"]] == ["x" * 65_536, "One\ufffdtwo"]


def test_the_block_is_empty_without_memory(away: Kith, caplog: pytest.LogCaptureFixture) -> None:
    block = KithMemoryBlock(away)
    with caplog.at_level(logging.WARNING, "kith"):
        assert asyncio.run(block.aget()) == ""
        asyncio.run(block.aput([ChatMessage(role="user", content="Hello.")]))
    assert caplog.text.count("the agent goes on without memory") == 2
