"""Parameters a server refuses by name: left out from then on, so that the request succeeds."""

from __future__ import annotations

import operator
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

# Those that stand inside messages, tools and blocks; the others are the request's own.
INNER = frozenset(
    ("cache_control", "reasoning_content", "reasoning_details", "extra_content", "strict")
)

_KNOWN = frozenset((*OPTIONAL, *OTHER_NAME))

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

# What is inside these is the tools' own; "input" is, where it is an object.
_FOREIGN = ("parameters", "input_schema", "arguments")

_REFUSING = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|not permitted|not allowed|unexpected"
    r"|extra (?:inputs?|fields?)|extra_forbidden|deprecated|not available|isn't supported"
    r"|invalid (?:field|parameter|argument)|no such (?:field|parameter)|cannot both|not accept"
    r"|only the default|incompatible|not valid|does not exist|should not|must not|not enabled",
    re.IGNORECASE,
)

# Stands for thinking that was signed elsewhere. It is not kept: the next conversation has its own.
_SIGNATURE = "signature"
_SEALED = re.compile(
    r"signature.{0,60}thinking|thinking.{0,60}signature|invalid_encrypted_content"
    r"|encrypted[ _]content.{0,80}(?:verif|decrypt|invalid)",
    re.IGNORECASE | re.DOTALL,
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
        if _SEALED.search(complaint.everything()) and _SIGNATURE not in self._refused:
            # Thinking signed or sealed elsewhere: the conversation goes on without it.
            return self._leave_out([_SIGNATURE])
        if not _REFUSING.search(complaint.everything()):
            return False
        sent = {*body, *_options(body), *(INNER & set(_keys(body)))}
        named = [
            name
            for name in (*OPTIONAL, *OTHER_NAME)
            if name in sent and _names(complaint, name) and name not in self._refused
        ]
        if "think" in sent and "support thinking" in complaint.words:
            # Named by what it does.
            named = [] if "think" in self._refused else ["think"]
        if "temperature" in named and "top_p" in named:
            # Refused together: one of them may stay.
            named.remove("temperature")
        return self._leave_out(named)

    def _leave_out(self, named: list[str]) -> bool:
        if not named:
            return False
        self._refused.update(named)
        if self._learnt is not None:
            self._learnt(self.names - {PICTURES, _SIGNATURE})
        return True

    def apply(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body without what is refused."""
        for name in self._refused:
            other = OTHER_NAME.get(name)
            if other and name in body and other not in self._refused:
                body[other] = body.pop(name)
            elif name == _SIGNATURE:
                _drop_thinking(body)
            elif name == PICTURES:
                body = _without_pictures(body)
            elif name in INNER:
                body = _without(body, name)
            else:
                # Elsewhere the same word is something else: the text of a thinking block.
                body.pop(name, None)
                _options(body).pop(name, None)
        return body


def _names(complaint: Complaint, name: str) -> bool:
    pattern = rf"(?<![\w]){re.escape(name)}(?![\w])"
    if re.search(pattern, complaint.param) or re.search(pattern, complaint.words):
        # "max_tokens is not supported, use max_completion_tokens": only the first one is refused.
        first = re.search(r"(?<!\w)max_(?:completion_)?tokens(?!\w)", complaint.words)
        return name not in OTHER_NAME or first is None or first[0] == name
    return False


def _options(body: dict[str, Any]) -> dict[str, Any]:
    """Where one protocol has the settings of a request."""
    options = body.get("options")
    return options if isinstance(options, dict) else {}


def _keys(value: Any) -> Iterable[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            if not _is_foreign(key, item):
                yield from _keys(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _keys(item)


def _is_foreign(key: str, value: Any) -> bool:
    return key in _FOREIGN or (key == "input" and isinstance(value, dict))


def _without(value: Any, name: str) -> Any:
    """The same without a key. What holds none is the very same: it is shared and known."""
    made: Any
    if isinstance(value, dict):
        made = {
            key: item if _is_foreign(key, item) else _without(item, name)
            for key, item in value.items()
            if key != name
        }
        same = len(made) == len(value) and all(made[key] is value[key] for key in made)
    elif isinstance(value, list):
        made = [_without(item, name) for item in value]
        same = all(map(operator.is_, made, value))
    else:
        return value
    return value if same else made


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
    if isinstance(body.get("input"), list):
        body["input"] = [item for item in body["input"] if item.get("type") != "reasoning"]
    messages = body.get("messages", ())
    for number, message in enumerate(messages):
        content = message.get("content")
        if message.get("role") == "assistant" and isinstance(content, list):
            kept = [
                block
                for block in content
                if block.get("type") not in ("thinking", "redacted_thinking")
            ]
            if len(kept) < len(content):
                kept = kept or [{"type": "text", "text": "…"}]
                # The messages are shared with other requests.
                messages[number] = {**message, "content": kept}
