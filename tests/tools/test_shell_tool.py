"""Commands: their output, their limits, and the end of everything they started."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tool_calls import Call, until

from kinet.core.errors import ToolError
from kinet.tools.base import ToolContext
from kinet.tools.processes import process_tree, survivors
from kinet.tools.processes.environment import child_environment
from kinet.tools.shell import Shell, ShellArguments
from tests.support.tree_shapes import alive, new_mark

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="process trees as Linux has them")


async def test_output_of_both_pipes_and_the_code_come_back(call: Call) -> None:
    output = await call("shell", command="echo out; echo err >&2; exit 3")
    assert sorted(output.content.split("\n")) == ["[exit code 3]", "err", "out"]
    assert output.is_error
    assert output.preview == "exit 3"
    assert output.details["exit_code"] == 3


async def test_a_call_returns_when_the_command_ends_though_a_child_holds_the_pipe(
    call: Call, context: ToolContext
) -> None:
    in_session = replace(context, session_id="s1")
    mark = new_mark()
    output = await call("shell", in_session, command=f"sleep {mark} & echo started")
    assert output.details["seconds"] < 30
    assert output.content.startswith("started\n[still running: ")
    await until(lambda: bool(alive(mark)))
    assert [known.command for known in survivors.listed("s1")] == [f"sleep {mark} & echo started"]
    await asyncio.to_thread(survivors.end_all, "s1")
    assert not alive(mark)
    assert survivors.listed("s1") == ()


TREES = {
    "child": "sleep {n}",
    "ignores-term": "trap '' TERM HUP INT; sleep {n}; sleep {n}",
    "own-session": "setsid sleep {n} & wait",
    "double-fork": "(setsid bash -c 'sleep {n} & sleep {n} & wait' &) ; sleep {n}",
    "daemon": 'python3 -c "import os,time\nif os.fork()==0:\n os.setsid()\n if os.fork()==0:\n'
    '  time.sleep({n})\ntime.sleep({n})"',
    "many": "for i in 1 2 3 4 5 6 7 8; do setsid nohup sleep {n} & done; wait",
    "stopped": "sleep {n} & kill -STOP $!; wait",
}


@pytest.mark.parametrize("shape", TREES)
async def test_a_stop_takes_the_whole_tree_along(
    shape: str, context: ToolContext, tmp_path: Path
) -> None:
    number = new_mark()
    command = f"touch {tmp_path}/up; " + TREES[shape].format(n=number)
    task = asyncio.create_task(Shell().run(ShellArguments(command=command), context))
    await until(lambda: bool(alive(number)) and (tmp_path / "up").exists())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not alive(number)


async def test_where_there_is_no_runner_the_group_and_its_descendants_end(
    call: Call, context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_tree, "HAS_RUNNER", False)
    output = await call("shell", command="echo out; exit 4")
    assert output.content == "out\n[exit code 4]"
    mark = new_mark()
    command = f"setsid sleep {mark} & sleep {mark}"
    task = asyncio.create_task(Shell().run(ShellArguments(command=command), context))
    await until(lambda: len(alive(mark)) == 3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not alive(mark)


async def test_a_time_limit_ends_the_tree_and_keeps_the_output(call: Call) -> None:
    mark = new_mark()
    command = f"echo before; setsid sleep {mark} & sleep {mark}"
    output = await call("shell", command=command, timeout_s=1)
    assert output.is_error
    assert output.content.startswith("before\n[stopped: it took longer than 1 s")
    assert output.details["timed_out"]
    assert not alive(mark)


async def test_output_arrives_while_the_command_runs(context: ToolContext, tmp_path: Path) -> None:
    pieces: list[str] = []
    listening = replace(context, progress=pieces.append)
    command = f"echo first; while [ ! -e {tmp_path}/go ]; do sleep 0.01; done; echo second"
    task = asyncio.create_task(Shell().run(ShellArguments(command=command), listening))
    await until(lambda: "first" in "".join(pieces))
    assert not task.done()
    (tmp_path / "go").touch()
    output = await task
    assert output.content == "first\nsecond"


async def test_there_is_no_terminal_and_no_input(call: Call) -> None:
    output = await call("shell", command="cat; tty; echo done")
    assert output.content == "not a tty\ndone"


async def test_no_key_and_no_code_in_the_environment(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "GITHUB_TOKEN", "SSH_AUTH_SOCK", "LD_PRELOAD", "BASH_ENV"):
        monkeypatch.setenv(name, "leaked-value")
    output = await call("shell", command="env")
    assert "leaked-value" not in output.content
    assert "HOME=" in output.content


def test_a_path_has_no_relative_entry_and_none_of_the_project(tmp_path: Path) -> None:
    source = {"PATH": f".::bin:{tmp_path}/bin:/usr/bin", "SECRET": "x", "LC_ALL": "C"}
    environment = child_environment(source=source, without=tmp_path)
    assert environment["PATH"] == "/usr/bin"
    assert environment["LC_ALL"] == "C"
    assert "SECRET" not in environment


async def test_progress_bars_and_colours_are_settled(call: Call) -> None:
    command = (
        r"printf '\033[31mred\033[0m\n'; for i in 1 2 3; do printf '%s%%\r' $i; done; echo end"
    )
    output = await call("shell", command=command)
    assert output.content == "red\nend"


async def test_bars_of_several_rows_end_as_a_terminal_shows_them(
    call: Call, context: ToolContext
) -> None:
    command = (
        r"for i in 1 5 9; do printf '\rA: %s0%%\n\rB: %s%%\033[A' $i $i; done; "
        r"printf '\n\n\033[1;32mdone\033[0m\n'"
    )
    told: list[str] = []
    output = await call("shell", replace(context, progress=told.append), command=command)
    assert output.content == "A: 90%\nB: 9%\ndone"
    # What it is drawn from is there for whoever looks at it: live, and afterwards.
    assert output.details["printed"] == "".join(told)
    assert output.details["printed"].endswith("\x1b[1;32mdone\x1b[0m\n")
    plain = await call("shell", command=r"printf 'a\r\nb\n'")
    assert (plain.content, "printed" in plain.details) == ("a\nb", False)


async def test_a_huge_output_is_kept_at_both_ends(call: Call) -> None:
    output = await call(
        "shell", command="echo head; head -c 20000000 /dev/zero | tr '\\0' x; echo tail"
    )
    assert output.content.startswith("head\nxxx")
    assert output.content.endswith("xtail")
    assert "characters were not kept" in output.content
    assert len(output.content) < 6 * 1024 * 1024


async def test_the_worst_commands_are_never_run(call: Call) -> None:
    with pytest.raises(ToolError) as caught:
        await call("shell", command="rm -rf /")
    assert caught.value.kind == "refused"


async def test_a_program_of_the_project_takes_no_judged_name(
    project: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = project / "bin" / "ls"
    fake.parent.mkdir()
    fake.write_text("#!/bin/sh\necho taken over\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{fake.parent}:/usr/bin:/bin")
    output = await call("shell", command="ls")
    assert output.content == "bin"
