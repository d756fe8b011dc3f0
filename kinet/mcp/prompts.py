"""Prompts of servers: texts that a person calls into the composer, and sends or not."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kinet.core.errors import ToolError
from kinet.policy.hidden import without_hidden
from kinet.policy.visible import visible_line

# What can be typed behind a slash.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}\Z")
_MOST_PROMPTS = 200
_MOST_ARGUMENTS = 20
_LONGEST_TEXT = 64 * 1024
_LONGEST_WORDS = 300
_NAMED = re.compile(r"([A-Za-z_][A-Za-z0-9_.-]*)=(.*)\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class PromptArgument:
    """What a prompt is given."""

    name: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class OfferedPrompt:
    """One prompt of a server; `about` is the server's own word on it."""

    name: str
    about: str = ""
    arguments: tuple[PromptArgument, ...] = ()

    def filled(self, words: str) -> dict[str, str]:
        """The arguments in what was typed, by name (a=b) or in their order; the last one takes
        the rest. ToolError names what is missing."""
        try:
            parts = shlex.split(words)
        except ValueError:
            parts = words.split()
        known = [argument.name for argument in self.arguments]
        given: dict[str, str] = {}
        plain: list[str] = []
        for part in parts:
            found = _NAMED.match(part)
            if found and found[1] in known:
                given[found[1]] = found[2]
            else:
                plain.append(part)
        free = [name for name in known if name not in given]
        for place, name in enumerate(free):
            last = place == len(free) - 1
            if plain[place:]:
                given[name] = " ".join(plain[place:]) if last else plain[place]
        if plain and not free:
            raise ToolError(f"{self.name} takes {_count(len(known))}, not “{plain[0][:60]}”.")
        missing = [it.name for it in self.arguments if it.required and it.name not in given]
        if missing:
            raise ToolError(
                f"{self.name} needs {' and '.join(missing)}.", hint="Write it after the command."
            )
        return given


def prompts_of(listed: Sequence[Any]) -> tuple[OfferedPrompt, ...]:
    """The prompts in a list as it came that can be called, by name."""
    found: dict[str, OfferedPrompt] = {}
    for raw in listed[:_MOST_PROMPTS]:
        name = raw.get("name") if isinstance(raw, Mapping) else None
        if not isinstance(name, str) or not _NAME.match(name) or name in found:
            continue
        told = raw.get("arguments")
        arguments = [_argument(it) for it in (told if isinstance(told, list) else [])]
        kept = tuple(it for it in arguments if it is not None)[:_MOST_ARGUMENTS]
        words = next((it for it in (raw.get("title"), raw.get("description")) if it), "")
        found[name] = OfferedPrompt(name, _line(words), kept)
    return tuple(found[name] for name in sorted(found))


def text_of(answer: Mapping[str, Any]) -> str:
    """What a prompt says. ToolError where there is nothing to read in it."""
    messages = answer.get("messages")
    texts: list[str] = []
    for message in messages if isinstance(messages, list) else []:
        content = message.get("content") if isinstance(message, Mapping) else None
        for part in content if isinstance(content, list) else [content]:
            texts.append(_text(part if isinstance(part, Mapping) else {}))
    whole, _ = without_hidden("\n\n".join(text for text in texts if text)[: 4 * _LONGEST_TEXT])
    whole = whole.encode("utf-8", "replace").decode("utf-8").strip()
    if not whole:
        raise ToolError("The server gave no text for this prompt.")
    if len(whole) > _LONGEST_TEXT:
        raise ToolError(f"The text of this prompt is longer than {_LONGEST_TEXT:,} characters.")
    return whole


def _argument(raw: Any) -> PromptArgument | None:
    name = raw.get("name") if isinstance(raw, Mapping) else None
    if not isinstance(name, str) or not _NAME.match(name):
        return None
    return PromptArgument(name, raw.get("required") is True)


def _text(part: Mapping[str, Any]) -> str:
    kind = part.get("type")
    if kind == "text":
        return str(part.get("text") or "")
    inner = part.get("resource")
    if kind == "resource" and isinstance(inner, Mapping) and isinstance(inner.get("text"), str):
        return str(inner["text"])
    shown = _line(kind)[:40] if isinstance(kind, str) else ""
    return f"[{shown or 'something'} that is left out]"


def _line(words: object) -> str:
    return visible_line(" ".join(without_hidden(str(words)[:_LONGEST_WORDS])[0].split()))


def _count(number: int) -> str:
    return {0: "no words", 1: "one argument"}.get(number, f"{number} arguments")
