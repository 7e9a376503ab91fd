"""The store answers as LangGraph's InMemoryStore, call for call."""

import asyncio
import uuid
from collections.abc import Iterable
from typing import Any

import pytest

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from kith import Kith
from kith.langgraph import KithStore
from langgraph.store.base import GetOp, InvalidNamespaceError, Item, ListNamespacesOp, MatchCondition, Op, PutOp, Result, SearchOp
from langgraph.store.memory import InMemoryStore

NAMESPACES = [("a",), ("a", "b"), ("a", "b", "a"), ("a b",), ("b",), ("ü x", "a/b")]
STATUS: list[Any] = ["open", "shut", [1, 2], {"in": 1}]
START = [PutOp(NAMESPACES[i % 6], f"k{i % 4}", {"n": i % 5 - 2, "status": STATUS[i % 4]}) for i in range(12)]
labels = st.sampled_from(["a", "b", "ü x", "a/b"])
namespaces = st.sampled_from(NAMESPACES)
prefixes = st.sampled_from([(), ("a",), ("a", "b"), ("b",), ("c",)])
names = st.sampled_from(["k0", "k1", "k2", "k3", "K/é."])
fields = st.sampled_from(STATUS) | st.lists(st.integers(0, 2), max_size=2) | st.dictionaries(st.just("in"), st.integers(0, 2))
values = st.fixed_dictionaries({"n": st.integers(-3, 3) | st.floats(-2, 2, width=16)}, optional={"status": fields, "empty": st.none()})
filters = st.none() | st.fixed_dictionaries(
    {},
    optional={
        "status": fields | st.builds(lambda v: {"$eq": v}, fields) | st.builds(lambda v: {"$ne": v}, st.sampled_from(["open", "shut"])),
        "n": st.builds(lambda op, n: {op: n}, st.sampled_from(["$gt", "$gte", "$lt", "$lte", "$eq", "$ne"]), st.integers(-3, 3)),
        "empty": st.none(),
    },
)
paths = st.lists(labels | st.just("*"), min_size=1, max_size=2).map(tuple)
conditions = st.lists(st.builds(MatchCondition, st.sampled_from(["prefix", "suffix"]), paths), max_size=3).map(tuple)
puts = st.builds(PutOp, namespaces, names, st.none() | values, st.none(), st.none())
ops = st.one_of(
    puts,
    puts,
    st.builds(GetOp, namespaces, names, st.booleans()),
    st.builds(SearchOp, prefixes, filters, st.just(100), st.just(0), st.none()),
    st.builds(ListNamespacesOp, conditions, st.none() | st.integers(1, 2), st.integers(1, 4), st.integers(0, 2)),
)


def comparable(result: Result) -> Any:
    """Returns a result without times. The order of a search without a query is not defined."""
    if isinstance(result, Item):
        return result.namespace, result.key, result.value
    if isinstance(result, list) and all(isinstance(one, Item) for one in result):
        return sorted((comparable(one) for one in result), key=lambda one: one[:2])
    return result


class Reference(InMemoryStore):
    """Lists no namespaces without items, as it does for one that was only read."""

    def _handle_list_namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        for namespace in [namespace for namespace, items in self._data.items() if not items]:
            del self._data[namespace]
        return super()._handle_list_namespaces(op)


@settings(max_examples=25, deadline=None, derandomize=True, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(batches=st.lists(st.lists(ops, min_size=1, max_size=6), min_size=4, max_size=8), sync=st.booleans())
def test_same_answers(everybody: Kith, batches: list[list[Op]], sync: bool) -> None:
    ours, theirs = KithStore(everybody, user=f"u-{uuid.uuid4()}"), Reference()

    async def answers() -> None:
        for batch in [START, *batches]:
            got: Iterable[Result] = ours.batch(batch) if sync else await ours.abatch(batch)
            for op, mine, other in zip(batch, got, theirs.batch(batch), strict=True):
                assert comparable(mine) == comparable(other), op
        await everybody.as_async().close()

    asyncio.run(answers())


def test_pages_of_a_search(memory: Kith) -> None:
    store = KithStore(memory)
    for i in range(7):
        store.put(("docs", str(i % 2)), str(i), {"n": i})
    seen = [item.key for offset in range(0, 9, 3) for item in store.search(("docs",), limit=3, offset=offset)]
    assert sorted(seen) == list("0123456")
    assert len(store.search(("docs",), filter={"n": {"$gte": 2}}, limit=3)) == 3


def test_a_query_ranks_and_the_rest_follows(memory: Kith) -> None:
    store = KithStore(memory)
    store.put(("docs",), "barge", {"text": "The barge Zwaluw was built in 1931.", "status": "open"})
    store.put(("docs",), "tea", {"text": "Green tea keeps for a year.", "status": "open"})
    store.put(("docs",), "secret", {"text": "The barge leaks."}, index=False)
    store.put(("docs",), "named", {"title": "The barge of Noor", "text": "nothing"}, index=["title"])
    store.put(("other",), "barge", {"text": "Another barge."})
    found = store.search(("docs",), query="When was the barge built?", limit=10)
    assert found[0].key == "barge" and found[0].score is not None and found[0].value["status"] == "open"
    assert {item.key for item in found} == {"barge", "tea", "secret", "named"}
    scores = {item.key: item.score for item in found}
    assert scores["named"] is not None and scores["secret"] is None
    assert [item.key for item in store.search(("docs",), query="barge", filter={"status": "open"}, limit=1)] == ["barge"]


def test_namespaces_are_validated(memory: Kith) -> None:
    store = KithStore(memory)
    for wrong in ((), ("a.b",), ("",), ("langgraph", "x")):
        with pytest.raises(InvalidNamespaceError):
            store.put(wrong, "k", {"a": 1})
    with pytest.raises(InvalidNamespaceError):
        store.batch([PutOp(("a.b",), "k", {"a": 1})])
    with pytest.raises(NotImplementedError):
        store.put(("a",), "k", {"a": 1}, ttl=5)


def test_values_come_back_as_given(memory: Kith) -> None:
    value = {"deep": [{"é\n": None}, True, 1, 1.5, "<&>", 2**53], "": {}, "long": "x" * 40_000}
    store = KithStore(memory)
    store.put(("a", "b"), "k", value)
    item = store.get(("a", "b"), "k")
    assert item is not None and item.value == value and item.created_at.tzinfo is not None
    store.put(("a", "b"), "k", {"n": 2})
    again = store.get(("a", "b"), "k")
    assert again is not None and again.value == {"n": 2} and again.updated_at > item.updated_at


def test_errors(memory: Kith, away: Kith) -> None:
    with pytest.raises(ConnectionError):
        KithStore(away).get(("a",), "k")
    store, most = KithStore(memory), (1 << 18) - len('{"text":""}')
    store.put(("a",), "k", {"text": "x" * most})
    with pytest.raises(ValueError, match="262,?144"):
        store.put(("a",), "k", {"text": "x" * (most + 1)})


def test_what_a_lost_answer_deleted_is_deleted(forgetful: tuple[Kith, list[str]]) -> None:
    memory, asked = forgetful
    KithStore(memory).delete(("a",), "k")
    assert asked == ["GET", "DELETE", "DELETE"]


def test_users_do_not_see_one_another(memory: Kith, user: str) -> None:
    KithStore(memory).put(("a",), "k", {"n": 1})
    other = KithStore(memory, user=f"{user}-b")
    assert other.get(("a",), "k") is None and other.search(("a",)) == [] and other.list_namespaces() == []


def test_a_user_does_not_delete_what_the_team_shares(memory: Kith, everybody: Kith, bound: Kith, user: str) -> None:
    team, place = KithStore(everybody), ("shared", user)
    team.put(place, "k", {"n": 1})
    for one in (memory, bound):
        store = KithStore(one)
        store.delete(place, "k")
        assert team.get(place, "k") is not None
        store.put(place, "k", {"n": 2})
        item = store.get(place, "k")
        assert item is not None and item.value == {"n": 2}
        store.delete(place, "k")
        item = store.get(place, "k")
        assert item is not None and item.value == {"n": 1}
    team.delete(place, "k")
    assert team.get(place, "k") is None
