"""Puts tool calls together from the fragments in which OpenAI-like servers send them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kinet.core.errors import ProtocolError

MAX_CALLS = 32


@dataclass
class CallInPieces:
    """One call as far as it has come."""

    position: int
    index: int | None = None
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    vendor: dict[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        """The arguments so far."""
        return "".join(self.arguments)

    def is_whole(self) -> bool:
        """True if the arguments so far are one whole JSON value."""
        # A look at the last character spares parsing at each fragment.
        last = next((piece for piece in reversed(self.arguments) if piece.strip()), "").rstrip()
        if not last.endswith(("}", "]")):
            return False
        try:
            json.loads(self.text())
        except (ValueError, RecursionError):
            return False
        return True


@dataclass(frozen=True, slots=True)
class Growth:
    """What a fragment added to a call, for the screen."""

    call: CallInPieces
    text: str


class CallAssembler:
    """Sorts fragments into calls by index, id and what has come before.

    Servers disagree: no index, the same index for all, ids that are missing, empty, repeated or
    new in each fragment, names that come late, twice or in parts. ProtocolError for more than 32
    calls.
    """

    def __init__(self) -> None:
        self.calls: list[CallInPieces] = []

    def feed(self, fragments: Any) -> list[Growth]:
        """Takes the `tool_calls` list of one delta."""
        out: list[Growth] = []
        touched: list[CallInPieces] = []
        if isinstance(fragments, dict):
            fragments = [fragments]
        if not isinstance(fragments, Sequence) or isinstance(fragments, (str, bytes)):
            return out
        for fragment in fragments:
            if not isinstance(fragment, dict):
                continue
            function = fragment.get("function")
            function = function if isinstance(function, dict) else fragment
            id_ = _text(fragment.get("id"))
            name = _text(function.get("name"))
            arguments = _arguments(function.get("arguments"))
            extra = fragment.get("extra_content")
            if not (id_ or name or arguments or extra) and not self.calls:
                continue
            call = self._call_for(_index(fragment.get("index")), id_, name, arguments, touched)
            touched.append(call)
            call.id = call.id or id_
            _take_name(call, name)
            if isinstance(extra, dict):
                call.vendor["extra_content"] = _merged(call.vendor.get("extra_content"), extra)
            if arguments and not (call.is_whole() and arguments.strip() == call.text().strip()):
                call.arguments.append(arguments)
                out.append(Growth(call, arguments))
        return out

    def feed_legacy(self, function_call: Any) -> list[Growth]:
        """Takes the old `function_call` of one delta: always the same single call."""
        if not isinstance(function_call, dict):
            return []
        return self.feed([{"index": 0, "function": function_call}])

    def ordered(self) -> list[CallInPieces]:
        """The calls by index, or in order of arrival where one has none; empty ones left out."""
        calls = [call for call in self.calls if call.name or call.text().strip()]
        if all(call.index is not None for call in calls):
            calls.sort(key=lambda call: call.index or 0)
        return calls

    def _call_for(
        self, index: int | None, id_: str, name: str, arguments: str, touched: list[CallInPieces]
    ) -> CallInPieces:
        if index is None:
            rivals = self.calls
        else:
            rivals = [call for call in self.calls if call.index == index]
        if id_:
            known = [call for call in rivals if call.id == id_]
            if known:
                last = known[-1]
                if _begins_another(last, name, arguments):
                    return self._open(index)
                return last
        if not rivals:
            return self._open(index)
        last = rivals[-1]
        if id_ and last.id:
            # A new id opens a new call, unless it rides on the middle of arguments.
            unfinished = bool(last.arguments) and not last.is_whole()
            return last if unfinished and not name else self._open(index)
        if _begins_another(last, name, arguments):
            return self._open(index)
        if index is None and name and last in touched:
            # Two entries of one list are two calls.
            return self._open(index)
        if name and last.name and name != last.name and last.text().strip():
            return self._open(index) if index is None else last
        return last

    def _open(self, index: int | None) -> CallInPieces:
        check_calls(len(self.calls) + 1)
        call = CallInPieces(len(self.calls), index)
        self.calls.append(call)
        return call


def check_calls(count: int) -> None:
    """ProtocolError for more calls than one answer may have."""
    if count > MAX_CALLS:
        raise ProtocolError(
            f"The model asked for more than {MAX_CALLS} tool calls in one answer.",
            hint="Send again, or ask for a smaller step.",
        )


def _begins_another(last: CallInPieces, name: str, arguments: str) -> bool:
    """True if a named fragment with arguments comes after arguments that are whole already."""
    if not name or not arguments.strip() or not last.is_whole():
        return False
    return not (name == last.name and arguments.strip() == last.text().strip())


def _take_name(call: CallInPieces, name: str) -> None:
    if not name or name == call.name:
        return
    if not call.name:
        call.name = name
    elif not call.arguments:
        # Before any arguments another text continues the name, or is the whole of it.
        call.name = name if name.startswith(call.name) else call.name + name


def _merged(old: Any, new: Mapping[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = dict(old) if isinstance(old, dict) else {}
    for key, value in new.items():
        if isinstance(value, dict) and isinstance(out.get(key), dict):
            out[key] = _merged(out[key], value)
        elif value is not None:
            out[key] = value
    return out


def _index(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _arguments(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return json.dumps(value, ensure_ascii=False)
