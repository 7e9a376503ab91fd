"""What the short methods of both clients send."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from . import api
from .error import KithError, KithInvalid
from .request import Request, Steps, new_key

CONTEXT_TOKENS = 1300  # as the MCP tool has by default
EXPLORE_TOKENS = 500
MAX_MESSAGES = 1000  # in one answer
MAX_TEXT = 65_536  # characters of a message


def context(user: str | None, max_tokens: int | None) -> Request[str]:
    return api.get_context_text(user_id=user, max_tokens=max_tokens)


def explore(query: str | Sequence[str], user: str | None, limit: int, max_tokens: int | None) -> Request[str]:
    queries: list[api.ExploreQuery] = [{"query": one} for one in ([query] if isinstance(query, str) else query)]
    return api.explore_text({"user_id": user, "queries": queries, "limit": limit, "max_tokens": max_tokens})


def remember(
    text: str | None, nodes: Iterable[api.NodeWrite], relationships: Iterable[api.RelationshipWrite], user: str | None
) -> Steps[list[str]]:
    """Returns the keys of what is stored. It is one request, so that all or nothing is stored."""
    nodes, relationships = list(nodes), list(relationships)
    if text is not None and not text.strip() or text is None and not nodes and not relationships:
        raise KithInvalid("nothing to remember: pass a text, nodes or relationships")
    if text is not None and (nodes or relationships):
        raise KithInvalid("a text and nodes or relationships are two writes: call remember for each")
    if text is not None:
        note: api.SourceResult = yield api.write_source(
            {"user_id": user, "content_type": "text-note", "messages": [{"role": "user", "text": text}]}
        )
        return [note["entity_key"]]
    result: api.MemoryResult = yield api.write_memory({"user_id": user, "nodes": nodes, "relationships": relationships, "strict": True})
    return [one["entity_key"] for one in result["nodes"]] + [one["key"] for one in result["relationships"]]


def open_conversation(conversation: str, user: str | None, max_tokens: int | None) -> Request[str]:
    """The id makes the request repeatable."""
    return replace(api.open_conversation_text({"conversation_id": conversation, "user_id": user, "max_tokens": max_tokens}), again=True)


def storable(text: str) -> str:
    """Returns a text as a message may have it: cut where it is too long, and without NUL. One text must not end the storing of a thread."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")[:MAX_TEXT]


def append(conversation: str, messages: Iterable[api.MessageWrite], user: str | None) -> Request[api.SourceResult]:
    """A message that has a key is stored once, which makes the request repeatable."""
    keyed: list[api.MessageWrite] = []
    for message in messages:
        with_key = message.copy()
        with_key.setdefault("entity_key", new_key())
        keyed.append(with_key)
    request = api.append_messages(conversation, {"user_id": user, "messages": keyed})
    return replace(request, again=True)


def end(conversation: str, summary: str | None, user: str | None) -> Request[api.SourceResult]:
    body: api.ConversationEnd = {"user_id": user}
    if summary is not None:
        body["summary"] = summary
    return api.end_conversation(conversation, body)


def messages(conversation: str, user: str | None, start: int = 0) -> Steps[list[api.Message]]:
    """Returns the messages of a conversation from a number on; none if there is no conversation."""
    found, at = list[api.Message](), start
    while True:
        part = yield from page(conversation, user, at, MAX_MESSAGES)
        if part is None:
            return []
        found += part["messages"]
        if part["next"] is None:
            return found
        at = part["next"]


def page(conversation: str, user: str | None, start: int, limit: int) -> Steps[api.ConversationPage | None]:
    """Returns a page of the messages of a conversation; None if there is no conversation."""
    try:
        part: api.ConversationPage = yield api.get_conversation(conversation, user_id=user, from_=start, limit=limit)
    except KithError as error:
        if error.status != 404:
            raise
        return None
    return part


def store(conversation: str, messages: Sequence[api.MessageWrite], user: str | None) -> Steps[None]:
    """Appends messages to a conversation, which is opened if there is none."""
    for first in range(0, len(messages), MAX_MESSAGES):
        request = append(conversation, messages[first : first + MAX_MESSAGES], user)
        try:
            yield request
        except KithError as error:
            if error.status != 404:
                raise
            opening = api.open_conversation({"conversation_id": conversation, "user_id": user, "messages": 0, "sections": ["temporal"]})
            yield replace(opening, again=True)
            yield request


def clear(conversation: str, user: str | None) -> Steps[None]:
    """Deletes a conversation with its messages, if there is one."""
    yield from delete("source", conversation, user)


def delete(kind: str, key: str, user: str | None) -> Steps[None]:
    """Deletes a node. A 404 counts as deleted: the answer to an earlier try may have been lost, or another program was faster."""
    try:
        yield api.delete_node(kind, key, user_id=user)
    except KithError as error:
        if error.status != 404:
            raise
