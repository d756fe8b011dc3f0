"""Prompts of servers: listed, filled in from what is typed, read as texts."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from mcp_kit import SESSION, Kit
from web_server import PROGRAM, Scripted, as_json, good_reply

from kinet.core.errors import ToolError
from kinet.mcp.prompts import OfferedPrompt, PromptArgument, prompts_of, text_of

REVIEW = OfferedPrompt(
    "review", "Review of a file", (PromptArgument("path", True), PromptArgument("tone"))
)


async def test_a_prompt_of_an_official_server_is_called(kit: Kit) -> None:
    await kit.start(docs={"command": sys.executable, "args": [str(PROGRAM)]})
    server = kit.definition("docs")
    assert kit.servers.snapshot(server, kit.folder).prompts == (REVIEW,)

    async def called(words: str) -> str:
        return await kit.servers.prompt(server, kit.folder, "review", words)

    assert await called("a.py") == "Review a.py in a kind tone.", "nothing unseen is left in it"
    assert await called('tone="very strict" a.py') == "Review a.py in a very strict tone."
    with pytest.raises(ToolError, match="review needs path"):
        await called("")
    with pytest.raises(ToolError, match="has no prompt other"):
        await kit.servers.prompt(server, kit.folder, "other", "")
    with pytest.raises(ToolError, match="not running yet"):
        await kit.servers.prompt(server, None, "review", "a.py")


async def test_a_server_that_cannot_list_its_prompts_is_used_for_its_tools(kit: Kit) -> None:
    def reply(method: str, path: str, headers: Any, message: Any) -> Any:
        asked = (message or {}).get("method")
        if asked == "prompts/list":
            error = {"code": -32603, "message": "no"}
            return as_json({"jsonrpc": "2.0", "id": message["id"], "error": error})
        answer = good_reply(method, path, headers, message)
        return (*answer[:2], answer[2].replace(b'"tools": {}', b'"tools": {}, "prompts": {}'))

    with Scripted(reply) as server:
        await kit.start(web={"url": f"http://127.0.0.1:{server.port}/mcp"})
        assert (await kit.call("web__now")).content == "noon"
    assert "prompts/list" in [(message or {}).get("method") for *_, message in server.seen]
    assert kit.servers.standing(SESSION).failed == ()


FILLED: dict[str, dict[str, str]] = {
    "a.py": {"path": "a.py"},
    "'two words' kind": {"path": "two words", "tone": "kind"},
    "a.py as a friend would": {"path": "a.py", "tone": "as a friend would"},
    "tone=x a.py": {"path": "a.py", "tone": "x"},
    "path=a=b": {"path": "a=b"},
    "other=x": {"path": "other=x"},
    "it's": {"path": "it's"},
}


@pytest.mark.parametrize("words", FILLED)
def test_what_is_typed_becomes_arguments(words: str) -> None:
    assert REVIEW.filled(words) == FILLED[words]


def test_words_that_nothing_takes_are_said() -> None:
    with pytest.raises(ToolError, match="all takes no words, not “now”"):
        OfferedPrompt("all").filled("now")
    assert OfferedPrompt("all").filled("  ") == {}


def test_a_list_of_any_kind_gives_those_that_can_be_called() -> None:
    listed = [
        {"name": "b", "description": "Two\nlines \u200bhidden", "arguments": "x"},
        {"name": "a", "title": 3, "arguments": [{"name": "x y"}, {"name": "ok"}, 7]},
        {"name": "a"}, {"name": "with blank"}, {"name": 1}, {}, "text", None,
    ]  # fmt: skip
    assert prompts_of(listed) == (
        OfferedPrompt("a", "3", (PromptArgument("ok"),)),
        OfferedPrompt("b", "Two lines hidden"),
    )
    assert len(prompts_of([{"name": f"n{number}"} for number in range(900)])) == 200


def test_texts_are_read_and_the_rest_is_named() -> None:
    messages = [
        {"role": "user", "content": {"type": "text", "text": "One.\u200b"}},
        {"role": "assistant", "content": [{"type": "image", "data": "x"}]},
        {"role": "user", "content": {"type": "resource", "resource": {"text": "Two."}}},
        {"content": 5}, 7,
    ]  # fmt: skip
    assert text_of({"messages": messages}) == (
        "One.\n\n[image that is left out]\n\nTwo.\n\n[something that is left out]\n\n"
        "[something that is left out]"
    )


@pytest.mark.parametrize(
    "answer", [{}, {"messages": "x"}, {"messages": []},
               {"messages": [{"content": {"type": "text", "text": " "}}]},
               {"messages": [{"content": {"type": "text", "text": "x" * 70_000}}]}],
)  # fmt: skip
def test_what_is_no_text_is_told(answer: dict[str, Any]) -> None:
    with pytest.raises(ToolError):
        text_of(answer)
