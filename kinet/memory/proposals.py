"""What the model is shown to find facts in, and what is taken of its answer."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kinet.core.messages import Message, TextPart
from kinet.memory.fact import USUAL, Fact, Support, clean, within
from kinet.memory.refusals import refusal
from kinet.memory.words import folded

# U16: so much of a conversation is seen, and no more.
MESSAGES = 10
CHARACTERS = 2_000
# Facts of one answer, characters of one fact: an answer beyond that is not what was asked for.
MOST = 5
LONGEST = 400
_SHORTEST_QUOTE = 2
_KNOWN = 60

# Blocks of code and quoted lines: pasted, not said.
_QUOTED = re.compile(r"(?ms)^\s*(```|~~~).*?(?:^\s*\1[^\n]*$|\Z)|^\s*>[^\n]*$")
_TAG = re.compile(r"<(?=\s*/?\s*(?:conversation|known|message)\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Seen:
    """A message as the model is shown it. `by_person` is False for what the model itself said.

    `words` is what its speaker said in their own words: without what was pasted as code or quoted.
    """

    text: str
    by_person: bool
    message_id: str
    words: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A fact that passed; `replaces` is the id of a known one, "" for none."""

    fact: Fact
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What passed of an answer, and why the rest did not."""

    proposals: tuple[Proposal, ...] = ()
    refused: tuple[str, ...] = ()


def seen_of(messages: Sequence[Message]) -> tuple[Seen, ...]:
    """The last messages of person and model, at most 10 of 2,000 characters.

    Results of tools, notes and summaries are left out: nothing in them is the person's word. The
    numbers the model is given are their places, from 1.
    """
    said = [item for item in messages[-MESSAGES:] if _is_said(item)]
    seen, newest = [], ""
    for item in said:
        newest = item.id if item.role == "user" and item.id else newest
        text = _cut(_typed(item))
        seen.append(Seen(text, item.role == "user", item.id or newest, _QUOTED.sub("", text)))
    return tuple(seen)


def question(seen: Sequence[Seen], known: Sequence[Fact]) -> str:
    """The text of the request. Tags inside the messages cannot close ours."""
    parts = ["<conversation>"]
    for number, item in enumerate(seen, 1):
        who = "the person" if item.by_person else "the assistant"
        parts.append(f'<message number="{number}" from="{who}">\n{_inert(item.text)}\n</message>')
    parts.append("</conversation>")
    listed = shown_known(known)
    if listed:
        facts = [f"{number}. {_inert(fact.text)}" for number, fact in enumerate(listed, 1)]
        parts += ["<known>", *facts, "</known>"]
    parts.append("Give the JSON object now.")
    return "\n".join(parts)


def shown_known(known: Sequence[Fact]) -> Sequence[Fact]:
    """The known facts the model is told, in the order of their numbers: the newest."""
    return known[-_KNOWN:]


def answer_of(
    text: str,
    seen: Sequence[Seen],
    known: Sequence[Fact],
    *,
    session_id: str,
    folder: str,
    at: str,
) -> Answer:
    """What is taken of the model's answer; the refused ones with a reason each.

    ValueError if it is not the JSON asked for. A fact passes if its quote stands in the message it
    names, if that is the person's where it is about the person, and if it is no secret and no
    order. Without a folder a fact of the project has no place.
    """
    passed: list[Proposal] = []
    refused: list[str] = []
    listed = shown_known(known)
    for raw in _facts_in(text)[: MOST * 2]:
        source = _source(raw, seen)
        why = _why_not(raw, source, folder)
        if why or source is None:
            refused.append(why)
            continue
        if len(passed) == MOST:
            refused.append("there are too many")
            continue
        about = raw.get("about") == "project"
        fact = Fact(
            id="",
            text=clean(" ".join(str(raw["text"]).split())),
            scope="project" if about else "person",
            source="conversation",
            created=at,
            folder=folder if about else "",
            importance=within(_number(raw.get("importance"), USUAL)),
            topic=_topic(raw.get("topic")),
            support=(Support(session_id, source.message_id, at),),
        )
        place = _number(raw.get("replaces"), 0)
        replaces = listed[place - 1].id if 0 < place <= len(listed) else ""
        passed.append(Proposal(fact, replaces))
    return Answer(tuple(passed), tuple(refused))


def _is_said(message: Message) -> bool:
    if message.memory or not _typed(message).strip():
        return False
    return message.role == "assistant" or (message.role == "user" and message.kind in ("", "steer"))


def _typed(message: Message) -> str:
    """What was typed: without the texts of attached files, which stand behind it."""
    if message.role == "assistant" or isinstance(message.content, str):
        return message.text
    first = next(iter(message.content), None)
    return first.text if isinstance(first, TextPart) else ""


def _cut(text: str) -> str:
    return text if len(text) <= CHARACTERS else text[: CHARACTERS - 1] + "…"


def _inert(text: str) -> str:
    return _TAG.sub("&lt;", text)


def _facts_in(text: str) -> list[Mapping[str, Any]]:
    """The objects of the answer; a fence or words around the JSON do no harm."""
    start, end = text.find("{"), text.rfind("}")
    if start < 0 or end < start:
        raise ValueError("there is no JSON in it")
    try:
        value = json.loads(text[start : end + 1])
    except RecursionError as exc:
        raise ValueError("it is nested too deeply") from exc
    facts = value.get("facts") if isinstance(value, Mapping) else None
    if not isinstance(facts, list):
        raise ValueError('it has no list "facts"')
    return [item for item in facts if isinstance(item, Mapping)]


def _source(raw: Mapping[str, Any], seen: Sequence[Seen]) -> Seen | None:
    number = _number(raw.get("from"), 0)
    return seen[number - 1] if 0 < number <= len(seen) else None


def _why_not(raw: Mapping[str, Any], source: Seen | None, folder: str) -> str:
    text, about, quote = raw.get("text"), raw.get("about"), raw.get("quote")
    if not isinstance(text, str) or not text.strip() or len(text) > LONGEST:
        return "it is empty or too long"
    if about not in ("person", "project"):
        return "it does not say whom it is about"
    if about == "project" and not folder:
        return "there is no project"
    if source is None or not isinstance(quote, str) or len(quote.strip()) < _SHORTEST_QUOTE:
        return "it does not say what it rests on"
    if folded(quote) not in folded(source.text):
        return "the words it rests on were not said"
    if about == "person" and not (source.by_person and folded(quote) in folded(source.words)):
        return "it is about the person and not in the person's words"
    topic = raw.get("topic")
    return refusal(text, by_hand=False) or (
        refusal(topic, by_hand=False) if isinstance(topic, str) else ""
    )


def _topic(raw: Any) -> str:
    return folded(raw)[:40] if isinstance(raw, str) else ""


def _number(raw: Any, otherwise: int) -> int:
    if isinstance(raw, str) and raw.strip().isdecimal():
        return int(raw.strip()[:6])
    return raw if isinstance(raw, int) and not isinstance(raw, bool) else otherwise
