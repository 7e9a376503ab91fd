# Generated from the contract by clients/generate; DO NOT EDIT.
"""The calls of the API and their types.

A function here makes a request; Kith.send and AsyncKith.send send it. The types describe JSON objects: a field may be absent
unless it is Required, and times are strings (RFC 3339).
"""

from __future__ import annotations

import sys
from typing import Any, Literal, TypedDict

from .request import Request, new_key, segment

if sys.version_info >= (3, 11):
    from typing import Required
else:
    from typing_extensions import Required


def list_changes(
    *,
    after: str | None = None,
    kinds: list[str] | None = None,
    limit: int | None = None,
    user_id: str | None = None,
) -> Request[ChangePage]:
    "GET /v1/changes: what was committed behind a cursor, in order; or as it is committed, as server-sent events."
    return Request("GET", "/v1/changes", query={"after": after, "kinds": kinds, "limit": limit, "user_id": user_id}, again=True)


def list_consolidation(*, cursor: str | None = None, limit: int | None = None, user_id: str | None = None) -> Request[ConsolidationPage]:
    "GET /v1/consolidation: sources that could be archived, and why."
    return Request("GET", "/v1/consolidation", query={"cursor": cursor, "limit": limit, "user_id": user_id}, again=True)


def consolidate(body: Consolidation) -> Request[ConsolidationResult]:
    "POST /v1/consolidation: archive sources; their links stay."
    return Request("POST", "/v1/consolidation", body=body)


def get_context(
    *,
    as_of: str | None = None,
    conversation_id: str | None = None,
    explain: bool | None = None,
    focus_id: str | None = None,
    focus_kind: Literal["person", "concept", "entity"] | None = None,
    max_tokens: int | None = None,
    sections: list[str] | None = None,
    team_id: str | None = None,
    time_zone: str | None = None,
    user_id: str | None = None,
) -> Request[AgentContext]:
    "GET /v1/context: what an agent should know at the start of a conversation."
    return Request(
        "GET",
        "/v1/context",
        query={"as_of": as_of, "conversation_id": conversation_id, "explain": explain, "focus_id": focus_id, "focus_kind": focus_kind, "max_tokens": max_tokens, "sections": sections, "team_id": team_id, "time_zone": time_zone, "user_id": user_id},
        again=True,
    )


def get_context_text(
    *,
    as_of: str | None = None,
    conversation_id: str | None = None,
    explain: bool | None = None,
    focus_id: str | None = None,
    focus_kind: Literal["person", "concept", "entity"] | None = None,
    max_tokens: int | None = None,
    sections: list[str] | None = None,
    team_id: str | None = None,
    time_zone: str | None = None,
    user_id: str | None = None,
) -> Request[str]:
    "GET /v1/context: what an agent should know at the start of a conversation."
    return Request(
        "GET",
        "/v1/context",
        query={"format": "text", "as_of": as_of, "conversation_id": conversation_id, "explain": explain, "focus_id": focus_id, "focus_kind": focus_kind, "max_tokens": max_tokens, "sections": sections, "team_id": team_id, "time_zone": time_zone, "user_id": user_id},
        again=True,
        text=True,
    )


def explain_node(
    *,
    key: str | None = None,
    max_tokens: int | None = None,
    team_id: str | None = None,
    user_id: str | None = None,
) -> Request[Why]:
    "GET /v1/context/why: why a context shows a node, or does not: each rule, what it found, and what would change it."
    return Request(
        "GET",
        "/v1/context/why",
        query={"key": key, "max_tokens": max_tokens, "team_id": team_id, "user_id": user_id},
        again=True,
    )


def list_conversations(*, cursor: str | None = None, limit: int | None = None, user_id: str | None = None) -> Request[ConversationList]:
    "GET /v1/conversations: a page of a user's conversations, the newest first."
    return Request("GET", "/v1/conversations", query={"cursor": cursor, "limit": limit, "user_id": user_id}, again=True)


def open_conversation(body: OpenConversationRequest) -> Request[OpenedConversation]:
    "POST /v1/conversations: open a conversation and get its context."
    return Request("POST", "/v1/conversations", body=body)


def open_conversation_text(body: OpenConversationRequest) -> Request[str]:
    "POST /v1/conversations: open a conversation and get its context."
    return Request("POST", "/v1/conversations", body={**body, "format": "text"}, text=True)


def get_conversation(id: str, *, from_: int | None = None, limit: int | None = None, user_id: str | None = None) -> Request[ConversationPage]:
    "GET /v1/conversations/{id}: a conversation with its messages."
    return Request(
        "GET",
        f"/v1/conversations/{segment(id)}",
        query={"from": from_, "limit": limit, "user_id": user_id},
        again=True,
    )


def end_conversation(id: str, body: ConversationEnd) -> Request[SourceResult]:
    "POST /v1/conversations/{id}/end: end a conversation."
    return Request("POST", f"/v1/conversations/{segment(id)}/end", body=body)


def set_focus(id: str, body: SetFocusRequest) -> Request[SourceResult]:
    "PUT /v1/conversations/{id}/focus: have a conversation remember what its user looks at in a workspace."
    return Request("PUT", f"/v1/conversations/{segment(id)}/focus", body=body, again=True)


def append_messages(id: str, body: AppendMessagesRequest) -> Request[SourceResult]:
    "POST /v1/conversations/{id}/messages: append messages to an open conversation."
    return Request("POST", f"/v1/conversations/{segment(id)}/messages", body=body)


def pop_messages(id: str, body: PopMessagesRequest) -> Request[Popped]:
    "POST /v1/conversations/{id}/messages/pop: delete the last messages of an open conversation, and return them."
    return Request("POST", f"/v1/conversations/{segment(id)}/messages/pop", body=body)


def list_duplicates(
    *,
    cursor: str | None = None,
    kind: Literal["person", "concept", "entity"] | None = None,
    limit: int | None = None,
    min_probability: float | None = None,
    state: Literal["proposed", "refused"] | None = None,
    user_id: str | None = None,
) -> Request[DuplicatePage]:
    "GET /v1/duplicates: a page of pairs of nodes that may be one thing, with reasons and a probability; or of those that were refused."
    return Request(
        "GET",
        "/v1/duplicates",
        query={"cursor": cursor, "kind": kind, "limit": limit, "min_probability": min_probability, "state": state, "user_id": user_id},
        again=True,
    )


def change_duplicates(body: DuplicateChange, *, user_id: str | None = None) -> Request[None]:
    "PATCH /v1/duplicates: say of pairs of nodes that they are two, or take that back."
    return Request("PATCH", "/v1/duplicates", query={"user_id": user_id}, body=body)


def link(body: EdgesWrite) -> Request[EdgesResult]:
    "POST /v1/edges: link nodes of a project, all or none; links that are there are skipped."
    return Request("POST", "/v1/edges", body=body)


def unlink(key: str, *, if_version: int | None = None, user_id: str | None = None) -> Request[Deletion]:
    "DELETE /v1/edges/{key}: delete a link; it can be restored for a while."
    return Request("DELETE", f"/v1/edges/{segment(key)}", query={"if_version": if_version, "user_id": user_id}, again=True)


def explain(body: ExplainRequest) -> Request[ChatTurn]:
    "POST /v1/explanations: have a result explained, in the chat tree of a session."
    return Request("POST", "/v1/explanations", body=body)


def explore(body: ExploreRequest) -> Request[ExploreResult]:
    "POST /v1/explore: find what the memory has about something: by words, meaning and links."
    return Request("POST", "/v1/explore", body=body, again=True)


def explore_text(body: ExploreRequest) -> Request[str]:
    "POST /v1/explore: find what the memory has about something: by words, meaning and links."
    return Request("POST", "/v1/explore", body={**body, "format": "text"}, again=True, text=True)


def get_import_progress(id: str, *, user_id: str | None = None) -> Request[ImportReport]:
    "GET /v1/imports/{id}: what is stored of an import that is not complete, by its import_id; zeros before its first piece and after its end."
    return Request("GET", f"/v1/imports/{segment(id)}", query={"user_id": user_id}, again=True)


def list_keys(*, team_id: str | None = None) -> Request[KeyList]:
    "GET /v1/keys: API keys, without their secrets."
    return Request("GET", "/v1/keys", query={"team_id": team_id}, again=True)


def create_key(body: CreateKeyRequest) -> Request[CreatedKey]:
    "POST /v1/keys: make an API key."
    return Request("POST", "/v1/keys", body=body)


def revoke_key(id: str) -> Request[None]:
    "DELETE /v1/keys/{id}: revoke an API key."
    return Request("DELETE", f"/v1/keys/{segment(id)}", again=True)


def get_me() -> Request[Me]:
    "GET /v1/me: what the caller's key is: team, user, scopes, rate limit and quota."
    return Request("GET", "/v1/me", again=True)


def write_memory(body: MemoryWrite) -> Request[MemoryResult]:
    "POST /v1/memory: add and change nodes and relationships in one transaction."
    return Request("POST", "/v1/memory", body=body, again=True, key=body.get("idempotency_key") or new_key())


def list_namespaces(
    *,
    cursor: str | None = None,
    limit: int | None = None,
    max_depth: int | None = None,
    prefix: list[str] | None = None,
    suffix: list[str] | None = None,
    user_id: str | None = None,
) -> Request[NamespacePage]:
    "GET /v1/namespaces: a page of the namespaces that have items."
    return Request(
        "GET",
        "/v1/namespaces",
        query={"cursor": cursor, "limit": limit, "max_depth": max_depth, "prefix": prefix, "suffix": suffix, "user_id": user_id},
        again=True,
    )


def list_nodes(
    kind: str,
    *,
    as_of: str | None = None,
    cursor: str | None = None,
    deleted: bool | None = None,
    filter: str | None = None,
    limit: int | None = None,
    name: str | None = None,
    namespace: list[str] | None = None,
    project_id: str | None = None,
    state: Literal["candidate", "active", "core", "archived"] | None = None,
    user_id: str | None = None,
) -> Request[NodePage]:
    "GET /v1/nodes/{kind}: a page of the nodes of one kind."
    return Request(
        "GET",
        f"/v1/nodes/{segment(kind)}",
        query={"as_of": as_of, "cursor": cursor, "deleted": deleted, "filter": filter, "limit": limit, "name": name, "namespace": namespace, "project_id": project_id, "state": state, "user_id": user_id},
        again=True,
    )


def delete_node(kind: str, key: str, *, if_version: int | None = None, user_id: str | None = None) -> Request[Deletion]:
    "DELETE /v1/nodes/{kind}/{key}: delete a node; it can be restored for a while."
    return Request(
        "DELETE",
        f"/v1/nodes/{segment(kind)}/{segment(key)}",
        query={"if_version": if_version, "user_id": user_id},
        again=True,
    )


def get_node(
    kind: str,
    key: str,
    *,
    as_of: str | None = None,
    relationships: int | None = None,
    touch: bool | None = None,
    user_id: str | None = None,
) -> Request[NodeView]:
    "GET /v1/nodes/{kind}/{key}: a node with its notes and strongest relationships."
    return Request(
        "GET",
        f"/v1/nodes/{segment(kind)}/{segment(key)}",
        query={"as_of": as_of, "relationships": relationships, "touch": touch, "user_id": user_id},
        again=True,
    )


def patch_node(kind: str, key: str, body: NodeWrite, *, user_id: str | None = None) -> Request[NodeView]:
    "PATCH /v1/nodes/{kind}/{key}: change what is given of a node."
    return Request("PATCH", f"/v1/nodes/{segment(kind)}/{segment(key)}", query={"user_id": user_id}, body=body)


def list_node_changes(
    kind: str,
    key: str,
    *,
    limit: int | None = None,
    max_tokens: int | None = None,
    since: str | None = None,
    until: str | None = None,
    user_id: str | None = None,
) -> Request[ChangeList]:
    "GET /v1/nodes/{kind}/{key}/changes: what changed about a node and its relationships in a period."
    return Request(
        "GET",
        f"/v1/nodes/{segment(kind)}/{segment(key)}/changes",
        query={"limit": limit, "max_tokens": max_tokens, "since": since, "until": until, "user_id": user_id},
        again=True,
    )


def list_node_changes_text(
    kind: str,
    key: str,
    *,
    limit: int | None = None,
    max_tokens: int | None = None,
    since: str | None = None,
    until: str | None = None,
    user_id: str | None = None,
) -> Request[str]:
    "GET /v1/nodes/{kind}/{key}/changes: what changed about a node and its relationships in a period."
    return Request(
        "GET",
        f"/v1/nodes/{segment(kind)}/{segment(key)}/changes",
        query={"format": "text", "limit": limit, "max_tokens": max_tokens, "since": since, "until": until, "user_id": user_id},
        again=True,
        text=True,
    )


def list_node_versions(kind: str, key: str, *, cursor: str | None = None, limit: int | None = None, user_id: str | None = None) -> Request[VersionPage]:
    "GET /v1/nodes/{kind}/{key}/history: a page of the versions of a node: what changed, when, and by whom."
    return Request(
        "GET",
        f"/v1/nodes/{segment(kind)}/{segment(key)}/history",
        query={"cursor": cursor, "limit": limit, "user_id": user_id},
        again=True,
    )


def list_linked(
    kind: str,
    key: str,
    *,
    as_of: str | None = None,
    cursor: str | None = None,
    filter_kind: Literal["all", "plan", "goal", "task", "milestone", "document", "output", "risk", "decision", "requirement"] | None = None,
    include_available: bool | None = None,
    max_per_kind: int | None = None,
    max_tokens: int | None = None,
    mode: Literal["abbreviated", "full"] | None = None,
    user_id: str | None = None,
) -> Request[LinkedContext]:
    "GET /v1/nodes/{kind}/{key}/linked: what a node of a project is linked with, by kind."
    return Request(
        "GET",
        f"/v1/nodes/{segment(kind)}/{segment(key)}/linked",
        query={"as_of": as_of, "cursor": cursor, "filter_kind": filter_kind, "include_available": include_available, "max_per_kind": max_per_kind, "max_tokens": max_tokens, "mode": mode, "user_id": user_id},
        again=True,
    )


def list_linked_text(
    kind: str,
    key: str,
    *,
    as_of: str | None = None,
    cursor: str | None = None,
    filter_kind: Literal["all", "plan", "goal", "task", "milestone", "document", "output", "risk", "decision", "requirement"] | None = None,
    include_available: bool | None = None,
    max_per_kind: int | None = None,
    max_tokens: int | None = None,
    mode: Literal["abbreviated", "full"] | None = None,
    user_id: str | None = None,
) -> Request[str]:
    "GET /v1/nodes/{kind}/{key}/linked: what a node of a project is linked with, by kind."
    return Request(
        "GET",
        f"/v1/nodes/{segment(kind)}/{segment(key)}/linked",
        query={"format": "text", "as_of": as_of, "cursor": cursor, "filter_kind": filter_kind, "include_available": include_available, "max_per_kind": max_per_kind, "max_tokens": max_tokens, "mode": mode, "user_id": user_id},
        again=True,
        text=True,
    )


def list_node_mentions(kind: str, key: str, *, cursor: str | None = None, limit: int | None = None, user_id: str | None = None) -> Request[MentionPage]:
    "GET /v1/nodes/{kind}/{key}/mentions: a page of the sources that mention a node, with the place in their messages."
    return Request(
        "GET",
        f"/v1/nodes/{segment(kind)}/{segment(key)}/mentions",
        query={"cursor": cursor, "limit": limit, "user_id": user_id},
        again=True,
    )


def merge_nodes(kind: str, key: str, body: MergeWrite, *, user_id: str | None = None) -> Request[Merge]:
    "POST /v1/nodes/{kind}/{key}/merge: merge another node into this one; it can be undone for a while."
    return Request("POST", f"/v1/nodes/{segment(kind)}/{segment(key)}/merge", query={"user_id": user_id}, body=body)


def list_node_notes(kind: str, key: str, *, user_id: str | None = None) -> Request[NoteList]:
    "GET /v1/nodes/{kind}/{key}/notes: the notes of a node."
    return Request("GET", f"/v1/nodes/{segment(kind)}/{segment(key)}/notes", query={"user_id": user_id}, again=True)


def add_node_note(kind: str, key: str, body: NoteWrite, *, user_id: str | None = None) -> Request[NoteList]:
    "POST /v1/nodes/{kind}/{key}/notes: add a note to a node."
    return Request("POST", f"/v1/nodes/{segment(kind)}/{segment(key)}/notes", query={"user_id": user_id}, body=body)


def delete_node_note(kind: str, key: str, id: str, *, user_id: str | None = None) -> Request[NoteList]:
    "DELETE /v1/nodes/{kind}/{key}/notes/{id}: take a note off a node."
    return Request(
        "DELETE",
        f"/v1/nodes/{segment(kind)}/{segment(key)}/notes/{segment(id)}",
        query={"user_id": user_id},
        again=True,
    )


def list_node_relationships(
    kind: str,
    key: str,
    *,
    as_of: str | None = None,
    cursor: str | None = None,
    direction: Literal["outgoing", "incoming", "both"] | None = None,
    limit: int | None = None,
    past: bool | None = None,
    types: list[str] | None = None,
    user_id: str | None = None,
) -> Request[RelationshipPage]:
    "GET /v1/nodes/{kind}/{key}/relationships: a page of a node's relationships."
    return Request(
        "GET",
        f"/v1/nodes/{segment(kind)}/{segment(key)}/relationships",
        query={"as_of": as_of, "cursor": cursor, "direction": direction, "limit": limit, "past": past, "types": types, "user_id": user_id},
        again=True,
    )


def restore_node(kind: str, key: str, *, user_id: str | None = None, version: int | None = None) -> Request[NodeView]:
    "POST /v1/nodes/{kind}/{key}/restore: undo the delete or merge of a node, or make a former version the current one."
    return Request("POST", f"/v1/nodes/{segment(kind)}/{segment(key)}/restore", query={"user_id": user_id, "version": version})


def get_ontology(
    *,
    context_type: str | None = None,
    conversation_id: str | None = None,
    explain: bool | None = None,
    focus_id: str | None = None,
    focus_kind: str | None = None,
    linked: bool | None = None,
    max_tokens: int | None = None,
    project_id: str | None = None,
    snapshot: bool | None = None,
    user_id: str | None = None,
) -> Request[OntologyContext]:
    "GET /v1/ontology: what an agent should know of the workspace in which it works."
    return Request(
        "GET",
        "/v1/ontology",
        query={"context_type": context_type, "conversation_id": conversation_id, "explain": explain, "focus_id": focus_id, "focus_kind": focus_kind, "linked": linked, "max_tokens": max_tokens, "project_id": project_id, "snapshot": snapshot, "user_id": user_id},
        again=True,
    )


def get_ontology_text(
    *,
    context_type: str | None = None,
    conversation_id: str | None = None,
    explain: bool | None = None,
    focus_id: str | None = None,
    focus_kind: str | None = None,
    linked: bool | None = None,
    max_tokens: int | None = None,
    project_id: str | None = None,
    snapshot: bool | None = None,
    user_id: str | None = None,
) -> Request[str]:
    "GET /v1/ontology: what an agent should know of the workspace in which it works."
    return Request(
        "GET",
        "/v1/ontology",
        query={"format": "text", "context_type": context_type, "conversation_id": conversation_id, "explain": explain, "focus_id": focus_id, "focus_kind": focus_kind, "linked": linked, "max_tokens": max_tokens, "project_id": project_id, "snapshot": snapshot, "user_id": user_id},
        again=True,
        text=True,
    )


def make_prompt(body: PromptRequest) -> Request[Prompt]:
    "POST /v1/prompt: the messages to send to a language model: guidance, preferences, context snapshot, conversation."
    return Request("POST", "/v1/prompt", body=body, again=True)


def delete_relationship(key: str, *, if_version: int | None = None, user_id: str | None = None) -> Request[Deletion]:
    "DELETE /v1/relationships/{key}: delete a relationship; it can be restored for a while."
    return Request(
        "DELETE",
        f"/v1/relationships/{segment(key)}",
        query={"if_version": if_version, "user_id": user_id},
        again=True,
    )


def get_relationship(key: str, *, as_of: str | None = None, user_id: str | None = None) -> Request[RelationshipView]:
    "GET /v1/relationships/{key}: a relationship, current or past."
    return Request("GET", f"/v1/relationships/{segment(key)}", query={"as_of": as_of, "user_id": user_id}, again=True)


def list_relationship_versions(key: str, *, cursor: str | None = None, limit: int | None = None, user_id: str | None = None) -> Request[VersionPage]:
    "GET /v1/relationships/{key}/history: a page of the versions of a relationship."
    return Request(
        "GET",
        f"/v1/relationships/{segment(key)}/history",
        query={"cursor": cursor, "limit": limit, "user_id": user_id},
        again=True,
    )


def list_relationship_mentions(key: str, *, cursor: str | None = None, limit: int | None = None, user_id: str | None = None) -> Request[MentionPage]:
    "GET /v1/relationships/{key}/mentions: a page of the sources that mention both ends of a relationship."
    return Request(
        "GET",
        f"/v1/relationships/{segment(key)}/mentions",
        query={"cursor": cursor, "limit": limit, "user_id": user_id},
        again=True,
    )


def list_relationship_notes(key: str, *, user_id: str | None = None) -> Request[NoteList]:
    "GET /v1/relationships/{key}/notes: the notes of a relationship."
    return Request("GET", f"/v1/relationships/{segment(key)}/notes", query={"user_id": user_id}, again=True)


def add_relationship_note(key: str, body: NoteWrite, *, user_id: str | None = None) -> Request[NoteList]:
    "POST /v1/relationships/{key}/notes: add a note to a relationship."
    return Request("POST", f"/v1/relationships/{segment(key)}/notes", query={"user_id": user_id}, body=body)


def delete_relationship_note(key: str, id: str, *, user_id: str | None = None) -> Request[NoteList]:
    "DELETE /v1/relationships/{key}/notes/{id}: take a note off a relationship."
    return Request("DELETE", f"/v1/relationships/{segment(key)}/notes/{segment(id)}", query={"user_id": user_id}, again=True)


def restore_relationship(key: str, *, user_id: str | None = None, version: int | None = None) -> Request[RelationshipView]:
    "POST /v1/relationships/{key}/restore: undo the delete of a relationship, or make a former version the current one."
    return Request("POST", f"/v1/relationships/{segment(key)}/restore", query={"user_id": user_id, "version": version})


def list_reviews(
    *,
    cursor: str | None = None,
    limit: int | None = None,
    state: Literal["waiting", "confirmed", "refused"] | None = None,
    user_id: str | None = None,
) -> Request[ReviewPage]:
    "GET /v1/reviews: a page of the writes whose trust is less than the team wants, the newest first."
    return Request(
        "GET",
        "/v1/reviews",
        query={"cursor": cursor, "limit": limit, "state": state, "user_id": user_id},
        again=True,
    )


def get_review(key: str, *, user_id: str | None = None) -> Request[Review]:
    "GET /v1/reviews/{key}: a write that waits for a decision, or about which one was made."
    return Request("GET", f"/v1/reviews/{segment(key)}", query={"user_id": user_id}, again=True)


def decide_review(key: str, body: ReviewDecision, *, user_id: str | None = None) -> Request[Decided]:
    "PATCH /v1/reviews/{key}: confirm or refuse a write that waits, or all of its origin and author."
    return Request("PATCH", f"/v1/reviews/{segment(key)}", query={"user_id": user_id}, body=body)


def get_schema(*, max_tokens: int | None = None, user_id: str | None = None) -> Request[TraverseSchema]:
    "GET /v1/schema: what Cypher can ask here: kinds, properties, relationship types, examples."
    return Request("GET", "/v1/schema", query={"max_tokens": max_tokens, "user_id": user_id}, again=True)


def get_schema_text(*, max_tokens: int | None = None, user_id: str | None = None) -> Request[str]:
    "GET /v1/schema: what Cypher can ask here: kinds, properties, relationship types, examples."
    return Request(
        "GET",
        "/v1/schema",
        query={"format": "text", "max_tokens": max_tokens, "user_id": user_id},
        again=True,
        text=True,
    )


def list_served(
    *,
    after: str | None = None,
    from_: str | None = None,
    limit: int | None = None,
    to: str | None = None,
    user_id: str | None = None,
) -> Request[ServedPage]:
    "GET /v1/served: a page of the contexts that were served to a user, with digests."
    return Request(
        "GET",
        "/v1/served",
        query={"after": after, "from": from_, "limit": limit, "to": to, "user_id": user_id},
        again=True,
    )


def write_source(body: SourceWrite, *, extract: bool | None = None) -> Request[SourceResult]:
    "POST /v1/sources: add or change a conversation, mail, meeting or note."
    return Request(
        "POST",
        "/v1/sources",
        query={"extract": extract},
        body=body,
        again=True, key=body.get("idempotency_key") or new_key(),
    )


def withdraw_source(key: str, body: WithdrawRequest) -> Request[Withdrawal]:
    "POST /v1/sources/{key}/withdraw: delete a source that was found to be bad, with what rests on it alone; or report that, or undo it."
    return Request("POST", f"/v1/sources/{segment(key)}/withdraw", body=body)


def list_systems(*, cursor: str | None = None, limit: int | None = None) -> Request[SystemPage]:
    "GET /v1/systems: the systems of the team."
    return Request("GET", "/v1/systems", query={"cursor": cursor, "limit": limit}, again=True)


def delete_system(system: str) -> Request[SystemCounts]:
    "DELETE /v1/systems/{system}: delete a system with all that is known of it."
    return Request("DELETE", f"/v1/systems/{segment(system)}", again=True)


def list_system_entities(
    system: str,
    *,
    cursor: int | None = None,
    limit: int | None = None,
    tag: str | None = None,
    type: str | None = None,
) -> Request[SystemEntityPage]:
    "GET /v1/systems/{system}/entities: entities in the order in which they were added."
    return Request(
        "GET",
        f"/v1/systems/{segment(system)}/entities",
        query={"cursor": cursor, "limit": limit, "tag": tag, "type": type},
        again=True,
    )


def delete_system_entity(system: str, name: str) -> Request[SystemCounts]:
    "DELETE /v1/systems/{system}/entities/{name}: delete an entity with its relationships."
    return Request("DELETE", f"/v1/systems/{segment(system)}/entities/{segment(name)}", again=True)


def get_system_entity(system: str, name: str) -> Request[SystemNode]:
    "GET /v1/systems/{system}/entities/{name}: an entity by its exact name."
    return Request("GET", f"/v1/systems/{segment(system)}/entities/{segment(name)}", again=True)


def change_system_entity(system: str, name: str, body: ChangeSystemEntityRequest) -> Request[SystemNode]:
    "PATCH /v1/systems/{system}/entities/{name}: change an entity."
    return Request("PATCH", f"/v1/systems/{segment(system)}/entities/{segment(name)}", body=body)


def rename_system_entity(system: str, name: str, body: RenameSystemEntityRequest) -> Request[SystemNode]:
    "POST /v1/systems/{system}/entities/{name}/rename: rename an entity; its relationships stay."
    return Request("POST", f"/v1/systems/{segment(system)}/entities/{segment(name)}/rename", body=body)


def get_system_memory(system: str, *, as_of: str | None = None) -> Request[SystemMemory]:
    "GET /v1/systems/{system}/memory: what is known of a system, as its file."
    return Request("GET", f"/v1/systems/{segment(system)}/memory", query={"as_of": as_of}, again=True)


def merge_system_memory(system: str, body: SystemWrite, *, strict: bool | None = None) -> Request[MergedSystem]:
    "POST /v1/systems/{system}/memory: add and change entities and relationships in one transaction."
    return Request("POST", f"/v1/systems/{segment(system)}/memory", query={"strict": strict}, body=body)


def put_system_memory(system: str, body: SystemMemory, *, strict: bool | None = None) -> Request[SystemResult]:
    "PUT /v1/systems/{system}/memory: make a file all that is known of a system."
    return Request("PUT", f"/v1/systems/{segment(system)}/memory", query={"strict": strict}, body=body, again=True)


def get_system_text(
    system: str,
    *,
    as_of: str | None = None,
    format: Literal["json", "compact"] | None = None,
    max_tokens: int | None = None,
    name: list[str] | None = None,
    tag: list[str] | None = None,
    type: list[str] | None = None,
) -> Request[str]:
    "GET /v1/systems/{system}/memory/text: what is known of a system, as a text for a prompt."
    return Request(
        "GET",
        f"/v1/systems/{segment(system)}/memory/text",
        query={"as_of": as_of, "format": format, "max_tokens": max_tokens, "name": name, "tag": tag, "type": type},
        again=True,
        text=True,
    )


def delete_system_relationship(system: str, *, from_: str | None = None, to: str | None = None, type: str | None = None) -> Request[None]:
    "DELETE /v1/systems/{system}/relationships: delete a relationship by from, to and type."
    return Request(
        "DELETE",
        f"/v1/systems/{segment(system)}/relationships",
        query={"from": from_, "to": to, "type": type},
        again=True,
    )


def find_system_relationships(
    system: str,
    *,
    cursor: int | None = None,
    from_: str | None = None,
    limit: int | None = None,
    to: str | None = None,
    type: str | None = None,
) -> Request[SystemRelationshipPage]:
    "GET /v1/systems/{system}/relationships: relationships by any of from, to and type."
    return Request(
        "GET",
        f"/v1/systems/{segment(system)}/relationships",
        query={"cursor": cursor, "from": from_, "limit": limit, "to": to, "type": type},
        again=True,
    )


def erase_team(id: str) -> Request[TeamErasure]:
    "DELETE /v1/teams/{id}: erase a team with all it has, its keys too."
    return Request("DELETE", f"/v1/teams/{segment(id)}", again=True)


def pause_team_statements(id: str, body: PauseTeamRequest) -> Request[None]:
    "PATCH /v1/teams/{id}/statements: pause the search for statements in all messages of a team."
    return Request("PATCH", f"/v1/teams/{segment(id)}/statements", body=body)


def get_team_trust(id: str) -> Request[TeamTrust]:
    "GET /v1/teams/{id}/trust: the trust below which a team's writes wait for a review."
    return Request("GET", f"/v1/teams/{segment(id)}/trust", again=True)


def set_team_trust(id: str, body: TeamTrust) -> Request[TeamTrust]:
    "PATCH /v1/teams/{id}/trust: set the trust below which a team's writes wait for a review."
    return Request("PATCH", f"/v1/teams/{segment(id)}/trust", body=body)


def traverse(body: TraverseRequest) -> Request[TraverseRows | TraversePaths | TraverseTable]:
    "POST /v1/traverse: walk the graph: neighbors, paths, personalised PageRank, Cypher that only reads."
    return Request("POST", "/v1/traverse", body=body, again=True)


def traverse_text(body: TraverseRequest) -> Request[str]:
    "POST /v1/traverse: walk the graph: neighbors, paths, personalised PageRank, Cypher that only reads."
    return Request("POST", "/v1/traverse", body={**body, "format": "text"}, again=True, text=True)


def list_trees(
    *,
    cursor: str | None = None,
    limit: int | None = None,
    pinned: Literal["true", "false"] | None = None,
    user_id: str | None = None,
) -> Request[TreePage]:
    "GET /v1/trees: chat trees, the last changed first."
    return Request(
        "GET",
        "/v1/trees",
        query={"cursor": cursor, "limit": limit, "pinned": pinned, "user_id": user_id},
        again=True,
    )


def create_tree(body: CreateTreeRequest) -> Request[TreeView]:
    "POST /v1/trees: make a chat tree."
    return Request("POST", "/v1/trees", body=body)


def delete_tree(id: str, *, user_id: str | None = None) -> Request[RemovedTurns]:
    "DELETE /v1/trees/{id}: delete a chat tree with all its turns."
    return Request("DELETE", f"/v1/trees/{segment(id)}", query={"user_id": user_id}, again=True)


def get_tree(id: str, *, user_id: str | None = None) -> Request[TreeView]:
    "GET /v1/trees/{id}: a chat tree, by its own id or that of one of its turns."
    return Request("GET", f"/v1/trees/{segment(id)}", query={"user_id": user_id}, again=True)


def change_tree(id: str, body: ChangeTreeRequest) -> Request[TreeView]:
    "PATCH /v1/trees/{id}: rename or pin a chat tree, change its system prompt or context."
    return Request("PATCH", f"/v1/trees/{segment(id)}", body=body)


def list_turns(id: str, *, from_: int | None = None, limit: int | None = None, user_id: str | None = None) -> Request[TurnPage]:
    "GET /v1/trees/{id}/turns: the turns of a chat tree in the order in which they came, in short."
    return Request(
        "GET",
        f"/v1/trees/{segment(id)}/turns",
        query={"from": from_, "limit": limit, "user_id": user_id},
        again=True,
    )


def submit_turn(id: str, body: SubmitTurnRequest) -> Request[ChatTurn]:
    "POST /v1/trees/{id}/turns: add a turn to a chat tree, and have its answer generated."
    return Request("POST", f"/v1/trees/{segment(id)}/turns", body=body)


def delete_trust_rule(
    *,
    author: str | None = None,
    origin: Literal["user", "assistant", "tool", "external", "import"] | None = None,
    user_id: str | None = None,
) -> Request[None]:
    "DELETE /v1/trust/rules: let the writes of an origin and author wait again."
    return Request("DELETE", "/v1/trust/rules", query={"author": author, "origin": origin, "user_id": user_id}, again=True)


def list_trust_rules(*, user_id: str | None = None) -> Request[TrustRules]:
    "GET /v1/trust/rules: what was decided about all writes of an origin and author."
    return Request("GET", "/v1/trust/rules", query={"user_id": user_id}, again=True)


def delete_turn(id: str, *, user_id: str | None = None) -> Request[RemovedTurns]:
    "DELETE /v1/turns/{id}: delete a turn with all below it."
    return Request("DELETE", f"/v1/turns/{segment(id)}", query={"user_id": user_id}, again=True)


def get_turn(id: str, *, user_id: str | None = None) -> Request[ChatTurn]:
    "GET /v1/turns/{id}: a turn with its answer."
    return Request("GET", f"/v1/turns/{segment(id)}", query={"user_id": user_id}, again=True)


def answer_turn(id: str, body: AnswerTurnRequest) -> Request[ChatTurn]:
    "PATCH /v1/turns/{id}: answer a pending turn."
    return Request("PATCH", f"/v1/turns/{segment(id)}", body=body)


def cancel_turn(id: str, *, user_id: str | None = None) -> Request[ChatTurn]:
    "POST /v1/turns/{id}/cancel: end a turn that waits for its answer."
    return Request("POST", f"/v1/turns/{segment(id)}/cancel", query={"user_id": user_id})


def list_turn_descendants(id: str, *, user_id: str | None = None) -> Request[TurnDescendants]:
    "GET /v1/turns/{id}/descendants: a turn and all below it, breadth first, in short."
    return Request("GET", f"/v1/turns/{segment(id)}/descendants", query={"user_id": user_id}, again=True)


def get_turn_path(id: str, *, user_id: str | None = None) -> Request[ChatPath]:
    "GET /v1/turns/{id}/path: the turns from the root to a turn."
    return Request("GET", f"/v1/turns/{segment(id)}/path", query={"user_id": user_id}, again=True)


def get_turn_prompt(id: str, *, max_tokens: int | None = None, user_id: str | None = None) -> Request[TurnPrompt]:
    "GET /v1/turns/{id}/prompt: what the model is told for a turn."
    return Request("GET", f"/v1/turns/{segment(id)}/prompt", query={"max_tokens": max_tokens, "user_id": user_id}, again=True)


def retry_turn(id: str, *, user_id: str | None = None) -> Request[RetriedTurn]:
    "POST /v1/turns/{id}/retry: have the answer of a turn in error generated again."
    return Request("POST", f"/v1/turns/{segment(id)}/retry", query={"user_id": user_id})


def list_users(*, cursor: str | None = None, limit: int | None = None, team_id: str | None = None) -> Request[UserPage]:
    "GET /v1/users: a page of a team's users, with how much each has and when it was last used."
    return Request("GET", "/v1/users", query={"cursor": cursor, "limit": limit, "team_id": team_id}, again=True)


def erase_user(id: str) -> Request[UserErasure]:
    "DELETE /v1/users/{id}: erase a user: all that is private to the user, and the user's authorship of what others keep."
    return Request("DELETE", f"/v1/users/{segment(id)}", again=True)


def get_preferences(id: str, *, as_of: str | None = None) -> Request[Preferences]:
    "GET /v1/users/{id}/preferences: a user's preferences."
    return Request("GET", f"/v1/users/{segment(id)}/preferences", query={"as_of": as_of}, again=True)


def put_preferences(id: str, body: Preferences) -> Request[Preferences]:
    "PUT /v1/users/{id}/preferences: replace a user's preferences."
    return Request("PUT", f"/v1/users/{segment(id)}/preferences", body=body, again=True)


def list_preference_versions(id: str, *, cursor: str | None = None, key: str | None = None, limit: int | None = None) -> Request[PreferenceVersions]:
    "GET /v1/users/{id}/preferences/history: a page of the values that a user's preferences had and have."
    return Request(
        "GET",
        f"/v1/users/{segment(id)}/preferences/history",
        query={"cursor": cursor, "key": key, "limit": limit},
        again=True,
    )


def delete_preference(id: str, key: str) -> Request[None]:
    "DELETE /v1/users/{id}/preferences/{key}: delete one of a user's preferences."
    return Request("DELETE", f"/v1/users/{segment(id)}/preferences/{segment(key)}", again=True)


def put_preference(id: str, key: str, body: PutPreferenceRequest) -> Request[Preference]:
    "PUT /v1/users/{id}/preferences/{key}: set one of a user's preferences."
    return Request("PUT", f"/v1/users/{segment(id)}/preferences/{segment(key)}", body=body, again=True)


def list_statements(
    id: str,
    *,
    as_of: str | None = None,
    closed: bool | None = None,
    cursor: str | None = None,
    kinds: list[Literal["instruction", "preference", "fact", "plan"]] | None = None,
    limit: int | None = None,
    states: list[Literal["candidate", "active", "confirmed", "refused"]] | None = None,
) -> Request[StatementPage]:
    "GET /v1/users/{id}/statements: a page of what a user said to remember: standing instructions, preferences, facts, plans."
    return Request(
        "GET",
        f"/v1/users/{segment(id)}/statements",
        query={"as_of": as_of, "closed": closed, "cursor": cursor, "kinds": kinds, "limit": limit, "states": states},
        again=True,
    )


def change_statements(id: str, body: StatementChange) -> Request[None]:
    "PATCH /v1/users/{id}/statements: confirm or refuse a user's statements, or pause the search for new ones."
    return Request("PATCH", f"/v1/users/{segment(id)}/statements", body=body)


def list_statement_versions(id: str, key: str, *, cursor: str | None = None, limit: int | None = None) -> Request[StatementVersions]:
    "GET /v1/users/{id}/statements/{key}/history: a page of the versions of a statement of a user."
    return Request(
        "GET",
        f"/v1/users/{segment(id)}/statements/{segment(key)}/history",
        query={"cursor": cursor, "limit": limit},
        again=True,
    )


def list_webhooks() -> Request[WebhookList]:
    "GET /v1/webhooks: the webhooks of the team, without their secrets."
    return Request("GET", "/v1/webhooks", again=True)


def create_webhook(body: CreateWebhookRequest) -> Request[CreatedWebhook]:
    "POST /v1/webhooks: have the changes of the team sent to an address."
    return Request("POST", "/v1/webhooks", body=body)


def delete_webhook(id: str) -> Request[None]:
    "DELETE /v1/webhooks/{id}: delete a webhook with its failed deliveries."
    return Request("DELETE", f"/v1/webhooks/{segment(id)}", again=True)


def get_webhook(id: str) -> Request[Webhook]:
    "GET /v1/webhooks/{id}: a webhook, and how its deliveries go."
    return Request("GET", f"/v1/webhooks/{segment(id)}", again=True)


def patch_webhook(id: str, body: PatchWebhookRequest) -> Request[Webhook]:
    "PATCH /v1/webhooks/{id}: change what is given of a webhook."
    return Request("PATCH", f"/v1/webhooks/{segment(id)}", body=body)


def list_failed_deliveries(id: str, *, cursor: str | None = None, limit: int | None = None) -> Request[FailedDeliveryPage]:
    "GET /v1/webhooks/{id}/dead: a page of the deliveries of a webhook that failed for good."
    return Request("GET", f"/v1/webhooks/{segment(id)}/dead", query={"cursor": cursor, "limit": limit}, again=True)


def delete_failed_delivery(id: str, delivery: str) -> Request[None]:
    "DELETE /v1/webhooks/{id}/dead/{delivery}: delete a failed delivery."
    return Request("DELETE", f"/v1/webhooks/{segment(id)}/dead/{segment(delivery)}", again=True)


def redeliver(id: str, delivery: str) -> Request[None]:
    "POST /v1/webhooks/{id}/dead/{delivery}/redeliver: have a failed delivery sent again, once."
    return Request("POST", f"/v1/webhooks/{segment(id)}/dead/{segment(delivery)}/redeliver")


def rotate_webhook_secret(id: str) -> Request[RotatedSecret]:
    "POST /v1/webhooks/{id}/rotate: give a webhook a new secret."
    return Request("POST", f"/v1/webhooks/{segment(id)}/rotate")


class AgentContext(TypedDict, total=False):
    current_conversation: CurrentConversation
    degraded: list[str]  # what could not be loaded and is missing
    focus: ContextFocus
    meta: Meta
    receipt: Receipt  # only with explain; with format=text nothing else
    recent_context: RecentContext
    relationships: list[OwnerRelationship]  # at most 10, the strongest first
    temporal: Temporal
    user: ContextUser
    warnings: list[str]


class AnswerTurnRequest(TypedDict, total=False):
    assistant_text: str | None  # at most 256 KiB; this or an error, and not both
    error: str | None  # at most 4,096 characters
    provider_config: ChatProviderConfig | None
    provider_id: str | None  # at most 256 characters
    user_id: str | None  # for whom; left out: the user of the key, or the team itself


class AppendMessagesRequest(TypedDict, total=False):
    messages: Required[list[MessageWrite]]
    user_id: str | None


class ArtifactHit(TypedDict, total=False):
    content_type: Required[str]  # document or output
    created_at: Required[str]
    description: Required[str]
    entity_key: Required[str]
    explanation: ExploreExplanation
    name: Required[str]
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    related_nodes: Required[list[NodeRef]]
    relevance_score: Required[float]  # 0 to 1
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed


class AvailableEntity(TypedDict, total=False):
    id: Required[str]
    is_linked: Required[bool]
    name: Required[str]
    state: Required[str | None]


class Beaten(TypedDict, total=False):
    key: Required[str]
    value: float


Change = TypedDict(
    "Change",
    {
        "at": "Required[str]",  # when it was committed
        "by": "str",  # id of the API key; token: the caller had a token
        "cursor": "Required[str]",  # after continues behind this change
        "from": "str",  # key of the node where a relationship begins
        "key": "Required[str]",
        "kind": "Required[str]",  # a kind of node, relationship, system, system_relationship, preference or statement
        "op": "Required[Literal[\"created\", \"updated\", \"deleted\", \"restored\"]]",
        "source": "str",  # entity_key of the source from which a language model derived it
        "through": "str",  # an operation of the API, mcp: and a tool, or import: and a format
        "to": "str",  # key of the node where a relationship ends
        "type": "str",  # of a relationship
        "user_id": "Required[str | None]",  # whose memory it is; null: shared by the team
        "version": "int",  # of the record after the change
    },
    total=False,
)


class ChangeList(TypedDict, total=False):
    changes: Required[list[NodeChange]]
    more: Required[bool]  # there are other changes in the period, which limit or another bound leaves out
    node: Required[NodeRef]


class ChangePage(TypedDict, total=False):
    changes: Required[list[Change]]
    more: Required[bool]  # more was committed: call again now. A page may have fewer changes than limit, even none, while more is true
    next: Required[str]  # after of the next call, also later


class ChangeSource(TypedDict, total=False):
    content_type: str
    entity_key: Required[str]
    started_at: str


class ChangeSystemEntityRequest(TypedDict, total=False):
    description: str | None  # left out: kept; empty: cleared
    properties: dict[str, Any]  # laid over those there are
    remove_properties: list[str] | None  # names of properties, removed before properties are laid over
    remove_tags: list[str] | None  # removed before tags are added
    tags: list[str] | None  # added to those there are
    type: str


class ChangeTreeRequest(TypedDict, total=False):
    context: ChatContext | None  # what the prompt contains from the memory; null: nothing
    name: str | None  # at most 512 characters; null: taken from the first prompt
    pinned: bool | None
    system_prompt: str | None  # at most 32 KiB; null: the default
    user_id: str | None  # for whom; left out: the user of the key, or the team itself


class ChangedLink(TypedDict, total=False):
    direction: Required[Literal["outgoing", "incoming"]]
    key: Required[str]
    node: Required[NodeRef]  # the other end
    type: Required[str]


class ChatContext(TypedDict, total=False):
    focus_id: str | None  # entity_key of what is in focus; with focus_kind
    focus_kind: str | None  # a kind; with focus_id
    max_tokens: int | None  # default 2,000
    project_id: str | None  # what an agent should know of this project
    user_id: str | None  # the user of the tree: what an agent should know of this user; either this, or a project_id, a focus or both


class ChatPath(TypedDict, total=False):
    truncated: Required[bool]  # the first turn is not the root: continue from its parent
    turns: Required[list[ChatTurn]]


class ChatProviderConfig(TypedDict, total=False):
    model: str | None  # the model that answers or has answered; default: the configured model


class ChatRef(TypedDict, total=False):
    display_label: Required[str]  # shown when the entity is unknown
    entity_id: Required[str]  # its key
    entity_type: Required[str]  # a kind in CamelCase


class ChatTree(TypedDict, total=False):
    context: ChatContext  # what the prompt of each generation contains from the memory
    created_at: Required[int]  # milliseconds since 1970
    display_name: Required[str]  # the name, or else the beginning of the first prompt
    id: Required[str]
    name: Required[str | None]
    pinned: Required[bool]
    system_prompt: Required[str]
    turn_count: Required[int]
    updated_at: Required[int]  # milliseconds since 1970
    user_id: Required[str | None]  # the user to whom it is private; null: shared


class ChatTurn(TypedDict, total=False):
    assistant_text: Required[str | None]  # null until there is an answer
    attempt: Required[int]  # grows with every retry
    created_at: Required[int]  # milliseconds since 1970
    entity_refs: Required[list[ChatRef]]  # the tokens @Type:key of the prompt
    error: str
    id: Required[str]
    parent_id: Required[str | None]  # the turn it replies to; null: it is a root
    prompt_version: Required[str]
    provider_config: ChatProviderConfig
    provider_id: Required[str | None]
    source: str  # Llm: the answer was generated here
    status: Required[Literal["pending", "generating", "complete", "error", "cancelled"]]
    tree_id: Required[str]
    updated_at: Required[int]  # milliseconds since 1970
    user_prompt: Required[str]


class ChatTurnLine(TypedDict, total=False):
    attempt: Required[int]
    created_at: Required[int]
    id: Required[str]
    label: Required[str]  # the first 30 characters of the prompt
    parent_id: Required[str | None]
    seq: Required[int]  # its number in the tree
    status: Required[Literal["pending", "generating", "complete", "error", "cancelled"]]


class Condition(TypedDict, total=False):
    change: str  # what would make it hold
    holds: Required[bool]
    rule: Required[str]
    value: Required[str]  # of the node


class Consolidation(TypedDict, total=False):
    entity_keys: Required[list[str]]
    strict: bool | None  # all or nothing: an unknown source is a 422 and nothing is archived
    user_id: str | None  # whose sources; default: the user of the API key. Required if the API key is not bound to one


class ConsolidationCandidate(TypedDict, total=False):
    entity_keys: Required[list[str]]
    node: MentionedNode  # the node that the sources overlap in
    reason: Required[Literal["faded", "overlapping"]]  # faded: a source older than 7 days with a salience below 0.2; overlapping: 5 or more sources older than 7 days that mention the same node
    source: FadedSource  # the source that has faded
    source_count: Required[int]


class ConsolidationPage(TypedDict, total=False):
    candidates: Required[list[ConsolidationCandidate]]
    next: Required[str | None]


class ConsolidationResult(TypedDict, total=False):
    sources: Required[list[NodeResult]]
    warnings: Required[list[str]]


class ContextFocus(TypedDict, total=False):
    node: Required[ContextNode]
    relationships: Required[list[FocusLink]]


class ContextNode(TypedDict, total=False):
    access_count: Required[int]
    canonical_name: str  # persons only
    confidence: Required[float]
    created_at: Required[str]
    description: Required[str]
    entity_key: Required[str]
    filled: bool  # goals and beliefs: added because the section had room, as an active goal that was not accessed for 7 days, an active concept that is kept for ever, or a candidate
    is_goal: bool  # concepts only
    is_owner: bool  # persons only
    last_accessed_at: Required[str | None]
    name: Required[str]
    notes: list[Note]  # at most 3, the newest first, without expired ones
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    properties: dict[str, Any]
    salience: Required[float]
    state: Required[Literal["candidate", "active", "core", "archived"]]
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed
    ttl_policy: Required[Literal["keep_forever", "ephemeral", "decay"]]
    type: str  # entities only
    updated_at: Required[str]
    user_id: Required[str | None]


class ContextUser(TypedDict, total=False):
    core_beliefs: Required[list[ContextNode]]  # at most 10
    owner_person_node: Required[ContextNode | None]
    preferences: Required[list[Preference]]
    primary_goals: Required[list[ContextNode]]  # at most 5
    statements: Required[list[Statement]]  # what the user said: at most 50 standing instructions and preferences, then at most 60 facts and plans
    user_id: Required[str]


class ConversationEnd(TypedDict, total=False):
    ended_at: str | None  # default: now; not before the start
    mentions: list[str] | None  # entity keys of persons, concepts and entities
    summary: str | None  # one or two sentences; at most 16,384 characters
    user_id: str | None


class ConversationFocus(TypedDict, total=False):
    focus_id: str | None  # entity_key of a node of the project; with focus_kind
    focus_kind: Literal["task", "plan", "goal", "document", "output", "milestone", "risk", "decision", "requirement", "project-wide", ""] | None  # task, plan, goal, document, output, milestone, risk, decision or requirement, with focus_id; default or project-wide: the project as a whole
    project_id: Required[str]  # entity_key of the project


class ConversationList(TypedDict, total=False):
    conversations: Required[list[Source]]
    next: Required[str | None]


class ConversationPage(TypedDict, total=False):
    content_type: Required[str]
    context_type: Required[str | None]
    ended_at: Required[str | None]
    entity_key: Required[str]
    focus: ConversationFocus  # the project and node in focus of a conversation
    keywords: list[str]
    message_count: Required[int]
    messages: Required[list[Message]]
    next: Required[int | None]
    participants: list[str]
    processed_at: str
    processing_error: str
    processing_status: Required[Literal["raw", "processed", "extracted", "failed"]]  # how far a language model has processed it
    sensitivity: str
    source_type: str
    started_at: Required[str]
    summary: Required[str]
    tags: list[str]
    user_id: Required[str | None]


class CreateKeyRequest(TypedDict, total=False):
    expires_at: str | None
    origin: Literal["user", "assistant", "tool", "external", "import"] | None  # of what the key writes: a key of a program that stores mails has external; default: none
    rate_limit: int | None  # units a minute, of which a look-up costs 1; 0: any number; default: KITH_RATE_LIMIT. Only an admin key of team default may give it
    scopes: Required[list[Literal["read", "write", "admin"]]]  # read, write, admin
    team_id: str | None  # default: the caller's; another team needs an admin key of team default
    trust: float | None  # the most that what the key writes is believed; default: what its origin has
    user_id: str | None  # binds the key to this user; left out or null: the key acts for every user of the team


class CreateTreeRequest(TypedDict, total=False):
    context: ChatContext | None  # what the prompt contains from the memory; null: nothing
    id: str | None  # generated (UUIDv7) when left out; one that is there stays as it is
    name: str | None  # at most 512 characters; null: taken from the first prompt
    pinned: bool | None
    system_prompt: str | None  # at most 32 KiB; null: the default
    user_id: str | None  # to whom it is private; left out: the user of the key, or the whole team


class CreateWebhookRequest(TypedDict, total=False):
    active: bool | None  # default: true
    kinds: list[str] | None  # only changes of these kinds; default: all
    ops: list[str] | None  # only created, updated, deleted or restored; default: all
    url: Required[str]  # where changes are sent: https:// or http://, of a public address
    user_id: str | None  # only changes of this user's memory and of what the team shares; default: all of the team


class CreatedKey(TypedDict, total=False):
    key: Required[str]
    key_id: Required[str]


class CreatedWebhook(TypedDict, total=False):
    active: Required[bool]  # false: nothing is sent; it continues where it stopped when it is active again
    attempts: Required[int]  # failed attempts of the delivery that is being retried
    created_at: Required[str]
    cursor: Required[str]  # of GET /v1/changes: behind what was delivered
    disabled: Required[str | None]  # why Kith made it inactive: gone, the receiver answered with 410; else null
    id: Required[str]
    kinds: Required[list[str]]  # of the changes that it gets; empty: all
    last_attempt_at: Required[str | None]
    last_result: Required[str | None]  # of the last attempt: delivered, status and a number, redirect, timeout, or no connection, also to an address that is not public
    next_attempt_at: Required[str | None]  # earliest time of the next attempt, if there is anything to deliver; null: inactive
    ops: Required[list[str]]  # of the changes that it gets; empty: all
    previous_secret_until: Required[str | None]  # until when the secret before the last rotation signs too
    secret: Required[str]  # signs the deliveries; it is not shown again
    url: Required[str]
    user_id: Required[str | None]  # it gets the changes of this user's memory and of what the team shares; null: all of the team


class CurrentConversation(TypedDict, total=False):
    conversation_id: Required[str]
    messages: Required[list[Message]]  # the last ones, the oldest first
    started_at: Required[str]


class Decided(TypedDict, total=False):
    result: Required[MemoryResult]  # of a confirmed one: what became of each item, as in POST /v1/memory
    review: Required[Review]


class Decision(TypedDict, total=False):
    key: Required[str]
    state: Required[Literal["confirmed", "refused"]]  # confirmed or refused


class Deletion(TypedDict, total=False):
    deleted_at: Required[str]
    key: Required[str]
    messages: Required[int]  # of a source: the messages deleted with it
    relationships: Required[int]  # of a node: the relationships deleted with it
    restorable_until: Required[str]


class DuplicateChange(TypedDict, total=False):
    admit: list[Pair] | None  # pairs that may be proposed again
    refuse: list[Pair] | None  # pairs that are two: they are not proposed again, whatever their names become


class DuplicatePage(TypedDict, total=False):
    duplicates: Required[list[Proposal]]
    next: Required[str | None]


class EdgeResult(TypedDict, total=False):
    created: Required[bool]
    id: Required[str]


class EdgeWrite(TypedDict, total=False):
    dst_id: Required[str]  # entity_key; must differ from src_id
    dst_kind: Required[Literal["project", "task", "plan", "goal", "milestone", "document", "output", "risk", "decision", "requirement", "signal", "insight"]]
    props: dict[str, Any]  # an object that the caller defines; at most 16,384 bytes, 8 levels
    rel: Required[str]  # ^[a-z][a-z0-9_]{0,63}$; usual types: has_plan, has_task, supports_goal, depends_on, references, produces, targets_milestone, …
    src_id: Required[str]  # entity_key
    src_kind: Required[Literal["project", "task", "plan", "goal", "milestone", "document", "output", "risk", "decision", "requirement", "signal", "insight"]]  # project, or a kind of node in a project


class EdgesResult(TypedDict, total=False):
    created: Required[int]
    edges: Required[list[EdgeResult]]
    skipped: Required[int]
    warnings: Required[list[str]]


class EdgesWrite(TypedDict, total=False):
    edges: Required[list[EdgeWrite]]
    user_id: str | None  # the user; default: the user of the API key, or shared


class Episodic(TypedDict, total=False):
    artifacts: Required[list[ArtifactHit]]  # documents and outputs
    macros: Required[list[MacroHit]]
    messages: Required[list[MessageHit]]  # where kinds asks for them
    sources: Required[list[SourceHit]]
    storylines: Required[list[StorylineHit]]


class ExplainRequest(TypedDict, total=False):
    id: str | None  # of the turn; generated (UUIDv7) when left out; asking again is harmless
    question: str | None  # what is to be explained about it; at most 4 KiB
    result: Required[str]  # what is to be explained; at most 90 KiB
    session_id: Required[str]  # one tree for each of a user's sessions
    subjects: list[ExplainedSubject] | None  # what the result is about
    user_id: str | None  # for whom; left out: the user of the key, or the team itself


class ExplainedSubject(TypedDict, total=False):
    entity_id: Required[str]  # entity_key; it must not be blank, contain blanks or end with punctuation, or a prompt could not name it
    entity_type: Required[str]  # a kind in CamelCase


class ExploreExplanation(TypedDict, total=False):
    cosine: float  # of the query's vector and the hit's
    links: float  # how much the best hits link it, against the most linked
    marks: list[str]  # of messages: what reads like an instruction to the agent
    meaning: float  # what the meaning counted, against the best hit
    named: float  # how much what the query names links it, against the most linked
    rank: Required[int]  # by relevance alone, from 1
    recency: Required[float]  # exp(-0.02 × days)
    salience: Required[float]
    time: float  # how sure it is that it was said at a time that the query names
    trust: float  # what the relevance was multiplied with, as its trust is low
    via: list[str]  # the names of what links it
    words: float  # how well the words fit, against the best hit


class ExploreMeta(TypedDict, total=False):
    confidence: Required[float]  # 0 to 1: how likely what was asked is among the first five hits, by the words and times of the queries; of several queries the least
    cut: Required[int]  # hits that max_tokens left out
    distrusted: int  # hits left out because their trust is below min_trust; at most 100
    enough: Required[bool]  # whether the first few hits should do; false: ask otherwise, or say that it is not known
    granularity: Required[int]
    mode: Required[str]
    query_used: Required[list[str]]  # the queries and text matches, and in deep mode what was added
    semantic: Required[Literal["on", "partial", "loading", "unavailable", "off"]]  # search by meaning; partial: some memories have no vector yet; loading: vectors are being read, try again; unavailable: the embedder timed out or failed; off: no embedder
    times: Required[list[UnderstoodTime]]  # times that the queries name


class ExploreQuery(TypedDict, total=False):
    query: Required[str]  # at most 16,384 characters
    threshold: float | None  # 0 (default) to 1: the least cosine of what is found by meaning alone


class ExploreRequest(TypedDict, total=False):
    asked_at: str | None  # when the queries were asked: times in them, as "last Tuesday", are read from there, in its time zone; default: now
    conversation_id: str | None  # the conversation that is open now: "our last session" is the one before it
    evidence: list[Literal["words", "neighbours", "links", "meaning"]] | None  # evidence that counts: words, neighbours (the words of the messages around one), links, meaning; default: all
    expand: int | None  # so many neighbours of the nodes found; default none
    filter: dict[str, Any]  # only nodes whose value (items) or properties (others) have these fields with these values; {"n":{"$gt":3}} compares with $eq, $ne, $gt, $gte, $lt or $lte; tested on the best 100 nodes. An object; at most 4,096 bytes
    format: Literal["json", "text", "keyed", ""] | None  # json (default), text, or keyed: text with entity keys, to go on from
    granularity: int | None  # 1 (default): sources; 2: storylines with some of their sources; 3: macros with their storylines
    include_archived: bool | None  # also what is archived: faded, ended or put away; it is always found by its key
    kinds: list[Literal["person", "concept", "entity", "source", "message", "project", "task", "plan", "goal", "milestone", "document", "output", "risk", "decision", "requirement", "signal", "insight", "system_entity", "item", "storyline", "macro"]] | None  # only these kinds of nodes; message: messages as a list of their own. Default: all except messages, which come with their sources
    limit: int | None  # of nodes in all, of sources and of messages; default 5. Relationships are up to twice as many; storylines and macros, unless it is given, 3 and 2 (of granularity 1), 5 and 2, none and 5
    max_tokens: int | None  # o200k tokens of the answer, 100 to 100,000; the lowest-ranked hits go first, and meta.cut says how many went
    min_trust: float | None  # leaves out what has less trust, and counts it in meta.distrusted; default 0.2: mails and tool outputs that read like instructions to the agent are left out. Below 0.6, trust weighs the relevance
    mode: Literal["fast", "deep", ""] | None  # fast (default), or deep: a second look with what the first has found
    multi_query: bool | None  # the same as mode deep
    namespace: list[str] | None  # only items of this namespace, and of those within it
    queries: list[ExploreQuery] | None  # questions or descriptions, searched by words and by meaning; this or text_matches is required
    relationship_filters: RelationshipFilters | None  # which relationships count; applied before anything is ranked
    return_explanations: bool | None  # with each hit, what its score is made of
    salience_weight: float | None  # of salience; default 0.4
    search_relationships: bool | None  # default true
    semantic_weight: float | None  # of relevance; default 0.3. The three weights are not all 0
    since: str | None  # what was said, or changed, from then on
    text_matches: list[str] | None  # names or words: names (also similar ones), keywords, tags, relationships and texts that have all the words; each of at most 16,384 characters
    time_weight: float | None  # of recency; default 0.3
    times: Literal["read", "ignore", ""] | None  # read (default): times in queries count, and meta.times says how; ignore: they are words like others
    until: str | None  # what was said, or made, until then; not before since
    user_id: str | None  # whose memory, with what the team shares; default: the user of the key, or only what the team shares


class ExploreResult(TypedDict, total=False):
    episodic: Required[Episodic]
    meta: Required[ExploreMeta]
    semantic: Required[Semantic]


class Extraction(TypedDict, total=False):
    error: Required[str | None]  # why it failed; the source keeps it as its processing_error
    nodes: Required[list[Proposed]]  # what the source is about, and is now said to mention; unchanged ones were there
    provider_id: str  # the model that answered
    relationships: Required[list[RelationshipResult]]
    status: Required[Literal["extracted", "failed"]]
    warnings: Required[list[str]]


class FadedSource(TypedDict, total=False):
    ended_at: Required[str | None]
    entity_key: Required[str]
    salience: Required[float]
    started_at: Required[str]
    summary: Required[str]


class FailedDelivery(TypedDict, total=False):
    after: Required[str]  # cursor before the changes
    attempts: Required[int]
    failed_at: Required[str]
    id: Required[str]  # the webhook-id of the delivery
    last_result: str  # of the last attempt, as that of the webhook
    reason: Required[Literal["undelivered", "not_kept"]]  # undelivered: no attempt succeeded for a day; not_kept: the changes were removed before they could be delivered
    requested: Required[bool]  # it is about to be sent again
    until: Required[str]  # cursor behind the changes


class FailedDeliveryPage(TypedDict, total=False):
    dead: Required[list[FailedDelivery]]
    next: Required[str | None]


class Fault(TypedDict, total=False):
    code: str  # the sort of the fault, for programs: the codes are in the reference; a fault of another sort has none
    current_version: int  # the stored version, where another one was asked for
    location: Required[str]
    message: Required[str]


FieldChange = TypedDict(
    "FieldChange",
    {
        "field": "Required[str]",
        "is": "Any",
        "was": "Any",
    },
    total=False,
)


class FocusLink(TypedDict, total=False):
    direction: Required[Literal["outgoing", "incoming"]]
    entity_key: Required[str]
    name: Required[str]
    node_type: Required[str]
    relationship: Told  # how far the relationship is believed
    relationship_description: Required[str]
    relationship_salience: Required[float]
    relationship_type: Required[str]


class GraphSnapshot(TypedDict, total=False):
    coverage: Required[dict[str, SnapshotCoverage]]  # by kind, in the plural
    edges: Required[list[SnapshotEdge]]  # at most 80
    max_depth: Required[int]
    nodes: Required[list[SnapshotNode]]  # at most 60, of a kind 10; those near the project first, then by score
    root_id: Required[str]
    root_kind: Required[str]


class Highlight(TypedDict, total=False):
    channel: str
    completed_at: str
    completed_task_count: int
    content: str
    created_at: Required[str]
    decision_at: str
    dependency_count: int
    dependent_count: int
    derived_from_signal_id: str
    description: str
    direct_edge: Required[bool]
    due_at: str
    goal_count: int
    id: Required[str]
    impact: str
    mitigated_at: str
    name: Required[str]
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    outcome: str
    output_count: int
    payload: str
    plan_count: int
    priority: int
    probability: float
    progress_percent: int  # of goals with tasks
    rationale: str
    start_at: str
    state_key: str
    summary: str
    target_date: str
    task_count: int
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed
    ts: str
    type_key: str
    updated_at: str


class HighlightList(TypedDict, total=False):
    items: Required[list[Highlight]]
    more: int


class Highlights(TypedDict, total=False):
    decisions: Required[HighlightList]
    documents: Required[HighlightList]
    goals: Required[HighlightList]
    insights: Required[HighlightList]
    milestones: Required[HighlightList]
    outputs: Required[HighlightList]
    plans: Required[HighlightList]
    requirements: Required[HighlightList]
    risks: Required[HighlightList]
    signals: Required[HighlightList]
    tasks_recent: Required[HighlightList]  # open ones that changed within 7 days
    tasks_upcoming: Required[HighlightList]  # open ones that start or are due within 7 days


class HistoryUsage(TypedDict, total=False):
    left_out: Required[int]  # the oldest messages, omitted
    shortened: Required[int]  # older messages of which the beginning is kept
    whole: Required[int]  # messages kept whole


class ImportCounts(TypedDict, total=False):
    created: Required[int]
    refused: Required[int]
    unchanged: Required[int]
    updated: Required[int]


class ImportRefusal(TypedDict, total=False):
    line: Required[int]
    location: Required[str]  # a path within the item; in a document it begins with the element, such as edges[3].name
    message: Required[str]


class ImportReport(TypedDict, total=False):
    chat_trees: Required[ImportCounts]
    chat_turns: Required[ImportCounts]
    complete: Required[bool]  # false: the import stopped, and may be sent again with the same import_id
    dry_run: Required[bool]
    import_id: str
    lines: Required[int]
    nodes: Required[ImportCounts]
    pauses: Required[ImportCounts]  # of the search for statements
    preferences: Required[ImportCounts]
    refusals: Required[ImportCounts]  # pairs of nodes that look like one and are not
    refused: Required[list[ImportRefusal]]  # the first 1,000, with reasons
    relationships: Required[ImportCounts]
    resumed_at_line: int
    reviews: Required[ImportCounts]  # writes that wait for a decision, or about which one was made
    statements: Required[ImportCounts]
    stopped: str  # why the import is not complete
    trust_rules: Required[ImportCounts]  # decisions about further writes
    versions: Required[ImportCounts]  # former versions of records
    warnings: Required[list[ImportRefusal]]  # the first 1,000


class ImportedHistory(TypedDict, total=False):
    access_count: int | None
    created_by: str | None
    decay_gradient: float | None
    decay_rate: float | None  # per day
    distinct_source_days: list[str] | None
    evidence: list[str] | None  # what the trust rests on: sources, origin, trust and author, each
    expires_at: int | None  # milliseconds since 1970
    former_key: str | None  # of an owner node: the key of the generated one that it replaced
    is_dirty: bool | None
    is_goal_given: bool | None
    last_recall_interval: int | None  # milliseconds
    least_trust: float | None  # of a source: the least trust of its messages, if that is less than an assistant's
    mention_weight: float | None
    merged_keys: list[str] | None  # keys of nodes that were merged into it
    next_seq: int | None  # of a source: the number of its next message, if it differs from their count
    notes: list[str] | None  # each a note as JSON, the newest first
    owner_generated: bool | None  # of a person that Kith made for a user without an owner node
    recall_frequency: int | None
    restored_at: int | None  # when the undoing of a delete made this version, in milliseconds since 1970
    salience_at: int | None  # when salience had this value, in milliseconds since 1970
    seq: int | None  # of a relationship in a system: its number
    start_unknown: bool | None  # of a relationship: nobody said when it began, valid_from is when it was recorded
    statements_paused: bool | None  # of a source: its new messages are not searched for statements
    story_due: int | None  # when its storylines are next formed, in milliseconds since 1970
    system: str | None  # of a relationship in a system
    themes: list[str] | None  # mentioned by at least half of a storyline's newest sources
    version: int | None
    written: str | None  # the last writer: API key, what it wrote through, and the source from which a language model derived it


class KeyEntity(TypedDict, total=False):
    entity_key: Required[str]
    name: Required[str]
    type: Required[Literal["Person", "Concept", "Entity"]]


class KeyInfo(TypedDict, total=False):
    created_at: Required[str]
    expires_at: Required[str | None]
    key_id: Required[str]
    last_used_at: Required[str | None]  # a minute late at most while the service runs
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of what it writes
    rate_limit: Required[int | None]
    revoked_at: Required[str | None]
    scopes: Required[list[str]]
    team_id: Required[str]
    trust: float  # the most that what it writes is believed
    user_id: Required[str | None]


class KeyList(TypedDict, total=False):
    keys: Required[list[KeyInfo]]


class LastWrite(TypedDict, total=False):
    at: str
    by: str  # id of the API key; token: the caller had a token
    source: str  # entity_key of the source from which a language model derived it
    through: Required[str]  # an operation of the API, mcp: and a tool, or import: and a format


class LeftOut(TypedDict, total=False):
    at: str  # when it was last accessed, said, begun or added
    back_at: Required[int]  # the least max_tokens with which the line is in the text
    beat: Beaten  # the next of the section
    by: Literal["salience", "relationship_salience", "confidence", "score"]  # what the value is
    key: str  # of the node, statement, source or preference; of a note, that of its node
    kind: str  # of a node, or preference, statement or note
    of: int  # how many the section has, with those left out
    provenance: list[Provenance]  # the sources that it comes from, the newest first: all that hold it, up to 100, else at most 3
    rank: int  # in the section, from 1
    relationship_type: str  # of the user's or the focus's relationship to the node
    rule: str  # why it is in the section
    section: Literal["preferences", "standing", "core_beliefs", "primary_goals", "facts", "relationships", "sources", "focus", "notes", "workspace", "linked_entities", "highlights", "graph_snapshot", "summary"]
    text: Required[str]
    tokens: Required[int]
    value: float  # by which the section is ranked
    version: int  # of the node


class LinkedContext(TypedDict, total=False):
    available_entities: dict[str, list[AvailableEntity]]  # nodes of the project of every requested kind, at most 100 of each
    counts: Required[dict[str, int]]  # every kind, in the plural, and their total: all nodes of the requested kinds, also those not shown
    linked_entities: Required[dict[str, list[LinkedEntity]]]  # every kind, in the plural; active ones first, then the newest first
    loaded_at: Required[str]
    next: Required[str | None]  # cursor of the next page of mode full; null on the last
    source: Required[LinkedSource]
    truncated: Required[bool]  # not all are shown
    warnings: list[str]


class LinkedEntity(TypedDict, total=False):
    context_document: bool  # the context document of the project
    description: str  # in mode full
    direction: Required[Literal["outgoing", "incoming"]]  # seen from the source
    due_at: str  # of milestones and tasks
    edge_id: Required[str]
    id: Required[str]
    kind: Required[str]
    more_relations: list[LinkedRelation]  # further relationships between the two
    name: Required[str]
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    relation: Required[str]
    state: Required[str | None]
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed
    type_key: Required[str | None]


class LinkedRelation(TypedDict, total=False):
    direction: Required[Literal["outgoing", "incoming"]]
    edge_id: Required[str]
    relation: Required[str]


class LinkedSource(TypedDict, total=False):
    id: Required[str]
    kind: Required[str]
    name: Required[str]
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed


class MacroHit(TypedDict, total=False):
    anchor: NodeRef
    description: str
    last_event_at: str
    macro_id: Required[str]
    name: Required[str]
    relevance_score: float
    started_at: str
    storyline_count: int
    storylines: list[MacroStoryline]
    total_source_count: int


class MacroStoryline(TypedDict, total=False):
    name: Required[str]
    one_liner: Required[str]
    source_count: Required[int]
    storyline_id: Required[str]


class Me(TypedDict, total=False):
    key_id: Required[str]  # of a token: oidc: and its subject
    quota: Required[QuotaShares]  # how much the team may have, and has
    rate_limit: Required[RateLimit | None]  # null: any number of requests
    scopes: Required[list[str]]  # of read, write and admin
    team_id: Required[str]
    user_id: Required[str | None]  # the only user for whom it may act; null: any of the team


class MemoryResult(TypedDict, total=False):
    nodes: Required[list[NodeResult]]
    relationships: Required[list[RelationshipResult]]
    review: str  # items with the status waiting: the key of the review that decides about them
    warnings: Required[list[str]]


class MemoryWrite(TypedDict, total=False):
    derived_from: list[str] | None  # entity keys of the sources that tell what is written: it carries their least trust, and goes when they are withdrawn
    idempotency_key: str | None  # same as the Idempotency-Key header: for a day, the same key and body return the same answer; another body returns 409
    nodes: list[NodeWrite] | None  # each node once; nodes and relationships together are at most 10,000
    relationships: list[RelationshipWrite] | None  # at most one of each type and qualifier from one node to another
    strict: bool | None  # all or nothing: a refused item is a 422 and nothing is written
    user_id: str | None  # whose memory; default: the user of the API key, else the team


Mention = TypedDict(
    "Mention",
    {
        "at": "Required[str]",  # when the source began
        "content_type": "Required[str]",
        "context_type": "Required[str | None]",
        "from": "int",  # of the name in the message, in code points; of a relationship, of the first name
        "message": "str",  # entity_key of the first message with the name, of a relationship with both names; absent: none of the first 1,000 has it
        "quote": "str",  # the names with what stands around them, at most 400 code points
        "role": "str",
        "source": "Required[str]",  # entity_key
        "summary": "Required[str]",
        "to": "int",  # the end of the name, or of the last name
    },
    total=False,
)


class MentionPage(TypedDict, total=False):
    mentions: Required[list[Mention]]
    next: Required[str | None]


class MentionedNode(TypedDict, total=False):
    entity_key: Required[str]
    kind: Required[str]
    name: Required[str]


class Merge(TypedDict, total=False):
    conflicts: Required[list[MergeConflict]]  # fields of which both nodes had a value
    left: Required[int]  # relationships that repeat one of this node's, or lead to it: only an undo brings them back
    merged: Required[NodeRef]  # the node that is part of it now
    node: Required[NodeView]  # as it is now
    nodes: int  # of a project: nodes that belong to this one now
    relationships: Required[int]  # moved here
    undoable_until: Required[str]  # with restore-node and the key of the other


class MergeConflict(TypedDict, total=False):
    dropped: Required[dict[str, Any]]
    field: Required[str]
    kept: Required[dict[str, Any]]


class MergeWrite(TypedDict, total=False):
    dry_run: bool | None  # answer what the merge would do, and do nothing
    other: Required[str]  # entity_key of the node that is merged into this one. Its key goes on to lead here
    take: list[Literal["name", "type", "description", "properties", "state_key", "type_key", "facet_context", "facet_scale", "facet_stage", "next_step_short", "next_step_long", "start_at", "end_at"]] | None  # fields that get the value of the other node where both have one; default: this node's stay


class MergedSystem(TypedDict, total=False):
    entities: Required[list[SystemEntityResult]]
    extraction: SystemExtraction  # where a text was given; entities and relationships are those that the language model read out of it
    relationships: Required[list[SystemRelationshipResult]]
    removed: SystemCounts  # what was deleted because the file does not contain it
    warnings: Required[list[str]]


class Message(TypedDict, total=False):
    at: Required[str]
    entity_key: Required[str]
    name: str
    parts: Any  # as they were given
    role: Required[str]
    seq: Required[int]
    text: Required[str]
    trust: float  # 0 to 1; absent: it is believed like its source


class MessageHit(TypedDict, total=False):
    at: Required[str]
    entity_key: Required[str]
    explanation: ExploreExplanation
    name: str
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    role: Required[str]
    score: Required[float]  # 0 to 1
    seq: Required[int]
    source_key: Required[str]
    text: Required[str]
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed


class MessageReceipt(TypedDict, total=False):
    spans: Required[list[Span]]  # all of its content, in order


class MessageResult(TypedDict, total=False):
    entity_key: Required[str]
    status: Required[Literal["created", "unchanged"]]


class MessageWrite(TypedDict, total=False):
    at: str | None  # default: now
    entity_key: str | None  # default: a generated UUIDv7; each key once
    name: str | None  # name of the speaker
    parts: Any  # the message as its program has it, such as tool calls and images by reference: a list of objects, kept as given; without texts, their types and names are the text; at most 262,144 bytes, 32 levels. Searches and contexts use the text
    role: Required[str]  # user, assistant or another word
    text: str | None  # default: the texts of parts


class Meta(TypedDict, total=False):
    compacted: bool  # a context of the past that was put together from what is stored now, because what was answered then is not kept
    not_shown: Required[list[NotShown]]


class NamespacePage(TypedDict, total=False):
    namespaces: Required[list[list[str]]]  # those of the user's own items, then those of shared ones; each once in a page
    next: Required[str | None]


class Neighbour(TypedDict, total=False):
    description: Required[str]
    entity_key: Required[str]
    name: Required[str]
    node_type: Required[str]
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed


class NodeChange(TypedDict, total=False):
    at: Required[str]
    by: str  # id of the API key that wrote it; token: the caller had a token
    changes: list[FieldChange]
    description: str  # of what was created
    relationship: ChangedLink  # omitted: the node itself
    source: ChangeSource  # the source from which a language model derived it, if the caller may see that
    through: str  # an operation of the API, mcp: and a tool, or import: and a format
    version: Required[int]  # that the change made; of a delete: that it ended
    what: Required[Literal["created", "updated", "ended", "deleted", "restored"]]  # ended: the validity of a relationship


class NodeHit(TypedDict, total=False):
    anchors: list[NodeRef]  # at granularity 2 and 3: storylines about it
    created_at: str  # items only
    description: Required[str]
    entity_key: Required[str]
    explanation: ExploreExplanation
    last_accessed_at: Required[str | None]
    name: Required[str]
    namespace: list[str]  # items only
    node_type: Required[str]  # the kind as a label: Person, Concept, Task …
    notes_snippets: list[str]  # unexpired notes, the newest 10: 500 characters of each, 5,000 of all
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    relevance_score: Required[float]  # 0 to 1
    salience: Required[float]
    state: Required[str]
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed
    updated_at: str  # items only
    value: Any  # of items, if kinds asks for them


class NodePage(TypedDict, total=False):
    next: Required[str | None]
    nodes: Required[list[NodeView]]


class NodeRef(TypedDict, total=False):
    entity_key: Required[str]
    kind: Required[str]
    name: Required[str]


class NodeResult(TypedDict, total=False):
    entity_key: Required[str]
    error: Required[str | None]
    status: Required[Literal["created", "updated", "unchanged", "refused", "waiting"]]
    version: int


class NodeView(TypedDict, total=False):
    access_count: Required[int]
    aliases: list[str] | None  # other names: searches find it by them, and so do writes by name; only of person, entity, project, system_entity
    anchor_key: str | None  # key of the node it is about; read only; only of storyline, macro
    archives_at: str  # when it is archived, unless it is used before
    at: str | None  # only of message
    author: str | None  # who wrote it, such as a mail address: sources of one author do not confirm each other; only of source
    canonical_name: str  # persons only
    channel: str | None  # only of signal
    compacted: bool  # as of a time: its version of that time is not kept; it is the last one kept from before, or else without texts
    completed_at: str | None  # only of task, goal, milestone
    confidence: Required[float]
    content: str | None  # only of risk, document
    content_type: Literal["conversation", "email", "slack-thread", "meeting", "text-note"] | None  # conversation (default), email, slack-thread, meeting or text-note; only of source
    context_type: Literal["work-session", "team-meeting", "phone-call", "personal-reflection", "planning", "brainstorming", "email-thread", "slack-discussion"] | None  # only of source
    created_at: Required[str]
    decay_rate: float  # per day: in so many days the salience is salience × exp(-rate × days), unless it is used; absent: it does not fall
    decision_at: str | None  # only of decision
    deleted_at: str
    derived_from_signal_id: str | None  # only of insight
    description: Required[str]
    doubted_aliases: list[str] | None  # those of its aliases that are believed less than the node, which has them from a merge; read only; only of person, entity, project, system_entity
    due_at: str | None  # only of task, milestone
    end_at: str | None  # only of project
    ended_at: str | None  # null: still open; only of source
    entity_key: Required[str]
    facet_context: str | None  # only of project, plan
    facet_scale: str | None  # only of project, plan, task
    facet_stage: str | None  # only of project, plan, output
    first_mentioned_at: str | None  # only of person, concept, entity
    first_source_at: str | None  # only of storyline, macro
    focus_id: str | None  # conversations: the key of the node in focus; only of source
    focus_kind: Literal["task", "plan", "goal", "document", "output", "milestone", "risk", "decision", "requirement"] | None  # conversations: the kind of the node in focus; only of source
    focus_project_id: str | None  # conversations: the project in focus; only of source
    goal: str | None  # only of goal
    impact: Literal["low", "medium", "high", "critical"] | None  # low, medium, high or critical; only of risk
    is_goal: bool  # concepts only
    is_owner: bool  # persons only
    keywords: list[str] | None  # only of source
    kind: Required[str]
    last_accessed_at: Required[str | None]
    last_mentioned_at: str | None  # only of person, concept, entity
    last_source_at: str | None  # only of storyline, macro
    last_write: LastWrite  # by which it was created or last changed; absent: by Kith itself, or before Kith kept that
    merged_into: str  # the node into which it was merged
    message_count: int | None  # read only; only of source
    mitigated_at: str | None  # only of risk
    name: Required[str]
    namespace: list[str] | None  # where it is: 1 to 16 parts, the outermost first, 512 characters in all; only of item
    next_step_long: str | None  # only of project
    next_step_short: str | None  # only of project
    notes: list[Note]  # newest first, without expired ones
    origin: Literal["user", "assistant", "tool", "external", "import"] | None  # who said it: user, assistant, tool, external (a mail or document of others) or import; default: that of the API key, of the content type, or none; only of source, person, concept, entity, project, task, plan, goal, milestone, document, output, risk, decision, requirement, signal, insight, system_entity, item
    outcome: str | None  # only of decision
    participants: list[str] | None  # user ids; only of source
    parts: Any  # a list of objects; at most 262,144 bytes, 32 levels; only of message
    payload: dict[str, Any] | None  # an object; only of signal
    priority: int | None  # 1 to 5; only of task, requirement
    probability: float | None  # 0 to 1; only of risk
    processed_at: str | None  # read only; only of source
    processing_error: str | None  # why processing failed; read only; only of source
    processing_status: Literal["raw", "processed", "extracted", "failed"] | None  # how far a language model has processed it; default: raw; read only; only of source
    project_id: str | None  # the project it belongs to; only of task, plan, goal, milestone, document, output, risk, decision, requirement, signal, insight
    properties: dict[str, Any]
    props: dict[str, Any] | None  # an object; only of insight
    rationale: str | None  # only of decision
    recalls: int  # how often explore, traverse or a touch returned it
    relationships: list[RelationshipView]  # strongest first
    restorable_until: str
    rests_on: list[str]  # entity keys of the sources that it was derived from
    role: str | None  # only of message
    salience: Required[float]
    sensitivity: Literal["low", "normal", "high"] | None  # low, normal (default) or high; only of source
    seq: int | None  # its number, from 0; read only; only of message, system_entity
    source_count: int | None  # sources that mention it; read only; only of person, concept, entity, storyline, macro
    source_document_id: str | None  # the document it was made from; only of output
    source_event_id: str | None  # the event it was made from; only of output
    source_key: str | None  # the source it belongs to; only of message
    source_type: Literal["voice-memo", "meeting", "email", "slack-thread", "text-import"] | None  # never changes; only of source
    start_at: str | None  # only of project, task
    started_at: str | None  # only of source
    state: Required[Literal["candidate", "active", "core", "archived"]]
    state_key: str | None  # the project's own state, such as in_progress; values other than the known ones of its kind (GET /v1/schema) return a warning; only of project, task, plan, goal, milestone, document, output, risk, decision
    storyline_count: int | None  # only of macro
    summary: str | None  # only of source
    system: str | None  # the system it belongs to; only of system_entity
    tags: list[str] | None  # only of source, system_entity
    target_date: str | None  # only of goal
    text: str | None  # only of requirement, message
    title: str | None  # the same as name; only of task, milestone, risk, document, decision, insight
    trust: float | None  # how far it is believed, 0 to 1; default: by its origin; at most that of the API key; only of source, person, concept, entity, project, task, plan, goal, milestone, document, output, risk, decision, requirement, signal, insight, system_entity, item
    ts: str | None  # only of signal
    ttl_policy: Required[Literal["keep_forever", "ephemeral", "decay"]]
    type: str  # entities only
    type_key: str | None  # such as plan.phase.works; only of project, task, plan, goal, milestone, document, output, risk, requirement
    updated_at: Required[str]
    user_id: Required[str | None]
    value: dict[str, Any] | None  # an object; at most 262,144 bytes, 32 levels; only of item
    version: Required[int]
    withdrawn_at: str | None  # it was found to be bad: nothing new rests on it; read only; only of source


class NodeWrite(TypedDict, total=False):
    aliases: list[str] | None  # other names: searches find it by them, and so do writes by name; only of person, entity, project, system_entity
    anchor_key: str | None  # key of the node it is about; read only; only of storyline, macro
    at: str | None  # only of message
    author: str | None  # who wrote it, such as a mail address: sources of one author do not confirm each other; only of source
    canonical_name: str  # persons only; default: the name in lower case
    channel: str | None  # only of signal
    completed_at: str | None  # only of task, goal, milestone
    confidence: float | None  # 0 to 1; default 0.5
    content: str | None  # only of risk, document
    content_type: Literal["conversation", "email", "slack-thread", "meeting", "text-note"] | None  # conversation (default), email, slack-thread, meeting or text-note; only of source
    context_type: Literal["work-session", "team-meeting", "phone-call", "personal-reflection", "planning", "brainstorming", "email-thread", "slack-discussion"] | None  # only of source
    created_at: str
    decision_at: str | None  # only of decision
    derived_from_signal_id: str | None  # only of insight
    description: str | None  # at most 16,384 characters
    doubted_aliases: list[str] | None  # those of its aliases that are believed less than the node, which has them from a merge; read only; only of person, entity, project, system_entity
    due_at: str | None  # only of task, milestone
    end_at: str | None  # only of project
    ended_at: str | None  # null: still open; only of source
    entity_key: str | None  # default: a generated UUIDv7; in PATCH that of the path
    facet_context: str | None  # only of project, plan
    facet_scale: str | None  # only of project, plan, task
    facet_stage: str | None  # only of project, plan, output
    first_mentioned_at: str | None  # only of person, concept, entity
    first_source_at: str | None  # only of storyline, macro
    focus_id: str | None  # conversations: the key of the node in focus; only of source
    focus_kind: Literal["task", "plan", "goal", "document", "output", "milestone", "risk", "decision", "requirement"] | None  # conversations: the kind of the node in focus; only of source
    focus_project_id: str | None  # conversations: the project in focus; only of source
    goal: str | None  # only of goal
    history: ImportedHistory | None  # internal data of the node; exports contain it, and only imports may set it
    if_version: int  # write only if this is the stored version; 0: only if it does not exist. Otherwise 409 and nothing is written
    impact: Literal["low", "medium", "high", "critical"] | None  # low, medium, high or critical; only of risk
    is_goal: bool | None  # concepts only; default: whether name or description has the word goal
    is_owner: bool | None  # persons only: this person is the user, and user_id is required; one per user
    keywords: list[str] | None  # only of source
    kind: Literal["person", "concept", "entity", "source", "message", "project", "task", "plan", "goal", "milestone", "document", "output", "risk", "decision", "requirement", "signal", "insight", "system_entity", "item", ""] | None  # person, concept, entity, source, message, project, task, plan, goal, milestone, document, output, risk, decision, requirement, signal, insight, system_entity or item; required in POST /v1/memory, in PATCH that of the path
    last_accessed_at: str | None  # salience is its value at this time, if later than updated_at
    last_mentioned_at: str | None  # only of person, concept, entity
    last_source_at: str | None  # only of storyline, macro
    message_count: int | None  # read only; only of source
    mitigated_at: str | None  # only of risk
    name: str | None  # required for a new node without an entity_key, except for sources and messages; at most 512 characters; null only for sources and messages
    namespace: list[str] | None  # where it is: 1 to 16 parts, the outermost first, 512 characters in all; only of item
    next_step_long: str | None  # only of project
    next_step_short: str | None  # only of project
    notes: list[NoteWrite] | None  # added to the existing ones
    origin: Literal["user", "assistant", "tool", "external", "import"] | None  # who said it: user, assistant, tool, external (a mail or document of others) or import; default: that of the API key, of the content type, or none; only of source, person, concept, entity, project, task, plan, goal, milestone, document, output, risk, decision, requirement, signal, insight, system_entity, item
    outcome: str | None  # only of decision
    participants: list[str] | None  # user ids; only of source
    parts: Any  # a list of objects; at most 262,144 bytes, 32 levels; only of message
    payload: dict[str, Any] | None  # an object; only of signal
    priority: int | None  # 1 to 5; only of task, requirement
    probability: float | None  # 0 to 1; only of risk
    processed_at: str | None  # read only; only of source
    processing_error: str | None  # why processing failed; read only; only of source
    processing_status: Literal["raw", "processed", "extracted", "failed"] | None  # how far a language model has processed it; default: raw; read only; only of source
    project_id: str | None  # the project it belongs to; only of task, plan, goal, milestone, document, output, risk, decision, requirement, signal, insight
    properties: dict[str, Any]  # a free-form object; at most 16,384 bytes, 8 levels
    props: dict[str, Any] | None  # an object; only of insight
    rationale: str | None  # only of decision
    role: str | None  # only of message
    salience: float | None  # 0 to 1; default 0.5, an owner 1; null is 0
    sensitivity: Literal["low", "normal", "high"] | None  # low, normal (default) or high; only of source
    seq: int | None  # its number, from 0; read only; only of message, system_entity
    source_count: int | None  # sources that mention it; read only; only of person, concept, entity, storyline, macro
    source_document_id: str | None  # the document it was made from; only of output
    source_event_id: str | None  # the event it was made from; only of output
    source_key: str | None  # the source it belongs to; only of message
    source_type: Literal["voice-memo", "meeting", "email", "slack-thread", "text-import"] | None  # never changes; only of source
    start_at: str | None  # only of project, task
    started_at: str | None  # only of source
    state: Literal["candidate", "active", "core", "archived"]  # active (default), candidate, core or archived
    state_key: str | None  # the project's own state, such as in_progress; values other than the known ones of its kind (GET /v1/schema) return a warning; only of project, task, plan, goal, milestone, document, output, risk, decision
    storyline_count: int | None  # only of macro
    summary: str | None  # only of source
    system: str | None  # the system it belongs to; only of system_entity
    tags: list[str] | None  # only of source, system_entity
    target_date: str | None  # only of goal
    text: str | None  # only of requirement, message
    title: str | None  # the same as name; only of task, milestone, risk, document, decision, insight
    trust: float | None  # how far it is believed, 0 to 1; default: by its origin; at most that of the API key; only of source, person, concept, entity, project, task, plan, goal, milestone, document, output, risk, decision, requirement, signal, insight, system_entity, item
    ts: str | None  # only of signal
    ttl_policy: Literal["keep_forever", "ephemeral", "decay"]  # decay (default), keep_forever (default of an owner) or ephemeral
    type: str | None  # entities and system entities; at most 128 characters
    type_key: str | None  # such as plan.phase.works; only of project, task, plan, goal, milestone, document, output, risk, requirement
    updated_at: str  # default: now; salience is its value at this time
    user_id: str | None  # default: the request's user; null: shared by the team, as system entities always are
    value: dict[str, Any] | None  # an object; at most 262,144 bytes, 32 levels; only of item
    withdrawn_at: str | None  # it was found to be bad: nothing new rests on it; read only; only of source


class NotShown(TypedDict, total=False):
    at_least: bool  # not all were counted
    count: Required[int]
    reason: Required[Literal["no_room", "faded", "archived", "older_than_7_days", "low_trust"]]  # faded: salience below 0.01; explore finds faded and archived ones with include_archived, others without
    section: Required[Literal["core_beliefs", "primary_goals", "relationships", "recent_context", "reviews"]]  # reviews: writes that wait for a review


class Note(TypedDict, total=False):
    added_by: Required[str | None]
    content: Required[str]
    date_added: Required[str]
    expires_at: Required[str | None]
    id: Required[str]
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    source_entity_key: Required[str | None]
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed


class NoteList(TypedDict, total=False):
    notes: Required[list[Note]]


class NoteWrite(TypedDict, total=False):
    added_by: str | None  # default: the request's user; always that user if the API key is bound to one
    content: Required[str]  # at most 4,096 characters
    date_added: str | None  # default: now; the lifetime begins at this time
    lifetime: Literal["week", "month", "year", "forever", ""] | None  # week, month (default), year or forever
    source_entity_key: str | None  # the source it comes from


class OntologyContext(TypedDict, total=False):
    entities: OntologyEntities
    linked_entities: LinkedContext  # of what is in focus, at most 3 of each kind
    metadata: OntologyMetadata
    receipt: Receipt  # only with explain; with format=text nothing else
    relationships: OntologyRelationships
    scope: OntologyScope
    type: Literal["global", "project", "element", "combined", "none"]
    warnings: list[str]


class OntologyEdge(TypedDict, total=False):
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    relation: Required[str]
    target_id: Required[str]
    target_kind: Required[str]
    target_name: str
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed


class OntologyEntities(TypedDict, total=False):
    decision: NodeView
    document: NodeView
    goal: NodeView
    milestone: NodeView
    output: NodeView
    plan: NodeView
    project: ProjectRow
    projects: list[ProjectRow]  # global: at most 50, the last changed first
    requirement: NodeView
    risk: NodeView
    task: NodeView


class OntologyFacets(TypedDict, total=False):
    context: Required[str | None]
    scale: Required[str | None]
    stage: Required[str | None]


class OntologyFocus(TypedDict, total=False):
    id: Required[str]
    name: Required[str]
    type: Required[str]


class OntologyMetadata(TypedDict, total=False):
    available_entity_types: list[str]
    context_document_id: str
    context_document_title: str
    entity_count: dict[str, int]  # by kind, in the plural
    facets: OntologyFacets
    graph_snapshot: GraphSnapshot
    hierarchy_level: int
    last_updated: str
    project_highlights: Highlights
    recent_project_ids: list[str]
    total_projects: int


class OntologyRelationships(TypedDict, total=False):
    edges: Required[list[OntologyEdge]]
    hierarchy_level: Required[int | None]  # steps from the project; null: not in a project


class OntologyScope(TypedDict, total=False):
    focus: OntologyFocus
    project_id: Required[str]
    project_name: Required[str]


class OpenConversationRequest(TypedDict, total=False):
    context_type: Literal["work-session", "team-meeting", "phone-call", "personal-reflection", "planning", "brainstorming", "email-thread", "slack-discussion"] | None  # work-session, team-meeting, phone-call, personal-reflection, planning, brainstorming, email-thread or slack-discussion
    conversation_id: str | None  # generated (UUIDv7) by default; of one that exists the answer has the start and the last messages
    explain: bool | None  # have the context say in receipt what each part of its text shows and why, and what was left out; with format=text nothing else
    focus: ConversationFocus | None  # what the user looks at in a workspace: the conversation remembers it
    focus_id: str | None  # entity_key; with focus_kind
    focus_kind: Literal["person", "concept", "entity", ""] | None  # person, concept or entity: what the context also tells of; with focus_id
    format: Literal["json", "text"] | None  # json (default), or text: the context as Markdown, with conversation and messages at its end; the header Location has the conversation
    max_tokens: int | None  # o200k tokens of the text, a quarter of them for messages at most; only with format=text or explain
    messages: int | None  # at most so many of the last messages of a conversation that exists; default 20
    sections: list[Literal["user", "relationships", "recent_context", "temporal"]] | None  # user, relationships, recent_context, temporal; default: all
    time_zone: str | None  # IANA name
    user_id: str | None  # whose conversation; default: the user of the key. Required where the key is not bound to one


class OpenedConversation(TypedDict, total=False):
    context: Required[AgentContext]
    conversation_id: Required[str]


class OwnerRelationship(TypedDict, total=False):
    filled: bool  # added because the section had room: related in another way or not at all (then relationship_type is empty), or a candidate
    node: Required[ContextNode]
    node_type: Required[Literal["Person", "Concept", "Entity"]]
    recent_mentions: Required[int]  # sources of the last 7 days that mention the node
    relationship: Told  # how far the relationship is believed
    relationship_description: Required[str]
    relationship_salience: Required[float]
    relationship_type: Required[str]


class Pair(TypedDict, total=False):
    first: Required[str]  # entity_key of one
    second: Required[str]  # entity_key of the other


class PairNode(TypedDict, total=False):
    description: str
    entity_key: Required[str]
    name: Required[str]
    type: str
    user_id: Required[str | None]  # whose memory it is; null: shared by the team


class PartUsage(TypedDict, total=False):
    budget: Required[int]
    status: Required[Literal["ok", "near_limit", "over_budget"]]
    tokens: Required[int]


class PatchWebhookRequest(TypedDict, total=False):
    active: bool | None  # true: what waits is due at once
    kinds: list[str] | None  # empty or null: all
    ops: list[str] | None  # empty or null: all
    url: str | None


class PauseTeamRequest(TypedDict, total=False):
    paused: Required[bool]  # true: new messages of the team are not searched for statements; false: they are again


class PopMessagesRequest(TypedDict, total=False):
    count: int | None  # at most so many; default 1
    user_id: str | None


class Popped(TypedDict, total=False):
    messages: Required[list[Message]]  # the oldest first; none: the conversation had none


class Preference(TypedDict, total=False):
    key: Required[str]  # each key once
    value: Required[Any]  # any JSON value but null, of at most 4,096 bytes


class PreferenceVersions(TypedDict, total=False):
    next: Required[str | None]
    versions: Required[list[ValueVersion]]


class Preferences(TypedDict, total=False):
    preferences: Required[list[Preference]]


class Problem(TypedDict, total=False):
    detail: Required[str]
    errors: list[Fault]
    oldest_cursor: str  # of changes, in a 410: the oldest cursor that works
    status: Required[int]
    title: Required[str]
    type: Required[str]  # about:blank: the status says all; urn:kith:problem:no-language-model: what was asked needs a language model, and none is configured


class ProjectRow(TypedDict, total=False):
    created_at: str
    description: str
    end_at: str
    facet_context: str
    facet_scale: str
    facet_stage: str
    id: Required[str]  # entity_key
    name: Required[str]
    next_step_long: str
    next_step_short: str
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    start_at: str
    state_key: Required[str | None]
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed
    type_key: str
    updated_at: str


class Prompt(TypedDict, total=False):
    context_type: Required[Literal["global", "project", "element", "combined", "none"]]
    history: Required[HistoryUsage]
    messages: Required[list[PromptMessage]]  # the system prompt with what is linked with the focus, preferences, the context snapshot, the conversation, the current message
    receipt: PromptReceipt  # where explain was asked for
    usage: Required[PromptUsage]
    warnings: list[str]


class PromptMessage(TypedDict, total=False):
    content: Required[str]
    role: Required[Literal["system", "user", "assistant", "tool"]]  # system, user, assistant or tool


class PromptParts(TypedDict, total=False):
    context_snapshot: Required[PartUsage]
    history: Required[PartUsage]
    linked_entities: Required[PartUsage]
    message: Required[PartUsage]
    preferences: Required[PartUsage]
    system: Required[PartUsage]


class PromptReceipt(TypedDict, total=False):
    left_out: Required[list[LeftOut]]  # lines of the memory that were cut to keep the share of their part, in the order of cutting; back_at is the max_tokens of the prompt. history counts the messages that were cut
    messages: Required[list[MessageReceipt]]  # of each message, in order


class PromptRequest(TypedDict, total=False):
    context_type: str | None  # as of GET /v1/ontology; left out: project with a focus, else global
    conversation_id: str | None  # its focus is meant where none is given, and it remembers the one that is
    explain: bool | None  # account for the messages in receipt: what each part of them shows and why, and what was left out
    focus: ConversationFocus | None  # what the user looks at; the conversation remembers it. Null: nothing any more
    history: list[PromptMessage] | None  # the conversation so far, the oldest first
    linked: bool | None  # false leaves out what is linked with the focus
    max_tokens: int | None  # o200k tokens of all messages; default 5,000
    message: Required[str]  # of the user, to be answered
    system_prompt: str | None  # stands before the guidance
    user_id: str | None  # for whom; left out: the user of the key, or the team itself


class PromptUsage(TypedDict, total=False):
    budget: Required[int]
    parts: Required[PromptParts]
    status: Required[Literal["ok", "near_limit", "over_budget"]]
    tokens: Required[int]


class Proposal(TypedDict, total=False):
    kind: Required[str]
    nodes: Required[list[PairNode]]  # the two
    probability: float  # that they are one; not of a refused pair
    proposed_at: str
    reasons: list[Reason]  # why, the strongest first
    refused_at: str


class Proposed(TypedDict, total=False):
    entity_key: Required[str]
    error: Required[str | None]
    kind: Required[str]
    name: Required[str]
    status: Required[Literal["created", "updated", "unchanged", "refused", "waiting"]]
    version: int


Provenance = TypedDict(
    "Provenance",
    {
        "from": "int",  # in the message, in code points
        "holds": "bool",  # the part rests on this source: without it, it would be another or not there. Otherwise the source only mentions the node
        "message": "str",
        "source": "Required[str]",
        "to": "int",
    },
    total=False,
)


class PutPreferenceRequest(TypedDict, total=False):
    value: Required[Any]  # any JSON value but null, of at most 4,096 bytes


class QuotaShare(TypedDict, total=False):
    limit: Required[int | None]  # null: no limit
    used: Required[int | None]  # including deleted data that is not purged yet; purged data may count for some more seconds. null: not counted, because the service has no quotas


class QuotaShares(TypedDict, total=False):
    characters: Required[QuotaShare]
    nodes: Required[QuotaShare]
    relationships: Required[QuotaShare]


class RateLimit(TypedDict, total=False):
    limit: Required[int]  # units a minute
    remaining: Required[int]  # units left after this request


class Reason(TypedDict, total=False):
    code: Required[Literal["same_name", "nickname", "initials", "sounds_alike", "spelling", "swapped_names", "part_of_name", "other_name", "same_email", "similar_email", "other_email", "same_date", "similar_date", "other_date", "same_number", "similar_number", "other_number", "same_detail", "other_detail", "same_type", "other_type", "shared_neighbours", "model_same", "model_other"]]
    text: Required[str]  # the code in words
    weight: Required[float]  # what it adds to the logarithm of the odds; less than 0: it speaks against


class Receipt(TypedDict, total=False):
    degraded: list[str]  # what could not be loaded and is missing
    left_out: Required[list[LeftOut]]  # lines that were cut to keep max_tokens, in the order of cutting
    max_tokens: int
    not_shown: Required[list[NotShown]]  # what is known and was not read for the context
    spans: Required[list[Span]]  # all of the text, in order
    text: Required[str]
    tokens: Required[int]  # o200k tokens of the text


class RecentContext(TypedDict, total=False):
    sources: Required[list[RecentSource]]  # at most 20, the newest first


class RecentSource(TypedDict, total=False):
    context_type: Required[str | None]
    ended_at: Required[str | None]
    entity_key: Required[str]
    key_entities: Required[list[KeyEntity]]
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    started_at: Required[str]
    summary: Required[str]
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed


class RelationshipFilters(TypedDict, total=False):
    exclude_relationship_types: list[str] | None  # all but these
    max_attitude: int | None  # 1 to 5; not below min_attitude
    max_proximity: int | None  # 1 to 5; not below min_proximity
    min_attitude: int | None  # 1 to 5
    min_proximity: int | None  # 1 to 5
    relationship_types: list[str] | None  # only these


class RelationshipHit(TypedDict, total=False):
    attitude: int
    description: Required[str]
    explanation: ExploreExplanation
    from_entity_key: Required[str]
    from_name: Required[str]
    key: Required[str]
    notes_snippets: list[str]
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    proximity: int
    relationship_kind: Required[str]  # its type
    relationship_type: str  # in the caller's own words
    relevance_score: Required[float]  # 0 to 1
    salience: Required[float]
    state: str
    to_entity_key: Required[str]
    to_name: Required[str]
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed


class RelationshipPage(TypedDict, total=False):
    next: Required[str | None]
    relationships: Required[list[RelationshipView]]


RelationshipResult = TypedDict(
    "RelationshipResult",
    {
        "closed": "str",
        "error": "Required[str | None]",
        "from": "Required[str]",
        "key": "Required[str]",
        "status": "Required[Literal[\"created\", \"updated\", \"unchanged\", \"refused\", \"waiting\"]]",
        "to": "Required[str]",
        "type": "Required[str]",
        "version": "int",
    },
    total=False,
)


RelationshipView = TypedDict(
    "RelationshipView",
    {
        "access_count": "Required[int]",
        "attitude": "int",
        "attitude_word": "str",
        "compacted": "bool",  # as of a time: its version of that time is not kept, or it was recorded later; it is the last one kept from before, or else without texts
        "confidence": "Required[float]",
        "description": "Required[str]",
        "direction": "Literal[\"outgoing\", \"incoming\"]",
        "from": "Required[str]",
        "key": "Required[str]",
        "last_accessed_at": "Required[str | None]",
        "last_write": "LastWrite",  # of a relationship read alone: by which it was created or last changed; absent: by Kith itself, or before Kith kept that
        "node": "NodeRef",  # the other end
        "notes": "list[Note]",  # newest first, without expired ones
        "origin": "Literal[\"user\", \"assistant\", \"tool\", \"external\", \"import\"]",  # of the most believed source
        "properties": "dict[str, Any]",
        "proximity": "int",
        "proximity_word": "str",
        "qualifier": "str",  # tells it from others of its type between the same nodes
        "recorded_at": "Required[str | None]",
        "recorded_by": "Required[str | None]",
        "relationship_type": "str",
        "rests_on": "list[str]",  # entity keys of the sources that it was derived from
        "salience": "Required[float]",
        "state": "str",
        "to": "Required[str]",
        "trust": "float",  # 0 to 1; absent: a caller wrote it, and it is believed
        "type": "Required[str]",
        "valid_from": "Required[str | None]",
        "valid_to": "Required[str | None]",
        "version": "Required[int]",
    },
    total=False,
)


RelationshipWrite = TypedDict(
    "RelationshipWrite",
    {
        "attitude": "int | None",  # 1 to 5
        "confidence": "float | None",  # 0 to 1; default 0.8
        "contradicts": "bool | None",  # closes the current relationship of this type and adds this one. A valid_from within the current one has the same effect
        "description": "str | None",  # how the two relate; at most 16,384 characters
        "from": "Required[str]",  # entity_key; the name of a node of this write; or me, user or the user id: the user's own person
        "history": "ImportedHistory | None",  # only for imports
        "if_version": "int",  # write only if this is the stored version of the current one; 0: only if it does not exist. Otherwise 409 and nothing is written
        "key": "str | None",  # only for imports; otherwise generated
        "last_accessed_at": "str | None",  # only for imports
        "notes": "list[NoteWrite] | None",  # added to the existing ones
        "origin": "Literal[\"user\", \"assistant\", \"tool\", \"external\", \"import\"] | None",  # who said it: user, assistant, tool, external (a mail or document of others) or import; default: that of the API key, or none
        "properties": "dict[str, Any]",  # a free-form object; at most 16,384 bytes, 8 levels
        "proximity": "int | None",  # 1 to 5
        "qualifier": "str | None",  # tells it from others of its type between the same nodes, such as its name or id in another system. Without one, the write changes the one without a qualifier, else the only other one of the type (of related_to: with its relationship_type)
        "recorded_at": "str | None",  # only for imports
        "recorded_by": "str | None",  # default: the request's user; always that user if the API key is bound to one
        "relationship_type": "str | None",  # one free word
        "salience": "float | None",  # 0 to 1; default 0.5; null is 0
        "state": "Literal[\"candidate\", \"active\", \"core\", \"archived\"]",  # active (default), candidate, core or archived
        "to": "Required[str]",  # entity_key; another one than from
        "trust": "float | None",  # how far it is believed, 0 to 1; default: by its origin; at most that of the API key
        "type": "Required[str]",  # ^[a-z][a-z0-9_]{0,63}$; the field's own: has_relationship_with, thinks_about, relates_to, involves, associated_with, engages_with, connected_to
        "updated_at": "str | None",  # only for imports
        "valid_from": "str",  # when it began; default: unknown, then it is the time of the write. May be in the future. Must not be within the validity of another one
        "valid_to": "str | None",  # after valid_from; closes the relationship: it is current until then. In the past, it adds one that has ended if none is current. Null, with the valid_from of a closed one, opens it again if there is no current one
    },
    total=False,
)


class RemovedTurns(TypedDict, total=False):
    removed: Required[list[str]]  # ids of turns


class RenameSystemEntityRequest(TypedDict, total=False):
    name: Required[str]  # the new name; 409 when another entity has it


class RetriedTurn(TypedDict, total=False):
    retried: Required[bool]  # false: the turn was not in error, and stays as it is
    turn: Required[ChatTurn]


class Review(TypedDict, total=False):
    author: str
    created_at: Required[str]
    decided_at: Required[str | None]
    derived_from: list[str]  # entity keys of sources
    key: Required[str]
    origin: Literal["user", "assistant", "tool", "external", "import"]
    state: Required[Literal["waiting", "confirmed", "refused"]]
    trust: Required[float]
    user_id: Required[str | None]
    write: Required[dict[str, Any]]  # the nodes and relationships, as in POST /v1/memory


class ReviewDecision(TypedDict, total=False):
    always: bool | None  # decides about all further writes of the same origin and author, too: confirmed ones are stored with the trust that they have
    state: Required[Literal["confirmed", "refused"]]  # confirmed: it is written now, as by the caller; refused: it never is


class ReviewPage(TypedDict, total=False):
    next: Required[str | None]
    reviews: Required[list[Review]]


class RoleMessage(TypedDict, total=False):
    role: Required[Literal["system", "user", "assistant"]]
    text: Required[str]


class RotatedSecret(TypedDict, total=False):
    secret: Required[str]  # signs the deliveries from now on; the one before signs too for 24 hours


class Semantic(TypedDict, total=False):
    concepts: Required[list[NodeHit]]
    entities: Required[list[NodeHit]]
    neighbours: Required[list[Neighbour]]  # of the nodes found, where expand asks for them
    others: Required[list[NodeHit]]  # of projects and systems
    people: Required[list[NodeHit]]
    relationships: Required[list[RelationshipHit]]


class Served(TypedDict, total=False):
    at: Required[str]  # the moment of the answer: Kith-As-Of
    digest: Required[str]  # SHA-256 of the body, in hex
    kind: Required[Literal["context", "conversation"]]  # context: a replay of the moment gives the same bytes; conversation: the answer to an opened conversation


class ServedPage(TypedDict, total=False):
    next: Required[str | None]
    served: Required[list[Served]]


class Sessions(TypedDict, total=False):
    ends: bool  # only the first and the last of them, not those between
    first: Required[int]  # from 1
    from_end: Required[bool]  # counted back from the newest: 1 is the last one
    last: Required[int]


class SetFocusRequest(TypedDict, total=False):
    focus: Required[ConversationFocus | None]  # replaces the one there was; null: nothing any more
    user_id: str | None


class SnapshotCoverage(TypedDict, total=False):
    direct: Required[int]
    total: Required[int]
    unlinked: Required[int]


class SnapshotEdge(TypedDict, total=False):
    dst_id: Required[str]
    dst_kind: Required[str]
    id: Required[str]
    rel: Required[str]
    src_id: Required[str]
    src_kind: Required[str]


class SnapshotNode(TypedDict, total=False):
    direct_edge: Required[bool]
    id: Required[str]
    kind: Required[str]
    last_updated: Required[str]
    name: Required[str]
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    state_key: Required[str | None]
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed
    type_key: Required[str | None]


class Source(TypedDict, total=False):
    content_type: Required[str]
    context_type: Required[str | None]
    ended_at: Required[str | None]
    entity_key: Required[str]
    focus: ConversationFocus  # the project and node in focus of a conversation
    keywords: list[str]
    message_count: Required[int]
    participants: list[str]
    processed_at: str
    processing_error: str
    processing_status: Required[Literal["raw", "processed", "extracted", "failed"]]  # how far a language model has processed it
    sensitivity: str
    source_type: str
    started_at: Required[str]
    summary: Required[str]
    tags: list[str]
    user_id: Required[str | None]


class SourceHit(TypedDict, total=False):
    content_type: Required[str]
    context_type: str
    ended_at: Required[str | None]
    entity_key: Required[str]
    explanation: ExploreExplanation
    macro_refs: list[str]
    mentioned_nodes: Required[list[NodeRef]]  # the ten most salient
    messages: Required[list[MessageHit]]  # the best three, the best first; of each what is around the words found
    name: str
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    relevance_score: Required[float]  # 0 to 1
    source_type: str
    started_at: Required[str]
    storyline_refs: list[str]
    summary: Required[str]
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed
    user_id: str  # whose source it is, where it is another user's, of which the asking user is a participant


class SourcePreview(TypedDict, total=False):
    entity_key: Required[str]
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    started_at: Required[str]
    summary: Required[str]
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed


class SourceResult(TypedDict, total=False):
    entity_key: Required[str]
    extraction: Extraction  # where it was asked for
    mentions: Required[list[NodeResult]]
    messages: Required[list[MessageResult]]
    status: Required[Literal["created", "updated", "unchanged"]]
    summary: str  # that the language model made of a conversation that ended without one
    warnings: Required[list[str]]


class SourceWrite(TypedDict, total=False):
    author: str | None  # who wrote it, such as a mail address: sources of one author do not confirm each other
    content_type: Literal["conversation", "email", "slack-thread", "meeting", "text-note"] | None  # conversation (default), email, slack-thread, meeting or text-note
    context_type: Literal["work-session", "team-meeting", "phone-call", "personal-reflection", "planning", "brainstorming", "email-thread", "slack-discussion"] | None  # work-session, team-meeting, phone-call, personal-reflection, planning, brainstorming, email-thread or slack-discussion
    ended_at: str | None  # null or omitted: still open; not before started_at
    entity_key: str | None  # default: a generated UUIDv7
    focus: ConversationFocus | None  # conversations: the project and node in focus; null: clears the focus
    idempotency_key: str | None  # same as the Idempotency-Key header
    keywords: list[str] | None
    mentions: list[str] | None  # entity keys of persons, concepts and entities
    messages: list[MessageWrite] | None
    origin: Literal["user", "assistant", "tool", "external", "import"] | None  # who said it: user (default), assistant, tool, external (default of email and slack-thread: a mail or document of others) or import (default of text-import)
    participants: list[str] | None  # user ids; the source's own user is always one
    sensitivity: Literal["low", "normal", "high"] | None  # low, normal (default) or high
    source_type: Literal["voice-memo", "meeting", "email", "slack-thread", "text-import"] | None  # voice-memo, meeting, email, slack-thread or text-import; never changes
    started_at: str | None  # default: now
    strict: bool | None  # all or nothing: a refused mention is a 422 and nothing is written
    summary: str | None  # one or two sentences; at most 16,384 characters
    tags: list[str] | None
    trust: float | None  # how far it is believed, 0 to 1; default: by its origin; at most that of the API key
    user_id: str | None  # whose source it is; default: the user of the API key, else shared by the team, which a conversation cannot be


Span = TypedDict(
    "Span",
    {
        "at": "str",  # when it was last accessed, said, begun or added
        "beat": "Beaten",  # the next of the section
        "by": "Literal[\"salience\", \"relationship_salience\", \"confidence\", \"score\"]",  # what the value is
        "from": "Required[int]",  # in bytes of UTF-8
        "key": "str",  # of the node, statement, source or preference; of a note, that of its node
        "kind": "str",  # of a node, or preference, statement or note
        "of": "int",  # how many the section has, with those left out
        "part": "Required[Literal[\"title\", \"owner\", \"heading\", \"line\", \"notice\", \"now\", \"conversation\", \"system\", \"guidance\", \"message\"]]",
        "provenance": "list[Provenance]",  # the sources that it comes from, the newest first: all that hold it, up to 100, else at most 3
        "rank": "int",  # in the section, from 1
        "relationship_type": "str",  # of the user's or the focus's relationship to the node
        "rule": "str",  # why it is in the section
        "section": "Literal[\"preferences\", \"standing\", \"core_beliefs\", \"primary_goals\", \"facts\", \"relationships\", \"sources\", \"focus\", \"notes\", \"workspace\", \"linked_entities\", \"highlights\", \"graph_snapshot\", \"summary\"]",
        "to": "Required[int]",
        "tokens": "Required[int]",  # that begin in the span
        "value": "float",  # by which the section is ranked
        "version": "int",  # of the node
    },
    total=False,
)


Statement = TypedDict(
    "Statement",
    {
        "at": "Required[str]",  # when it was said
        "confidence": "Required[float]",  # 0 to 1
        "from": "Required[int]",  # where the text begins in the message, in code points
        "key": "Required[str]",
        "kind": "Required[Literal[\"instruction\", \"preference\", \"fact\", \"plan\"]]",
        "message": "Required[str]",  # key of the message
        "polarity": "Required[Literal[\"positive\", \"negative\"]]",  # negative: a dislike, or something that should not be done
        "renewals": "Required[int]",  # how often the user said it again
        "source": "Required[str]",  # key of the source of the message
        "state": "Required[Literal[\"candidate\", \"active\", \"confirmed\", \"refused\"]]",  # candidate or active by confidence; confirmed or refused by a caller
        "text": "Required[str]",  # the user's words
        "to": "Required[int]",  # where it ends
        "valid_to": "Required[str | None]",  # when something else was said instead; null: it holds
    },
    total=False,
)


class StatementChange(TypedDict, total=False):
    conversation_id: str | None  # paused is about this conversation only, not about the user
    paused: bool | None  # true: new messages are not searched for statements; false: they are again
    statements: list[Decision] | None  # all or none are changed


class StatementPage(TypedDict, total=False):
    next: Required[str | None]
    paused: Required[bool]  # new messages of the user, or of the whole team, are not searched for statements
    statements: Required[list[Statement]]


class StatementVersions(TypedDict, total=False):
    next: Required[str | None]
    versions: Required[list[StoredVersion]]


StoredVersion = TypedDict(
    "StoredVersion",
    {
        "by": "str",  # id of the API key that wrote it; token: the caller had a token
        "from": "Required[str]",  # when it was written
        "statement": "Required[Statement]",
        "through": "str",  # an operation of the API, mcp: and a tool, or import: and a format
        "until": "Required[str | None]",  # when it was replaced; null: it is stored now
    },
    total=False,
)


class StorylineHit(TypedDict, total=False):
    anchor: NodeRef
    description: str
    last_source_at: str
    name: Required[str]
    preview_sources: list[SourcePreview]
    relevance_score: float
    source_count: int
    started_at: str
    storyline_id: Required[str]
    top_concepts: list[NodeRef]
    top_entities: list[NodeRef]
    top_people: list[NodeRef]


class SubmitTurnRequest(TypedDict, total=False):
    generate: bool | None  # default true; false: the turn is pending until the caller answers it
    id: str | None  # of the turn; generated (UUIDv7) when left out; submitting it again is harmless
    parent_id: str | None  # the turn it replies to; left out: it is a root
    provider_config: ChatProviderConfig | None  # for this turn
    user_id: str | None  # for whom; left out: the user of the key, or the team itself
    user_prompt: Required[str]  # at most 100 KiB; @Type:key refers to something of the memory


class System(TypedDict, total=False):
    created_at: Required[str]
    entities: Required[int]
    relationships: Required[int]
    system: Required[str]
    updated_at: Required[str]
    version: Required[int]  # grows with every write that changes something


class SystemCounts(TypedDict, total=False):
    entities: Required[int]
    relationships: Required[int]


class SystemEntity(TypedDict, total=False):
    description: str | None  # at most 16,384 characters
    name: Required[str]  # unique in the system; 1 to 512 characters, no blanks around them
    properties: dict[str, Any]  # an object; at most 16,384 bytes, 8 levels; numbers are kept as they are written
    tags: list[str] | None  # at most 100, of 1 to 256 characters
    type: Required[str]  # the class of the entity; 1 to 128 characters


class SystemEntityPage(TypedDict, total=False):
    entities: Required[list[SystemNode]]
    next_cursor: Required[str | None]  # null at the end


class SystemEntityResult(TypedDict, total=False):
    error: Required[str | None]
    name: Required[str]
    status: Required[Literal["added", "updated", "unchanged", "refused"]]


class SystemEntityWrite(TypedDict, total=False):
    description: str | None  # default: unchanged; empty: cleared
    name: Required[str]  # unique in the system; 1 to 512 characters, no blanks around them
    properties: dict[str, Any]  # an object; at most 16,384 bytes, 8 levels
    remove_properties: list[str] | None  # names of properties
    remove_tags: list[str] | None
    tags: list[str] | None  # at most 100, of 1 to 256 characters
    type: str  # required for a new entity; 1 to 128 characters


class SystemExtraction(TypedDict, total=False):
    error: Required[str | None]  # why it failed; nothing is stored then
    provider_id: str  # the model that answered
    status: Required[Literal["extracted", "failed"]]


SystemLink = TypedDict(
    "SystemLink",
    {
        "from": "Required[str]",  # name of an entity
        "key": "Required[str]",
        "properties": "dict[str, Any]",  # an object; at most 16,384 bytes, 8 levels
        "to": "Required[str]",  # name of an entity
        "type": "Required[str]",  # free text; 1 to 128 characters, no blanks around them
        "version": "Required[int]",  # starts at 1 and grows by 1 with every change
    },
    total=False,
)


class SystemMemory(TypedDict, total=False):
    entities: Required[list[SystemEntity]]  # each name once; entities and relationships together are at most 10,000
    relationships: Required[list[SystemRelationship]]  # between these entities, one of a type from an entity to another


class SystemNode(TypedDict, total=False):
    created_at: Required[str]
    description: str  # at most 16,384 characters
    entity_key: Required[str]
    name: Required[str]  # unique in the system; 1 to 512 characters, no blanks around them
    properties: dict[str, Any]  # an object; at most 16,384 bytes, 8 levels; numbers are kept as they are written
    tags: list[str]  # at most 100, of 1 to 256 characters
    type: Required[str]  # the class of the entity; 1 to 128 characters
    updated_at: Required[str]
    version: Required[int]  # starts at 1 and grows by 1 with every change


class SystemPage(TypedDict, total=False):
    next_cursor: Required[str | None]  # null at the end
    systems: Required[list[System]]


SystemRelationship = TypedDict(
    "SystemRelationship",
    {
        "from": "Required[str]",  # name of an entity
        "properties": "dict[str, Any]",  # an object; at most 16,384 bytes, 8 levels
        "to": "Required[str]",  # name of an entity
        "type": "Required[str]",  # free text; 1 to 128 characters, no blanks around them
    },
    total=False,
)


class SystemRelationshipPage(TypedDict, total=False):
    next_cursor: Required[str | None]  # null at the end
    relationships: Required[list[SystemLink]]


SystemRelationshipResult = TypedDict(
    "SystemRelationshipResult",
    {
        "error": "Required[str | None]",
        "from": "Required[str]",
        "status": "Required[Literal[\"added\", \"updated\", \"unchanged\", \"refused\"]]",
        "to": "Required[str]",
        "type": "Required[str]",
    },
    total=False,
)


SystemRelationshipWrite = TypedDict(
    "SystemRelationshipWrite",
    {
        "from": "Required[str]",  # name of an entity
        "properties": "dict[str, Any]",  # an object; at most 16,384 bytes, 8 levels
        "remove_properties": "list[str] | None",  # names of properties
        "to": "Required[str]",  # name of an entity
        "type": "Required[str]",  # free text; 1 to 128 characters, no blanks around them
    },
    total=False,
)


class SystemResult(TypedDict, total=False):
    entities: Required[list[SystemEntityResult]]
    relationships: Required[list[SystemRelationshipResult]]
    removed: SystemCounts  # what was deleted because the file does not contain it
    warnings: Required[list[str]]


class SystemWrite(TypedDict, total=False):
    entities: list[SystemEntityWrite] | None  # entities and relationships together are at most 10,000
    extract: str | None  # instead of entities and relationships: a text of at most 98,304 bytes, out of which the language model reads them; it may take a minute
    relationships: list[SystemRelationshipWrite] | None  # between entities that the system has, or gets with this
    strict: bool | None  # all or nothing: a refused item is a 422 and nothing is written


class TeamErasure(TypedDict, total=False):
    anonymised: Required[int]  # nodes and relationships that stay but no longer name the user
    cache_entries: Required[int]  # of this process and of Redis
    erased_at: Required[str]
    keys: Required[int]  # API keys
    messages: Required[int]
    nodes: Required[int]  # including deleted ones that could be restored; without messages
    notes_anonymised: Required[int]  # notes of the user on nodes that stay: the text is kept, the author is removed
    preferences: Required[int]
    records: Required[int]  # chat trees and turns, stored answers of idempotency keys, imports, and other records
    relationships: Required[int]
    remaining: Required[int]  # records found when checking afterwards; 0
    team_id: Required[str]


class TeamTrust(TypedDict, total=False):
    min_trust: Required[float]  # writes with less trust wait for a review; 0: none; default 0.2


class Temporal(TypedDict, total=False):
    current_datetime: Required[TemporalMoment]
    last_conversation_type: Required[str | None]
    time_since_last_conversation: Required[str | None]  # ISO 8601 duration; null before the first conversation
    time_zone: Required[str]  # the zone of current_datetime


class TemporalMoment(TypedDict, total=False):
    date: Required[str]
    day_of_week: Required[str]
    hour: Required[int]


class Told(TypedDict, total=False):
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed


class TraverseExample(TypedDict, total=False):
    cypher: Required[str]
    parameters: dict[str, Any]
    question: Required[str]


class TraverseKindSchema(TypedDict, total=False):
    count: Required[int]
    label: Required[str]
    properties: dict[str, str]  # beside the common ones
    state_keys: list[str]  # the known values of state_key


class TraverseNode(TypedDict, total=False):
    access_count: Required[int]
    confidence: Required[float]
    description: Required[str]
    entity_key: Required[str]
    name: Required[str]
    node_type: Required[str]  # the kind as a label: Person, Concept, Task …
    notes: list[str]  # the newest 10 that are not expired
    origin: Literal["user", "assistant", "tool", "external", "import"]  # of the most believed source
    salience: Required[float]
    state: str
    trust: float  # 0 to 1; absent: a caller wrote it, and it is believed
    updated_at: Required[str]
    user_id: str  # whose source it is, where it is another user's, of which the asking user is a participant


class TraversePaths(TypedDict, total=False):
    message: str  # when nothing was found, or not all was read
    mode: Required[str]
    paths: Required[list[TraverseWay]]  # the strongest first
    truncated: Required[bool]  # not all relationships were read: there may be a path, or a shorter one


TraverseRelationship = TypedDict(
    "TraverseRelationship",
    {
        "attitude": "int",
        "description": "Required[str]",
        "from": "Required[str]",
        "key": "str",
        "origin": "Literal[\"user\", \"assistant\", \"tool\", \"external\", \"import\"]",  # of the most believed source
        "proximity": "int",
        "relationship_type": "str",  # in the caller's own words
        "salience": "Required[float]",
        "to": "Required[str]",
        "trust": "float",  # 0 to 1; absent: a caller wrote it, and it is believed
        "type": "Required[str]",
    },
    total=False,
)


class TraverseRelationshipSchema(TypedDict, total=False):
    count: Required[int]
    pattern: Required[str]


TraverseRequest = TypedDict(
    "TraverseRequest",
    {
        "cursor": "str | None",  # neighbors: next_cursor of the page before
        "cypher": "str | None",  # cypher, required: the statement, at most 8,192 bytes. GET /v1/schema says what there is
        "damping": "float | None",  # ppr: how likely a step goes on instead of back to the seeds, above 0 and at most 0.99; default 0.85
        "direction": "Literal[\"outbound\", \"inbound\", \"both\", \"\"] | None",  # not for cypher: of the relationships that are followed, outbound (default of neighbors), inbound or both (default of path and ppr)
        "entity_key": "str | None",  # neighbors, required: of the node
        "exclude_relationship_types": "list[str] | None",  # not for cypher: all but these are followed
        "format": "Literal[\"json\", \"text\", \"\"] | None",  # json (default) or text
        "from": "str | None",  # path, required: entity key of the node where it begins
        "kinds": "list[Literal[\"person\", \"concept\", \"entity\", \"source\", \"message\", \"project\", \"task\", \"plan\", \"goal\", \"milestone\", \"document\", \"output\", \"risk\", \"decision\", \"requirement\", \"signal\", \"insight\", \"system_entity\", \"item\", \"storyline\", \"macro\"]] | None",  # neighbors, ppr: only nodes of these kinds are returned
        "limit": "int | None",  # neighbors: nodes of a page, 1 to 100, default 20; path: paths, 1 to 10, default 1
        "max_depth": "int | None",  # ppr: how far from the seeds, 1 to 3 (default)
        "max_hops": "int | None",  # neighbors: 1 (default) to 3; path: 1 to 6 (default)
        "max_tokens": "int | None",  # o200k tokens of the answer, 100 to 100,000; the last rows or paths go first, and message says how many went
        "mode": "Required[Literal[\"neighbors\", \"path\", \"ppr\", \"cypher\"]]",  # neighbors: what a node is linked with; path: the shortest ways between two nodes; ppr: what is close to some nodes, by personalised PageRank; cypher: a statement that only reads. Fields of another mode are refused
        "parameters": "dict[str, Any] | None",  # cypher: of the statement, by their names without $; at most 100
        "relationship_types": "list[str] | None",  # not for cypher: only these are followed
        "seed_nodes": "list[str] | None",  # ppr, required: 1 to 20 entity keys
        "to": "str | None",  # path, required: entity key of the node where it ends; another one than from
        "top_k": "int | None",  # ppr: so many nodes, 1 to 100; default 20
        "user_id": "str | None",  # whose memory, with what the team shares; default: the user of the key, or only what the team shares
        "verbose": "bool | None",  # texts in full; otherwise 200 characters of each
    },
    total=False,
)


class TraverseRow(TypedDict, total=False):
    hops: int
    node: Required[TraverseNode]
    relationship: TraverseRelationship  # neighbors: the last one on the way
    score: Required[float]  # neighbors: the strengths of the relationships to it, multiplied, with its own salience, 0 to 1; ppr: the rank, of which all together have 1


class TraverseRows(TypedDict, total=False):
    message: str  # when nothing was found, or not all was read
    mode: Required[str]
    next_cursor: str  # neighbors: of the next page
    rows: Required[list[TraverseRow]]  # the best first
    truncated: Required[bool]  # not all relationships were read, or not all rows fit into max_tokens


class TraverseSchema(TypedDict, total=False):
    common_properties: Required[dict[str, str]]  # of nodes of every kind, with their types
    cut: int  # so many of the kinds and relationship types, the rarest, did not fit into max_tokens
    examples: Required[list[TraverseExample]]
    kinds: Required[list[TraverseKindSchema]]  # kinds with nodes in the scope, the most frequent first
    relationship_properties: Required[dict[str, str]]  # of relationships of every type, with their types
    relationship_types: Required[list[TraverseRelationshipSchema]]  # the most frequent first
    rules: Required[list[str]]
    sampled: Required[bool]  # only a part was counted


class TraverseTable(TypedDict, total=False):
    columns: Required[list[str]]  # names, as in the statement
    message: str  # when nothing was found, or not all came
    mode: Required[str]
    rows: Required[list[list[Any]]]  # one value for each column; a node is as in GET /v1/nodes, a path is a list of alternating nodes and relationships
    truncated: Required[bool]  # there are more rows than an answer may have


class TraverseWay(TypedDict, total=False):
    length: Required[int]  # relationships
    nodes: Required[list[TraverseNode]]
    relationships: Required[list[TraverseRelationship]]  # one between each node and the next


class TreePage(TypedDict, total=False):
    availability: Required[Literal["available", "downloading", "unavailable"]]  # whether answers can be generated now
    next: Required[str | None]
    trees: Required[list[ChatTree]]


class TreeView(TypedDict, total=False):
    availability: Required[Literal["available", "downloading", "unavailable"]]  # whether answers can be generated now
    context: ChatContext  # what the prompt of each generation contains from the memory
    created_at: Required[int]  # milliseconds since 1970
    display_name: Required[str]  # the name, or else the beginning of the first prompt
    id: Required[str]
    name: Required[str | None]
    pinned: Required[bool]
    system_prompt: Required[str]
    turn_count: Required[int]
    updated_at: Required[int]  # milliseconds since 1970
    user_id: Required[str | None]  # the user to whom it is private; null: shared


class TrustRule(TypedDict, total=False):
    author: str
    created_at: Required[str]
    decision: Required[Literal["confirmed", "refused"]]
    origin: Literal["user", "assistant", "tool", "external", "import"]  # absent: of keys that have a trust only
    user_id: Required[str]


class TrustRules(TypedDict, total=False):
    rules: Required[list[TrustRule]]


class TurnDescendants(TypedDict, total=False):
    turns: Required[list[ChatTurnLine]]


class TurnPage(TypedDict, total=False):
    next: Required[int | None]
    tree_id: Required[str]
    turns: Required[list[ChatTurnLine]]


class TurnPrompt(TypedDict, total=False):
    left_out: Required[int]  # how many
    messages: Required[list[RoleMessage]]
    system_prompt: Required[str]
    truncated: Required[bool]  # the oldest turns were left out to keep the budget
    user_prompt: Required[str]


UnderstoodTime = TypedDict(
    "UnderstoodTime",
    {
        "confidence": "Required[float]",  # 0 to 1: how sure it is that the words name a time
        "from": "Required[str | None]",  # null: open, or only sessions are named
        "sessions": "Sessions",  # conversations by their order, within the time if there is one
        "text": "Required[str]",  # the words of the query
        "until": "Required[str | None]",  # not part of it; null: open, or only sessions are named
        "use": "Required[Literal[\"filter\", \"weight\"]]",  # filter: only what was said then is found; weight: it ranks higher
    },
    total=False,
)


class User(TypedDict, total=False):
    chats: Required[int]  # chat trees
    conversations: Required[int]
    last_activity_at: Required[str | None]  # last write to or recall of the user's nodes and chats; null: the user has only preferences
    messages: Required[int]  # in all sources
    nodes: Required[int]  # private nodes of all kinds, without messages
    partial: bool  # the counts are lower bounds: the user has more than 10,000 nodes of one kind
    user_id: Required[str]


class UserErasure(TypedDict, total=False):
    anonymised: Required[int]  # nodes and relationships that stay but no longer name the user
    cache_entries: Required[int]  # of this process and of Redis
    erased_at: Required[str]
    keys: Required[int]  # API keys
    messages: Required[int]
    nodes: Required[int]  # including deleted ones that could be restored; without messages
    notes_anonymised: Required[int]  # notes of the user on nodes that stay: the text is kept, the author is removed
    preferences: Required[int]
    records: Required[int]  # chat trees and turns, stored answers of idempotency keys, imports, and other records
    relationships: Required[int]
    remaining: Required[int]  # records found when checking afterwards; 0
    user_id: Required[str]


class UserPage(TypedDict, total=False):
    next: Required[str | None]
    users: Required[list[User]]


ValueVersion = TypedDict(
    "ValueVersion",
    {
        "by": "str",  # id of the API key that set it; token: the caller had a token
        "deleted": "bool",  # a delete ended it
        "from": "Required[str]",  # when it was set
        "key": "Required[str]",
        "through": "str",  # an operation of the API, mcp: and a tool, or import: and a format
        "until": "Required[str | None]",  # when it was replaced or deleted; null: it is stored now
        "value": "Required[Any]",
    },
    total=False,
)


Version = TypedDict(
    "Version",
    {
        "by": "str",  # id of the API key that wrote it; token: the caller had a token
        "changes": "Required[list[FieldChange]]",  # from the version before, if that is kept; empty for the first
        "deleted": "bool",  # a delete ended it
        "from": "Required[str | None]",  # when it was written
        "node": "NodeView",  # of a node: the version itself, without its notes, which have a lifetime of their own
        "relationship": "RelationshipView",  # of a relationship: the version itself
        "source": "str",  # entity_key of the source from which a language model derived it
        "through": "str",  # an operation of the API, mcp: and a tool, or import: and a format
        "until": "Required[str | None]",  # when it was replaced or deleted; null: it is stored now
        "version": "Required[int]",
    },
    total=False,
)


class VersionPage(TypedDict, total=False):
    next: Required[str | None]
    versions: Required[list[Version]]


class Webhook(TypedDict, total=False):
    active: Required[bool]  # false: nothing is sent; it continues where it stopped when it is active again
    attempts: Required[int]  # failed attempts of the delivery that is being retried
    created_at: Required[str]
    cursor: Required[str]  # of GET /v1/changes: behind what was delivered
    disabled: Required[str | None]  # why Kith made it inactive: gone, the receiver answered with 410; else null
    id: Required[str]
    kinds: Required[list[str]]  # of the changes that it gets; empty: all
    last_attempt_at: Required[str | None]
    last_result: Required[str | None]  # of the last attempt: delivered, status and a number, redirect, timeout, or no connection, also to an address that is not public
    next_attempt_at: Required[str | None]  # earliest time of the next attempt, if there is anything to deliver; null: inactive
    ops: Required[list[str]]  # of the changes that it gets; empty: all
    previous_secret_until: Required[str | None]  # until when the secret before the last rotation signs too
    url: Required[str]
    user_id: Required[str | None]  # it gets the changes of this user's memory and of what the team shares; null: all of the team


class WebhookList(TypedDict, total=False):
    webhooks: Required[list[Webhook]]


class Why(TypedDict, total=False):
    key: Required[str]
    kind: Required[Literal["person", "concept", "entity", "source"]]
    sections: Required[list[WhySection]]  # the sections that show nodes of its kind
    shown: Required[bool]
    spans: Required[list[Span]]  # the parts of the text that show it


class WhySection(TypedDict, total=False):
    conditions: Required[list[Condition]]
    section: Required[Literal["owner", "core_beliefs", "primary_goals", "relationships", "sources"]]
    shown: Required[bool]


class WithdrawRequest(TypedDict, total=False):
    dry_run: bool | None  # only report what would go
    undo: bool | None  # restore the source and what went with it
    user_id: str | None  # whose source it is; default: the user of the API key, else shared by the team


class Withdrawal(TypedDict, total=False):
    kept: int  # of an undo: what could not be restored, as its name or key is in use again, it was purged, or it has other texts since
    lowered_nodes: Required[int]  # that rest on others too: their trust is what the others tell
    lowered_relationships: Required[int]
    messages: Required[int]  # of the source, which is deleted
    names: Required[list[str]]  # of at most 20 of the deleted nodes
    nodes: Required[int]  # that rest on the source alone: deleted; counted up to 200,000
    relationships: Required[int]  # that rest on the source alone: deleted; counted up to 200,000
    restorable_until: str  # until when it can be undone
    source: Required[str]
