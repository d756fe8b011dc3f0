"""Where the cache marks of a request to an Anthropic model stand."""

from __future__ import annotations

from typing import Any

MARK = {"type": "ephemeral"}
# The server looks back 20 blocks from a mark for a prefix it has; some room is left.
LOOK_BACK = 15
_ASKING = ("user", "tool")
_MARKABLE = frozenset({"text", "image", "tool_use", "tool_result", "document"})


# The number of a message, and the place in its content.
Place = tuple[int, int]


def set_marks(body: dict[str, Any], turn_start: int, before: Place | None = None) -> None:
    """Marks last tool, system, newest message, and one place between, on copies of what is marked.

    `turn_start` is the number of the wire message that began the turn, -1 for unknown; `before` is
    where the request before ended, None where that is not known. The place between is the end of
    the previous turn, so that a stopped or repeated turn finds it; after a large batch of calls or
    a message of many parts it moves to where the request before had its newest mark, which the new
    one would be too far from.
    """
    if body.get("tools"):
        body["tools"][-1]["cache_control"] = MARK
    if body.get("system"):
        body["system"][-1]["cache_control"] = MARK
    messages = body["messages"]
    newest = _last_block(messages, len(messages) - 1)
    if newest is None:
        return
    _mark(messages, newest)
    asked_before = _asked_before(messages, before)
    between = _between(messages, newest, turn_start, asked_before)
    if between is not None and between != newest:
        _mark(messages, between)


def set_marks_in_chat(messages: list[dict[str, Any]], before: int = -1) -> None:
    """The same in OpenAI form, for a gateway that passes them on: system, two newest places."""
    systems = [0] if messages[:1] and messages[0]["role"] == "system" else []
    newest = _asking_at(messages, len(messages) - 1)
    earlier = before if before >= 0 else _end_of_asking(messages)
    askings = {max(newest, 0), *(() if earlier < 0 else (max(_asking_at(messages, earlier), 0),))}
    for number in {*systems, *askings}:
        content = messages[number]["content"]
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        if content and content[-1].get("text", "-").strip():
            # The messages are shared with other requests, so what is marked is a copy.
            marked = [*content[:-1], {**content[-1], "cache_control": MARK}]
            messages[number] = {**messages[number], "content": marked}


def _asking_at(messages: list[dict[str, Any]], number: int) -> int:
    """The newest message, this one or before it, that a model is to answer; -1 for none."""
    places = range(min(number, len(messages) - 1), -1, -1)
    return next((at for at in places if messages[at]["role"] in _ASKING), -1)


def _end_of_asking(messages: list[dict[str, Any]]) -> int:
    """The last message of the request before this one: what stands right before an answer."""
    for number in range(len(messages) - 1, 0, -1):
        if messages[number]["role"] == "assistant" and messages[number - 1]["role"] in _ASKING:
            return number - 1
    return -1


def _between(
    messages: list[dict[str, Any]], newest: Place, turn_start: int, asked_before: Place | None
) -> Place | None:
    if asked_before is not None and _blocks_between(messages, asked_before, newest) > LOOK_BACK:
        return asked_before
    if turn_start <= 0:
        return asked_before
    return _last_block(messages, turn_start - 1)


def _asked_before(messages: list[dict[str, Any]], before: Place | None) -> Place | None:
    """The newest mark of the request before this one: where it ended, or what its answer answered.

    Behind an empty reply nothing tells where it ended but `before`.
    """
    if before is not None:
        return _last_block(messages, *before)
    for number in range(len(messages) - 1, 0, -1):
        if messages[number]["role"] == "assistant":
            return _last_block(messages, number - 1)
    return None


def _last_block(
    messages: list[dict[str, Any]], number: int, place: int | None = None
) -> Place | None:
    """The last block, at or before a place or the end of a message, that may carry a mark."""
    while number >= 0:
        content = messages[number]["content"]
        last = len(content) - 1 if place is None else min(place, len(content) - 1)
        for at in range(last, -1, -1):
            block = content[at]
            if block.get("type") in _MARKABLE and block.get("text", "-").strip():
                return number, at
        number, place = number - 1, None
    return None


def _blocks_between(messages: list[dict[str, Any]], first: Place, last: Place) -> int:
    whole = sum(len(message["content"]) for message in messages[first[0] : last[0]])
    return whole + last[1] - first[1]


def _mark(messages: list[dict[str, Any]], where: Place) -> None:
    # The messages are shared with other requests, so what is marked is a copy.
    number, place = where
    content = [*messages[number]["content"]]
    content[place] = {**content[place], "cache_control": MARK}
    messages[number] = {**messages[number], "content": content}
