"""Steering, queue with pictures, stop, compaction, own commands, crash and reopening, interleaved.

Each scenario runs the whole program against a server that refuses what is not legal, in each
protocol and in Ollama's own.
"""

from __future__ import annotations

import asyncio
import base64
import io
import json
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import aclosing
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from kinet.core.events import (
    ContextCompacted,
    Event,
    FilesChanged,
    MessageCompleted,
    Notice,
    StepStarted,
    TextDelta,
    ToolFinished,
    ToolProgress,
    TurnFinished,
)
from kinet.core.own_command import typed_command
from kinet.providers import asked_window
from kinet.providers.protocols import ollama
from kinet.runtime import Runtime, create_runtime
from kinet.session.session import Session
from kinet.settings.options import Options
from kinet.store.database import awaitable
from tests.session.conftest import collect
from tests.support.approvers import allows_everything
from tests.support.replies import Gate, asks_for, fails, hangs, says
from tests.support.scripted_server import Recorded, ScriptedServer

WIRES = ("openai", "anthropic", "responses", "ollama")
MODELS = {"anthropic": "claude-sonnet-4-5", "openai": "gpt-5", "responses": "gpt-5"}


def png(color: str) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (40, 30), color).save(out, "PNG")
    return out.getvalue()


class Place:
    """A data folder, a project and a server; programs start and end there."""

    def __init__(self, wire: str, place: Path, server: ScriptedServer) -> None:
        self.wire, self.place, self.server = wire, place, server
        self.work = place / "work"
        self.work.mkdir()
        self.home = place / "home"
        self.running: list[Runtime] = []

    def start(self) -> Runtime:
        """Starts the program."""
        anthropic = self.wire == "anthropic"
        options = Options(
            base_url=self.server.base_url.removesuffix("/v1" if anthropic else ""),
            protocol="" if self.wire == "ollama" else self.wire,
            vendor="ollama" if self.wire == "ollama" else "",
            model=MODELS.get(self.wire, "qwen3:8b"),
            cwd=self.work,
            approve="all",
        )
        runtime = create_runtime(self.home, options=options)
        self.running.append(runtime)
        return runtime

    async def again(self, session: Session) -> Session:
        """Ends the program in order, starts it, and opens the session."""
        await self.end()
        return self.start().open_session(session.id)

    async def freeze(self, session: Session) -> None:
        """Keeps what is on the disk now: what a program that dies here leaves."""
        session._state.recorder.flush()
        await session._state.recorder.durable()
        # What waits is written behind all that was said before.
        await awaitable(session._state.parts.store.database.submit(lambda connection: None))
        await asyncio.to_thread(
            lambda: shutil.copytree(
                self.home, self.place / "after", ignore=shutil.ignore_patterns("*.lock")
            )
        )

    async def revive(self, session: Session) -> Session:
        """Starts on what was left, as if the program had died there."""
        await self.end()
        self.home = self.place / "after"
        return self.start().open_session(session.id)

    async def end(self) -> None:
        """Ends what runs."""
        for runtime in self.running:
            await runtime.close()
        self.running.clear()

    def picture(self, color: str) -> Path:
        """A picture of its own in the project."""
        path = self.work / f"{color}.png"
        path.write_bytes(png(color))
        return path


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server
        assert server.problems == []


@pytest.fixture(params=WIRES)
async def place(
    request: pytest.FixtureRequest, tmp_path: Path, server: ScriptedServer
) -> AsyncIterator[Place]:
    place = Place(request.param, tmp_path, server)
    yield place
    await place.end()


def said(request: Recorded) -> str:
    """All that the messages of a request say, with the names of pictures where they stand."""
    messages = request.body.get("messages") or request.body["input"]
    text = json.dumps(messages, ensure_ascii=False)
    for color in ("red", "blue", "green"):
        text = text.replace(base64.b64encode(png(color)).decode(), f"<{color}>")
    return text


def in_order(text: str, *parts: str) -> bool:
    """True if each part stands there exactly once, one after the other."""
    places = [text.find(part) for part in parts]
    return places == sorted(places) and all(text.count(part) == 1 for part in parts)


async def play(
    events: AsyncIterator[Event], *acts: tuple[Callable[[Event], bool], Callable[[], Any]]
) -> list[Event]:
    """The events of a turn; each act is done once, when its event has come, in their order."""
    told: list[Event] = []
    waiting = list(acts)
    async with aclosing(events) as stream:  # type: ignore[type-var]
        async for event in stream:
            told.append(event)
            if waiting and waiting[0][0](event):
                done = waiting.pop(0)[1]()
                if asyncio.iscoroutine(done):
                    await done
    assert waiting == []
    assert [event for event in told if isinstance(event, TurnFinished)] == told[-1:]
    return told


async def drain(session: Session) -> list[list[Event]]:
    """Sends what waits, as a window does."""
    turns = []
    while (item := session.take_next()) is not None:
        command = typed_command(item.text) if item.command else None
        running = session.run_command(command) if command else session.send(item.text)
        turns.append(await collect(running))
    return turns


def text_is(text: str) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, TextDelta) and event.text == text


def kind_is(kind: type) -> Callable[[Event], bool]:
    return lambda event: isinstance(event, kind)


async def read(session: Session) -> None:
    """Returns when what is attached to waiting messages was read."""
    await asyncio.gather(*session._reading)


def asked_of(session: Session) -> list[str]:
    return [m.text for m in session.history() if m.role == "user" and m.kind in ("", "steer")]


async def test_01_a_picture_steers_another_waits_a_stop_comes_and_the_program_starts_again(
    place, server
):
    first, gate = Gate(), Gate()
    server.replies(
        says("I look.", first).with_call("glob", pattern="*"),
        says("Half", gate),
        says("Blue."),
        says("Then."),
    )
    session = place.start().open_session()
    red, blue = place.picture("red"), place.picture("blue")

    async def while_it_runs() -> None:
        session.steer("Look at red.", [red])
        session.enqueue("Look at blue.", [blue])
        session.enqueue("And then?")
        await read(session)
        first.open()

    events = await play(
        session.send("Begin.", approver=allows_everything()),
        (text_is("I look."), while_it_runs),
        (text_is("Half"), session.stop),
    )
    gate.open()
    assert events[-1].reason == "stopped"
    assert in_order(said(server.requests[1]), "Begin.", "Look at red.", "<red>")
    assert "<blue>" not in said(server.requests[1])
    session = await place.again(session)
    red.unlink()
    blue.unlink()
    assert session.state == "paused"
    assert [item.text for item in session.queue] == ["Look at blue.", "And then?"]
    await collect(session.send(session.take_queued(session.queue[0].id).text))
    (ended,) = await drain(session)
    assert ended[-1].reason == "completed"
    assert in_order(
        said(server.requests[3]),
        "Begin.", "Look at red.", "<red>", "Half", "Look at blue.", "<blue>", "Blue.", "And then?",
    )  # fmt: skip
    assert asked_of(session) == ["Begin.", "Look at red.", "Look at blue.", "And then?"]


async def test_02_a_stop_comes_before_a_steering_picture_was_read_and_the_program_dies(
    place, server, monkeypatch
):
    server.replies(hangs("Half"), says("Red."))
    session = place.start().open_session()
    red = place.picture("red")
    monkeypatch.setattr(session, "_read_soon", lambda item: item)

    async def die() -> None:
        session.steer("Look at red.", [red])
        session.steer("Now.")
        await place.freeze(session)
        session.stop()

    await play(session.send("Begin."), (text_is("Half"), die))
    session = await place.revive(session)
    assert session.conversation.last_end.error.kind == "interrupted"
    assert session.history()[-1].text == "Half"
    assert [item.text for item in session.queue] == ["Look at red.", "Now."]
    assert session.state == "paused"
    server.clear()
    server.replies(says("Red."), says("Yes."))
    await collect(session.send(session.take_queued(session.queue[0].id).text))
    await drain(session)
    assert in_order(said(server.requests[-1]), "Begin.", "Half", "Look at red.", "<red>", "Now.")


async def test_03_compactions_wait_between_pictures_and_the_first_one_fails(
    place, server, monkeypatch
):
    for module in (asked_window, ollama):
        monkeypatch.setattr(module, "DEFAULT_WINDOW", 200_000)
    filler = "word " * 10_000
    gate = Gate()
    server.replies(
        says(filler), says("Long.", gate), says("Red."), fails(400), says("Blue."),
        says("## Goal\nLook on."), says("Green."),
    )  # fmt: skip
    session = place.start().open_session()
    for color in ("red", "blue", "green"):
        place.picture(color)
    await collect(session.send("Begin."))

    async def fill_the_queue() -> None:
        session.enqueue("Look at red.", [place.work / "red.png"])
        session.enqueue("/compact")
        session.enqueue("Look at blue. " + filler, [place.work / "blue.png"])
        session.enqueue("/compact pictures")
        session.enqueue("Look at green.", [place.work / "green.png"])
        await read(session)
        gate.open()

    await play(session.send("Go on. " + filler), (text_is("Long."), fill_the_queue))
    turns = await drain(session)
    assert [turn[-1].reason for turn in turns] == ["completed"] * 5
    reasons = [e.reason for turn in turns for e in turn if isinstance(e, ContextCompacted)]
    # The second one is the person's own word: it is tried although the first one failed.
    assert len(reasons) == 2
    assert reasons[0].startswith("summary failed")
    assert reasons[1] == "asked for by hand"
    last = said(server.requests[-1])
    assert "Look on." in last
    assert last.count("<green>") == 1
    assert session.queue == []


async def test_04_a_command_between_pictures_is_stopped_and_what_follows_waits_for_the_person(
    place, server
):
    gate = Gate()
    server.replies(says("Half", gate, "."), says("Red."), says("Blue."))
    session = place.start().open_session()
    red, blue = place.picture("red"), place.picture("blue")

    async def fill_the_queue() -> None:
        session.enqueue("Look at red.", [red])
        session.enqueue("!echo new > made.txt; echo begun; sleep 600", command=True)
        session.enqueue("Look at blue.", [blue])
        await read(session)
        gate.open()

    await play(session.send("Begin."), (text_is("Half"), fill_the_queue))
    item = session.take_next()
    await collect(session.send(item.text))
    item = session.take_next()
    assert item.command
    events = await play(
        session.run_command(typed_command(item.text)), (kind_is(ToolProgress), session.stop)
    )
    assert events[-1].reason == "stopped"
    events += await collect(session.afterwards())
    assert [e.paths for e in events if isinstance(e, FilesChanged)] == [("made.txt",)]
    assert session.state == "paused"
    session = await place.again(session)
    (item,) = session.queue
    await collect(session.send(session.take_queued(item.id).text))
    last = said(server.requests[-1])
    assert in_order(last, "Look at red.", "<red>", "Look at blue.", "<blue>")
    assert "begun" in last
    await session.changes.undo()
    assert not (place.work / "made.txt").exists()


async def test_05_the_program_dies_in_a_call_after_a_steered_picture_and_nothing_comes_twice(
    place, server
):
    gate = Gate()
    server.replies(
        says("I look.", gate).with_call("glob", pattern="*"),
        asks_for("shell", command="echo made > made.txt; echo begun; sleep 600"),
    )
    session = place.start().open_session()
    red, blue = place.picture("red"), place.picture("blue")

    async def while_it_runs() -> None:
        session.steer("Look at red.", [red])
        session.enqueue("Look at blue.", [blue])
        await read(session)
        gate.open()

    async def die() -> None:
        await place.freeze(session)
        session.stop()

    await play(
        session.send("Begin.", approver=allows_everything()),
        (text_is("I look."), while_it_runs),
        (kind_is(ToolProgress), die),
    )
    session = await place.revive(session)
    assert session.conversation.last_end.error.kind == "interrupted"
    assert [item.text for item in session.queue] == ["Look at blue."]
    server.clear()
    server.replies(says("I looked."), says("Blue."))
    await collect(session.send("Go on."))
    await drain(session)
    last = said(server.requests[-1])
    assert in_order(last, "Begin.", "Look at red.", "<red>", "Go on.", "Look at blue.", "<blue>")
    assert "outcome unknown" in last


async def test_06_what_a_stopped_call_changed_is_told_while_the_next_turn_changes_the_same_file(
    place, server, monkeypatch
):
    runtime = place.start()
    session = runtime.open_session()
    (place.work / "a.txt").write_text("old\n")
    server.replies(
        asks_for("shell", command="echo first > a.txt; echo begun; sleep 600"),
        asks_for("shell", command="echo second >> a.txt; echo done"),
        says("Done."),
    )
    journal, go, slow = session._state.parts.journal, asyncio.Event(), [True]
    look = journal.after

    async def slow_look(ticket: object) -> Any:
        if slow:
            slow.clear()
            found = await look(ticket)
            await go.wait()
            return found
        return await look(ticket)

    monkeypatch.setattr(journal, "after", slow_look)
    events = await play(
        session.send("Begin.", approver=allows_everything()), (kind_is(ToolProgress), session.stop)
    )
    assert [e for e in events if isinstance(e, FilesChanged)] == []
    afterwards = asyncio.create_task(collect(session.afterwards()))
    events = await play(
        session.send("Go on.", approver=allows_everything()), (kind_is(ToolFinished), go.set)
    )
    assert events[-1].reason == "completed"
    (late,) = await afterwards
    first, second = [m.id for m in session.history() if m.role == "user" and m.kind == ""]
    assert (late.paths, late.turn_id) == (("a.txt",), first)
    assert await session.changes.standing() == {first: False, second: False}
    await session.changes.undo(second)
    assert (place.work / "a.txt").read_text() == "first\n"
    await session.changes.undo(first)
    assert (place.work / "a.txt").read_text() == "old\n"
    session = await place.again(session)
    told = [e for e in session.events() if isinstance(e, FilesChanged)]
    assert [e.turn_id for e in told].count(first) == 1


async def test_07_many_pictures_steer_behind_an_empty_reply_and_the_server_finds_it_too_long(
    place, server
):
    session = place.start().open_session()
    pictures = [place.picture(color) for color in ("red", "blue", "green")]

    gate = Gate()

    async def steer() -> None:
        session.steer("Look at all.", pictures * 6)
        await read(session)
        gate.open()

    server.replies(
        asks_for("glob", pattern="*"), says(gate), fails(413), fails(413), says("I see none.")
    )
    events = await play(
        session.send("Begin.", approver=allows_everything()),
        (lambda e: isinstance(e, StepStarted) and e.step == 2, steer),
    )
    assert events[-1].reason == "completed"
    asked = [said(request) for request in server.requests]
    assert len(asked) == 5
    assert [text.count("<red>") for text in asked[1:]] == [0, 6, 6, 0]
    assert asked[2].count("<green>") == 6
    assert any("pictures are left out" in e.text for e in events if isinstance(e, Notice))
    # Only that request went without them: the conversation keeps them.
    (steered,) = [m for m in session.history() if m.kind == "steer"]
    assert len(steered.images) == 18
    if place.wire == "anthropic":
        marks = json.dumps(server.requests[2].body["messages"]).count("cache_control")
        assert marks == 2


async def test_08_a_message_steers_while_a_summary_is_written_in_the_middle_of_a_turn(
    place, server
):
    """The window is full after the first step: the turn compacts, and goes on by itself."""
    gate = Gate()
    session = place.start().open_session()
    red = place.picture("red")
    server.replies(says("word " * 3_000), says("word " * 3_000), says("word " * 3_000))
    for number in range(3):
        await collect(session.send(f"Fill {number}. " + "word " * 3_000))
    if not any(isinstance(e, ContextCompacted) for e in session.events()):
        server.replies(says("## Goal\n", gate, "Look on."))

        async def while_it_is_summed_up() -> None:
            session.steer("Look at red.", [red])
            await read(session)
            gate.open()

        turn = asyncio.create_task(collect(session.send("/compact")))
        await asyncio.to_thread(gate.reached.wait, 10)
        await while_it_is_summed_up()
        events = await turn
        assert any(isinstance(e, ContextCompacted) for e in events)
    else:
        session.enqueue("Look at red.", [red])
        await read(session)
    # A compaction has no step: what was to steer follows it, with its picture, once.
    assert [item.text for item in session.queue] == ["Look at red."]
    server.clear()
    server.replies(says("Red."))
    (turn_events,) = await drain(session)
    assert turn_events[-1].reason == "completed"
    assert in_order(said(server.requests[-1]), "Look at red.", "<red>")


async def test_09_the_conversation_goes_back_while_pictures_wait_and_they_follow_once(
    place, server
):
    gate = Gate()
    server.replies(says("One", gate), says("Instead."), says("Blue."), says("Done."))
    session = place.start().open_session()
    red, blue = place.picture("red"), place.picture("blue")

    async def stop() -> None:
        session.enqueue("Look at blue.", [blue])
        session.steer("Too late.")
        await read(session)
        session.stop()

    await play(session.send("Look at red.", attachments=[red]), (text_is("One"), stop))
    gate.open()
    first = session.history()[0]
    assert [item.text for item in session.queue] == ["Look at blue.", "Too late."]
    await session.go_back(first.id)
    assert session.state == "paused"
    await collect(session.send("Look again.", attachments=first.images))
    turns = await drain(session)
    assert [turn[-1].reason for turn in turns] == ["completed", "completed"]
    assert in_order(
        said(server.requests[-1]), "Look again.", "<red>", "Look at blue.", "<blue>", "Too late."
    )
    await session.switch_branch(session.history()[0].id, -1)
    assert asked_of(session) == ["Look at red."]
    assert session.queue == []
    session = await place.again(session)
    assert asked_of(session) == ["Look at red."]
    assert session.history()[0].images == first.images


async def test_10_the_wait_for_a_busy_server_is_stopped_and_steered_pictures_are_sent_later(
    place, server
):
    server.replies(*[fails(429, headers={"retry-after": "30"})] * 2, says("Both."))
    session = place.start().open_session()
    red, blue = place.picture("red"), place.picture("blue")

    async def stop() -> None:
        session.steer("Look at red.", [red])
        session.steer("Look at blue.", [blue])
        await read(session)
        session.stop()

    def waits(event: Event) -> bool:
        return type(event).__name__ == "RetryScheduled"

    events = await play(session.send("Begin."), (waits, stop))
    assert events[-1].reason == "stopped"
    (first, second) = session.queue
    assert session.edit_queued(second.id, "Look at this.")
    assert session.remove_queued(first.id)
    session = await place.again(session)
    server.clear()
    server.replies(says("Both."))
    (item,) = session.queue
    await collect(session.send(session.take_queued(item.id).text))
    last = said(server.requests[-1])
    assert in_order(last, "Begin.", "Look at this.", "<blue>")
    assert "<red>" not in last


async def test_11_everything_at_once_and_each_thing_is_sent_exactly_once(place, server):
    """Two steers, three that wait, a command, a change of mode, a stop, a crash, in one go."""
    gate = Gate()
    server.replies(
        says("I look.", gate).with_call("glob", pattern="*"),
        asks_for("glob", pattern="*.png"),
        hangs("Half"),
    )
    session = place.start().open_session()
    red, blue = place.picture("red"), place.picture("blue")

    async def steer() -> None:
        session.steer("Steer 1.", [red])
        session.enqueue("Wait 1.")
        session.enqueue("!echo out of it", command=True)
        session.set_effort("low")
        await read(session)
        gate.open()

    async def more() -> None:
        session.enqueue("Wait 2.", [blue])
        await read(session)
        await place.freeze(session)
        session.stop()

    await play(
        session.send("Begin.", approver=allows_everything()),
        (text_is("I look."), steer),
        (text_is("Half"), more),
    )
    session = await place.revive(session)
    assert [item.text for item in session.queue] == ["Wait 1.", "!echo out of it", "Wait 2."]
    server.clear()
    server.replies(says("A."), says("B."), says("C."))
    await collect(session.send("Again."))
    turns = await drain(session)
    assert [turn[-1].reason for turn in turns] == ["completed"] * 3
    last = said(server.requests[-1])
    assert in_order(last, "Begin.", "Steer 1.", "<red>", "Again.", "Wait 1.", "Wait 2.", "<blue>")
    assert "out of it" in last
    kept = [e.message.text for e in session.events() if isinstance(e, MessageCompleted)]
    session = await place.again(session)
    assert [e.message.text for e in session.events() if isinstance(e, MessageCompleted)] == kept
    assert session.queue == []
