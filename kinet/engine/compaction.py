"""Makes a conversation smaller: a summary for the old part, or a plain cut without one."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import cast

from kinet.core.completion import Completion, Usage
from kinet.core.conversation import SUMMARY_FAILED, SUMMARY_OPENING
from kinet.core.errors import ProviderError
from kinet.core.events import RetryScheduled
from kinet.core.messages import Message
from kinet.engine.cut_points import begins_turn, cut_for, turn_start
from kinet.engine.file_lists import FileLists, files_of
from kinet.engine.prompt import text_of
from kinet.engine.truncation import head_and_tail
from kinet.providers.base import ModelRequest, Provider, StreamItem

_RESULT_CHARACTERS = 2_000
_REQUEST_CHARACTERS = 4_000
# Less than this share of the context freed is not worth a lost cache.
_STALL = 0.05


@dataclass(frozen=True, slots=True)
class Plan:
    """A cut of the context: `dropped` goes, the messages from number `kept_from` on stay."""

    kept_from: int
    dropped: tuple[Message, ...]
    # The beginning of the turn that the cut falls into; () if it falls between turns.
    turn_prefix: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """A new summary, or why there is none. `usage` is what the model calls took."""

    summary: str
    usage: Usage | None = None
    reason: str = ""

    @property
    def failed(self) -> bool:
        """True if the summary is a makeshift that no model wrote."""
        return self.reason.startswith(SUMMARY_FAILED)


def plan(
    context: Sequence[Message],
    keep_tokens: int,
    tokens_of: Callable[[Message], int],
    *,
    whole_turns: bool = False,
) -> Plan | None:
    """Where to cut so that about `keep_tokens` stay; None if there is nothing to cut."""
    cut = cut_for(context, keep_tokens, tokens_of, whole_turns=whole_turns)
    if cut <= 0 or all(message.kind == "summary" for message in context[:cut]):
        return None
    start = turn_start(context, cut)
    if start < 0 or start == cut or begins_turn(context[cut]):
        return Plan(cut, tuple(context[:cut]))
    return Plan(cut, tuple(context[:cut]), tuple(context[start:cut]))


def is_stall(before: int, after: int) -> bool:
    """True if making it smaller frees too little."""
    return before - after < _STALL * before


async def summarise(
    cut: Plan,
    provider: Provider,
    *,
    characters: int,
    session_id: str,
    topic: str = "",
    notice: Callable[[RetryScheduled], None] = lambda event: None,
) -> Outcome:
    """Asks the model for the summary of what is dropped.

    At most `characters` of the old part are sent. A failed, empty or tool-calling answer, and one
    longer than what it replaces, gives a makeshift with the reason; this never raises a
    ProviderError.
    """
    earlier, old = _earlier(cut.dropped)
    prefix = cut.turn_prefix
    if prefix:
        old = old[: len(old) - len(prefix)]
    total: Usage | None = None
    parts: list[str] = []
    try:
        if old or earlier:
            text = _as_text(old, characters)
            asked = _summary_question(earlier, text, topic)
            done = await _complete(provider, text_of("summary"), asked, session_id, notice)
            total = done.usage
            parts.append(_checked(done, len(earlier) + len(_as_text(old, 0))))
        if prefix:
            asked = f"<turn>\n{_as_text(prefix, characters)}\n</turn>"
            done = await _complete(provider, text_of("turn_prefix"), asked, session_id, notice)
            total = done.usage if total is None else total + done.usage
            text = _checked(done, len(_as_text(prefix, 0)))
            parts.append(f"## The turn being worked on\n{text}")
    except ProviderError as exc:
        return _makeshift(cut, f"{SUMMARY_FAILED}: {exc.message}", total)
    except ValueError as exc:
        return _makeshift(cut, f"{SUMMARY_FAILED}: {exc}", total)
    files = FileLists.read(earlier).joined_with(files_of(cut.dropped))
    return Outcome(_with_files("\n\n".join(parts), files), total)


def makeshift_summary(cut: Plan) -> str:
    """What can be kept without asking a model: earlier summary, requests of the person, files."""
    earlier, old = _earlier(cut.dropped)
    files = FileLists.read(earlier).joined_with(files_of(cut.dropped))
    parts = [FileLists.strip(earlier)] if earlier else []
    requests = [item.text for item in old if begins_turn(item) or item.kind == "steer"]
    if requests:
        said = "\n".join(f"- {head_and_tail(text, _REQUEST_CHARACTERS)}" for text in requests[-5:])
        parts.append(f"## What the person asked, in their own words\n{said}")
    parts.append(f"({len(old)} older messages were left out without a summary.)")
    return _with_files("\n\n".join(parts), files)


def _makeshift(cut: Plan, reason: str, usage: Usage | None) -> Outcome:
    return Outcome(makeshift_summary(cut), usage, reason)


async def _complete(
    provider: Provider,
    system: str,
    text: str,
    session_id: str,
    notice: Callable[[RetryScheduled], None],
) -> Completion:
    request = ModelRequest(
        system=system,
        messages=(Message("user", text),),
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
    return text


def _summary_question(earlier: str, old: str, topic: str) -> str:
    parts = []
    if earlier:
        parts.append(f"<earlier_summary>\n{FileLists.strip(earlier)}\n</earlier_summary>")
    parts.append(f"<conversation>\n{old}\n</conversation>")
    if topic:
        parts.append(f"Pay most attention to: {topic}")
    parts.append("Write the summary now.")
    return "\n\n".join(parts)


def _earlier(dropped: Sequence[Message]) -> tuple[str, Sequence[Message]]:
    """The text of an earlier summary, "" for none, and the messages after it."""
    if dropped and dropped[0].kind == "summary":
        return dropped[0].text.removeprefix(SUMMARY_OPENING), dropped[1:]
    return "", dropped


def _as_text(messages: Sequence[Message], characters: int) -> str:
    """Messages as plain text; results are cut, and the whole to `characters` (0: not cut)."""
    lines: list[str] = []
    for message in messages:
        if message.role == "tool":
            result = head_and_tail(message.text, _RESULT_CHARACTERS)
            lines.append(f"Result of {message.name or 'a call'}: {result}")
            continue
        speaker = {"note": "Kinet", "steer": "Person"}.get(message.kind) or (
            "Person" if message.role == "user" else "Agent"
        )
        if message.text:
            lines.append(f"{speaker}: {message.text}")
        for call in message.tool_calls:
            arguments = head_and_tail(call.arguments, _RESULT_CHARACTERS)
            lines.append(f"Agent calls {call.name}: {arguments}")
    text = "\n\n".join(lines)
    return head_and_tail(text, characters) if characters else text


def _with_files(text: str, files: FileLists) -> str:
    return f"{text}\n\n{files.write()}".strip() if files else text
