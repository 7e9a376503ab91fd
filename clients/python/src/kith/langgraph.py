"""A store of LangGraph, whose items are those of Kith."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
    get_text_at_path,
    tokenize_path,
    validate_op_namespace,
)

from . import api, items, steps
from .client import Kith
from .request import Steps

MAX_TEXT = 16_384  # characters of a description
MAX_HITS = 100
NAMESPACES = 1000  # in one page


class KithStore(BaseStore):
    """Keeps the items of a user, or those that the team shares.

    Without Kith there is no store: what fails is raised, as a ConnectionError if Kith is away, which LangGraph's retry policy
    retries, and as a ValueError if the request has faults.
    """

    supports_ttl = False

    def __init__(self, memory: Kith | None = None, *, user: str | None = None) -> None:
        self._memory = memory or Kith()
        self._user = self._memory.user if user is None else user

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return self._memory.run(_batch(self._user, list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await self._memory.as_async().run(_batch(self._user, list(ops)))


def _batch(user: str | None, ops: Sequence[Op]) -> Steps[list[Result]]:
    """Reads see what was there before the batch, and of several writes to one item the last counts."""
    results, puts = list[Result](), dict[tuple[tuple[str, ...], str], PutOp]()
    for op in ops:
        validate_op_namespace(op)
        result: Result = None
        if isinstance(op, GetOp):
            found = yield from items.find(user, op.namespace, op.key)
            result = Item(**_fields(found)) if found is not None else None
        elif isinstance(op, SearchOp):
            result = yield from _search(user, op)
        elif isinstance(op, ListNamespacesOp):
            result = yield from _namespaces(user, op)
        elif isinstance(op, PutOp):
            puts[op.namespace, op.key] = op
        else:
            raise ValueError(f"Unknown operation type: {type(op)}")
        results.append(result)
    yield from _put(user, list(puts.values()))
    return results


def _put(user: str | None, puts: Sequence[PutOp]) -> Steps[None]:
    yield from items.write(user, [_write(op) for op in puts if op.value is not None])
    for op in puts:
        if op.value is None:
            found = yield from items.find(user, op.namespace, op.key)
            for item in (yield from items.deletable(user, [found] if found is not None else [])):
                yield from steps.delete("item", item["entity_key"], user)


def _write(op: PutOp) -> api.NodeWrite:
    write: api.NodeWrite = {"kind": "item", "namespace": list(op.namespace), "name": op.key, "value": dict(op.value or {})}
    if op.index is False:
        write["description"] = ""
    elif op.index is not None:
        texts = [text for path in op.index for text in get_text_at_path(op.value, tokenize_path(path))]
        write["description"] = "\n".join(texts)[:MAX_TEXT]
    return write


def _search(user: str | None, op: SearchOp) -> Steps[list[SearchItem]]:
    """Returns what the search ranks, and after it the other items below the namespace."""
    found = dict[tuple[tuple[str, ...], str], SearchItem]()
    wanted = op.offset + op.limit
    if op.query:
        for hit in (yield from _ranked(user, op)):
            found.setdefault((hit.namespace, hit.key), hit)
    cursor: str | None = None
    while len(found) < wanted:
        nodes, cursor = yield from items.page(user, op.namespace_prefix, cursor, op.filter, min(items.PAGE, wanted))
        for node in nodes:
            one = SearchItem(**_fields(node))
            found.setdefault((one.namespace, one.key), one)
        if cursor is None:
            break
    return list(found.values())[op.offset : wanted]


def _ranked(user: str | None, op: SearchOp) -> Steps[list[SearchItem]]:
    request: api.ExploreRequest = {"user_id": user, "queries": [{"query": op.query or ""}], "kinds": ["item"], "limit": MAX_HITS}
    if op.namespace_prefix:
        request["namespace"] = list(op.namespace_prefix)
    if op.filter:
        request["filter"] = op.filter
    result: api.ExploreResult = yield api.explore(request)
    return [SearchItem(**_fields(hit), score=hit["relevance_score"]) for hit in result["semantic"]["others"]]


def _namespaces(user: str | None, op: ListNamespacesOp) -> Steps[list[tuple[str, ...]]]:
    conditions = op.match_conditions or ()
    prefix = next((list(one.path) for one in conditions if one.match_type == "prefix"), None)
    suffix = next((list(one.path) for one in conditions if one.match_type == "suffix"), None)
    found, cursor = set[tuple[str, ...]](), None
    while True:
        page: api.NamespacePage = yield api.list_namespaces(user_id=user, prefix=prefix, suffix=suffix, limit=NAMESPACES, cursor=cursor)
        for parts in page["namespaces"]:
            if all(_fits(one, parts) for one in conditions):
                found.add(tuple(parts[: op.max_depth]))
        cursor = page["next"]
        if cursor is None:
            return sorted(found)[op.offset : op.offset + op.limit]


def _fits(condition: MatchCondition, parts: Sequence[str]) -> bool:
    path, place = condition.path, list(parts)
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    if len(place) < len(path):
        return False
    part = place[: len(path)] if condition.match_type == "prefix" else place[len(place) - len(path) :]
    return all(want in ("*", have) for want, have in zip(path, part, strict=True))


def _fields(node: api.NodeView | api.NodeHit) -> dict[str, Any]:
    return {
        "value": node["value"],
        "key": node["name"],
        "namespace": tuple(node["namespace"] or ()),
        "created_at": _moment(node["created_at"]),
        "updated_at": _moment(node["updated_at"]),
    }


def _moment(text: str) -> datetime:
    """Reads a time with any number of decimals, which Python 3.10 cannot."""
    whole, _, rest = text.removesuffix("Z").partition(".")
    decimals = re.match(r"\d*", rest)
    return datetime.fromisoformat(f"{whole}.{(decimals[0] if decimals else '')[:6]:0<6}+00:00")
