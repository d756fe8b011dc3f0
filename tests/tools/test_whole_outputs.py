"""A long output lies whole on disk; memory has its ends, and read_output pages over all of it."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tool_calls import Call

from kinet.core.errors import ToolError
from kinet.engine.base import Limits
from kinet.engine.context.truncation import for_model
from kinet.tools.base import ToolContext
from kinet.tools.processes import jobs, whole_output
from kinet.tools.processes.kept_output import HEAD, TAIL, KeptOutput, settled
from kinet.tools.processes.whole_output import place_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="commands for bash")

LINES = 400_000


@pytest.fixture
def session(context: ToolContext) -> ToolContext:
    return replace(context, session_id="output-test", call_id="c1")


async def test_a_long_output_is_read_on_to_its_end(call: Call, session: ToolContext) -> None:
    output = await call("shell", session, command=f"seq {LINES} | sed s/^/ü/")
    assert output.details["kept_whole"]
    assert output.content.startswith("ü1\nü2\n")
    assert output.content.endswith(f"ü{LINES}")
    assert len(output.content) < HEAD + 2 * TAIL + 100
    whole = "".join(f"ü{number}\n" for number in range(1, LINES + 1))
    assert output.details["characters"] == len(whole)
    file = place_of(session.data_dir, "output-test", "c1")
    assert file is not None
    assert file.read_text(encoding="utf-8") == whole
    assert file.stat().st_mode & 0o777 == 0o600
    for offset in (0, 700_000, 1_500_000, len(whole) - 10):
        page = await call("read_output", session, call_id="c1", offset=offset)
        assert page.content.startswith(whole[offset : offset + 8_000])
    found = await call("read_output", session, call_id="c1", pattern="ü200000")
    assert found.content == f"200000 (character {whole.index('ü200000')}): ü200000"
    with pytest.raises(ToolError, match="there is none at"):
        await call("read_output", session, call_id="c1", offset=len(whole) + 1)


def test_the_model_is_told_how_much_it_did_not_get() -> None:
    limits = Limits()
    text = for_model("x" * 50_000, limits, "c1", total=1_000_000)
    head = limits.result_head
    assert f"[{1_000_000 - head - limits.result_tail:,} characters omitted here." in text
    assert f'read_output(call_id="c1", offset={head})' in text


async def test_a_jobs_output_can_be_read_from_the_start(call: Call, session: ToolContext) -> None:
    await call("shell", session, command="seq 300000", background=True)
    (job,) = jobs.listed("output-test")
    assert job.running is not None
    assert job.running.finished.wait(20)
    page = await call("read_output", session, call_id="c1", offset=0)
    assert page.content.startswith("1\n2\n3\n")
    jobs.end_all("output-test")


def test_a_disk_that_refuses_loses_the_middle_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    kept = KeptOutput(file / "no folder" / "x.txt")
    for _ in range(40):
        kept.add("x" * 100_000)
    kept.close()
    assert not kept.is_whole_on_disk
    assert kept.problem
    assert "characters were not kept" in kept.text()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1_000])
def test_lines_are_settled_the_same_however_they_come(size: int) -> None:
    text = "a\r\nb\rc\n10%\r20%\r30%\nlast\r\n\r\nend\rEND"
    kept = KeptOutput()
    for at in range(0, len(text), size):
        kept.add(text[at : at + size])
    assert kept.text() == settled(text)
    kept.close()
    assert kept.text() == settled(text) == "a\nc\n30%\nlast\n\nEND"


@pytest.mark.parametrize("size", [1, 3, 50, 10_000])
def test_what_moves_and_what_does_not_follow_each_other(size: int) -> None:
    text = "".join(
        f"line {n}\n" * 130 + f"\x1b[31mred {n}\x1b[0m\nbar 1%\nbar 2%\n\x1b[2A\x1b[Kend {n}\r\n\n"
        for n in range(5)
    )
    kept = KeptOutput()
    for at in range(0, len(text), size):
        kept.add(text[at : at + size])
    kept.close()
    shown = "".join(f"line {n}\n" * 130 + f"red {n}\nend {n}\nbar 2%\n" for n in range(5))
    assert kept.text() == shown
    assert kept.total == len(shown)
    assert text.startswith(kept.printed())


def test_outputs_of_sessions_that_are_gone_go(tmp_path: Path) -> None:
    for session in ("one", "two"):
        file = place_of(tmp_path, session, "c1")
        assert file is not None
        file.parent.mkdir(parents=True)
        file.write_text("x")
    whole_output.forget_all_but(tmp_path, ["two"])
    assert not os.path.exists(place_of(tmp_path, "one", "c1") or "")
    assert os.path.exists(place_of(tmp_path, "two", "c1") or "")
    assert place_of(tmp_path, "", "c1") is None
