# Writes a document of objects of Zep's SDK, as `kith import --format zep` reads it.
import json
import sys

from zep_cloud.types import Edge, Episode, Message, Node, Observation, Thread, ThreadSummary, User

ADA, BO, GRAPH = "11111111-0000-4000-8000-00000000000a", "11111111-0000-4000-8000-00000000000b", "22222222-0000-4000-8000-000000000001"


def uid(n):
    return f"33333333-0000-4000-8000-{n:012d}"


def mine(graph=GRAPH, user=ADA, **values):
    return {"graph_uuid": graph, "user_uuid": user, **values}


sections = {
    "users": [
        User(uuid=ADA, user_id="ada", first_name="Ada", last_name="Quay", email="ada@example.org", time_zone="Europe/Lisbon",
             created_at="2026-01-01T08:00:00Z", metadata={"plan": "free"}, graph_uuid=GRAPH),
        User(uuid=BO, created_at="2026-01-02T08:00:00Z"),
    ],
    "threads": [
        Thread(uuid=uid(1), thread_id="tides", user_uuid=ADA, created_at="2026-01-03T08:00:00Z", updated_at="2026-01-03T09:00:00Z"),
    ],
    "messages": [
        Message(uuid=uid(2), thread_uuid=uid(1), role="user", name="Ada", content="My sister Sarah moves to Hvar.",
                created_at="2026-01-03T08:00:01Z", reference_time="2026-01-03T08:00:00Z", metadata={"channel": "phone"}, processed=True),
        Message(uuid=uid(3), thread_uuid=uid(1), role="assistant", content="How lovely!", created_at="2026-01-03T08:00:05Z", processed=True),
        Message(uuid=uid(4), thread_uuid=uid(1), role="tool", content="", created_at="2026-01-03T08:00:06Z"),
    ],
    "thread_summaries": [
        ThreadSummary(uuid=uid(5), thread_uuid=uid(1), graph_uuid=GRAPH, summary="Ada's sister moves.", created_at="2026-01-03T10:00:00Z"),
    ],
    "episodes": [
        Episode(**mine(uuid=uid(2), thread_uuid=uid(1), content="My sister Sarah moves to Hvar.", source="message", role="user",
                       role_name="Ada", created_at="2026-01-03T08:00:01Z", reference_time="2026-01-03T08:00:00Z", processed=True)),
        Episode(**mine(uuid=uid(6), content="The lease of the flat in Hvar", source="text", source_description="a letter",
                       document_id="lease", created_at="1969-07-20T20:17:00Z", metadata={"pages": 2}, processed=True)),
    ],
    "nodes": [
        Node(**mine(uuid=uid(7), name="Ada Quay", labels=["Entity", "User"], summary="Keeps the tide tables.", created_at="2026-01-03T08:01:00Z",
                    episode_uuids=[uid(2)], episode_uuids_truncated=False)),
        Node(**mine(uuid=uid(8), name="Sarah", labels=["Entity", "Person"], summary="Ada's sister.", created_at="2026-01-03T08:01:00Z",
                    attributes={"relation": "sister"}, episode_uuids=[uid(2), uid(6), uid(99)], episode_uuids_truncated=False)),
        Node(**mine(uuid=uid(9), name="Hvar", labels=["Entity", "Location"], summary="", episode_uuids=[], episode_uuids_truncated=False)),
        Node(graph_uuid=uid(50), uuid=uid(10), name="Harbour office", labels=["Entity"], summary="Open in the morning.",
             episode_uuids=[], episode_uuids_truncated=False),
    ],
    "observations": [
        Observation(**mine(uuid=uid(11), name="Family moves", labels=["Observation"], summary="Ada's family moves south.",
                           episode_uuids=[uid(2)], created_at="2026-01-04T08:00:00Z")),
    ],
    "edges": [
        Edge(**mine(uuid=uid(12), name="HAS_RELATIONSHIP_WITH", fact="Sarah is Ada's sister.", source_node_uuid=uid(7), target_node_uuid=uid(8),
                    source_node_name="Ada Quay", target_node_name="Sarah", scope="entity", valid_at="1980-05-01T00:00:00Z",
                    created_at="2026-01-03T08:01:00Z", episode_uuids=[uid(2)])),
        Edge(**mine(uuid=uid(13), name="LIVES_IN", fact="Sarah lived in Porto.", source_node_uuid=uid(8), target_node_uuid=uid(9), scope="entity",
                    valid_at="2020-01-01T00:00:00Z", invalid_at="2026-01-03T00:00:00Z", expired_at="2026-01-03T08:01:00Z",
                    created_at="2026-01-03T08:01:00Z", attributes={"sure": True})),
    ],
}
with open(sys.argv[1], "w") as out:
    json.dump({name: [json.loads(item.json(exclude_none=True)) for item in items] for name, items in sections.items()}, out, indent=1)
