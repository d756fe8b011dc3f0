"""What a person types that is no message for the model: a slash and a word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_COMMAND = re.compile(r"\A\s*/(compact)(?:\s+(.*))?\s*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SlashCommand:
    """`argument` is what follows the word: for compact the topic a summary is to dwell on."""

    name: Literal["compact"]
    argument: str = ""


def command_in(text: str) -> SlashCommand | None:
    """The command that `text` is, None if it is a message. Unknown words are messages."""
    found = _COMMAND.match(text)
    return SlashCommand("compact", (found[2] or "").strip()) if found else None
