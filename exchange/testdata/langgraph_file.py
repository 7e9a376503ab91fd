# Writes the items of a store of LangGraph, one line each.
import json
import sys
from datetime import datetime, timezone

from langgraph.store.memory import InMemoryStore

store = InMemoryStore()
store.put(("memories", "ada"), "tea", {"text": "Ada likes green tea", "tags": ["drinks"], "strength": 0.5})
store.put(("memories", "ada"), "sarah", {"text": "Sarah moves to Hvar", "about": {"name": "Sarah", "year": 2026}})
store.put(("profiles",), "ada", {"name": "Ada Quay", "language": None})
with open(sys.argv[1], "w") as out:
    for namespace in store.list_namespaces(limit=10_000):
        for item in store.search(namespace, limit=10_000):
            if item.namespace == namespace:  # a search is of a prefix
                item.created_at = item.updated_at = datetime(2026, 1, 3, 8, tzinfo=timezone.utc)
                out.write(json.dumps(item.dict()) + "\n")
