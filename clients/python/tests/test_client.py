"""The client with a running Kith."""

import asyncio

import pytest
from kith import AsyncKith, Kith, KithConflict, KithError, KithInvalid, api


def test_three_lines(memory: Kith) -> None:
    keys = memory.remember("I am allergic to peanuts.")
    assert len(keys) == 1
    assert "allergic to peanuts" in memory.context()
    assert "allergic to peanuts" in memory.explore("what about peanuts?")


def test_nodes_and_relationships(memory: Kith, user: str) -> None:
    nodes: list[api.NodeWrite] = [
        {"kind": "person", "entity_key": f"{user}-ada", "name": "Ada", "is_owner": True},
        {"kind": "person", "entity_key": f"{user}-grace", "name": "Grace", "description": None},
    ]
    friends: list[api.RelationshipWrite] = [
        {"from": f"{user}-ada", "to": f"{user}-grace", "type": "has_relationship_with", "description": "Her oldest friend"}
    ]
    keys = memory.remember(nodes=nodes, relationships=friends)
    assert keys[:2] == [f"{user}-ada", f"{user}-grace"] and len(keys) == 3
    context = memory.send(api.get_context(user_id=user, sections=["user", "relationships"]))
    assert context["relationships"][0]["relationship_description"] == "Her oldest friend"


def test_remember_is_all_or_nothing(memory: Kith, user: str) -> None:
    with pytest.raises(KithInvalid) as raised:
        memory.remember(nodes=[{"kind": "concept", "name": "Tides"}], relationships=[{"from": "nobody", "to": "none", "type": "relates_to"}])
    assert raised.value.faults
    assert memory.send(api.list_nodes("concept", user_id=user))["nodes"] == []
    with pytest.raises(ValueError, match="nothing to remember"):
        memory.remember()


def test_conversation(memory: Kith) -> None:
    talk = memory.conversation()
    talk.add("user", "Samir says the letter came.")
    talk.add("assistant", "The offer from Lindepoort?")
    assert "the letter came" in memory.conversation(talk.id).context
    talk.end("The letter came.")
    page = memory.send(api.get_conversation(talk.id))
    assert [message["role"] for message in page["messages"]] == ["user", "assistant"] and page["summary"] == "The letter came."
    with pytest.raises(KithConflict):
        talk.add("user", "One more thing.")


def test_errors_name_the_fault(memory: Kith, user: str) -> None:
    with pytest.raises(KithInvalid) as raised:
        memory.send(api.get_context(user_id=user, time_zone="Atlantis"))
    error = raised.value
    assert error.status == 422 and error.faults[0]["location"] == "query.time_zone" and error.request_id
    with pytest.raises(KithError) as missing:
        memory.send(api.get_node("person", "nobody/at all?"))
    assert missing.value.status == 404
    with pytest.raises(KithError) as denied:
        Kith(key="kith_wrong").context(user)
    assert denied.value.status == 401 and "kith_wrong" not in str(denied.value)


def test_async_in_several_loops(user: str) -> None:
    memory = AsyncKith(user=user)

    async def one() -> str:
        async with memory:
            await memory.remember("I live in Ghent.")
            talk = await memory.conversation()
            await talk.add("user", "Hello.")
            await talk.end()
            assert "Ghent" in await memory.explore("Ghent")
            return await memory.context()

    assert "I live in Ghent" in asyncio.run(one())
    assert "I live in Ghent" in asyncio.run(one())


def test_the_key_is_not_shown(memory: Kith) -> None:
    assert "kith_" not in repr(memory).replace("127.0.0.1", "") and memory.url in repr(memory)
