"""What is cut for a model is cut between characters, and the rest can be had at any length."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from kinet.core.characters import is_border
from kinet.engine.base import Limits
from kinet.skills.skill import Skill
from kinet.tools.base import ToolContext, ToolOutput
from kinet.tools.catalog import builtin_tools
from kinet.tools.processes.whole_output import place_of
from kinet.tools.read_output import ReadOutput
from tests.support.chat import Chat
from tests.support.replies import asks_for, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Look
from tests.support.turns import results

pytestmark = pytest.mark.usefixtures("wire")

FAMILY = "👩‍👩‍👧‍👦"
_BORDERS = {"family": FAMILY, "flag": "🇩🇪", "accents": "e\u0301\u0302", "line ends": "\r\n"}


class Kept:
    """Outputs in memory."""

    def __init__(self, text: str) -> None:
        self.text = text

    def load(self, call_id: str) -> str | None:
        """The one there is."""
        return self.text if call_id == "c1" else None


def _context(outputs: Any = None, **fields: Any) -> ToolContext:
    return ToolContext(None, outputs=outputs, **fields)


async def _read(context: ToolContext, **fields: Any) -> str:
    tool = ReadOutput()
    output = await tool.run(tool.arguments(call_id="c1", **fields), context)
    assert output.model_content is not None
    return output.model_content


@pytest.mark.parametrize("wire", [None], indirect=True)
@pytest.mark.parametrize("unit", _BORDERS.values(), ids=_BORDERS)
@pytest.mark.parametrize("shift", range(4))
@pytest.mark.parametrize("kept", ["memory", "file"])
async def test_t02_pages_of_an_output_end_between_characters_and_make_up_the_whole(
    unit, shift, kept, tmp_path
):
    whole = "x" * shift + unit * (20_000 // len(unit))
    context = _context(Kept(whole))
    if kept == "file":
        context = _context(data_dir=tmp_path, session_id="s")
        file = place_of(tmp_path, "s", "c1")
        assert file is not None
        file.parent.mkdir(parents=True)
        file.write_bytes(whole.encode())
    pieces, offset = [], 0
    while True:
        text, _, note = (await _read(context, offset=offset)).partition("\n[characters ")
        pieces.append(text)
        offset += len(text)
        assert is_border(whole, offset)
        assert len(text) <= 8_000
        if not note:
            break
        assert f"offset={offset}]" in note
    assert "".join(pieces) == whole


@pytest.mark.parametrize("wire", [None], indirect=True)
async def test_t02_hits_in_a_line_of_several_megabytes_are_found_wherever_they_stand(tmp_path):
    context = _context(data_dir=tmp_path, session_id="s")
    file = place_of(tmp_path, "s", "c1")
    assert file is not None
    file.parent.mkdir(parents=True)
    block = 1024 * 1024
    # One across the border of what is read at once (the first line has six characters), one far
    # behind it, and a line after them.
    line = "x" * (2 * block - 9) + "needle" + "y" * (2 * block) + "needle"
    file.write_text(f"first\n{line}\nlast needle\n", encoding="utf-8")
    found = (await _read(context, pattern="NEEDLE")).splitlines()
    assert len(found) == 2
    assert found[0].startswith("2 (character ")
    assert found[1] == f"3 (character {len(line) + 7}): last needle"
    begin = int(re.findall(r"character (\d+)", found[0])[0])
    shown = found[0].partition(": ")[2]
    assert f"first\n{line}"[begin : begin + len(shown)] == shown
    assert "needle" in shown


@pytest.mark.parametrize("wire", [None], indirect=True)
async def test_t02_a_hit_is_shown_where_folding_makes_the_text_longer_and_whole_characters():
    line = "ß" * 2_000 + FAMILY * 40 + "needle" + FAMILY * 40
    (hit,) = (await _read(_context(Kept(line)), pattern="Needle")).splitlines()
    begin, shown = int(re.findall(r"character (\d+)", hit)[0]), hit.partition(": ")[2]
    assert "needle" in shown
    assert line[begin : begin + len(shown)] == shown
    assert is_border(line, begin)
    assert is_border(line, begin + len(shown))


class Families(Look):
    """Gives many families."""

    name: ClassVar[str] = "families"

    async def run(self, arguments: Any, context: ToolContext) -> ToolOutput:
        """Longer than a result may be."""
        return ToolOutput("x" * len(arguments.word) + FAMILY * 2_000)


@pytest.mark.parametrize("shift", ["", "x", "xxx"])
async def test_k12_a_cut_result_leads_to_its_rest_without_a_gap(shift):
    provider = ScriptedProvider(asks_for("families", word=shift), says("Done."))
    (result,) = results(await Chat(tools=(Families(),)).send(provider))
    head, _, rest = result.model_content.partition("\n\n[")
    note, _, tail = rest.partition("]\n\n")
    assert result.content.startswith(head)
    assert result.content.endswith(tail)
    assert is_border(result.content, len(head))
    assert is_border(result.content, len(result.content) - len(tail))
    omitted = int(note.partition(" ")[0].replace(",", ""))
    assert omitted == len(result.content) - len(head) - len(tail)
    assert f'read_output(call_id="{result.call_id}", offset={len(head)})' in note


async def test_lines_pages_and_hits_of_files_end_between_characters(tmp_path):
    (tmp_path / "a.txt").write_text("x" + FAMILY * 20_000 + "\n", encoding="utf-8")
    provider = ScriptedProvider(
        asks_for("read_file", path="a.txt").with_call("grep", pattern="x"), says("Done.")
    )
    events = await Chat(tools=builtin_tools(), folder=tmp_path).send(provider)
    for result in results(events):
        start = result.model_content.index("x👩")
        shown = re.match(r"[^ \[\n]*", result.model_content[start:])
        assert shown is not None
        whole = "x" + FAMILY * 20_000
        assert whole.startswith(shown[0])
        assert is_border(whole, len(shown[0])), result.name


async def test_an_overflow_and_a_small_window_cut_between_characters_too():
    chat = Chat(limits=Limits(), tools=(Families(),))
    script = [asks_for("families", word="x" * number) for number in range(3)]
    provider = ScriptedProvider(*script, says("Done."))
    for window in (3_000, 4_000):
        profile = replace(chat.request(provider).profile, window=window)
        await chat.send(provider, profile=profile)
    for request in provider.requests:
        for message in request.messages:
            if message.role == "tool":
                ends = re.split(r"\n*\[[\d,]+ characters[^\]]*\]\n*", message.text)
                assert all(len(end.lstrip("x")) % len(FAMILY) == 0 for end in ends)


@pytest.mark.parametrize("wire", [None], indirect=True)
def test_a_skill_that_is_too_long_is_cut_between_characters(tmp_path):
    from kinet.skills.wording import LONGEST_LOADED, loaded_text

    body = "x" + FAMILY * (LONGEST_LOADED // len(FAMILY) + 9)
    skill = Skill("s", tmp_path, "person", tmp_path / "SKILL.md", body=body)
    shown = loaded_text(skill, "", None, "s").partition("x" + FAMILY)[2].partition("\n[")[0]
    assert len(shown) % len(FAMILY) == 0
