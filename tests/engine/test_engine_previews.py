"""Each tool of the design tells its result in one line of figures."""

from __future__ import annotations

import re

import pytest

from kinet.tools.catalog import builtin_tools
from tests.support.chat import Chat
from tests.support.replies import Reply
from tests.support.scripted_provider import ScriptedProvider
from tests.support.turns import results

pytestmark = pytest.mark.usefixtures("wire")


async def test_u07_each_result_has_a_preview_of_one_line(tmp_path):
    (tmp_path / "a.txt").write_text("one\ntwo\nthree\n")
    reply = (
        Reply()
        .with_call("read_file", path="a.txt")
        .with_call("grep", pattern="t")
        .with_call("glob", pattern="*.txt")
        .with_call("shell", command="exit 3")
        .with_call("write_file", path="b.txt", content="new\n")
    )
    chat = Chat(tools=builtin_tools(), folder=tmp_path, mode="all", unsandboxed=True)
    events = await chat.send(ScriptedProvider(reply))
    previews = {item.name: item.preview for item in results(events)}
    assert all(text and "\n" not in text for text in previews.values())
    for name, figures in {
        "read_file": r"3 lines",
        "grep": r"2",
        "glob": r"1",
        "shell": r"exit 3",
        "write_file": r"\d",
    }.items():
        assert re.search(figures, previews[name]), (name, previews[name])
