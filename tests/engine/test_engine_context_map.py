"""The map of what fills the window: every part by a name a person knows, every turn once."""

from __future__ import annotations

import pytest

from kinet.core.messages import ImagePart, Message, ToolCall
from kinet.core.own_command import OwnCommand
from kinet.engine.base import Section
from kinet.engine.direct import DirectEngine
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Change, Look
from tests.support.turns import turn

CALL = ToolCall("c1", "look", '{"word": "a"}')
PICTURE = ImagePart("data:image/png;base64,iVBORw0KGgo=")


class Search(Look):
    """A tool of the server docs."""

    name = "docs__search"


class Fetch(Look):
    """Another one."""

    name = "docs__fetch"


class Now(Look):
    """The tool of the server time."""

    name = "time__now"


def _shares(*messages: Message, tools=(), **fields):  # type: ignore[no-untyped-def]
    tools = (Look(), Change(), *tools)
    request = turn(
        ScriptedProvider(), history=messages[:-1], user=messages[-1], tools=tools, **fields,
    )  # fmt: skip
    return DirectEngine().context_map(request)


def _names(*messages: Message) -> list[str]:
    return [share.name for share in _shares(*messages).shares if share.kind in ("turn", "summary")]


def test_each_turn_is_called_by_the_words_that_began_it_and_counted_whole() -> None:
    names = _names(
        Message("user", "What is in\n the file?"),
        Message("assistant", "I look.", (CALL,)),
        Message("tool", "saw a", tool_call_id="c1", name="look"),
        Message("user", "[Kinet: 2 steps are left.]", kind="note"),
        Message("user", "and b", kind="steer"),
        Message("assistant", "Both."),
        Message("user", "请把所有测试" * 20),
        Message("assistant", "Yes."),
    )
    assert names == ["What is in the file?", f"{'请把所有测试' * 9}请把所有测…"]


@pytest.mark.parametrize(
    ("first", "name"),
    [
        (Message("user", (PICTURE,)), "A picture"),
        (Message("user", "The old part.", kind="summary"), "Summary of what came before"),
        (Message("user", "It was tried.", kind="branch"), "What another branch did"),
        (Message("assistant", "The rest of it."), "The end of an earlier turn"),
        (Message("user", "", command=OwnCommand("ls -la", "exit 0")), "!ls -la"),
    ],
)
def test_what_no_message_of_the_person_began_has_a_name_too(first: Message, name: str) -> None:
    names = _names(first, Message("user", "Next."))
    assert names == [name, "Next."]


def test_a_session_without_a_message_has_no_turn() -> None:
    """What stands in for it there is no part of anything."""
    assert _names(Message("user", "")) == []


def test_the_parts_are_the_whole_where_no_server_has_counted_yet() -> None:
    told = _shares(
        Message("user", "word " * 500),
        Message("assistant", "word " * 500),
        Message("user", "Next."),
        rules=(Section("AGENTS.md", "rule " * 200),),
        skills=(Section("skills", "skill " * 100),),
        memory_text="fact " * 100,
    )
    assert [share.kind for share in told.shares] == [
        "system", "skills", "rules", "tools", "memory", "turn", "turn",
    ]  # fmt: skip
    assert all(share.tokens > 0 for share in told.shares)
    total = sum(share.tokens for share in told.shares)
    assert 0.9 * told.used <= total <= 1.1 * told.used


def test_the_tools_of_each_server_are_a_part_of_their_own() -> None:
    own = _shares(Message("user", "Hello"))
    told = _shares(Message("user", "Hello"), tools=(Search(), Fetch(), Now()))
    parts = [share for share in told.shares if share.kind == "tools"]
    assert [share.name for share in parts] == ["2 tools", "docs: 2 tools", "time: 1 tool"]
    assert parts[0] == next(share for share in own.shares if share.kind == "tools")
    assert all(share.tokens > 0 for share in parts)
