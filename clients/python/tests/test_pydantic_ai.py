"""The Pydantic AI toolset, with the framework's test model."""

import logging

import pytest

from kith import Kith
from kith.pydantic_ai import kith_toolset
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, RetryPromptPart, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel


class Script:
    """A model that calls what it is given, and notes what it is asked."""

    def __init__(self, *answers: ToolCallPart | str) -> None:
        self.left, self.instructions, self.returned = list(answers), list[str](), list[str]()

    def model(self) -> FunctionModel:
        return FunctionModel(self.answer)

    def answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        last = messages[-1]
        assert isinstance(last, ModelRequest)
        self.instructions.append(info.instructions or "")
        self.returned += [str(part.content) for part in last.parts if isinstance(part, (ToolReturnPart, RetryPromptPart))]
        one = self.left.pop(0)
        return ModelResponse([TextPart(one) if isinstance(one, str) else one])


def test_instructions_and_tools(memory: Kith) -> None:
    memory.remember("I am allergic to peanuts.")
    script = Script(
        ToolCallPart("remember", {"text": "The boiler was repaired by Samir."}), ToolCallPart("explore", {"query": "boiler"}), "By Samir."
    )
    agent = Agent(script.model(), instructions="Be brief.", toolsets=[kith_toolset(memory)])
    assert agent.run_sync("Who repaired the boiler?").output == "By Samir."
    assert "Be brief." in script.instructions[0] and "allergic to peanuts" in script.instructions[0]
    assert script.returned[0] == "Remembered." and "repaired by Samir" in script.returned[1]


def test_the_user_is_that_of_the_run(memory: Kith, user: str) -> None:
    memory.remember("I live in Ghent.", user=f"{user}-b")
    script = Script("In Ghent.")
    Agent(script.model(), deps_type=str, toolsets=[kith_toolset(memory, user=lambda deps: deps)]).run_sync("Where?", deps=f"{user}-b")
    assert "I live in Ghent" in script.instructions[0]


def test_a_wrong_call_is_tried_again(memory: Kith) -> None:
    script = Script(ToolCallPart("explore", {"query": ""}), ToolCallPart("remember", {"text": "I live in Ghent."}), "Noted.")
    assert Agent(script.model(), toolsets=[kith_toolset(memory)]).run_sync("I live in Ghent.").output == "Noted."
    assert "body.queries[0].query" in script.returned[0] and script.returned[1] == "Remembered."


def test_a_stranger_does_not_get_the_memory_of_the_owner(memory: Kith, caplog: pytest.LogCaptureFixture) -> None:
    memory.remember("I am allergic to peanuts.")
    script = Script(ToolCallPart("explore", {"query": "peanuts"}), "I do not know.")
    with caplog.at_level(logging.WARNING, "kith"):
        Agent(script.model(), toolsets=[kith_toolset(memory, user=lambda deps: deps)]).run_sync("What may I eat?", deps=None)
    assert script.returned == ["The memory is not available now. Go on without it."]
    assert not any("peanuts" in text for text in script.instructions)
    assert caplog.text.count("the program names no user for this call") == 3


def test_the_agent_goes_on_without_memory(away: Kith, caplog: pytest.LogCaptureFixture) -> None:
    script = Script(ToolCallPart("explore", {"query": "boiler"}), "I do not know.")
    with caplog.at_level(logging.WARNING, "kith"):
        assert Agent(script.model(), toolsets=[kith_toolset(away)]).run_sync("Who?").output == "I do not know."
    assert script.returned == ["The memory is not available now. Go on without it."]
    assert "the agent goes on without memory: context: GET /v1/context: connection refused" in caplog.text
