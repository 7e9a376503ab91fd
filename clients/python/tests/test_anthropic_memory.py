"""The memory tool answers as the one that the SDK ships, which keeps files in a folder."""

import asyncio
import logging
import re
import tempfile
import uuid
from typing import Any

import httpx
import pytest

from anthropic.lib.tools import ToolError
from anthropic.tools import BetaLocalFilesystemMemoryTool
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from kith import Kith, api
from kith.anthropic_memory import AsyncKithMemoryTool, KithMemoryTool

FILES = [f"/memories/{name}" for name in ("a", "d/a", "d/b/c", "d/b/e/f", ".h")]
OTHERS = ["/memories", "/memories/", "/memories/d", "/memories/d/b", "/memories/d/../a", "/memories/../x", "/etc/x"]
START = [{"command": "create", "path": path, "file_text": text} for path, text in (("/memories/a", "one\ntwo\n"), ("/memories/d/b/c", "one"))]
TEXTS = ["", "one", "one\ntwo\n", "one\n\none\n", "two\r\nthree", "é\n" * 7, "x" * 1500]
path, text, line = st.sampled_from(FILES * 4 + OTHERS), st.sampled_from(TEXTS), st.integers(-1, 3)
COMMANDS = st.one_of(
    st.builds(lambda p, r: {"command": "view", "path": p, "view_range": r}, path, st.none() | st.tuples(line, line).map(list)),
    st.builds(lambda p, t: {"command": "create", "path": p, "file_text": t}, path, text),
    st.builds(lambda p, t: {"command": "create", "path": p, "file_text": t}, path, text),
    st.builds(lambda p, a, b: {"command": "str_replace", "path": p, "old_str": a, "new_str": b}, path, st.sampled_from(["one", "two", "x"]), text),
    st.builds(lambda p, n, t: {"command": "insert", "path": p, "insert_line": n, "insert_text": t}, path, line, text),
    st.builds(lambda p: {"command": "delete", "path": p}, path),
    st.builds(lambda p, q: {"command": "rename", "old_path": p, "new_path": q}, path, path),
)


def answer(tool: Any, command: dict[str, Any]) -> str:
    """Returns the answer or the error, without the sizes of folders, which differ between file systems."""
    try:
        said = str(tool.call(command))
    except ToolError as error:
        said = f"error: {error}"
    except OSError:
        said = "error: not a directory"  # which the SDK's tool does not catch
    if "is not a directory" in said or " into itself" in said:
        said = "error: not a directory"
    return re.sub(r"(?m)^\S+\t(.*/|/memories)$", r"\1", said) if said.startswith("Here're") else said


def clean(folder: BetaLocalFilesystemMemoryTool) -> None:
    """Removes empty folders: Kith has folders only as long as there is something in them."""
    for one in sorted(folder.memory_root.rglob("*"), key=lambda path: -len(path.parts)):
        if one.is_dir() and not any(one.iterdir()):
            one.rmdir()


@settings(max_examples=25, deadline=None, derandomize=True, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
@given(commands=st.lists(COMMANDS, min_size=8, max_size=20))
def test_same_answers(everybody: Kith, commands: list[dict[str, Any]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ours, theirs = KithMemoryTool(everybody, user=f"u-{uuid.uuid4()}"), BetaLocalFilesystemMemoryTool(folder)
        for command in START + commands:
            assert answer(ours, command) == answer(theirs, command), command
            clean(theirs)
        everything = {"command": "view", "path": "/memories"}
        assert answer(ours, everything) == answer(theirs, everything)


def test_history_goes_with_the_file(memory: Kith, user: str) -> None:
    tool = KithMemoryTool(memory)
    tool.call({"command": "create", "path": "/memories/trip.md", "file_text": "To Porto.\n"})
    tool.call({"command": "str_replace", "path": "/memories/trip.md", "old_str": "Porto", "new_str": "Ghent"})
    tool.call({"command": "rename", "old_path": "/memories/trip.md", "new_path": "/memories/done/trip.md"})
    item = memory.send(api.list_nodes("item", user_id=user))["nodes"][0]
    versions = memory.send(api.list_node_versions("item", item["entity_key"], user_id=user))["versions"]
    assert [version["node"]["value"]["text"] for version in versions] == ["To Ghent.\n", "To Ghent.\n", "To Porto.\n"]
    assert "Ghent" in memory.explore("Ghent")


def test_a_change_of_others_is_not_lost(memory: Kith) -> None:
    tool = AsyncKithMemoryTool(memory)

    async def insert() -> None:
        await tool.call({"command": "create", "path": "/memories/list", "file_text": ""})
        await asyncio.gather(
            *(tool.call({"command": "insert", "path": "/memories/list", "insert_line": 0, "insert_text": f"line {i}"}) for i in range(3))
        )
        seen = str(await tool.call({"command": "view", "path": "/memories/list"}))
        assert all(f"line {i}" in seen for i in range(3))
        await memory.as_async().close()

    asyncio.run(insert())


def test_users_do_not_see_one_another(memory: Kith, user: str) -> None:
    KithMemoryTool(memory).call({"command": "create", "path": "/memories/a", "file_text": "mine"})
    with pytest.raises(ToolError, match="does not exist"):
        KithMemoryTool(memory, user=f"{user}-b").call({"command": "view", "path": "/memories/a"})


def test_files_of_the_team_can_be_read_and_written(memory: Kith, everybody: Kith, user: str) -> None:
    tool, path = KithMemoryTool(memory), f"/memories/{user}"
    KithMemoryTool(everybody).call({"command": "create", "path": path, "file_text": "one"})
    tool.call({"command": "str_replace", "path": path, "old_str": "one", "new_str": "two"})
    assert "two" in str(KithMemoryTool(everybody).call({"command": "view", "path": path}))
    KithMemoryTool(everybody).call({"command": "delete", "path": path})


def test_files_of_the_team_are_not_deleted_by_a_user(memory: Kith, everybody: Kith, bound: Kith, user: str) -> None:
    team, folder = KithMemoryTool(everybody), f"/memories/{user}"
    team.call({"command": "create", "path": f"{folder}/shared", "file_text": "one"})
    for one in (memory, bound):
        tool = KithMemoryTool(one)
        tool.call({"command": "create", "path": f"{folder}/own", "file_text": "mine"})
        for path, what in ((f"{folder}/shared", "it"), (folder, "a file in it")):
            with pytest.raises(ToolError, match=f"{what} belongs to the team"):
                tool.call({"command": "delete", "path": path})
        assert f"{folder}/own" in str(tool.call({"command": "view", "path": folder}))
        tool.clear_all_memory()
        seen = str(tool.call({"command": "view", "path": folder}))
        assert f"{folder}/shared" in seen and f"{folder}/own" not in seen
    team.call({"command": "delete", "path": folder})
    with pytest.raises(ToolError, match="does not exist"):
        team.call({"command": "view", "path": folder})


def test_a_listing_has_all_pages(memory: Kith, user: str) -> None:
    nodes: list[api.NodeWrite] = [
        {"kind": "item", "namespace": ["memories", "d"], "name": f"f{i:03}", "value": {"text": "x" * i}} for i in range(201)
    ]
    memory.remember(nodes=nodes)
    lines = str(KithMemoryTool(memory).call({"command": "view", "path": "/memories/d"})).splitlines()
    assert len(lines) == 203 and lines[2] == "0B\t/memories/d/f000" and lines[-1] == "200B\t/memories/d/f200"


def test_whether_a_folder_is_there_needs_one_file() -> None:
    asked = list[str]()

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.params["limit"])
        return httpx.Response(200, json={"nodes": [], "next": None} if "name" in request.url.params else {"nodes": [{}], "next": "more"})

    memory = Kith("http://kith.invalid", "kith_test", transport=httpx.MockTransport(answer))
    with pytest.raises(ToolError, match="already exists"):
        KithMemoryTool(memory).call({"command": "create", "path": "/memories/d", "file_text": ""})
    assert asked == ["1"]


def test_what_a_lost_answer_deleted_is_deleted(forgetful: tuple[Kith, list[str]]) -> None:
    memory, asked = forgetful
    deleted = KithMemoryTool(memory).call({"command": "delete", "path": "/memories/a"})
    assert deleted == "Successfully deleted /memories/a" and asked == ["GET", "DELETE", "DELETE"]


def test_the_model_reads_what_it_did_wrong(memory: Kith) -> None:
    with pytest.raises(ToolError, match="422"):
        KithMemoryTool(memory).call({"command": "create", "path": "/memories/a", "file_text": "x" * (1 << 18)})


@pytest.mark.parametrize(
    ("status", "text"), [(409, "The file was changed meanwhile: view it and try again."), (403, "The memory does not allow this. Go on without it.")]
)
def test_what_the_model_reads_of_a_refusal(status: int, text: str) -> None:
    kith = Kith("http://kith.invalid", "kith_test", transport=httpx.MockTransport(lambda request: httpx.Response(status)))
    with pytest.raises(ToolError) as raised:
        KithMemoryTool(kith).call({"command": "view", "path": "/memories/a"})
    assert str(raised.value) == text


def test_away(away: Kith, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "kith"), pytest.raises(ToolError, match="The memory is not available now"):
        KithMemoryTool(away).call({"command": "view", "path": "/memories"})
    assert "the agent goes on without memory: a memory file: GET /v1/nodes/item" in caplog.text
