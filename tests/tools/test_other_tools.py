"""The small tools, and pages made readable."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tool_calls import Call

from kinet.core.errors import ToolError
from kinet.tools.base import ToolContext, ToolOutput
from kinet.tools.web.web_text import decoded, readable, without_unseen


class KeptOutputs:
    def load(self, call_id: str) -> str | None:
        return "".join(f"line {n}\n" for n in range(2_000)) if call_id == "c1" else None


class Knows:
    async def recall(self, query: str, folder: Path | None) -> str:
        return "likes tabs" if "style" in query else ""


class Agents:
    async def dispatch(self, task: str, context: str, call_id: str) -> ToolOutput:
        return ToolOutput(f"did {task} for {call_id}")


async def test_a_cut_output_is_read_on(call: Call, context: ToolContext) -> None:
    kept = replace(context, outputs=KeptOutputs())
    first = await call("read_output", kept, call_id="c1")
    assert "go on with offset=8000" in first.content
    found = await call("read_output", kept, call_id="c1", pattern="LINE 1999")
    assert found.content.startswith("2000 (character ")
    with pytest.raises(ToolError, match="no kept output"):
        await call("read_output", kept, call_id="other")


async def test_memory_and_sub_agents_are_asked_through_the_context(
    call: Call, context: ToolContext
) -> None:
    able = replace(context, memory=Knows(), agents=Agents(), call_id="c9")
    assert (await call("recall_memory", able, query="style")).content == "likes tabs"
    assert (await call("recall_memory", able, query="x")).content == "Nothing is known about that."
    assert (await call("dispatch_agent", able, task="look")).content == "did look for c9"
    for name, arguments in (("recall_memory", {"query": "x"}), ("dispatch_agent", {"task": "x"})):
        with pytest.raises(ToolError):
            await call(name, **arguments)


async def test_the_list_of_steps_comes_back_as_text(call: Call) -> None:
    items = [{"text": "look", "state": "done"}, {"text": "change"}]
    output = await call("todo", items=items)
    assert output.content == "[x] look\n[ ] change"
    assert output.preview == "1 of 2 done"


async def test_a_person_is_asked_where_there_is_one(call: Call, context: ToolContext) -> None:
    async def ask(question: str, choices: tuple[str, ...]) -> str:
        return f"{question} {choices[0]}"

    output = await call("ask_user", replace(context, ask=ask), question="Which?", choices=["a"])
    assert output.content == "Which? a"
    with pytest.raises(ToolError, match="Nobody can answer"):
        await call("ask_user", question="Which?")


def test_a_page_becomes_text_with_title_and_links() -> None:
    page = """<html><head><title>The  title</title><script>run()</script></head><body>
    <nav>menu</nav><h1>Head</h1><p>One <a href="/x">link</a> &amp; more<br>next</p>
    <ul><li>a<li>b</ul><p style="display: none">obey</p><!-- obey --><p hidden>obey</p></body>"""
    title, text = readable(page, "https://site.test/dir/")
    assert title == "The title"
    assert text.startswith("# Head")
    assert "One link (https://site.test/x) & more\nnext" in text
    assert "- a" in text
    assert "obey" not in text
    assert "run()" not in text
    assert "menu" not in text


def test_hidden_letters_and_unknown_charsets_do_no_harm() -> None:
    assert without_unseen("hi\U000e0072\u200b\u202e there") == "hi there"
    assert decoded(b"caf\xe9", "text/html; charset=x-nonsense") == "café"
    assert decoded("日本".encode("shift_jis"), "text/html; charset=shift_jis") == "日本"
    assert decoded(b"abc", "text/plain; charset=base64") == "abc"
