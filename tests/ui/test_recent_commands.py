"""The commands a rule is counted against hold the one that is asked about, and hold it once."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

from kinet.core.approval import ApprovalRequest
from kinet.core.messages import Message, ToolCall
from kinet.ui.conversation_text import recent_commands


def _session(*commands: str) -> Any:
    calls = [
        ToolCall(f"c{number}", "shell", json.dumps({"command": command}))
        for number, command in enumerate(commands)
    ]
    messages = [Message("assistant", "", tool_calls=(call,)) for call in calls]
    return SimpleNamespace(conversation=SimpleNamespace(messages=messages))


def _asked(call_id: str, command: str, tool: str = "shell") -> ApprovalRequest:
    arguments = {"command": command}
    return ApprovalRequest("1", call_id, tool, "command", "Run it?", arguments=arguments)


def test_a_command_counts_also_before_its_message_has_come() -> None:
    session = _session("ls", "mkdir a")
    assert recent_commands(session, _asked("c2", "mkdir b")) == ["ls", "mkdir a", "mkdir b"]
    assert recent_commands(None, _asked("c2", "mkdir b")) == ["mkdir b"]


def test_a_command_whose_message_has_come_counts_once() -> None:
    session = _session("ls", "mkdir a", "mkdir a")
    assert recent_commands(session, _asked("c2", "mkdir a")) == ["ls", "mkdir a", "mkdir a"]


def test_an_id_that_was_used_before_hides_no_command() -> None:
    session = _session("ls", "mkdir a")
    assert recent_commands(session, _asked("c0", "mkdir b")) == ["ls", "mkdir a", "mkdir b"]


def test_the_newest_are_kept_and_other_tools_add_nothing() -> None:
    session = _session("ls", "mkdir a", "mkdir b")
    assert recent_commands(session, _asked("c3", "mkdir c"), 2) == ["mkdir b", "mkdir c"]
    assert recent_commands(session, _asked("c3", "x", "write_file"), 2) == ["mkdir a", "mkdir b"]
