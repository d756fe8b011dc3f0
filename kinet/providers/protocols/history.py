"""The history as every server takes it: paired, one system text, notes as messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kinet.core.messages import Message, OtherPart, Part, TextPart
from kinet.core.own_command import told
from kinet.core.pairing import repair
from kinet.providers.base import ModelRequest

# Stands for a conversation without a word in it: servers refuse an empty one.
NOTHING = "[nothing was said]"


@dataclass(frozen=True, slots=True)
class History:
    """`system` is the one system text; in `messages` no system message is left.

    `turn_start` is the number of the message of `messages` that began the turn, `asked_before` how
    many of them the request before this one had; -1 for unknown.
    """

    system: str
    messages: tuple[Message, ...]
    turn_start: int = -1
    asked_before: int = -1


def prepared(request: ModelRequest) -> History:
    """System messages at the beginning join the system text; later ones become the user's."""
    systems = [request.system] if request.system.strip() else []
    messages: list[Message] = []
    marked: Message | None = None
    ended: Message | None = None
    for number, message in enumerate(request.messages):
        if message.role == "system":
            if not messages and not message.memory:
                systems.append(message.text)
                continue
            message = replace(message, role="user")
        if number == request.turn_start:
            marked = message
        if number == request.asked_before - 1:
            ended = message
        messages.append(message)
    paired = repair(messages)
    start = next((i for i, message in enumerate(paired) if message is marked), -1)
    end = next((i for i, message in enumerate(paired, 1) if message is ended), -1)
    system = "\n\n".join(text for text in systems if text.strip())
    return History(system, paired, start, end)


def parts_of(message: Message) -> list[Part]:
    """The content as parts, blank texts left out, the environment note last.

    What a command of the person's own printed becomes words of theirs here, and nothing at all
    where they keep it from the model.
    """
    content: Iterable[Part]
    if message.command is not None:
        content = (TextPart(told(message.command, message.text)),)
    elif isinstance(message.content, str):
        content = (TextPart(message.content),)
    else:
        content = message.content
    out: list[Part] = []
    for part in content:
        if isinstance(part, TextPart) and not part.text.strip():
            continue
        out.append(part)
    if message.environment.strip():
        out.append(TextPart(message.environment))
    return out


def text_of(message: Message) -> str:
    """All that is text in a message, without pictures."""
    if isinstance(message.content, str):
        return message.content
    return "\n".join(part.text for part in message.content if isinstance(part, TextPart))


def kept_calls(message: Message, ids: Sequence[object]) -> list[str]:
    """Which call of `message` each call of its kept vendor's form is, by id; `ids` are the kept.

    A call may have got another id than the one it came with: then its place tells.
    """
    if len(ids) == len(message.tool_calls):
        return [call.id for call in message.tool_calls]
    return [str(id_) for id_ in ids]


def thinks_without_signature(messages: Sequence[Message]) -> bool:
    """True if the running turn has calls whose thinking is not there to be sent back."""
    for message in reversed(messages):
        if message.role == "user":
            return False
        if message.tool_calls and not _has_signed_thinking(message):
            return True
    return False


def _has_signed_thinking(message: Message) -> bool:
    blocks = message.vendor.get("anthropic")
    if not isinstance(blocks, (list, tuple)) or not blocks:
        return False
    first = blocks[0]
    return isinstance(first, dict) and first.get("type") in ("thinking", "redacted_thinking")


def readable(part: OtherPart) -> str:
    """The text for a part that a server does not take: that something was there."""
    return "[an attachment was here; it cannot be sent to this model]"
