"""What the tour knows of a turn: the question, the calls so far and their results."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# What Kinet adds to a message by itself; some servers get it in one text with the message.
_NOTES = re.compile(r"<(memory|environment)>.*?</\1>", re.DOTALL)
_NUMBERED = re.compile(r"^\s*(\d+)(?:\t|\s?[|│→:]\s?)(.*)$")
# What a failed call begins with, whoever worded it.
_FAILED = re.compile(
    r"^(error|failed|denied|refused|not (run|allowed|done)|no such|there is no|cannot|"
    r"\[(stopped|interrupted))",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Call:
    """A call the tour wants made."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Result:
    """A call that was made, and the text the model would get for it."""

    name: str
    arguments: Mapping[str, Any]
    text: str

    @property
    def failed(self) -> bool:
        """True if the text reads like a refusal or an error."""
        return bool(_FAILED.match(self.text.strip()))

    def lines(self) -> list[tuple[int, str]]:
        """The lines of a file as read_file shows them, with their numbers."""
        rows = [_NUMBERED.match(line) for line in self.text.splitlines()]
        if not any(rows):
            return list(enumerate(self.text.splitlines(), 1))
        return [(int(row[1]), row[2]) for row in rows if row]

    def plain(self) -> str:
        """The file's text without the numbers."""
        return "\n".join(text for _, text in self.lines())


@dataclass(frozen=True, slots=True)
class Reply:
    """What the tour answers: thinking and text, or calls."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[Call, ...] = ()


@dataclass(frozen=True, slots=True)
class Turn:
    """The newest question with everything done for it.

    `tools` are the names on offer, `first` is True in the first turn of a session.
    """

    question: str
    results: tuple[Result, ...] = ()
    rounds: int = 0
    tools: frozenset[str] = field(default_factory=frozenset)
    first: bool = False

    def of(self, name: str, **arguments: Any) -> Result | None:
        """The newest result of such a call with (at least) these arguments."""
        for result in reversed(self.results):
            given = result.arguments
            if result.name == name and all(given.get(k) == v for k, v in arguments.items()):
                return result
        return None


def read_turn(body: Mapping[str, Any]) -> Turn:
    """Reads a chat request. Odd parts are left out; never raises."""
    messages = [item for item in _list(body.get("messages")) if isinstance(item, Mapping)]
    start = _start_of_turn(messages)
    current = messages[start:]
    tools = frozenset(
        str(function.get("name"))
        for tool in _list(body.get("tools"))
        if isinstance(tool, Mapping) and isinstance(function := tool.get("function"), Mapping)
    )
    if body.get("tool_choice") == "none":
        tools = frozenset()
    results = tuple(_results(current))
    rounds = sum(1 for message in current if _calls(message))
    return Turn(_question(current), results, rounds, tools, first=start == 0)


def _start_of_turn(messages: Sequence[Mapping[str, Any]]) -> int:
    """Behind the last answer that asked for nothing: there the present turn begins."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].get("role") == "assistant" and not _calls(messages[index]):
            return index + 1
    return 0


def _question(current: Sequence[Mapping[str, Any]]) -> str:
    """What the person asked: the last user message before the first call.

    What comes later may be a note of the engine; it counts only if it is short and a request.
    """
    asked = ""
    for message in current:
        if _calls(message):
            break
        if message.get("role") == "user":
            asked = _text(message.get("content"))
    return asked


def _results(current: Sequence[Mapping[str, Any]]) -> list[Result]:
    asked: dict[str, Call] = {}
    out = []
    for message in current:
        for call in _calls(message):
            function = call.get("function")
            if isinstance(function, Mapping):
                arguments = _arguments(function.get("arguments"))
                asked[str(call.get("id"))] = Call(str(function.get("name")), arguments)
        if message.get("role") == "tool":
            known = asked.get(str(message.get("tool_call_id")), Call("", {}))
            out.append(Result(known.name, known.arguments, _text(message.get("content"))))
    return out


def _calls(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [call for call in _list(message.get("tool_calls")) if isinstance(call, Mapping)]


def _arguments(raw: Any) -> Mapping[str, Any]:
    try:
        value = json.loads(raw) if isinstance(raw, str) else raw
    except ValueError:
        return {}
    return value if isinstance(value, Mapping) else {}


def _text(content: Any) -> str:
    """The person's words in a content, without memory before and environment behind them."""
    if isinstance(content, str):
        return _NOTES.sub("", content).strip()
    for part in _list(content):
        if isinstance(part, Mapping) and isinstance(part.get("text"), str):
            said = _NOTES.sub("", part["text"]).strip()
            if said:
                return said
    return ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
