"""Servers that are programs: started, asked, stopped, and what the bad ones do to nobody."""

from __future__ import annotations

import asyncio
import json
import os
import re
from pathlib import Path

import pytest
from mcp_kit import SESSION, Kit, is_alive, odd

from kinet.core.errors import ToolError
from kinet.policy.gate import grant_for
from kinet.tools.base import ToolContext


async def test_the_tools_of_a_ready_server_can_be_called(kit: Kit) -> None:
    standing = await kit.start(odd=odd())
    assert [tool.name for tool in standing.tools] == [
        "odd__ask", "odd__die", "odd__echo", "odd__show", "odd__wait", "odd__write",
    ]  # fmt: skip
    output = await kit.call("odd__echo", text="grüß 漢字 🙂")
    assert output.content == "grüß 漢字 🙂"
    assert output.details["server"] == "odd"
    assert output.details["title"] == "Say it again"
    told = kit.servers.snapshot(kit.definition("odd"), kit.folder)
    assert (told.state, told.title) == ("ready", "odd 1.2")


async def test_nothing_is_started_twice_and_a_switch_needs_no_new_start(
    kit: Kit, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    await kit.start(odd=odd("good", notes))
    standing = await kit.start(odd=odd("good", notes, tools_off=["echo", "die"]))
    assert [tool.name for tool in standing.tools] == [
        "odd__ask",
        "odd__show",
        "odd__wait",
        "odd__write",
    ]
    assert notes.read_text().count("listed") == 1
    standing = await kit.start(odd=odd("good", notes, enabled=False))
    assert standing.tools == ()


async def test_a_stop_is_told_to_the_server_and_ends_the_call_at_once(
    kit: Kit, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    await kit.start(odd=odd("good", notes))
    told: list[str] = []
    calling = asyncio.create_task(kit.call("odd__wait", told.append, steps=1))
    await kit.until(lambda: "waiting" in notes.read_text())
    await kit.until(lambda: told)
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling
    await kit.until(lambda: "cancelled True" in notes.read_text())
    assert told == ["0 of 9: reading\n"]
    assert (await kit.call("odd__echo", text="still there")).content == "still there"


async def test_a_call_that_takes_too_long_is_given_up(kit: Kit) -> None:
    await kit.start(odd=odd(timeout=1))
    with pytest.raises(ToolError, match="did not answer within 1 seconds") as caught:
        await kit.call("odd__wait")
    assert caught.value.kind == "timeout"


async def test_a_server_that_dies_in_a_call_says_how_and_comes_back(kit: Kit) -> None:
    await kit.start(odd=odd())
    with pytest.raises(ToolError, match=r"ended during the call \(exit code 7\)") as caught:
        await kit.call("odd__die")
    assert "out of luck" in caught.value.message
    assert "sk-abcdef" not in caught.value.message
    await kit.until(lambda: kit.servers.standing(SESSION).tools)
    assert (await kit.call("odd__echo", text="back")).content == "back"


async def test_one_that_keeps_ending_is_hidden_and_not_started_for_ever(
    kit: Kit, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    await kit.start(odd=odd("ends-when-ready", notes))
    await kit.until(lambda: kit.servers.standing(SESSION).failed)
    ((name, reason),) = kit.servers.standing(SESSION).failed
    assert name == "odd"
    assert "exit code 5" in reason
    assert "3 times" in reason
    assert kit.servers.standing(SESSION).tools == ()
    assert notes.read_text().count("started") == 3


async def test_one_that_is_gone_is_asked_for_again_with_a_later_turn(
    kit: Kit, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    kit.timing |= {"restarts": (), "rest_seconds": 0.0}
    await kit.start(odd=odd("good", notes))
    with pytest.raises(ToolError):
        await kit.call("odd__die")
    await kit.until(lambda: kit.servers.standing(SESSION).failed)
    assert (await kit.start()).tools
    assert notes.read_text().count("begun") == 2
    await kit.start(bad=odd("exits", tmp_path / "bad"))
    await kit.start()
    assert (tmp_path / "bad").read_text().count("begun") == 1


async def test_no_server_fills_the_log(kit: Kit, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    await kit.start(odd=odd("garbage-for-ever"), two=odd("banner"))
    assert len(caplog.records) < 5


BAD = {
    "exits": r"It ended before it was ready \(exit code 3\)\.",
    "refuses": "the server refused the connection: not today",
    "old": "It speaks version 1999-01-01 of the protocol",
    "endless-line": "It wrote a line of more than 32 MB",
    "garbage-for-ever": "It writes other things than messages without end",
    "ends-after-greeting": r"It ended",
}


@pytest.mark.parametrize("mode", BAD)
async def test_a_server_that_never_gets_ready_says_why_and_is_not_tried_again(
    kit: Kit, tmp_path: Path, mode: str
) -> None:
    notes = tmp_path / "notes"
    standing = await kit.start(odd=odd(mode, notes))
    ((_, reason),) = standing.failed
    assert re.search(BAD[mode], reason), reason
    told = kit.servers.snapshot(kit.definition("odd"), kit.folder)
    assert told.state == "failed"
    assert notes.read_text().count("begun") == 1
    if mode == "exits":
        assert (told.exit_code, told.stderr) == (3, "no configuration found")


@pytest.mark.parametrize("mode", ["silent", "wrong-ids"])
async def test_one_that_does_not_answer_is_given_up(kit: Kit, mode: str) -> None:
    kit.timing["start_seconds"] = 1.0
    standing = await kit.start(odd=odd(mode))
    assert "did not answer within 1 seconds" in standing.failed[0][1]


async def test_a_program_that_is_not_there_is_named(kit: Kit) -> None:
    standing = await kit.start(
        odd={"command": "no-such-program-here"},
        other={"command": "./tool", "cwd": "no-such-folder"},
    )
    assert dict(standing.failed) == {
        "odd": "There is no program no-such-program-here.",
        "other": f"There is no folder {kit.folder / 'no-such-folder'}.",
    }


async def test_a_banner_on_its_output_is_told_and_harmless(kit: Kit) -> None:
    await kit.start(odd=odd("banner"))
    told = kit.servers.snapshot(kit.definition("odd"), kit.folder)
    assert told.state == "ready"
    assert told.offer.notes == (
        "It writes other things than messages to its output, such as: "
        "Welcome to the server, version 1",
    )


async def test_messages_in_pieces_and_in_one_list_are_read(kit: Kit) -> None:
    standing = await kit.start(split=odd("split"), lists=odd("two-lines-in-one-write"))
    assert standing.failed == ()
    assert kit.servers.snapshot(kit.definition("split"), kit.folder).title == "schön 漢字 1.2"


async def test_long_lists_come_in_pages_and_never_without_end(kit: Kit) -> None:
    standing = await kit.start(pages=odd("pages"), circle=odd("circle"), none=odd("not-a-list"))
    names = [tool.name for tool in standing.tools]
    assert names == ["pages__" + f"tool{page}_{n}" for page in range(3) for n in range(3)] + [
        "circle__t0", "circle__t1",
    ]  # fmt: skip


async def test_of_ten_thousand_tools_as_many_are_offered_as_a_request_can_carry(kit: Kit) -> None:
    standing = await kit.start(many=odd("many"), one=odd("one"))
    assert len(standing.tools) == 90
    assert standing.left_out == 911
    told = kit.servers.snapshot(kit.definition("many"), kit.folder)
    assert told.offer.notes == ("It lists 10,000 tools; the first 1,000 were looked at.",)


async def test_a_changed_list_counts_from_the_next_turn_on(kit: Kit, tmp_path: Path) -> None:
    standing = await kit.start(odd=odd("changing", tmp_path / "notes"))
    old = next(tool for tool in standing.tools if tool.name == "odd__echo")

    def changed() -> bool:
        tools = kit.servers.standing(SESSION).tools
        return [tool.description for tool in tools] == ["Something else."]

    await kit.until(changed)
    # What was approved as it was described before is not called as it is described now.
    arguments = old.arguments.model_validate({"text": "hi"})
    grant = grant_for(old.name, arguments.model_dump(), (old.definition,))
    with pytest.raises(ToolError, match="describes this tool in another way by now"):
        await old.run(arguments, ToolContext(kit.folder, grant=grant))
    assert (await kit.call("odd__echo", text="hi")).content == "hi"


async def test_a_call_that_was_not_approved_is_not_made(kit: Kit, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    await kit.start(odd=odd("good", notes))
    tool = await kit.tool("odd__echo")
    other = grant_for(tool.name, {"text": "harmless"}, (tool.definition,))
    with pytest.raises(ToolError, match="not approved"):
        await tool.run(
            tool.arguments.model_validate({"text": "harmful"}),
            ToolContext(kit.folder, grant=other),
        )
    assert "call" not in notes.read_text()


async def test_the_folder_is_the_root_and_what_we_do_not_do_is_refused(kit: Kit) -> None:
    await kit.start(odd=odd())
    roots = json.loads((await kit.call("odd__ask", method="roots/list")).content)
    assert roots == {"roots": [{"uri": kit.folder.as_uri(), "name": "project"}]}
    for method in ("sampling/createMessage", "elicitation/create"):
        told = json.loads((await kit.call("odd__ask", method=method)).content)
        assert told["code"] == -32601
        assert told["message"] == f"Kinet does not do {method}."
    assert json.loads((await kit.call("odd__ask", method="ping")).content) == {}


async def test_ending_takes_the_whole_tree_along(kit: Kit, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    await kit.start(odd=odd("stubborn", notes))
    pids = [int(word) for word in notes.read_text().split() if word.isdigit()]
    assert all(is_alive(pid) for pid in pids)
    await asyncio.to_thread(kit.servers.leave, SESSION)
    await kit.until(lambda: not any(is_alive(pid) for pid in pids))


async def test_sessions_on_one_folder_share_a_server_until_the_last_is_closed(
    kit: Kit, tmp_path: Path
) -> None:
    notes = tmp_path / "notes"
    await kit.start(odd=odd("pid", notes))
    await asyncio.to_thread(kit.servers.wake, "another", kit.folder)
    (pid,) = [int(word) for word in notes.read_text().split() if word.isdigit()]
    kit.servers.leave(SESSION)
    assert kit.servers.standing("another").tools
    assert is_alive(pid)
    kit.servers.leave("another")
    await kit.until(lambda: not is_alive(pid))


async def test_a_server_gets_harmless_variables_and_what_its_entry_names(
    kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-not-for-servers")
    monkeypatch.setenv("FROM_OUTSIDE", "given")
    monkeypatch.setenv("LD_PRELOAD_OF_MINE", "never")
    seen = tmp_path / "seen.json"
    script = (
        "import json, os, sys; "
        f"json.dump([dict(os.environ), sys.argv, os.getcwd()], open({str(seen)!r}, 'w'))"
    )
    env = {"PLAIN": "one", "OUTSIDE": "${FROM_OUTSIDE}", "USUAL": "${NOT_SET_HERE:-two}"}
    await kit.start(odd={"command": "python3", "args": ["-c", script, "${USER:-x}"], "env": env})
    values, argv, place = json.loads(seen.read_text())
    assert values["PLAIN"] == "one"
    assert values["OUTSIDE"] == "given"
    assert values["USUAL"] == "two"
    assert "HOME" in values
    assert not {"OPENAI_API_KEY", "FROM_OUTSIDE", "LD_PRELOAD_OF_MINE"} & set(values)
    assert "${" not in argv[1]
    assert place == str(kit.folder)


async def test_a_missing_variable_is_named_and_none_gets_onto_a_command_line(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_TOKEN", "sk-abcdefghijklmnop1234")
    standing = await kit.start(
        one={"command": "python3", "env": {"KEY": "${SURELY_NOT_SET}"}},
        two={"command": "python3", "args": ["--with", "${MY_TOKEN}"]},
    )
    assert dict(standing.failed) == {
        "one": "KEY needs the variable SURELY_NOT_SET, which is not set.",
        "two": "args names the variable MY_TOKEN, and a command line can be read by others.",
    }


async def test_programs_of_the_project_do_not_stand_in_for_those_of_the_system(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = kit.folder / "my-server"
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{kit.folder}{os.pathsep}{os.environ['PATH']}")
    standing = await kit.start(odd={"command": "my-server"})
    assert standing.failed == (("odd", "There is no program my-server."),)


async def test_a_server_that_does_not_read_holds_nobody_up(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kinet.mcp.life._CALL_MARGIN", 0.0)
    await kit.start(odd=odd("deaf", timeout=1), other=odd())
    large = "x" * 1_000_000
    calling = asyncio.create_task(kit.call("odd__echo", text=large))
    assert (await kit.call("other__echo", text="meanwhile")).content == "meanwhile"
    with pytest.raises(ToolError, match="did not answer"):
        await calling
    stopped = asyncio.create_task(kit.call("odd__echo", text=large))
    await asyncio.sleep(0)
    stopped.cancel()
    with pytest.raises(asyncio.CancelledError):
        await stopped


@pytest.mark.skipif(os.name == "nt", reason="Windows ends trees in its own way")
async def test_without_a_runner_a_tree_is_ended_too(
    kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on macOS and in a frozen app."""
    monkeypatch.setattr("kinet.tools.processes.process_tree.HAS_RUNNER", False)
    notes = tmp_path / "notes"
    await kit.start(odd=odd("stubborn", notes), bad=odd("exits"))
    assert (await kit.call("odd__echo", text="hi")).content == "hi"
    ended = "It ended before it was ready (exit code 3)."
    assert kit.servers.standing(SESSION).failed == (("bad", ended),)
    pids = [int(word) for word in notes.read_text().split() if word.isdigit()]
    await kit.end()
    assert not any(is_alive(pid) for pid in pids)


async def test_an_answer_of_megabytes_arrives_whole(kit: Kit) -> None:
    await kit.start(odd=odd())
    text = "漢字" * 700_000
    assert (await kit.call("odd__echo", text=text)).content == text


async def test_progress_without_end_is_thinned_out(kit: Kit) -> None:
    await kit.start(odd=odd(timeout=2))
    told: list[str] = []
    with pytest.raises(ToolError, match="did not answer"):
        await kit.call("odd__wait", told.append, steps=20_000)
    assert 0 < len(told) < 50


async def test_nothing_is_started_after_the_end(kit: Kit) -> None:
    await kit.start(odd=odd())
    tool = await kit.tool("odd__echo")
    await kit.end()
    assert (await kit.start(odd=odd())).tools == ()
    grant = grant_for(tool.name, {"text": "x"}, (tool.definition,))
    with pytest.raises(ToolError, match="was ended"):
        await tool.run(
            tool.arguments.model_validate({"text": "x"}), ToolContext(kit.folder, grant=grant)
        )
