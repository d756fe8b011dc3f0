"""A command that the person runs in a session: how it is typed, kept, and told to a model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# The name its run has among the calls of tools. No tool can have it: theirs are letters and digits.
NAME = "!"

# One mark, or two for a command whose output the model is not told, and at once what a command can
# begin with. So "! no", "!!!", "!= 3", "![a picture](x.png)" and "!重要" are ordinary text.
_TYPED = re.compile(r"(!{1,2})((?:[A-Za-z0-9_/~$\"'({\\]|\.{1,2}/).*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class OwnCommand:
    """What was run. `status` says in a few words how it ended, "" for not yet.

    `private`: the model is never told of it.
    """

    text: str
    status: str = ""
    private: bool = False

    def typed(self) -> str:
        """The command as it is typed into the composer."""
        return f"{'!!' if self.private else '!'}{self.text}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"text": self.text, "status": self.status, "private": self.private}

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> OwnCommand:
        """Reads what `to_dict` wrote; what is missing or odd is left empty."""
        text, status = raw.get("text"), raw.get("status")
        return cls(
            text if isinstance(text, str) else "",
            status if isinstance(status, str) else "",
            bool(raw.get("private", False)),
        )


def typed_command(text: str) -> OwnCommand | None:
    """The command that a typed text is, None for a message.

    A blank before the mark makes a message of every text.
    """
    found = _TYPED.fullmatch(text.rstrip())
    return OwnCommand(found[2], private=len(found[1]) == 2) if found else None


def as_message_text(text: str) -> str:
    """`text` so that, typed, it is a message: with a blank before a mark that would run it."""
    return f" {text}" if typed_command(text) else text


def told(command: OwnCommand, output: str) -> str:
    """What a model is told in the person's name; "" for a private one."""
    if command.private:
        return ""
    ended = f" ({command.status})" if command.status else ""
    return (
        "I ran this command myself; it asks nothing of you by itself.\n"
        f"{fenced(command.text)}\n"
        f"What it printed{ended}:\n"
        f"{fenced(output)}"
    )


def fenced(text: str) -> str:
    """The text between fences that nothing in it can close."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
