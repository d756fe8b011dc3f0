"""Makes a conversation smaller: a summary for the old part, or a plain cut without one."""

from __future__ import annotations

import math
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import cast

from kinet.core.completion import Completion, Usage
from kinet.core.conversation import SUMMARY_FAILED, SUMMARY_OPENING
from kinet.core.errors import ProviderError
from kinet.core.events import RetryScheduled
from kinet.core.messages import Message
from kinet.engine.compacting.file_lists import HEADS, FileLists, files_of
from kinet.engine.compacting.put_back import MARK, without_put_back
from kinet.engine.context.context import UNKNOWN_WINDOW_LIMIT
from kinet.engine.context.cut_points import begins_turn, cut_for, turn_start
from kinet.engine.context.prompt import text_of
from kinet.engine.context.tokens import size_of_text
from kinet.engine.context.truncation import fitted, head_and_tail
from kinet.providers.base import ModelRequest, Provider, StreamItem

_RESULT_CHARACTERS = 2_000
_REQUEST_WEIGHT = 4_000
_OLD_REQUEST_WEIGHT = 400
_REQUEST = "## The request being worked on, in the person's own words"
_TURN = "## The turn being worked on"
_OWN_HEADS = frozenset({*HEADS, _REQUEST, MARK})
# Less than this share of the context freed is not worth a lost cache.
_STALL = 0.05
# Of the window, for what is summed up.
_INPUT_SHARE = 0.6
# Of the window, for that and for how it is to be done; the rest is for the answer.
_ASKED_SHARE = 0.75
# Of the window, for what a summary holds word by word beside what the model wrote.
_KEPT_BY_US = 0.15


@dataclass(frozen=True, slots=True)
class Plan:
    """A cut of the context: `dropped` goes, the messages from number `kept_from` on stay."""

    kept_from: int
    dropped: tuple[Message, ...]
    # The beginning of the turn that the cut falls into; () if it falls between turns.
    turn_prefix: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """A new summary, or "" and the reason. `usage` is what the model calls took."""

    summary: str
    usage: Usage | None = None
    reason: str = ""


def plan(
    context: Sequence[Message],
    keep_tokens: int,
    tokens_of: Callable[[Message], int],
    *,
    whole_turns: bool = False,
) -> Plan | None:
    """Where to cut so that about `keep_tokens` stay; None if there is nothing to cut."""
    cut = cut_for(context, keep_tokens, tokens_of, whole_turns=whole_turns)
    if cut <= 0 or all(_says_nothing_new(message) for message in context[:cut]):
        return None
    start = turn_start(context, cut)
    if start < 0 or start == cut or begins_turn(context[cut]):
        return Plan(cut, tuple(context[:cut]))
    return Plan(cut, tuple(context[:cut]), tuple(context[start:cut]))


def _says_nothing_new(message: Message) -> bool:
    """True for an earlier summary, and for what the model is never told."""
    return message.kind == "summary" or (message.command is not None and message.command.private)


def is_stall(before: int, after: int) -> bool:
    """True if making it smaller frees too little."""
    return before - after < _STALL * before


def summary_input(window: int, letters_per_token: float) -> float:
    """How much may be summed up at once, in Latin letters; `window` 0 for an unknown one.

    Instructions and answer fit beside it, also into a small window.
    """
    room = (window or UNKNOWN_WINDOW_LIMIT * 2) * letters_per_token
    instructions = size_of_text(text_of("summary")).characters
    return min(_INPUT_SHARE * room, _ASKED_SHARE * room - instructions)


def kept_by_us(window: int, letters_per_token: float) -> float:
    """What the request and the lists of files in a summary may weigh, in Latin letters."""
    return _KEPT_BY_US * (window or UNKNOWN_WINDOW_LIMIT) * letters_per_token


async def summarise(
    cut: Plan,
    provider: Provider,
    *,
    weight: float,
    kept: float = math.inf,
    session_id: str,
    topic: str = "",
    request: str = "",
    notice: Callable[[RetryScheduled], None] = lambda event: None,
    max_tokens: int = 0,
) -> Outcome:
    """Asks the model for the summary of what is dropped.

    `request` is what the person asked in the turn that goes on, if that is dropped too: it is kept
    word by word. Of the old part so much is sent as weighs `weight` Latin letters; what is kept by
    us in the summary, that request and the lists of files, weighs at most `kept`. A failed, empty
    or tool-calling answer, and one longer than what it replaces, gives no summary but the reason;
    this never raises a ProviderError.
    """
    earlier, old = _earlier(cut.dropped)
    prefix = cut.turn_prefix
    if prefix:
        old = old[: len(old) - len(prefix)]
    only_prefix = bool(prefix) and not (old or earlier)
    text = text_of("turn_prefix") if only_prefix else text_of("summary")
    asked = _question(earlier, *_old_and_prefix(old, prefix, earlier, weight), topic)
    replaced = len(earlier) + len(_as_text(cut.dropped))
    done: Completion | None = None
    try:
        done = await _complete(provider, text, asked, session_id, notice, max_tokens)
        summary = _checked(done, replaced)
    except ProviderError as exc:
        return Outcome("", None, f"{SUMMARY_FAILED}: {exc.message}")
    except ValueError as exc:
        return Outcome("", done.usage if done else None, f"{SUMMARY_FAILED}: {exc}")
    if only_prefix:
        summary = f"{_TURN}\n{summary}"
    return Outcome(_completed(summary, request, cut, kept), done.usage)


def _old_and_prefix(
    old: Sequence[Message], prefix: Sequence[Message], earlier: str, weight: float
) -> tuple[str, str]:
    """Both as text; where both are long, the beginning of the turn gets a third of the room."""
    room = max(weight - size_of_text(earlier).characters, weight / 4)
    of_turn = fitted(_as_text(prefix), room / 3 if old else room)
    return fitted(_as_text(old), room - size_of_text(of_turn).characters), of_turn


def makeshift_summary(cut: Plan, request: str = "", kept: float = math.inf) -> str:
    """What can be kept without asking a model: earlier summary, requests of the person, files."""
    earlier, old = _earlier(cut.dropped)
    parts = [_model_part(earlier)] if earlier else []
    requests = [item.text for item in old if begins_turn(item) or item.kind == "steer"]
    if requests:
        said = "\n".join(f"- {fitted(text, _OLD_REQUEST_WEIGHT)}" for text in requests[-5:])
        parts.append(f"## What the person asked, in their own words\n{said}")
    parts.append(f"({len(old)} older messages were left out without a summary.)")
    return _completed("\n\n".join(parts), request, cut, kept)


async def _complete(
    provider: Provider,
    system: str,
    text: str,
    session_id: str,
    notice: Callable[[RetryScheduled], None],
    max_tokens: int,
) -> Completion:
    request = ModelRequest(
        system=system,
        messages=(Message("user", text),),
        max_tokens=max_tokens,
        session_id=f"{session_id}:summary" if session_id else "",
    )
    completion: Completion | None = None
    # Every provider's stream is an async generator; the protocol promises only the iteration.
    stream = cast("AsyncGenerator[StreamItem, None]", provider.stream(request))
    async with aclosing(stream) as items:
        async for item in items:
            if isinstance(item, Completion):
                completion = item
            elif isinstance(item, RetryScheduled):
                notice(item)
    if completion is None:
        raise ValueError("the model gave no answer")
    return completion


def _checked(completion: Completion, replaced: int) -> str:
    text = completion.content.strip()
    if completion.tool_calls:
        raise ValueError("the model called a tool instead of writing a summary")
    if not text:
        raise ValueError("the model gave an empty summary")
    if len(text) >= max(replaced, 400):
        raise ValueError("the summary is longer than what it replaces")
    return without_own_heads(text)


def without_own_heads(text: str) -> str:
    """`text` with none of our headings: what stands under those is kept by us."""
    lines = [line.rstrip() for line in text.split("\n")]
    return "\n".join(f"**{line[3:]}**" if line in _OWN_HEADS else line for line in lines)


def _question(earlier: str, old: str, prefix: str, topic: str) -> str:
    parts = []
    if earlier:
        parts.append(f"<earlier_summary>\n{_model_part(earlier)}\n</earlier_summary>")
    if old:
        parts.append(f"<conversation>\n{old}\n</conversation>")
    if prefix:
        parts.append(f"<turn>\n{prefix}\n</turn>")
    if prefix and (old or earlier):
        parts.append(
            "The part in <turn> is the beginning of the turn that is still being worked on. Give "
            f'it a short section of its own at the end: "{_TURN}".'
        )
    if topic:
        parts.append(f"Pay most attention to: {topic}")
    parts.append("Write the summary now.")
    return "\n\n".join(parts)


def _earlier(dropped: Sequence[Message]) -> tuple[str, Sequence[Message]]:
    """The text of an earlier summary, "" for none, and the messages after it."""
    if dropped and dropped[0].kind == "summary":
        text = dropped[0].text.removeprefix(SUMMARY_OPENING)
        return without_put_back(text), dropped[1:]
    return "", dropped


def _as_text(messages: Sequence[Message]) -> str:
    """Messages as plain text; results and arguments are cut."""
    lines: list[str] = []
    for message in messages:
        if message.role == "tool":
            result = head_and_tail(message.text, _RESULT_CHARACTERS)
            lines.append(f"Result of {message.name or 'a call'}: {result}")
            continue
        if message.command is not None:
            if not message.command.private:
                printed = head_and_tail(message.text, _RESULT_CHARACTERS)
                ran = head_and_tail(message.command.text, _RESULT_CHARACTERS)
                lines.append(f"Person ran: {ran}\nIt printed ({message.command.status}): {printed}")
            continue
        speaker = {"note": "Kinet", "steer": "Person"}.get(message.kind) or (
            "Person" if message.role == "user" else "Agent"
        )
        if message.text:
            lines.append(f"{speaker}: {message.text}")
        for call in message.tool_calls:
            arguments = head_and_tail(call.arguments, _RESULT_CHARACTERS)
            lines.append(f"Agent calls {call.name}: {arguments}")
    return "\n\n".join(lines)


def _completed(text: str, request: str, cut: Plan, kept: float) -> str:
    """A summary with what is kept by us: the request word by word, and the file lists."""
    earlier, _ = _earlier(cut.dropped)
    files = FileLists.read(earlier).joined_with(files_of(cut.dropped))
    parts = [text]
    if request:
        lines = fitted(request, min(_REQUEST_WEIGHT, kept / 2)).splitlines()
        parts.append("\n".join([_REQUEST, *(f"> {line}" for line in lines)]))
    if files:
        parts.append(files.within(kept / 2).write())
    return "\n\n".join(parts)


def _model_part(summary: str) -> str:
    """A summary without what is kept by us: a model need not write that again."""
    return FileLists.strip(summary).partition(_REQUEST)[0].rstrip()
