# A stand-in for Zep Cloud, version 4 of its API: it serves the objects of a file through the types of Zep's SDK, in pages of
# two. The SDK's own client reads it once, so it speaks the SDK's protocol. It prints its address.
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread as Worker
from urllib.parse import parse_qs, urlparse

from zep_cloud import Zep
from zep_cloud.types import (
    Edge, EdgePage, Episode, EpisodePage, Graph, GraphPage, Message, MessagePage, Node, NodePage, Observation, ObservationPage, Thread, ThreadPage,
    ThreadSummary, ThreadSummaryPage, User, UserPage,
)

KEY = "zep-key"
file = json.load(open(sys.argv[1]))


def parse(section, cls):
    return [cls.model_validate(item) for item in file[section]]


users, threads, messages = parse("users", User), parse("threads", Thread), parse("messages", Message)
parts = {
    "nodes": (NodePage, parse("nodes", Node)), "edges": (EdgePage, parse("edges", Edge)), "episodes": (EpisodePage, parse("episodes", Episode)),
    "observations": (ObservationPage, parse("observations", Observation)),
    "thread-summaries": (ThreadSummaryPage, parse("thread_summaries", ThreadSummary)),
}
graphs = [Graph(uuid=uuid, type="standard") for uuid in {n.graph_uuid for n in parts["nodes"][1] if not n.user_uuid}]
graphs.append(Graph(uuid=users[0].graph_uuid, type="user", user_uuid=users[0].uuid_))


class Handler(BaseHTTPRequestHandler):
    busy = True

    def log_message(self, *_):
        pass

    def page(self, cls, items, query):
        begin = int(query.get("cursor", ["0"])[0])
        end = begin + 2
        self.answer(200, cls(items=items[begin:end], next_cursor=str(end) if end < len(items) else None).json(exclude_none=True))

    def answer(self, status, body="{}", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(body.encode())

    def serve(self):
        url = urlparse(self.path)
        query, path = parse_qs(url.query), url.path.strip("/").split("/")
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers["Authorization"] != f"Api-Key {KEY}":
            return self.answer(401)
        if path[0] == "threads" and Handler.busy:  # once
            Handler.busy = False
            return self.answer(429, Retry_After="0")
        match [self.command, *path]:
            case ["POST", "users", "list"]:
                return self.page(UserPage, users, query)
            case ["GET", "threads"]:
                return self.page(ThreadPage, [t for t in threads if t.user_uuid == query["user_uuid"][0]], query)
            case ["GET", "threads", uuid, "messages"]:
                return self.page(MessagePage, [m for m in messages if m.thread_uuid == uuid], query)
            case ["POST", "graphs", "list"]:
                return self.page(GraphPage, graphs, query)
            case ["POST", "graphs", uuid, part, "list"]:
                cls, items = parts[part]
                return self.page(cls, [i for i in items if i.graph_uuid == uuid], query)
        return self.answer(404)

    do_GET = do_POST = serve


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
Worker(target=server.serve_forever, daemon=True).start()
address = f"http://127.0.0.1:{server.server_port}"

client = Zep(api_key=KEY, base_url=address)
assert [u.uuid_ for u in client.user.list()] == [u.uuid_ for u in users]
assert [t.uuid_ for t in client.thread.list(user_uuid=users[0].uuid_)] == [t.uuid_ for t in threads]
assert [m.uuid_ for m in client.thread.list_messages(threads[0].uuid_)] == [m.uuid_ for m in messages]
assert len(list(client.graph.list())) == len(graphs)
for resource, part in (
    (client.graph.node, "nodes"), (client.graph.edge, "edges"), (client.graph.episode, "episodes"),
    (client.graph.observation, "observations"), (client.graph.thread_summary, "thread-summaries"),
):
    assert len(list(resource.list(users[0].graph_uuid))) == len([i for i in parts[part][1] if i.graph_uuid == users[0].graph_uuid]), part
Handler.busy = True
print(address, flush=True)
sys.stdin.read()
