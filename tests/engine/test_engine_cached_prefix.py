"""The cached prefix: where marks stand in batches of any size, and what a miss is told to cost."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinet.core.events import StepFinished
from kinet.core.messages import ImagePart, Message, TextPart
from kinet.engine.base import Limits, Section
from tests.support import scripted_provider
from tests.support.chat import Chat
from tests.support.replies import Call, Reply, asks_for, breaks, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Fail, Look
from tests.support.turns import PROFILE

# How far a server looks back from a mark, and how much of that is used.
_LOOK_BACK, _ROOM = 20, 15


class CachingServer:
    """Keeps prefixes as a Messages server does: written at marks, looked for behind marks."""

    def __init__(self) -> None:
        self.written: set[str] = set()
        # How far before a mark the prefix of the request before was found, per request.
        self.distances: list[int | None] = []
        self._newest = ""
        self.problems: list[str] = []

    def take(self, body: dict[str, Any]) -> None:
        """One request: what is found of the one before, and what is written."""
        blocks, marks = _blocks(body)
        if not 2 <= len(marks) <= 4:
            self.problems.append(f"{len(marks)} marks")
        for place in marks:
            kind, text = blocks[place][0], blocks[place][1].get("text", "-")
            if kind in ("thinking", "redacted_thinking") or not text.strip():
                self.problems.append(f"a mark on {kind} {text!r}")
        prefixes = _prefixes(blocks)
        found = [
            mark - place
            for mark in marks
            for place in range(max(0, mark - _LOOK_BACK), mark + 1)
            if prefixes[place] == self._newest
        ]
        self.distances.append(min(found, default=None))
        self.written |= {prefixes[mark] for mark in marks}
        self._newest = prefixes[marks[-1]]


def _blocks(body: dict[str, Any]) -> tuple[list[tuple[str, dict[str, Any]]], list[int]]:
    """All blocks in the order a server reads them, without marks; and which were marked."""
    blocks, marks = [], []
    said = [("", block) for block in (*body.get("tools", ()), *body.get("system", ()))]
    for message in body["messages"]:
        said += [(message["role"], block) for block in message["content"]]
    for role, block in said:
        plain = {key: value for key, value in block.items() if key != "cache_control"}
        if "cache_control" in block:
            marks.append(len(blocks))
        blocks.append((str(block.get("type", "tool")), {**plain, "_role": role}))
    return blocks, marks


def _prefixes(blocks: list[tuple[str, dict[str, Any]]]) -> list[str]:
    out, prefix = [], 0
    for _, block in blocks:
        prefix = hash((prefix, json.dumps(block, sort_keys=True)))
        out.append(str(prefix))
    return out


def _watched() -> tuple[ScriptedProvider, CachingServer]:
    scripted_provider.speaking = "anthropic"
    try:
        provider = ScriptedProvider()
    finally:
        scripted_provider.speaking = None
        scripted_provider.wires.clear()
    wire, server = provider._wire, CachingServer()
    assert wire is not None
    answer = wire.answer

    def recording(body: bytes) -> Any:
        server.take(json.loads(body))
        return answer(body)

    wire.answer = recording  # type: ignore[method-assign]
    return provider, server


def _batch(calls: int, thinks: bool) -> Reply:
    made = tuple(
        Call("fail" if number % 5 == 4 else "look", json.dumps({"word": f"{number}"}), f"c{number}")
        for number in range(calls)
    )
    reply = Reply(calls=made, pieces=("Text. ",) if thinks else ())
    return reply.thinking("Hm.") if thinks else reply


_steps = st.lists(
    st.one_of(
        st.tuples(st.integers(1, 32), st.booleans()),
        st.sampled_from(["empty", "breaks"]),
    ),
    max_size=5,
)


@settings(max_examples=60, deadline=None)
@given(
    turns=st.lists(
        st.tuples(_steps, st.integers(0, 3), st.integers(0, 25)), min_size=1, max_size=4
    ),
    memory=st.booleans(),
)
def test_k23_every_request_finds_the_one_before_within_fifteen_blocks_of_a_mark(turns, memory):
    """`steered` messages come in within a turn; a message may bring many parts of its own."""

    async def play() -> None:
        provider, server = _watched()
        chat = Chat(tools=(Look(), Fail()), memory_text="Facts." if memory else "")
        for steps, steered, parts in turns:
            provider.replies(
                says() if step == "empty" else breaks("Half") if step == "breaks" else _batch(*step)
                for step in steps
            )
            provider.replies(says("Done."))
            waiting = [
                (),
                tuple(
                    Message(
                        "user",
                        tuple(TextPart(f"part {number}") for number in range(parts + 1)),
                        kind="steer",
                    )
                    for _ in range(steered)
                ),
            ]
            await chat.send(
                provider,
                steering=lambda waiting=waiting: waiting.pop(0) if waiting else (),
                limits=Limits(compact_at=10_000_000),
            )
            provider._script.clear()
        assert server.problems == []
        # The first has nothing before it.
        assert all(gap is not None and gap <= _ROOM for gap in server.distances[1:]), (
            server.distances
        )

    asyncio.run(play())


async def test_k23_a_turn_that_is_stopped_or_asked_again_still_finds_the_end_of_the_one_before():
    provider, server = _watched()
    chat = Chat(tools=(Look(),))
    provider.replies(_batch(25, False), _batch(3, False), says("Done."))
    await chat.send(provider, "First.")
    before = chat.conversation.fork()
    await chat.send(provider, "Second, which is taken back.")
    chat.conversation = before
    written = set(server.written)
    provider._script.clear()
    bodies: list[dict[str, Any]] = []
    wire = provider._wire
    assert wire is not None
    answer = wire.answer
    wire.answer = lambda body: (bodies.append(json.loads(body)), answer(body))[1]  # type: ignore[method-assign]
    await chat.send(provider, "Third.")
    blocks, marks = _blocks(bodies[0])
    prefixes = _prefixes(blocks)
    # All of the first turn, down to its last word, is there already.
    place = max(number for number, prefix in enumerate(prefixes) if prefix in written)
    assert blocks[place][1]["text"] == "Done."
    assert any(0 <= mark - place <= _ROOM for mark in marks)


def _note(events: list[Any]) -> str:
    (step,) = [event for event in events if isinstance(event, StepFinished) and not event.purpose]
    return step.cache_note


@pytest.mark.usefixtures("wire")
async def test_a_miss_names_the_first_segment_that_differs_and_what_it_cost():
    chat = Chat(tools=(Look(),), memory_text="Facts.")
    rules = (Section("KINET.md", "Old rule."),)
    await chat.send(ScriptedProvider(says("One.").counting(5_000, 5)), "First.", rules=rules)
    # Nothing differs: the prompt before came back from the cache.
    reply = says("Two.").counting(5_100, 5, 5_000)
    assert _note(await chat.send(ScriptedProvider(reply), "Second.", rules=rules)) == ""
    # The rules: the system prompt, all of which is read anew.
    changed = (Section("KINET.md", "New rule."),)
    reply = says("Three.").counting(5_200, 5, 1_000)
    note = _note(await chat.send(ScriptedProvider(reply), "Third.", rules=changed))
    assert note == "the system prompt changed: about 4,100 tokens were read anew"
    # Tools stand before it.
    reply = says("Four.").counting(5_300, 5)
    note = _note(
        await chat.send(ScriptedProvider(reply), "Fourth.", rules=rules, tools=(Look(), Fail()))
    )
    assert note == "the tool list changed: about 5,200 tokens were read anew"
    # Memory is the first message.
    tools = (Look(), Fail())
    reply = says("Five.").counting(5_400, 5, 2_000)
    note = _note(
        await chat.send(
            ScriptedProvider(reply), "Fifth.", rules=rules, tools=tools, memory_text="Other facts."
        )
    )
    assert note == "message 1 changed: about 3,300 tokens were read anew"
    assert len(chat.conversation.segments) == 2 + 1 + 9


@pytest.mark.usefixtures("wire")
async def test_another_model_is_named_as_the_cause_of_a_miss_for_it_has_a_cache_of_its_own():
    chat = Chat()
    await chat.send(ScriptedProvider(says("One.").counting(5_000, 5)), "First.")
    other = replace(PROFILE, model="other")
    reply = replace(says("Two.").counting(5_100, 5, 100), model="other")
    note = _note(await chat.send(ScriptedProvider(reply), "Second.", profile=other))
    assert note == "the model changed: about 4,900 tokens were read anew"
    reply = replace(says("Three.").counting(5_200, 5, 5_100), model="other")
    assert _note(await chat.send(ScriptedProvider(reply), "Third.", profile=other)) == ""


@pytest.mark.usefixtures("wire")
async def test_k07_pictures_of_messages_that_are_joined_stay(wire):
    provider = ScriptedProvider()
    picture = ImagePart("data:image/png;base64," + _DOT)
    chat = Chat(memory_text="Facts.", profile=replace(PROFILE, vision=True))
    chat.conversation.messages += [
        Message("user", (TextPart("One."), picture)),
        Message("user", (TextPart("Two."), picture)),
        Message("user", "Three."),
    ]
    made = provider._wire
    assert made is not None
    bodies: list[str] = []
    answer = made.answer
    made.answer = lambda body: (bodies.append(body.decode()), answer(body))[1]  # type: ignore[method-assign]
    await chat.send(provider, "Four.")
    assert bodies[0].count(_DOT) == 2
    for word in ("Facts.", "One.", "Two.", "Three.", "Four."):
        assert bodies[0].count(word) == 1
    assert "_memory" not in bodies[0]
    if wire == "anthropic":
        roles = [message["role"] for message in json.loads(bodies[0])["messages"]]
        assert roles == ["user"]


_DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5E"
    "rkJggg=="
)


@pytest.mark.usefixtures("wire")
async def test_the_call_that_a_late_tool_needs_is_refused_until_the_tool_is_announced():
    """What was announced in this request may run, and nothing else, whatever is there elsewhere."""
    chat = Chat(tools=(Look(),))
    events = await chat.send(ScriptedProvider(asks_for("fail", word="a"), says("Sorry.")))
    (result,) = [event for event in events if type(event).__name__ == "ToolFinished"]
    assert result.is_error
    assert "look" in result.content
