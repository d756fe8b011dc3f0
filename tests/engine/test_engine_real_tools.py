"""The main job on a real folder: the built-in tools, real providers, a strict server."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from kinet.core.events import ApprovalRequested, FilesChanged, ToolProgress
from kinet.core.profile import WireProtocol
from kinet.engine.base import StopSignal
from kinet.memory.facts import FactBook
from kinet.memory.recall import Recall, block_text
from kinet.providers.catalog import create_provider
from kinet.tools.catalog import builtin_tools
from kinet.workspace.rules import load_rules
from tests.support.approvers import allows_everything, denies_everything
from tests.support.chat import Chat
from tests.support.replies import asks_for, says
from tests.support.scripted_server import ScriptedServer
from tests.support.turns import last, results

PROTOCOLS: tuple[WireProtocol, ...] = ("openai", "anthropic")
TEXT = b"\xef\xbb\xbfone\r\ntwo \tthree\r\nfour"


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_task_is_done_on_the_folder_byte_for_byte(protocol, tmp_path):
    folder, facts = tmp_path / "project", FactBook(tmp_path / "facts.json")
    folder.mkdir()
    (folder / "a.txt").write_bytes(TEXT)
    (folder / "b.txt").write_bytes(b"two\n")
    (folder / "KINET.md").write_text("Rule of the house.")
    facts.add("Likes short answers.")
    approver = allows_everything()
    with ScriptedServer(
        asks_for("grep", pattern="two").with_call("read_file", path="a.txt"),
        asks_for("edit_file", path="a.txt", old_string="two", new_string="zwei"),
        says("Changed."),
    ) as server:
        provider = create_provider(server.profile(protocol), None)
        chat = Chat(
            tools=builtin_tools(),
            folder=folder,
            approver=approver,
            memory=Recall(facts),
            memory_text=block_text(facts.list(), folder),
            rules=load_rules(folder).sections,
        )
        events = await chat.send(provider, "Translate two.")
        await provider.close()
    assert server.problems == []
    assert last(events).reason == "completed"
    assert (folder / "a.txt").read_bytes() == TEXT.replace(b"two", b"zwei")
    assert (folder / "b.txt").read_bytes() == b"two\n"
    assert [event.paths for event in events if isinstance(event, FilesChanged)] == [("a.txt",)]
    (question,) = approver.asked
    assert (question.kind, question.question) == ("edit", "Edit this file?")
    assert question.targets == (str(folder.resolve() / "a.txt"),)
    assert question.reason == "", "an ordinary change needs no reason to be asked about"
    assert "zwei" in question.body
    assert "Rule of the house." in str(server.bodies[0])
    assert "Likes short answers." in str(server.bodies[0]["messages"])


async def test_a_denied_edit_leaves_the_file_alone(tmp_path):
    (tmp_path / "a.txt").write_bytes(TEXT)
    with ScriptedServer(
        asks_for("read_file", path="a.txt"),
        asks_for("edit_file", path="a.txt", old_string="two", new_string="zwei"),
        says("Understood."),
    ) as server:
        provider = create_provider(server.profile(), None)
        chat = Chat(tools=builtin_tools(), folder=tmp_path, approver=denies_everything("no"))
        events = await chat.send(provider)
        await provider.close()
    assert results(events)[-1].is_error
    assert (tmp_path / "a.txt").read_bytes() == TEXT
    assert last(events).reason == "completed"


@pytest.mark.skipif(os.name != "posix", reason="process groups are those of POSIX here")
async def test_stop_in_a_command_leaves_no_child_and_keeps_what_it_printed(tmp_path):
    command = "echo started; sleep 300 & echo $! > child; wait"
    stop = StopSignal()

    def stop_when_printed(event: object) -> None:
        if isinstance(event, ToolProgress):
            stop.set()

    with ScriptedServer(asks_for("shell", command=command)) as server:
        provider = create_provider(server.profile(), None)
        chat = Chat(tools=builtin_tools(), folder=tmp_path)
        events = await chat.send(provider, stop=stop, on=stop_when_printed)
        await chat.engine.close()
        again = await chat.send(provider, "Go on.")
        await provider.close()
    assert any(isinstance(event, ApprovalRequested) for event in events)
    assert last(events).reason == "stopped"
    (result,) = results(events)
    assert "started" in result.content
    assert result.content.endswith("[stopped]")
    assert last(again).reason == "completed"
    assert server.problems == []
    child = tmp_path / "child"
    if child.exists():
        assert not await asyncio.to_thread(_alive, int(child.read_text()))


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_sub_agent_searches_and_the_parent_gets_its_text(protocol, tmp_path):
    (tmp_path / "a.txt").write_text("needle\n")
    with ScriptedServer(
        asks_for("dispatch_agent", task="Where is the needle?"),
        asks_for("grep", pattern="needle"),
        says("In a.txt, line 1."),
        says("It is in a.txt."),
    ) as server:
        provider = create_provider(server.profile(protocol), None)
        events = await Chat(tools=builtin_tools(), folder=tmp_path).send(provider)
        await provider.close()
    assert server.problems == []
    assert last(events).reason == "completed"
    own = [item for item in results(events) if not item.parent]
    assert [item.content for item in own] == ["In a.txt, line 1."]
    assert [item.name for item in results(events) if item.parent] == ["grep"]


async def test_the_first_request_is_small(tmp_path):
    with ScriptedServer(says("Hi.")) as server:
        provider = create_provider(server.profile(), None)
        await Chat(tools=builtin_tools(), folder=tmp_path).send(provider)
        await provider.close()
    # Four characters a token is the usual figure for English and JSON.
    assert len(str(server.bodies[0])) / 4 < 6_000


def _alive(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().split()[2] != "Z"


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_p11_p12_a_page_ends_at_lines_or_bytes_and_says_what_is_left(protocol, tmp_path):
    (tmp_path / "long.txt").write_text("".join(f"line {n}\n" for n in range(1, 5_001)))
    (tmp_path / "wide.txt").write_text(("x" * 999 + "\n") * 200)
    with ScriptedServer(
        asks_for("read_file", path="long.txt").with_call("read_file", path="wide.txt"), says("Ok.")
    ) as server:
        provider = create_provider(server.profile(protocol), None)
        events = await Chat(tools=builtin_tools(), folder=tmp_path).send(provider)
        await provider.close()
    assert server.problems == []
    long, wide = sorted((item.model_content for item in results(events)), key=len)
    assert "line 2000\n" in long
    assert "line 2001\n" not in long
    assert long.endswith(
        "[Cut at 2,000 lines.]\n[Lines 1 to 2,000 of 5,000. Go on with offset=2001.]"
    )
    assert 45_000 < len(wide) <= 52_000
    assert wide.endswith("[Cut at 50 KB.]\n[Lines 1 to 51 of 200. Go on with offset=52.]")
    # The model got these very pages, not shortened once more.
    assert all(json.dumps(page)[1:-1] in json.dumps(server.bodies[1]) for page in (long, wide))


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_page_of_a_file_takes_at_most_a_fifth_of_a_small_window(protocol, tmp_path):
    (tmp_path / "wide.txt").write_text(("word " * 20 + "\n") * 2_000)
    with ScriptedServer(asks_for("read_file", path="wide.txt"), says("Ok.")) as server:
        profile = server.profile(protocol, window=16_384)
        provider = create_provider(profile, None)
        chat = Chat(tools=builtin_tools(), folder=tmp_path, profile=profile)
        events = await chat.send(provider)
        await provider.close()
    (page,) = [item.model_content for item in results(events)]
    # 0.2 tokens a character at the least: a fifth of the window is no more than this.
    assert 2_000 < len(page) < 16_384
    assert "Go on with offset=" in page
    assert last(events).reason == "completed"
