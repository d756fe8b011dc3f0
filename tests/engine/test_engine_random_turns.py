"""Random turns with stops, failures, branches and switches of protocol.

Every request is legal for a strict server of its protocol, begins with the bytes of the one before
it, holds everything that was said exactly once, and is no larger than it was estimated to be.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kinet.core.conversation import Conversation
from kinet.core.events import (
    Event,
    MessageCompleted,
    SegmentReset,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from kinet.core.messages import Message
from kinet.core.own_command import NAME
from kinet.core.pairing import repair
from kinet.core.profile import WireProtocol
from kinet.engine.base import StopSignal
from kinet.engine.context.cut_points import begins_turn
from kinet.engine.context.tokens import size_of_text
from tests.support import scripted_provider
from tests.support.chat import Chat
from tests.support.replies import Call, Reply, asks_raw, breaks, fails, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.scripted_wire import ScriptedWire
from tests.support.tools import Big, Change, Fail, Look
from tests.support.turns import PROFILE, last
from tests.support.wires import PROTOCOLS

_TOKEN = re.compile(r"[UASWRO]\d+;")
# What a command of the person's own printed that they keep from the model.
_PRIVATE = re.compile(r"P\d+;")
# What stands in a payload beside what was said.
_FORM = frozenset(
    {"cache_control", "type", "role", "model", "id", "call_id", "tool_call_id", "tool_use_id"}
    | {"signature", "encrypted_content", "name", "status", "tool_choice"}
)
# Tokens around each message, as chat templates have them.
_FRAME = 3
_TOOLS = ("look", "change", "fail", "nothing")

# What a reply does, in words; its texts are made unique when it is played.
_kinds = st.sampled_from(
    [
        "text",
        "empty",
        "breaks",
        "breaks in calls",
        "refused",
        "broken",
        "cut",
        "echo",
        "thinks",
        "big",
    ]
)
_replies = st.one_of(
    _kinds.map(lambda kind: (kind, ())),
    st.tuples(
        st.sampled_from(["calls", "text and calls", "thinks and calls", "same ids", "cut calls"]),
        st.lists(st.sampled_from(_TOOLS), min_size=1, max_size=5).map(tuple),
    ),
)


@dataclass(frozen=True)
class Act:
    """One turn: from where in the tree, in which protocol, with which replies, stopped when."""

    replies: list[tuple[str, tuple[str, ...]]]
    protocol: int
    # Counted in events; 0 for never.
    stop_at: int
    # Which of the earlier turns it begins behind; 0 for the newest.
    back: int
    steers: bool
    # Commands that the person ran before it; True for one that is kept from the model.
    ran: list[bool]


_acts = st.lists(
    st.builds(
        Act,
        st.lists(_replies, max_size=5),
        st.integers(0, 2),
        st.one_of(st.just(0), st.integers(1, 40)),
        st.one_of(st.just(0), st.just(0), st.integers(0, 3)),
        st.booleans(),
        st.one_of(st.just([]), st.lists(st.booleans(), max_size=2)),
    ),
    min_size=1,
    max_size=6,
)


@dataclass
class Wire:
    """A provider of one protocol, and the payloads its server got."""

    protocol: WireProtocol
    provider: ScriptedProvider
    wire: ScriptedWire
    bodies: list[dict[str, Any]] = field(default_factory=list)


class Play:
    """Plays acts on one conversation and looks at every payload."""

    def __init__(self, ratio: float, *, small: bool = False, **fields: Any) -> None:
        self.chat = Chat(tools=(Look(), Change(), Fail(), Big()), mode="all", **fields)
        self.ratio, self.small = ratio, small
        self.wires = [_wire(protocol, ratio) for protocol in PROTOCOLS]
        # The conversation behind each turn, for going back.
        self.behind: list[Conversation] = [Conversation()]
        # The protocols of the turns that led to each of them.
        self.spoken: list[tuple[str, ...]] = [()]
        self._number = 0

    async def act(self, act: Act) -> list[Event]:
        """One turn. Everything that is asserted about a turn is asserted here."""
        place = max(0, len(self.behind) - 1 - act.back)
        self.chat.conversation = self.behind[place].fork()
        for private in act.ran:
            self._run(private=private)
        wire = self.wires[act.protocol]
        wire.bodies.clear()
        wire.provider._script.clear()
        wire.provider.replies(self._reply(*reply) for reply in act.replies)
        asked, stop = f"{self._new('U')} please", StopSignal()
        steering = [(), (Message("user", self._new("S"), kind="steer"),)] if act.steers else []
        seen = 0

        def count(event: Event) -> None:
            nonlocal seen
            seen += 1
            if seen == act.stop_at:
                stop.set()

        fields: dict[str, Any] = {"steering": lambda: steering.pop(0) if steering else ()}
        before = list(self.chat.conversation.messages)
        planned = self.chat.request(wire.provider, asked, **fields)
        estimate = self.chat.engine.context_map(planned).used
        events = await self.chat.send(wire.provider, asked, stop=stop, on=count, **fields)
        self.behind.append(self.chat.conversation)
        self.spoken.append((*self.spoken[place], wire.protocol))
        self._look_at_events(events)
        self._look_at_history(before, asked, events)
        self._look_at_payloads(wire, estimate, events)
        return events

    def _run(self, *, private: bool) -> None:
        """A command of the person's own, as a session takes it."""
        printed, id_ = self._new("P" if private else "O"), self._new("own")
        details = {"command": "cat fruit", "private": private}
        for event in (
            TurnStarted("session", id_),
            ToolStarted(id_, NAME, details),
            ToolFinished(id_, NAME, preview="exit 0", content=printed, details=details),
            TurnFinished("completed"),
        ):
            self.chat.conversation.apply(event)
        assert self.chat.conversation.messages[-1].text == printed

    def _new(self, letter: str) -> str:
        self._number += 1
        return f"{letter}{self._number};"

    def _reply(self, kind: str, names: tuple[str, ...]) -> Reply:
        calls = tuple(
            Call(
                name,
                json.dumps({"word": self._new("W")}),
                f"call_{place}" if kind == "same ids" else f"id_{self._new('c')[:-1]}",
            )
            for place, name in enumerate(names)
        )
        text = says(f"{self._new('A')} is", " said.")
        match kind:
            case "text":
                return text
            case "empty":
                return says()
            case "breaks":
                return breaks(f"{self._new('A')} half")
            case "breaks in calls":
                return replace(breaks(f"{self._new('A')} half"), reasoning="Hm.")
            case "big":
                asked = json.dumps({"characters": 2_500, "letter": "b"})
                return Reply(calls=(Call("big", asked, f"id_{self._new('c')[:-1]}"),))
            case "refused":
                return fails(400)
            case "broken":
                return asks_raw("look", '{"word": ')
            case "cut":
                return text.cut_by_length()
            case "echo":
                return says(f"[Kinet: 3 steps are left.]\n{self._new('A')} is said.")
            case "thinks":
                return text.thinking("Hm.")
            case "text and calls":
                return replace(text, calls=calls)
            case "thinks and calls":
                return replace(text, calls=calls).thinking("Hm.")
            case "cut calls":
                return Reply(calls=calls).cut_by_length()
            case _:
                return Reply(calls=calls)

    def _look_at_events(self, events: list[Event]) -> None:
        assert [event for event in events if isinstance(event, TurnFinished)] == [events[-1]]
        answered = [event.call_id for event in events if isinstance(event, ToolFinished)]
        assert len(answered) == len(set(answered))
        shown = lost = ""
        for event in events:
            match event:
                case StepStarted():
                    shown = lost = ""
                case SegmentReset():
                    shown, lost = "", shown
                case TextDelta(text=text):
                    shown += text
                case MessageCompleted(message=message, partial=partial) if (
                    message.role == "assistant"
                ):
                    # What is kept is what is on the screen, but for notes of ours in it.
                    # A second attempt without a word leaves those of the first.
                    kept = shown.removeprefix("[Kinet: 3 steps are left.]\n")
                    kept = kept or (lost if partial else "")
                    assert message.text == kept
                    shown = lost = ""
                case StepFinished(purpose=""):
                    assert shown == ""
                case _:
                    pass

    def _look_at_history(self, before: list[Message], asked: str, events: list[Event]) -> None:
        messages = self.chat.conversation.messages
        assert messages[: len(before)] == before
        assert messages[len(before)].text == asked
        assert repair(messages) == tuple(messages)
        ids = [call.id for message in messages for call in message.tool_calls]
        assert len(ids) == len(set(ids))
        told = [
            event.message.text
            for event in events
            if isinstance(event, MessageCompleted) and event.message.role != "tool"
        ]
        assert [item.text for item in messages[len(before) + 1 :] if item.role != "tool"] == told

    def _look_at_payloads(self, wire: Wire, estimate: int, events: list[Event]) -> None:
        assert wire.wire.problems == []
        if not wire.bodies:
            return
        # A summary is asked for without it too.
        assert not any(_PRIVATE.search(_words(body)) for body in wire.bodies)
        asked = [body for body in wire.bodies if "memory of" not in _system(body)]
        if self.small:
            self._look_at_small(asked)
            return
        # Another protocol sends the same in another form, of which nothing was counted yet.
        if {*self.spoken[-1]} == {wire.protocol}:
            counted = _tokens(asked[0], self.ratio)
            # Where no server has counted on this path, the mean of other conversations is all that
            # is known; those of very many short messages weigh a little less.
            assert estimate >= (counted if len(self.spoken[-1]) > 1 else 0.85 * counted)
        messages = self.chat.conversation.messages
        said = [token for message in messages for token in _tokens_of(message)]
        for body in asked:
            # Everything so far, once and in order; what comes later is not there yet.
            found = _TOKEN.findall(_words(body))
            assert found == said[: len(found)]
        newest = [token for message in _asked_with(messages) for token in _tokens_of(message)]
        found = _TOKEN.findall(_words(asked[-1]))
        if last(events).reason == "completed":
            assert found == newest
        elif last(events).reason == "failed":
            assert found in (newest, said)
        for one, other in itertools.pairwise(asked):
            first, second = _pieces(one), _pieces(other)
            assert second[: len(first)] == first

    def _look_at_small(self, asked: list[dict[str, Any]]) -> None:
        """What the person asked in this turn is always there, though its beginning may be cut."""
        user = next(m for m in reversed(self.chat.conversation.messages) if begins_turn(m))
        for body in asked:
            words = _words(body)
            assert user.text in words
            found = [token for token in _TOKEN.findall(words) if token[0] in "AW"]
            results = [token for token in found if token[0] == "W"]
            assert len(found) - len(results) == len(set(found) - set(results))


def _asked_with(messages: list[Message]) -> list[Message]:
    """The messages that the newest request held: all before the answer it got, if it got one."""
    last = len(messages)
    while last and messages[last - 1].role == "tool":
        last -= 1
    return messages[: last - 1] if last and messages[last - 1].role == "assistant" else messages


def _wire(protocol: WireProtocol, ratio: float) -> Wire:
    scripted_provider.speaking = protocol
    try:
        provider = ScriptedProvider()
    finally:
        scripted_provider.speaking = None
        scripted_provider.wires.clear()
    assert provider._wire is not None
    made = Wire(protocol, provider, provider._wire)
    wire, answer = provider._wire, provider._wire.answer

    def recording(body: bytes) -> Any:
        made.bodies.append(json.loads(body))
        reply = wire._reply
        said = reply.reasoning + reply.text + "".join(call.arguments for call in reply.calls)
        wire._reply = replace(
            reply,
            with_usage=True,
            tokens_in=_tokens(made.bodies[-1], ratio),
            tokens_out=math.ceil(ratio * size_of_text(said).characters),
        )
        return answer(body)

    wire.answer = recording  # type: ignore[method-assign]
    return made


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            if key not in _FORM:
                yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def _tokens(body: dict[str, Any], ratio: float) -> int:
    """What a server counts for a payload whose tokens are so many a Latin letter."""
    weight = size_of_text("".join(_strings({**body, "tools": []}))).characters
    tools = size_of_text(json.dumps(body.get("tools", []), ensure_ascii=False)).characters
    frames = len(body.get("messages", body.get("input", [])))
    return int(ratio * (weight + 0.8 * tools)) + _FRAME * frames


def _system(body: dict[str, Any]) -> str:
    return json.dumps([body.get("system"), body.get("instructions"), body.get("messages", [""])[0]])


def _words(body: dict[str, Any]) -> str:
    return " ".join(_strings(body.get("messages", body.get("input", []))))


def _tokens_of(message: Message) -> list[str]:
    """The unique words of a message as they stand in a payload: its text, then its calls."""
    said = " ".join([message.text, *(call.arguments for call in message.tool_calls)])
    return _TOKEN.findall(said)


def _pieces(body: dict[str, Any]) -> list[str]:
    """System, tools and the blocks of all messages, each as bytes and without cache marks."""
    pieces = [json.dumps(body.get(name)) for name in ("tools", "system", "instructions")]
    for message in body.get("messages", body.get("input", [])):
        content = message.get("content")
        blocks = content if isinstance(content, list) else [content]
        rest = {key: value for key, value in message.items() if key != "content"}
        pieces += [json.dumps([rest, block]) for block in blocks]
    return [re.sub(r', "cache_control": \{[^}]*\}', "", piece) for piece in pieces]


@settings(max_examples=60, deadline=None)
@given(acts=_acts, ratio=st.sampled_from([0.2, 0.3, 0.45, 0.6]))
def test_random_turns_in_random_protocols_stay_legal_and_whole(acts, ratio):
    async def play() -> None:
        stage = Play(ratio, memory_text="Facts.")
        for act in acts:
            await stage.act(act)

    asyncio.run(play())


@settings(max_examples=30, deadline=None)
@given(acts=_acts, window=st.sampled_from([2_000, 3_000, 6_000]))
def test_random_turns_in_small_windows_stay_legal_and_keep_the_newest_request(acts, window):
    """With compactions of every kind: a summary, a bad one, none, a cut inside the turn."""

    async def play() -> None:
        profile = replace(PROFILE, window=window)
        stage = Play(0.25, small=True, profile=profile, memory_text="Facts.")
        for number, act in enumerate(acts):
            await stage.act(act)
            stage.chat.conversation.messages += [
                Message("user", f"Question {number}. " + "word " * 300),
                Message("assistant", f"Answer {number}."),
            ]
            stage.chat.conversation.occupancy = 0

    asyncio.run(play())
