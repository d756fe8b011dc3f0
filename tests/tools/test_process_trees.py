"""Every shape of process tree ends whole, and hard commands neither block nor grow without end."""

from __future__ import annotations

import asyncio
import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from tool_calls import Call, until

from kinet.tools.base import ToolContext
from kinet.tools.processes import process, process_tree, survivors
from kinet.tools.processes.environment import child_environment
from kinet.tools.processes.process import RunningCommand
from tests.support.tree_shapes import SHAPES, alive, command_of, new_mark

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="process trees as Linux has them")

OWNER = Path(__file__).parents[1] / "bench" / "tree_owner.py"


@pytest.mark.parametrize("shape", sorted(SHAPES))
async def test_a_stop_ends_a_tree_of_this_shape(shape: str, tmp_path: Path) -> None:
    mark = new_mark()
    running = RunningCommand(
        ["/bin/bash", "--noprofile", "--norc", "-c", command_of(shape, mark)],
        folder=tmp_path,
        environment=child_environment(),
        timeout_s=600,
    )
    running.start()
    await until(lambda: bool(alive(mark)) or running.result.done())
    running.stop()
    assert await asyncio.to_thread(running.finished.wait, 10)
    assert alive(mark) == []


@pytest.mark.parametrize("shape", ["wide", "double fork", "left daemon", "respawning left"])
async def test_killing_the_program_ends_its_trees(shape: str, tmp_path: Path) -> None:
    mark = new_mark()
    owner = subprocess.Popen(  # noqa: ASYNC220 - a child of the test, ended by it
        [sys.executable, str(OWNER), str(tmp_path), command_of(shape, mark)],
        env={**os.environ, "PYTHONPATH": str(OWNER.parents[2])},
    )
    await until(lambda: bool(alive(mark)))
    owner.send_signal(signal.SIGKILL)
    await asyncio.to_thread(owner.wait)
    await until(lambda: not alive(mark))


# Each begins a tree that has left its command, and then turns on what watches over it.
AGAINST_THE_RUNNER = {
    "kills it": "kill -9 $PPID",
    "stops it": "kill -STOP $PPID",
    "kills the upper one": "kill -9 $(ps -o ppid= -p $PPID)",
    "stops the upper one": "kill -STOP $(ps -o ppid= -p $PPID)",
    "kills by its words": "pkill -9 -f {mark}",
    "kills by its name": "pkill -9 -s 0 python",
    "its own group": "kill -9 0",
}


@pytest.mark.parametrize("way", AGAINST_THE_RUNNER)
@pytest.mark.parametrize("end", ["stop", "kill"])
async def test_a_tree_that_turns_on_its_runner_ends_all_the_same(
    way: str, end: str, tmp_path: Path
) -> None:
    mark = new_mark()
    act = AGAINST_THE_RUNNER[way].format(mark=mark)
    command = f"( setsid sleep {mark} & ) ; touch up; sleep 0.1; {act}; touch on; sleep {mark}"
    owner = subprocess.Popen(  # noqa: ASYNC220 - a child of the test, ended by it
        [sys.executable, str(OWNER), str(tmp_path), command],
        env={**os.environ, "PYTHONPATH": str(OWNER.parents[2])},
        stdin=subprocess.PIPE,
    )
    assert owner.stdin is not None
    await until(lambda: (tmp_path / "up").exists())
    await until(lambda: (tmp_path / "on").exists() or len(alive(mark)) < 2)
    if end == "kill":
        owner.send_signal(signal.SIGKILL)
    else:
        owner.stdin.close()
    await asyncio.to_thread(owner.wait)
    await until(lambda: not alive(mark))


async def test_a_tree_that_stops_both_its_runners_ends_when_the_program_loses_patience(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_tree, "_RUNNER_SECONDS", 0.5)
    mark = new_mark()
    stopping = "kill -STOP $(ps -o ppid= -p $PPID) $PPID"
    command = f"( setsid sleep {mark} & ) ; {stopping}; touch on; sleep {mark}"
    running = RunningCommand(
        ["/bin/bash", "--noprofile", "--norc", "-c", command],
        folder=tmp_path,
        environment=child_environment(),
        timeout_s=600,
    )
    running.start()
    await until(lambda: (tmp_path / "on").exists())
    running.stop()
    assert await asyncio.to_thread(running.finished.wait, 10)
    await until(lambda: not alive(mark))


async def test_200_mb_of_output_need_no_such_memory(call: Call) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    output = await call("shell", command="head -c 200000000 /dev/zero | tr '\\0' '\\n'; echo END")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert output.content.rstrip().endswith("END")
    assert len(output.content) < 8_000_000
    assert grown < 64 * 1024, "kilobytes"


async def test_100_000_progress_updates_leave_one_line(call: Call, context: ToolContext) -> None:
    told: list[str] = []
    watched = replace(context, progress=told.append)
    command = "for ((n = 1; n <= 100000; n++)); do printf '\\r%d of 100000' $n; done; echo"
    output = await call("shell", watched, command=command)
    assert output.content == "100000 of 100000"
    # Progress comes in beats, not once for each update.
    assert len(told) < 5_000


async def test_a_silent_command_is_waited_for_and_a_terminal_is_not_there(call: Call) -> None:
    silent = await call("shell", command="sleep 1; echo done")
    assert silent.content == "done"
    asked = await call("shell", command="read -p 'name? ' x < /dev/tty; echo code $?")
    assert "code 1" in asked.content


@pytest.mark.parametrize(("sleeps", "limit", "ends"), [(0.5, 900, True), (30, 300, False)])
async def test_ten_silent_minutes_are_waited_for_up_to_the_limit(
    sleeps: float, limit: int, ends: bool, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    began = time.monotonic()
    # Half a second of this clock is ten minutes of the command's.
    clock = SimpleNamespace(monotonic=lambda: began + (time.monotonic() - began) * 1_200)
    monkeypatch.setattr(process, "time", clock)
    output = await call("shell", command=f"sleep {sleeps}; echo done", timeout_s=limit)
    assert output.details["timed_out"] is not ends
    assert (output.content == "done") is ends
    assert output.details["seconds"] >= (600 if ends else 300)


async def test_a_grandchild_that_becomes_a_daemon_does_not_keep_the_call(
    call: Call, context: ToolContext
) -> None:
    mark = new_mark()
    session = replace(context, session_id="daemon-test")
    output = await call("shell", session, command=command_of("left daemon", mark))
    assert "[still running:" in output.content
    assert alive(mark)
    await asyncio.to_thread(survivors.end_all, "daemon-test")
    assert alive(mark) == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
async def test_who_waits_for_a_command_is_told_its_end_whatever_befalls_the_rest(
    tmp_path: Path,
) -> None:
    def fail() -> None:
        raise OSError(28, "No space left on device")

    running = RunningCommand(
        ["/bin/true"],
        folder=tmp_path,
        environment=child_environment(),
        timeout_s=600,
        ended=fail,
    )
    running._state.kept.close = fail  # type: ignore[method-assign]
    running.start()
    assert await asyncio.to_thread(running.finished.wait, 10)
    assert isinstance(running.result.exception(), OSError)
    running.over.result()
