"""Calls Kith with the client that is generated from its contract: python generated.py URL KEY."""

import sys

from kith_client import AuthenticatedClient
from kith_client.api.chats import create_tree
from kith_client.api.context import get_context
from kith_client.api.memory import get_node, write_memory
from kith_client.api.search_and_walks import explore
from kith_client.models import (
    AgentContext,
    ChatContext,
    ContextNode,
    ContextUser,
    CreateTreeRequest,
    ExploreRequest,
    ExploreResult,
    MemoryResult,
    MemoryWrite,
    NodeWrite,
    NodeWriteKind,
    NodeWriteState,
    Problem,
    RelationshipWrite,
    TreeView,
)

USER = "ada"
kith = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])


def owner(context: AgentContext | Problem | None) -> str:
    assert isinstance(context, AgentContext) and isinstance(context.user, ContextUser), context
    person = context.user.owner_person_node
    return person.name if isinstance(person, ContextNode) else "nobody"


nobody = owner(get_context.sync(client=kith, user_id=USER))
written = write_memory.sync(
    client=kith,
    body=MemoryWrite(
        user_id=USER,
        nodes=[
            NodeWrite(kind=NodeWriteKind.PERSON, entity_key="ada", name="Ada", is_owner=True),
            NodeWrite(kind=NodeWriteKind.PERSON, entity_key="grace", name="Grace", state=NodeWriteState.ACTIVE, description=None),
        ],
        relationships=[RelationshipWrite(from_="ada", to="grace", type_="has_relationship_with", description="Her oldest friend")],
    ),
)
assert isinstance(written, MemoryResult), written
context = get_context.sync(client=kith, user_id=USER, sections=["user", "relationships"])
assert isinstance(context, AgentContext) and context.relationships, context
found = explore.sync(client=kith, body=ExploreRequest(user_id=USER, text_matches=["Grace"]))
assert isinstance(found, ExploreResult) and found.semantic and found.semantic.people, found
tree = create_tree.sync(client=kith, body=CreateTreeRequest(user_id=USER, context=ChatContext(project_id=None, user_id=USER)))
assert isinstance(tree, TreeView), tree
refused = get_context.sync(client=kith, user_id=USER, time_zone="Atlantis")
assert isinstance(refused, Problem) and refused.errors, refused
missing = get_node.sync_detailed(client=kith, kind="person", key="nobody")

print(
    nobody,
    ",".join(node.status for node in written.nodes),
    owner(context),
    context.relationships[0].relationship_description,
    found.semantic.people[0].name,
    tree.turn_count,
    refused.errors[0].location,
    missing.status_code.value,
    sep="; ",
)
