# A stand-in for a Letta server: it serves objects of the types of Letta's SDK, in pages of two. The SDK's own client reads it
# once, so it speaks the SDK's protocol. It prints its address.
import json
import sys
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlparse

from letta_client import Letta
from letta_client.types import AgentState, BlockResponse, LlmConfig, Passage
from letta_client.types.agent_state import Memory
from letta_client.types.agents import AssistantMessage, ReasoningMessage, SystemMessage, UserMessage

KEY = "letta-key"


def at(second):
    return datetime(2026, 1, 3, 8, 0, second, tzinfo=timezone.utc)


human = BlockResponse(id="block-0", label="human", value="Her name is Ada Quay.\n\nShe keeps the tide tables.")
persona = BlockResponse(id="block-1", label="persona", value="I am Sam, and I am brief.", description="Who the agent is")
agents = [
    AgentState(id=f"agent-{n}", name=name, agent_type="letta_v1_agent", blocks=[], sources=[], tools=[], tags=["home"], system="You are Sam.",
               memory=Memory(blocks=[]), llm_config=LlmConfig(context_window=32000, model="gpt-4o", model_endpoint_type="openai"), created_at=at(0))
    for n, name in enumerate(["Sam", "Bo", "Cy"])
]
blocks = {"agent-0": [human, persona], "agent-1": [human]}
messages = {
    "agent-0": [
        SystemMessage(id="message-0", date=at(0), content="You are Sam.", message_type="system_message"),
        UserMessage(id="message-1", date=at(1), content="My sister Sarah moves to Hvar.", name="Ada", message_type="user_message"),
        ReasoningMessage(id="message-2", date=at(2), reasoning="Shall I ask?", message_type="reasoning_message"),
        AssistantMessage(id="message-2", date=at(2), content="When does she move?", message_type="assistant_message"),
        UserMessage(id="message-3", date=at(3), content=[{"type": "text", "text": "In spring."}], message_type="user_message"),
    ],
}
passages = {"agent-0": [Passage(id=f"passage-{n}", text=f"Ada knows tide {n}", embedding=[0.5], tags=["tides"], created_at=at(n)) for n in range(3)]}


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, value):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())

    def page(self, items, query):
        ids = [i.id for i in items]
        begin = len(ids) - ids[::-1].index(query["after"][0]) if "after" in query else 0
        self.answer(200, [json.loads(i.model_dump_json(exclude_none=True)) for i in items[begin:begin + min(2, int(query.get("limit", ["2"])[0]))]])

    def do_GET(self):
        url = urlparse(self.path)
        query, path = parse_qs(url.query), url.path.strip("/").split("/")
        if self.headers["Authorization"] != f"Bearer {KEY}":
            return self.answer(401, {"detail": "unauthorized"})
        match path:
            case ["v1", "agents"]:
                return self.page(agents, query)
            case ["v1", "agents", uid]:
                return self.answer(200, json.loads(next(a for a in agents if a.id == uid).model_dump_json(exclude_none=True)))
            case ["v1", "agents", uid, "core-memory", "blocks"]:
                return self.page(blocks.get(uid, []), query)
            case ["v1", "agents", uid, "messages"]:
                return self.page(messages.get(uid, []), query)
            case ["v1", "agents", uid, "archival-memory"]:
                return self.page(passages.get(uid, []), query)
        return self.answer(404, {"detail": "not found"})


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
Thread(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"

client = Letta(api_key=KEY, base_url=address)
assert [a.name for a in client.agents.list(order="asc")] == ["Sam", "Bo", "Cy"]
assert client.agents.retrieve("agent-1").name == "Bo"
assert [b.label for b in client.agents.blocks.list("agent-0", order="asc")] == ["human", "persona"]
assert len(list(client.agents.messages.list("agent-0", order="asc"))) == 5
assert [p.text for p in client.agents.passages.list("agent-0")][0] == "Ada knows tide 0"
print(address, flush=True)
sys.stdin.read()
