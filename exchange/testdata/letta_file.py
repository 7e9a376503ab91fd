# Writes an agent file of Letta with the classes of its server, as its export does.
import json
import logging
import sys
from datetime import datetime, timezone

logging.disable(logging.CRITICAL)

from letta.schemas.agent_file import AgentFileSchema, AgentSchema, BlockSchema, MessageSchema, ToolSchema  # noqa: E402
from letta.schemas.enums import ToolType  # noqa: E402
from letta.schemas.letta_message_content import ReasoningContent, TextContent  # noqa: E402
from openai.types.chat.chat_completion_message_tool_call import ChatCompletionMessageToolCall, Function  # noqa: E402


def at(second):
    return datetime(2026, 1, 3, 8, 0, second, tzinfo=timezone.utc)


def said(n, role, text=None, **values):
    return MessageSchema(id=f"message-{n}", role=role, content=[TextContent(text=text)] if text else [], created_at=at(n), agent_id="agent-0", **values)


def call(name, **arguments):
    return [ChatCompletionMessageToolCall(id="call-1", type="function", function=Function(name=name, arguments=json.dumps(arguments)))]


messages = [
    said(0, "system", "You are Sam. <memory_blocks>…</memory_blocks>"),
    said(1, "user", json.dumps({"type": "login", "last_login": "Never (first login)", "time": "2026-01-03"})),
    said(2, "user", json.dumps({"type": "user_message", "message": "My sister Sarah moves to Hvar.", "time": "2026-01-03"}), name="Ada"),
    said(3, "assistant", "I should answer kindly.", tool_calls=call("send_message", message="How lovely!")),
    said(4, "tool", '{"status": "OK", "message": "None"}', tool_call_id="call-1"),
    MessageSchema(id="message-5", role="assistant", created_at=at(5), agent_id="agent-0",
                  content=[ReasoningContent(reasoning="Shall I ask?", is_native=True), TextContent(text="When does she move?")]),
    said(6, "assistant", tool_calls=call("archival_memory_insert", content="Sarah moves to Hvar")),
    said(7, "user", "In spring."),
]
file = AgentFileSchema(
    agents=[AgentSchema(id="agent-0", name="Sam", description="Helps Ada.", agent_type="letta_v1_agent", block_ids=["block-0", "block-1"],
                        tool_ids=["tool-0"], tags=["home"], system="You are Sam.", in_context_message_ids=["message-0", "message-7"],
                        messages=messages, model="openai/gpt-4o", embedding="openai/text-embedding-3-small")],
    groups=[],
    blocks=[
        BlockSchema(id="block-0", label="human", value="Her name is Ada Quay.\n\nShe keeps the tide tables.", limit=20000),
        BlockSchema(id="block-1", label="persona", value="I am Sam, and I am brief.", description="Who the agent is", limit=20000),
        BlockSchema(id="block-2", label="scratch", value="", limit=20000),
    ],
    files=[], sources=[],
    tools=[ToolSchema(id="tool-0", name="send_message", tool_type=ToolType.LETTA_CORE, source_type="python", tags=[])],
    mcp_servers=[], metadata={"revision_id": "test"}, created_at=at(9),
)
with open(sys.argv[1], "w") as out:
    json.dump(file.model_dump(mode="json"), out, indent=1)
