"""Commands in the background: started at once, read in pieces, ended by stop, close and quit."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tool_calls import Call, until

from kinet.core.errors import ToolError
from kinet.session import leftovers
from kinet.tools.base import ToolContext
from kinet.tools.processes import jobs, survivors
from tests.support.tree_shapes import alive, new_mark

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="process trees as Linux has them")


@pytest.fixture
def session(context: ToolContext) -> Iterator[ToolContext]:
    """A session of its own; whatever it left is ended."""
    yield replace(context, session_id="jobs-test")
    jobs.end_all("jobs-test")
    survivors.end_all("jobs-test")


async def test_a_job_returns_at_once_and_is_read_in_pieces(
    call: Call, session: ToolContext, project: Path
) -> None:
    command = "echo one; while [ ! -e go ]; do sleep 0.02; done; echo two; exit 3"
    started = await call("shell", session, command=command, background=True)
    job = started.details["job"]
    assert started.details["running"]
    found = jobs.find(job, "jobs-test")
    assert found is not None
    await until(lambda: found.has_output)
    first = await call("shell_output", session, job=job)
    assert first.content.startswith("one\n[")
    assert "still runs" in first.preview
    (project / "go").touch()
    last = await call("shell_output", session, job=job, wait_s=20)
    assert last.content == f"two\n[{job} ended with exit code 3]"
    assert (await call("shell_output", session, job=job)).details["running"] is False


async def test_stopping_a_job_takes_its_whole_tree_along(call: Call, session: ToolContext) -> None:
    mark = new_mark()
    command = f"echo up; setsid sleep {mark} & (setsid nohup sleep {mark} &) ; sleep {mark}"
    started = await call("shell", session, command=command, background=True)
    await until(lambda: bool(alive(mark)))
    stopped = await call("shell_stop", session, job=started.details["job"])
    assert stopped.preview.endswith("was stopped")
    assert not alive(mark)


async def test_a_job_is_its_own_sessions_alone(call: Call, session: ToolContext) -> None:
    started = await call("shell", session, command="sleep 4712", background=True)
    other = replace(session, session_id="another")
    for name in ("shell_output", "shell_stop"):
        with pytest.raises(ToolError, match="no background job"):
            await call(name, other, job=started.details["job"])
    assert len(jobs.listed("jobs-test", running=True)) == 1


async def test_a_job_that_prints_without_end_is_kept_in_bounds(
    call: Call, session: ToolContext
) -> None:
    command = "head -c 20000000 /dev/zero | tr '\\0' x; echo; echo END"
    started = await call("shell", session, command=command, background=True)
    output = await call("shell_output", session, job=started.details["job"], wait_s=60)
    assert len(output.content) < 1_000_000


async def test_too_many_jobs_are_refused(call: Call, session: ToolContext) -> None:
    for _ in range(jobs.MOST_JOBS):
        await call("shell", session, command="sleep 4713", background=True)
    with pytest.raises(ToolError, match="run already"):
        await call("shell", session, command="sleep 4713", background=True)


async def test_stop_ends_what_a_command_left_and_closing_ends_the_jobs_too(
    call: Call, session: ToolContext
) -> None:
    left, job = new_mark(), new_mark()
    await call("shell", session, command=f"sleep {left} & echo left")
    await call("shell", session, command=f"sleep {job}", background=True)
    await until(lambda: bool(alive(job)))
    leftovers.end_at_once("jobs-test")
    await until(lambda: not alive(left))
    assert alive(job)
    await asyncio.wait_for(leftovers.end_all("jobs-test"), 10)
    assert not alive(job)
