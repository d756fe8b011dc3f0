"""Random interleavings of all that can be said and done to a session, against a strict server."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from kinet.core.events import Event, TextDelta, ToolProgress, ToolStarted, TurnFinished, TurnStarted
from kinet.core.own_command import typed_command
from kinet.session.session import Session
from tests.session.test_hostile_scenarios import WIRES, Place, read
from tests.support.approvers import allows_everything
from tests.support.replies import Reply, asks_for, breaks, fails, says, says_and_asks
from tests.support.scripted_server import ScriptedServer

_MOMENTS = (TurnStarted, TextDelta, ToolStarted, ToolProgress)
_COLORS = ("red", "blue", "green")


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as server:
        yield server


class Person:
    """Says and does things by chance, and remembers what was said."""

    def __init__(self, chance: random.Random, place: Place) -> None:
        self.chance, self.place = chance, place
        self.said: dict[str, str] = {}
        self.removed: set[str] = set()
        self.commands: list[str] = []
        self._numbers = iter(range(1_000))

    def text(self) -> tuple[str, list[Path]]:
        """A text of its own, perhaps with a picture."""
        text = f"Text {next(self._numbers)}."
        color = self.chance.choice((*_COLORS, ""))
        self.said[text] = color
        return text, [self.place.picture(color)] if color else []

    async def act(self, session: Session) -> None:
        """One thing, while a turn runs."""
        match self.chance.choice(
            (
                "steer",
                "steer",
                "wait",
                "wait",
                "command",
                "compact",
                "stop",
                "edit",
                "remove",
                "look",
            )
        ):
            case "steer":
                session.steer(*self.text())
            case "wait":
                session.enqueue(*self.text())
            case "command":
                self.commands.append(f"echo out {next(self._numbers)}.")
                session.enqueue("!" + self.commands[-1], command=True)
            case "compact":
                session.enqueue("/compact")
            case "stop":
                session.stop()
            case "edit" if session.queue:
                item = self.chance.choice(session.queue)
                if item.text in self.said:
                    text, pictures = self.text()
                    if session.edit_queued(item.id, text, pictures):
                        self.removed.add(item.text)
            case "remove" if session.queue:
                item = self.chance.choice(session.queue)
                if session.remove_queued(item.id):
                    self.removed.add(item.text)
            case "look":
                await read(session)

    async def go_back(self, session: Session) -> None:
        """To before some message: what came after it is left behind with it."""
        before = session.history()
        turns = [m for m in before if m.role == "user" and m.kind == "" and m.id]
        if turns:
            await session.go_back(self.chance.choice(turns).id)
            left = {m.text for m in before} - {m.text for m in session.history()}
            self.removed |= left & self.said.keys()

    def answers(self) -> Iterator[Reply]:
        """What the server says, without end."""
        while True:
            yield self.chance.choice((
                says("One ", "two."),
                says_and_asks("I look.", "glob", pattern="*"),
                asks_for("shell", command="echo a; sleep 0.05; echo b"),
                says(""),
                breaks("Half"),
                fails(400),
                says("Done."),
            ))  # fmt: skip


async def turn(person: Person, session: Session, text: str, command: bool, **more: object) -> None:
    """One turn, in which things are done by chance."""
    approver = allows_everything()
    own = typed_command(text) if command else None
    running = (
        session.run_command(own, approver) if own else session.send(text, approver, **more)  # type: ignore[arg-type]
    )
    told: list[Event] = []
    leaves = person.chance.random() < 0.2
    async with aclosing(running) as stream:  # type: ignore[type-var]
        async for event in stream:
            told.append(event)
            if isinstance(event, _MOMENTS) and person.chance.random() < 0.35:
                await person.act(session)
                if leaves and person.chance.random() < 0.3:
                    break
    ends = [event for event in told if isinstance(event, TurnFinished)]
    assert ends == told[-1:] or (leaves and not ends)
    assert not session.is_running


@pytest.mark.parametrize("seed", range(12))
async def test_all_that_was_said_is_sent_once_or_waits(
    seed: int, tmp_path: Path, server: ScriptedServer
) -> None:
    chance = random.Random(seed)
    place = Place(WIRES[seed % len(WIRES)], tmp_path, server)
    person = Person(chance, place)
    server.replies(person.answers())
    session = place.start().open_session()
    try:
        for _ in range(10):
            waiting = session.queue
            if waiting and chance.random() < 0.6:
                item = session.take_next() or session.take_queued(waiting[0].id)
                assert item is not None
                await turn(person, session, item.text, item.command)
            else:
                text, pictures = person.text()
                await turn(person, session, text, False, attachments=pictures)
            if chance.random() < 0.2:
                await person.go_back(session)
            if chance.random() < 0.3:
                await read(session)
                session = await place.again(session)
            check(person, session)
        await read(session)
        before = session.history()
        session = await place.again(session)
        check(person, session)
        # Pictures and texts lie in the store as they were told.
        assert session.history() == before
        assert server.problems == []
    finally:
        await place.end()


def check(person: Person, session: Session) -> None:
    """Each text is in the conversation or waits, once, with its picture."""
    asked = {m.text: len(m.images) for m in session.history() if m.role == "user"}
    told = [m.text for m in session.history() if m.text in person.said]
    waiting = [item.text for item in session.queue if item.text in person.said]
    assert session.steering == []
    assert sorted(told + waiting) == sorted(set(person.said) - person.removed)
    for text in told:
        assert asked[text] == bool(person.said[text]), text
    for item in session.queue:
        if item.text in person.said:
            assert len(item.attachments) == bool(person.said[item.text])
