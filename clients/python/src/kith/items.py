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
    """Returns an item; if the user and the team have one of that name, the user's."""
    page: api.NodePage = yield api.list_nodes("item", user_id=user, namespace=list(namespace), name=name, limit=2)
    return min(page["nodes"], key=is_shared, default=None)


def is_shared(item: api.NodeView) -> bool:
    """Reports whether an item is the team's."""
    return item["user_id"] is None


def deletable(user: str | None, found: Sequence[api.NodeView]) -> Steps[list[api.NodeView]]:
    """Leaves out the items of the team, which a user reads and writes, but does not delete. The user may be that of the key."""
    if any(map(is_shared, found)) and not user:
        me: api.Me = yield api.get_me()
        user = me["user_id"]
    return [item for item in found if not user or not is_shared(item)]


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
