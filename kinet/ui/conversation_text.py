"""Finds texts of a conversation that commands act on."""

from __future__ import annotations

from collections.abc import Sequence

from kinet.core.approval import ApprovalRequest
from kinet.core.messages import Message, ToolCall
from kinet.core.own_command import as_message_text
from kinet.ui.program import OpenSession


def last_answer(messages: Sequence[Message]) -> str:
    """The newest answer with text, as its source; "" if there is none."""
    for message in reversed(messages):
        if message.role == "assistant" and message.text.strip():
            return message.text
    return ""


def last_code(messages: Sequence[Message]) -> str:
    """The newest code block of an answer, exactly as its source has it; "" if there is none."""
    from kinet.markup.blocks import UNBOUNDED, split
    from kinet.markup.render import code_of

    for message in reversed(messages):
        if message.role == "assistant" and message.text.strip():
            blocks = [block for block in split(message.text, UNBOUNDED) if block.kind == "code"]
            if blocks:
                return code_of(blocks[-1]).text.removesuffix("\n")
    return ""


def typed_before(messages: Sequence[Message]) -> list[str]:
    """What the person said and what they ran, oldest first, as it would be typed again."""
    return [
        item.command.typed() if item.command is not None else as_message_text(item.text)
        for item in messages
        if item.role == "user" and item.kind in ("", "command")
    ]


def recent_commands(
    session: OpenSession | None, asked: ApprovalRequest, most: int = 60
) -> list[str]:
    """The newest commands of a session, run or only asked for; the oldest of them first.

    The one that is `asked` about is among them, also before its message has come here.
    """
    own = (asked.call_id, str(asked.arguments.get("command") or asked.body))
    found: list[tuple[str, str]] = []
    messages = session.conversation.messages if session is not None else ()
    calls = (call for message in reversed(messages) for call in reversed(message.tool_calls))
    for call in calls:
        command = _command_of(call) if call.name == "shell" else ""
        if command:
            found.append((call.id, command))
        if len(found) == most:
            break
    if asked.tool == "shell" and own not in found:
        found.insert(0, own)
    return [command for _, command in reversed(found[:most])]


def _command_of(call: ToolCall) -> str:
    try:
        return str(call.parsed().get("command", ""))
    except ValueError:
        return ""
