"""Parameters a server refuses by name: left out from then on, so that the request succeeds."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from kinet.providers.transport.complaints import Complaint

# What may be left out without changing what was asked for.
OPTIONAL = (
    "stream_options",
    "parallel_tool_calls",
    "prompt_cache_key",
    "store",
    "include",
    "temperature",
    "top_p",
    "top_k",
    "reasoning_effort",
    "reasoning",
    "thinking",
    "think",
    "enable_thinking",
    "output_config",
    "cache_control",
    "reasoning_content",
    "reasoning_details",
    "extra_content",
    "tool_choice",
    "strict",
)
# Two names for one thing: the other one is tried.
OTHER_NAME = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}

_KNOWN = frozenset((*OPTIONAL, *OTHER_NAME, "signature"))

# A server that takes no pictures says so by what it does; the picture becomes words then. A saying
# about one picture (its size, its form) is not meant.
PICTURES = "pictures"
NOT_SEEN = "[a picture was here; this model cannot see pictures]"
_PICTURE_KINDS = frozenset({"image_url", "input_image", "image"})
_NO_PICTURES = re.compile(r"image|vision|multi-?modal|content must be a string", re.IGNORECASE)
_NOT_TAKEN = re.compile(
    r"only supported by|no endpoints found|at most 0|not a multi|missing data required"
    r"|must be a string",
    re.IGNORECASE,
)
_ONE_PICTURE = re.compile(
    r"format|size|dimension|media.?type|mime|too large|pixels|exceed|corrupt|decode|download"
    r"|base64|damaged|invalid (?:image|url)|process",
    re.IGNORECASE,
)

_REFUSING = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|not permitted|not allowed|unexpected"
    r"|extra (?:inputs?|fields?)|extra_forbidden|deprecated|not available|isn't supported"
    r"|invalid (?:field|parameter|argument)|no such (?:field|parameter)|cannot both|not accept"
    r"|only the default|incompatible|not valid|does not exist|should not|must not|not enabled",
    re.IGNORECASE,
)


class Refusals:
    """What one server refuses for one profile. `learnt` is told all names when one is added."""

    def __init__(
        self, names: Iterable[str] = (), learnt: Callable[[frozenset[str]], None] | None = None
    ) -> None:
        self._refused: set[str] = {name for name in names if name in _KNOWN}
        self._learnt = learnt

    @property
    def names(self) -> frozenset[str]:
        """The refused parameters."""
        return frozenset(self._refused)

    def learn(self, complaint: Complaint, body: Any) -> bool:
        """True if the complaint names a parameter of `body` that can be left out or renamed."""
        if PICTURES not in self._refused and _takes_no_pictures(complaint, body):
            # Not told on: the same address may serve a model that sees tomorrow.
            self._refused.add(PICTURES)
            return True
        if not _REFUSING.search(complaint.everything()):
            return False
        sent = set(_keys(body))
        named = [
            name
            for name in (*OPTIONAL, *OTHER_NAME)
            if name in sent and _names(complaint, name) and name not in self._refused
        ]
        if "think" in sent and "support thinking" in complaint.words:
            # Named by what it does.
            named = [] if "think" in self._refused else ["think"]
        if "signature" in complaint.words and "thinking" in complaint.words:
            # Thinking signed elsewhere: the conversation goes on without it.
            named = [] if "signature" in self._refused else ["signature"]
        if "temperature" in named and "top_p" in named:
            # Refused together: one of them may stay.
            named.remove("temperature")
        if not named:
            return False
        self._refused.update(named)
        if self._learnt is not None:
            self._learnt(self.names - {PICTURES})
        return True

    def apply(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body without what is refused."""
        for name in self._refused:
            other = OTHER_NAME.get(name)
            if other and name in body and other not in self._refused:
                body[other] = body.pop(name)
            elif name == "signature":
                _drop_thinking(body)
            elif name == PICTURES:
                body = _without_pictures(body)
            else:
                _drop(body, name)
        return body


def _names(complaint: Complaint, name: str) -> bool:
    pattern = rf"(?<![\w]){re.escape(name)}(?![\w])"
    if re.search(pattern, complaint.param) or re.search(pattern, complaint.words):
        # "max_tokens is not supported, use max_completion_tokens": only the first one is refused.
        first = re.search(r"(?<!\w)max_(?:completion_)?tokens(?!\w)", complaint.words)
        return name not in OTHER_NAME or first is None or first[0] == name
    return False


def _keys(value: Any) -> Iterable[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            if key not in ("parameters", "input_schema", "input"):
                yield from _keys(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _keys(item)


def _drop(value: Any, name: str) -> None:
    if isinstance(value, dict):
        value.pop(name, None)
        for key, item in value.items():
            if key not in ("parameters", "input_schema", "input"):
                _drop(item, name)
    elif isinstance(value, list):
        for item in value:
            _drop(item, name)


def _takes_no_pictures(complaint: Complaint, body: Any) -> bool:
    words = complaint.everything()
    refusing = _REFUSING.search(words) or _NOT_TAKEN.search(words)
    if not refusing or not _NO_PICTURES.search(words) or _ONE_PICTURE.search(words):
        return False
    return bool(_without_pictures(body) != body)


def _without_pictures(value: Any) -> Any:
    """The same with words in place of pictures. A copy: pieces of a history are kept and shared."""
    if isinstance(value, list):
        return [_without_pictures(item) for item in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("type")
    if kind in _PICTURE_KINDS:
        return {"type": "input_text" if kind == "input_image" else "text", "text": NOT_SEEN}
    # Schemas of tools and arguments of calls are nobody's pictures.
    kept = ("tools",) if kind != "tool_use" else ("tools", "input")
    made = {key: item if key in kept else _without_pictures(item) for key, item in value.items()}
    content = made.get("content")
    if "role" in made and isinstance(content, list) and all(map(_is_plain_text, content)):
        # Some take no list of parts either.
        made["content"] = "\n\n".join(part["text"] for part in content)
    if isinstance(made.get("images"), list) and "role" in made:
        del made["images"]
        made["content"] = "\n\n".join(filter(None, (made.get("content"), NOT_SEEN)))
    return made


def _is_plain_text(part: Any) -> bool:
    return isinstance(part, dict) and part.keys() == {"type", "text"} and part["type"] == "text"


def _drop_thinking(body: dict[str, Any]) -> None:
    body.pop("thinking", None)
    body.pop("output_config", None)
    for message in body.get("messages", ()):
        content = message.get("content")
        if message.get("role") == "assistant" and isinstance(content, list):
            kept = [
                block
                for block in content
                if block.get("type") not in ("thinking", "redacted_thinking")
            ]
            message["content"] = kept or [{"type": "text", "text": "…"}]
