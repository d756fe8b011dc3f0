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
from kinet.tools.processes import jobs, kept_colours, kept_output, whole_output
from kinet.tools.processes.kept_output import HEAD, TAIL, KeptOutput, settled
from kinet.tools.processes.whole_output import place_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="commands for bash")

LINES = 400_000


@pytest.fixture
def session(context: ToolContext) -> ToolContext:
    return replace(context, session_id="output-test", call_id="c1")


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Long is what has some thousand characters."""
    for name in ("HEAD", "TAIL", "PRINTED"):
        monkeypatch.setattr(kept_output, name, 2_000)


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


async def test_the_colours_of_a_long_output_stand_where_its_words_are_told(
    small: None, call: Call, session: ToolContext
) -> None:
    red = r"'\033[31mred %s\033[0m and so on\n'"
    output = await call("shell", session, command=f"printf {red} $(seq 900); exit 3")
    begins, head, gap, dropped = output.details["colours"]
    assert output.content.endswith("\n[exit code 3]")
    assert dropped > 0
    file = place_of(session.data_dir, "output-test", "c1")
    assert file is not None
    moved = begins + gap - dropped
    ends = [(0, head, begins), (head + dropped, 10**9, moved)]
    for offset, characters, shift in ends:
        inks = kept_colours.inks(file, offset, characters, shift)
        assert inks is not None
        place = output.content.index("red ", offset + shift)
        first, last, pen = next(inks.between(place, place + 20))
        assert output.content[first:last].startswith("red ")
        assert output.content[last : last + 10] == " and so on"
        assert pen.ink == "c1"


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


@pytest.mark.parametrize("size", [7, 900])
def test_every_line_of_a_long_output_keeps_its_colour(
    small: None, tmp_path: Path, size: int
) -> None:
    line = "\x1b[3{0}mred\x1b[0m line {1}\x07 10%\r\x1b[1mnew\x1b[0m\n"
    printed = "".join(line.format(1 + n % 6, n) for n in range(600))
    kept = KeptOutput(tmp_path / "x.txt")
    for at in range(0, len(printed), size):
        kept.add(printed[at : at + size])
    kept.close()
    whole = (tmp_path / "x.txt").read_text()
    assert kept.has_colours
    head, gap, dropped = kept.gap()
    text = kept.text()
    assert (text[:head], text[head + gap :]) == (whole[:head], whole[head + dropped :])
    for place in (0, 4_000, len(whole) - 2_000):
        part = whole[place : place + 1_000]
        inks = kept_colours.inks(tmp_path / "x.txt", place, 1_000, -place)
        assert inks is not None
        places = [(one, two) for one, two, _ in inks.between(0, 1_000)]
        assert len(places) > 40
        assert {part[one:two] for one, two in places[1:-1]} == {"new"}
        begin = part.index("new")
        assert {pen.marks for _, _, pen in inks.between(begin, begin + 3)} == {"b"}
        assert not list(inks.between(begin + 3, part.index("\n", begin) + 1))


def test_a_short_output_and_one_without_colours_have_no_file_of_them(
    small: None, tmp_path: Path
) -> None:
    for number, line in enumerate(["\x1b[31mred\x1b[0m\n" * 100, "plain\n" * 1_000]):
        kept = KeptOutput(tmp_path / f"{number}.txt")
        kept.add(line[: 1_000 if number == 0 else None])
        kept.close()
        assert not kept.has_colours
    assert not list(tmp_path.glob("*.ink"))


def test_colours_that_cannot_be_written_or_read_are_none(small: None, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    kept = KeptOutput(tmp_path / "file" / "x.txt")
    kept.add("\x1b[31mred\x1b[0m\n" * 600)
    kept.close()
    assert not kept.has_colours
    for damaged in (b"", b"x" * 15, b"x" * 16, b"\x00" * 40, b"\xff" * 64):
        (tmp_path / "y.ink").write_bytes(damaged)
        found = kept_colours.inks(tmp_path / "y.txt", 0, 100)
        assert found is None or not list(found.between(0, 100))
    assert kept_colours.inks(tmp_path / "z.txt", 0, 100) is None


@pytest.mark.parametrize("act", ["write", "close"])
def test_a_full_disk_keeps_no_part_of_the_colours_and_stops_nothing(
    small: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, act: str
) -> None:
    real = os.close

    def full(descriptor: int, *_: object) -> None:
        if act == "close":
            real(descriptor)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(kept_colours, "_AT_ONCE", 64)
    kept = KeptOutput(tmp_path / "x.txt")
    kept.add("\x1b[31mred\x1b[0m\n" * 600)
    with monkeypatch.context() as broken:
        if act == "write":
            broken.setattr("kinet.core.atomic_write.write_all", full)
        else:
            broken.setattr(os, "close", full)
        kept.add("\x1b[31mred\x1b[0m\n" * 600)
        kept.close()
    kept.close()
    assert not kept.has_colours
    assert kept.problem == "No space left on device"
    assert not list(tmp_path.glob("*.ink"))


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
