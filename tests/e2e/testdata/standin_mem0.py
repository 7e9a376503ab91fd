# Stand-ins for the two servers of mem0: the open-source server, whose answers are those of mem0's own Memory on its own vector
# store, and the platform, which mem0's own client reads once. Prints their addresses.
import json
import os
import sys
import tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlparse

folder = tempfile.mkdtemp()
os.environ.update(MEM0_TELEMETRY="False", MEM0_DIR=folder, OPENAI_API_KEY="none")

from mem0 import Memory, MemoryClient  # noqa: E402

KEY = "mem0-key"


class Embedder:
    def embed(self, text, *_, **__):
        return [float(ord(c)) for c in (text * 8)[:8]]

    def embed_batch(self, texts, *_, **__):
        return [self.embed(t) for t in texts]


memory = Memory.from_config({
    "vector_store": {"provider": "qdrant", "config": {"path": folder + "/qdrant", "collection_name": "m", "embedding_model_dims": 8, "on_disk": True}},
    "history_db_path": folder + "/history.db",
})
memory.embedding_model = Embedder()
for n in range(23):  # more than its get_all returns by default
    memory.add(f"Ada likes tide {n}", user_id="ada", metadata={"n": n}, infer=False)
memory.add("Sarah moves to Hvar", user_id="ada", agent_id="desk", infer=False)
memory.add("The desk opens at nine", agent_id="desk", infer=False)
entities = [{"type": "agent", "id": "desk", "total_memories": 2}, {"type": "user", "id": "ada", "total_memories": 24}]


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, value):
        raw = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


class Server(Handler):
    def do_GET(self):
        url = urlparse(self.path)
        query = {k: v[0] for k, v in parse_qs(url.query).items()}
        if self.headers["X-API-Key"] != KEY:
            return self.answer(401, {"detail": "Authentication required."})
        if url.path == "/entities":
            return self.answer(200, entities)
        top_k = int(query.get("top_k", "20"))
        filters = {k: v for k, v in query.items() if k in ("user_id", "agent_id", "run_id")}
        return self.answer(200, memory.get_all(filters=filters, top_k=top_k))


class Platform(Handler):
    def do_GET(self):
        if self.headers["Authorization"] != f"Token {KEY}":
            return self.answer(401, {})
        if self.path.startswith("/v1/ping/"):
            return self.answer(200, {"status": "ok", "org_id": "o", "project_id": "p", "user_email": "a@example.org"})
        return self.answer(200, {"results": [{"type": e["type"], "name": e["id"]} for e in entities]})

    def do_POST(self):
        url = urlparse(self.path)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["Authorization"] != f"Token {KEY}":
            return self.answer(401, {})
        query = {k: int(v[0]) for k, v in parse_qs(url.query).items()}
        found = memory.get_all(filters=body["filters"], top_k=1000)["results"]
        size = min(10, query.get("page_size", 10))
        end = query.get("page", 1) * size
        return self.answer(200, {"count": len(found), "next": "more" if end < len(found) else None, "previous": None, "results": found[end - size:end]})


addresses = []
for handler in (Server, Platform):
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    addresses.append(f"http://127.0.0.1:{server.server_port}")

client = MemoryClient(api_key=KEY, host=addresses[1])
assert len(client.get_all(filters={"user_id": "ada"}, page=3, page_size=10)["results"]) == 4
assert [e["name"] for e in client.users()["results"]] == ["desk", "ada"]
print(*addresses, flush=True)
sys.stdin.read()
