"""The LangChain middleware and tools, with a fake model."""

import asyncio
import logging
from typing import Any

import pytest

from kith import Kith, api, optional
from kith.langchain import KithChatMessageHistory, KithMiddleware
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langgraph.checkpoint.memory import InMemorySaver


class Model(GenericFakeChatModel):
    """A fake model that notes what it is asked."""

    asked: list[list[BaseMessage]] = []

    def bind_tools(self, tools: Any, **kwargs: Any) -> "Model":
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self.asked.append(messages)
        return super()._generate(messages, *args, **kwargs)


def model(*answers: AIMessage | str) -> Model:
    return Model(messages=iter([AIMessage(one) if isinstance(one, str) else one for one in answers]), asked=[])


def call(name: str, **args: str) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"call-{name}"}])


def ask(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


def stored(memory: Kith, thread: str) -> list[tuple[str, str]]:
    page = memory.send(api.get_conversation(thread, user_id=memory.user))
    return [(message["role"], message["text"]) for message in page["messages"]]


def test_the_model_knows_the_user_and_what_was_said_is_stored(memory: Kith, user: str) -> None:
    memory.remember("I am allergic to peanuts.")
    asked = model("Then no satay.", "You are welcome.")
    agent = create_agent(asked, system_prompt="Be brief.", middleware=[KithMiddleware(memory)], checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": f"{user}-1"}}
    agent.invoke(ask("What shall I cook?"), thread)
    system = asked.asked[0][0].text
    assert system.startswith("Be brief.\n\n# About") and "allergic to peanuts" in system
    assert stored(memory, f"{user}-1") == [("user", "What shall I cook?"), ("assistant", "Then no satay.")]
    agent.invoke(ask("Thanks."), thread)
    assert stored(memory, f"{user}-1")[2:] == [("user", "Thanks."), ("assistant", "You are welcome.")]


def test_a_history_of_the_program_is_not_stored_again(memory: Kith, user: str) -> None:
    agent = create_agent(model("Soup.", "Bread."), middleware=[KithMiddleware(memory)])  # no checkpointer
    thread = {"configurable": {"thread_id": f"{user}-1"}}
    first = agent.invoke(ask("What shall I cook?"), thread)["messages"]
    agent.invoke({"messages": [*[message.model_copy(update={"id": None}) for message in first], *ask("And with it?")["messages"]]}, thread)
    assert stored(memory, f"{user}-1") == [("user", "What shall I cook?"), ("assistant", "Soup."), ("user", "And with it?"), ("assistant", "Bread.")]


def test_what_was_said_while_kith_was_away_is_stored_later(
    memory: Kith, away: Kith, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    saver, thread = InMemorySaver(), {"configurable": {"thread_id": f"{user}-1"}}
    create_agent(model("Soup."), middleware=[KithMiddleware(away)], checkpointer=saver).invoke(ask("What shall I cook?"), thread)
    monkeypatch.setattr(optional, "TIMEOUT", 30.0)
    create_agent(model("Bread."), middleware=[KithMiddleware(memory)], checkpointer=saver).invoke(ask("And with it?"), thread)
    assert [text for _, text in stored(memory, f"{user}-1")] == ["What shall I cook?", "Soup.", "And with it?", "Bread."]


def test_async_with_the_user_of_the_call(memory: Kith, user: str) -> None:
    other = f"{user}-b"
    memory.remember("I live in Ghent.", user=other)
    asked = model("In Ghent.")
    agent = create_agent(asked, middleware=[KithMiddleware(memory, user=lambda context: context)])
    asyncio.run(agent.ainvoke(ask("Where do I live?"), context=other))
    assert "I live in Ghent" in asked.asked[0][0].text
    conversations = memory.send(api.list_conversations(user_id=other))["conversations"]
    assert [one["message_count"] for one in conversations] == [2]


def test_tools(memory: Kith) -> None:
    asked = model(call("remember", text="The boiler was repaired by Samir."), call("explore", query="boiler"), "By Samir.")
    result = create_agent(asked, middleware=[KithMiddleware(memory)]).invoke(ask("Who repaired the boiler? I think Samir."))
    answers = [message.text for message in result["messages"] if isinstance(message, ToolMessage)]
    assert answers[0] == "Remembered." and "repaired by Samir" in answers[1]


def test_a_wrong_call_is_reported_to_the_model(memory: Kith) -> None:
    calls = model(call("remember", text=" "), call("explore", query=""), "Sorry.")
    result = create_agent(calls, middleware=[KithMiddleware(memory)]).invoke(ask("Remember."))
    answers = [message for message in result["messages"] if isinstance(message, ToolMessage)]
    assert [answer.status for answer in answers] == ["error", "error"]
    assert "nothing to remember" in answers[0].text and "body.queries[0].query" in answers[1].text


def test_a_long_text_does_not_end_storing(memory: Kith, user: str) -> None:
    agent = create_agent(model("x" * 70_000, "Soup."), middleware=[KithMiddleware(memory)], checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": f"{user}-1"}}
    agent.invoke(ask("One\0two"), thread)
    agent.invoke(ask("And?"), thread)
    assert [text for _, text in stored(memory, f"{user}-1")] == ["One\ufffdtwo", "x" * 65_536, "And?", "Soup."]


@pytest.mark.parametrize("sync", [True, False])
def test_a_stranger_does_not_get_the_memory_of_the_owner(memory: Kith, user: str, caplog: pytest.LogCaptureFixture, sync: bool) -> None:
    memory.remember("I am allergic to peanuts.")
    asked = model(call("explore", query="peanuts"), "I do not know.", "Soup.")
    agent = create_agent(asked, middleware=[KithMiddleware(memory, user=lambda context: context)], checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": f"{user}-1"}}

    def said(text: str, whose: str | None) -> list[BaseMessage]:
        run = agent.invoke(ask(text), thread, context=whose) if sync else asyncio.run(agent.ainvoke(ask(text), thread, context=whose))
        found: list[BaseMessage] = run["messages"]
        return found

    with caplog.at_level(logging.WARNING, "kith"):
        messages = said("What may I eat?", None)
    assert messages[-1].text == "I do not know." and messages[-2].text == "The memory is not available now. Go on without it."
    assert not any("allergic" in message.text for request in asked.asked for message in request)
    lines = [record.getMessage() for record in caplog.records if record.name == "kith"]
    assert len(lines) == 3 and all(line.endswith(": the program names no user for this call") for line in lines)
    assert memory.send(api.list_conversations(user_id=user))["conversations"] == []
    said("And with it?", user)
    assert stored(memory, f"{user}-1") == [("user", "And with it?"), ("assistant", "Soup.")]


@pytest.mark.parametrize("sync", [True, False])
def test_the_agent_goes_on_without_memory(away: Kith, caplog: pytest.LogCaptureFixture, sync: bool) -> None:
    agent = create_agent(model(call("explore", query="boiler"), "I do not know."), middleware=[KithMiddleware(away)])
    with caplog.at_level(logging.WARNING, "kith"):
        result = agent.invoke(ask("Who?")) if sync else asyncio.run(agent.ainvoke(ask("Who?")))
    assert result["messages"][-1].text == "I do not know."
    assert result["messages"][-2].text == "The memory is not available now. Go on without it."
    said = [record.getMessage() for record in caplog.records if record.name == "kith"]
    assert len(said) == 3 and all(line.startswith("the agent goes on without memory: ") for line in said)


def test_the_history_keeps_messages_as_they_are(memory: Kith, user: str) -> None:
    given: list[BaseMessage] = [
        SystemMessage("Be brief."),
        HumanMessage([{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": "https://x.invalid/a.png"}}], name="noor"),
        AIMessage("", tool_calls=[{"name": "explore", "args": {"query": "a"}, "id": "c-1"}], id="m-1", usage_metadata={"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}),
        ToolMessage("nothing", tool_call_id="c-1", status="error"),
        AIMessage("Soup. " * 20_000),
    ]
    history = KithChatMessageHistory(f"{user}-1", memory)
    assert history.messages == []
    history.add_messages(given[:3])
    asyncio.run(history.aadd_messages(given[3:]))
    assert history.messages == given
    assert asyncio.run(KithChatMessageHistory(f"{user}-1", memory).aget_messages()) == given
    history.clear()
    assert history.messages == []
    history.add_user_message("Again.")
    assert [message.text for message in history.messages] == ["Again."]


def test_without_kith_there_is_no_history(away: Kith) -> None:
    with pytest.raises(ConnectionError):
        KithChatMessageHistory("s", away).add_user_message("Hello.")
