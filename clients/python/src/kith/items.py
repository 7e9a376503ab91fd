"""Items: JSON values under a namespace and a name."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from . import api
from .request import Steps

PAGE = 100
MAX_WRITE = 1000  # items
MAX_BYTES = 8 << 20  # of the items of one write, about


def find(user: str | None, namespace: Sequence[str], name: str) -> Steps[api.NodeView | None]:
    """Returns an item."""
    page: api.NodePage = yield api.list_nodes("item", user_id=user, namespace=list(namespace), name=name, limit=1)
    return page["nodes"][0] if page["nodes"] else None


def page(
    user: str | None, prefix: Sequence[str], cursor: str | None = None, filter: Mapping[str, Any] | None = None, limit: int = PAGE
) -> Steps[tuple[list[api.NodeView], str | None]]:
    """Returns some of the items below a namespace, and the cursor of those after them."""
    text = json.dumps(filter) if filter else None
    found: api.NodePage = yield api.list_nodes("item", user_id=user, namespace=list(prefix) or None, filter=text, cursor=cursor, limit=limit)
    return found["nodes"], found["next"]


def below(user: str | None, prefix: Sequence[str]) -> Steps[list[api.NodeView]]:
    """Returns all items below a namespace."""
    found, cursor = yield from page(user, prefix)
    while cursor is not None:
        more, cursor = yield from page(user, prefix, cursor)
        found += more
    return found


def write(user: str | None, items: Sequence[api.NodeWrite]) -> Steps[None]:
    """Writes items: as many at once as fit into a request, each such part all or nothing."""
    part, size = list[api.NodeWrite](), 0
    for item in items:
        bytes = len(json.dumps(item))
        if part and (len(part) == MAX_WRITE or size + bytes > MAX_BYTES):
            yield api.write_memory({"user_id": user, "nodes": part, "strict": True})
            part, size = [], 0
        part.append(item)
        size += bytes
    if part:
        yield api.write_memory({"user_id": user, "nodes": part, "strict": True})
