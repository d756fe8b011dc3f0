"""A session is one machine: each act in each of its states is accepted, queued or refused in words.

Never is a message lost or said twice, and each turn that began ends once.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any

import pytest

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import KinetError, SettingsError
from kinet.core.events import (
    ApprovalRequested,
    Event,
    MessageCompleted,
    Notice,
    StepStarted,
    TurnFinished,
    TurnStarted,
)
from kinet.core.messages import ImagePart, Message
from kinet.core.own_command import OwnCommand
from kinet.core.pairing import repair
from kinet.engine.base import TurnRequest
from kinet.session.session import Session
from kinet.session.watched import WatchedSession
from tests.session.conftest import World, collect, reply
from tests.support.turns import PROFILE

STATES = ("idle", "paused", "running", "waiting", "stopping", "going back", "closed")
# What `Session.state` says there: the five words of the one machine.
WORDS = {"going back": "idle", "closed": "idle"}
REFUSED, ACCEPTED, QUEUED, NOTHING = "refused", "accepted", "queued", "nothing"
BUSY = ("running", "waiting", "stopping")
PICTURE = ImagePart("data:image/png;base64,iVBORw0KGgo=")


class Held:
    """Answers at once until it is told to hold: then each act waits for `go`."""

    def __init__(self) -> None:
        self.go, self.begun = asyncio.Event(), asyncio.Event()
        self.holds = self.asks = self.lingers = False
        self.requests: list[TurnRequest] = []

    async def run(self, request: TurnRequest) -> AsyncIterator[Event]:
        """One answer; while it is held it may ask first, and may be slow to stop."""
        self.requests.append(request)
        yield StepStarted(1)
        if self.holds:
            if self.asks:
                question = ApprovalRequest("a1", "c1", "shell", "command", "Run?")
                yield ApprovalRequested(question)
            await self._held(request)
        if request.stop.is_set:
            yield TurnFinished("stopped")
            return
        for message in request.steering():
            yield MessageCompleted(message)
        yield reply(f"To {request.user.text}")
        yield TurnFinished("completed")

    async def compact(self, request: TurnRequest, topic: str) -> AsyncIterator[Event]:
        """The same without an answer."""
        self.requests.append(request)
        if self.holds:
            await self._held(request)
        yield TurnFinished("stopped" if request.stop.is_set else "completed")

    async def branch_summary(
        self, request: TurnRequest, left: Sequence[Message]
    ) -> Sequence[Event]:
        """What a branch was, when it may be told."""
        if self.holds:
            self.begun.set()
            await self.go.wait()
        return [MessageCompleted(Message("user", "A way was left.", kind="branch"))]

    async def settled(self, session_id: str) -> None:
        """Nothing cleans up."""

    async def _held(self, request: TurnRequest) -> None:
        self.begun.set()
        waits = [asyncio.ensure_future(self.go.wait())]
        if not self.lingers:
            waits.append(asyncio.ensure_future(request.stop.wait()))
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        for wait in waits:
            wait.cancel()


@dataclass
class Scene:
    """A session in one state, and what runs there."""

    session: Session
    engine: Held
    tasks: list[asyncio.Task[Any]] = field(default_factory=list)
    told: list[Event] = field(default_factory=list)

    def begin(self, work: Any) -> asyncio.Task[Any]:
        """Lets it run beside the rest."""
        self.tasks.append(asyncio.ensure_future(work))
        return self.tasks[-1]

    async def send(self, text: str, attachments: Sequence[Any] = ()) -> list[Event]:
        """The events of one sending."""
        events = []
        async for event in self.session.send(text, attachments=attachments):
            events.append(event)
            self.told.append(event)
        return events

    async def end(self) -> None:
        """Lets all that is held go on, and sends what waits, as a face does."""
        self.engine.go.set()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        while (item := self.session.take_next()) is not None:
            await self.send(item.text)


def asked(session: Session) -> list[str]:
    """What the person said, on the path."""
    return [item.text for item in session.history() if item.role == "user" and item.kind != "note"]


def place(session: Session, text: str) -> str:
    """The id of a message."""
    return next(item.id for item in session.conversation.messages if item.text == text)


async def scene_in(state: str, world: World) -> Scene:
    """A session of two turns and a branch, brought into the state."""
    engine = world.engine
    session = world.sessions.create()
    scene = Scene(session, engine)
    for text in ("One.", "Two."):
        await scene.send(text)
    await session.go_back(place(session, "Two."))
    for text in ("Second.", "Third."):
        await scene.send(text)
    engine.holds, engine.asks = True, state == "waiting"
    engine.lingers = state == "stopping"
    if state in (*BUSY, "paused"):
        scene.begin(scene.send("Long."))
        await engine.begun.wait()
        await asyncio.sleep(0)
    if state == "paused":
        session.enqueue("Waits.")
        session.stop()
        await scene.tasks[0]
    if state == "stopping":
        session.stop()
    if state == "going back":
        scene.begin(session.go_back(place(session, "Second."), summary=True))
        await engine.begun.wait()
    if state == "closed":
        await session.close()
    scene.told.clear()
    assert session.state == WORDS.get(state, state)
    return scene


async def outcome_of(scene: Scene, doing: Any) -> str:
    """What became of an act: it may have to wait for what is held."""
    work = scene.begin(doing)
    # It is under way before what is held goes on.
    for _ in range(5):
        await asyncio.sleep(0)
    scene.engine.go.set()
    (result,) = await asyncio.gather(work, return_exceptions=True)
    if isinstance(result, KinetError):
        assert result.sentence().strip()
        return REFUSED
    if isinstance(result, BaseException):
        raise result
    if isinstance(result, list):
        if any(isinstance(event, TurnStarted) for event in result):
            return ACCEPTED
        (notice,) = result
        assert isinstance(notice, Notice)
        return QUEUED
    return ACCEPTED


@pytest.fixture
async def world(start) -> World:
    world: World = await start(
        engine=Held(),
        branch_summary=lambda: True,
        profile=lambda name: replace(PROFILE, name=name or "usual"),
    )
    return world


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("text", ["New.", "/compact", "/compact the tests"])
async def test_what_is_sent_in_any_state_is_accepted_queued_or_refused(world, state, text):
    scene = await scene_in(state, world)
    session = scene.session
    outcome = await outcome_of(scene, scene.send(text))
    expected = {"closed": REFUSED}.get(state, QUEUED if state in BUSY else ACCEPTED)
    assert outcome == expected
    await scene.end()
    paused = session.state == "paused"
    # Stop pauses the queue: what waits there is listed, and sent after the next message.
    assert paused == (state == "stopping")
    said = [*asked(session), *(item.text for item in session.queue)]
    if text == "New.":
        assert said.count("New.") == (outcome != REFUSED)
    else:
        compactions = sum(e == TurnStarted(session.id, "", e.at) for e in _turns(scene))
        assert compactions + sum(item.text == text for item in session.queue) == (
            outcome != REFUSED
        )
    if state == "paused":
        assert said.count("Waits.") == 1


def _turns(scene: Scene) -> list[TurnStarted]:
    return [event for event in scene.told if isinstance(event, TurnStarted)]


@pytest.mark.parametrize("state", STATES)
async def test_what_is_attached_is_never_dropped_without_a_word(world, state):
    scene = await scene_in(state, world)
    outcome = await outcome_of(scene, scene.send("See.", [PICTURE]))
    assert outcome == {"closed": REFUSED}.get(state, QUEUED if state in BUSY else ACCEPTED)
    await scene.end()
    sent = [item for item in scene.session.history() if item.text == "See."]
    waiting = [item for item in scene.session.queue if item.text == "See."]
    pictures = [len(item.images) for item in sent] + [len(item.attachments) for item in waiting]
    assert pictures == ([] if outcome == REFUSED else [1])


@pytest.mark.parametrize("state", STATES)
async def test_a_command_of_the_persons_own_is_run_queued_or_refused(world, state, tmp_path):
    scene = await scene_in(state, world)
    session = scene.session
    session.set_folder(tmp_path)
    outcome = await outcome_of(scene, collect(session.run_command(OwnCommand("echo hi"))))
    expected = {"closed": REFUSED}.get(state, QUEUED if state in BUSY else ACCEPTED)
    assert outcome == expected
    waiting = [item for item in session.queue if item.command]
    assert len(waiting) == (outcome == QUEUED)
    if waiting:
        await asyncio.gather(*scene.tasks)
        # After a stop it waits for the person.
        assert (session.take_next() is None) == (state == "stopping")
        session._state.waiting.paused = False
        session.take_next()
        assert await outcome_of(scene, collect(session.run_command(OwnCommand("echo hi"))))
        assert session.queue == []


@pytest.mark.parametrize("state", STATES)
async def test_what_steers_in_any_state_reaches_the_turn_or_waits_in_the_list(world, state):
    scene = await scene_in(state, world)
    session = scene.session
    item = session.steer("Turn left.")
    assert item in (session.steering if state in BUSY else session.queue)
    await scene.end()
    waiting = [item.text for item in session.queue]
    assert [*asked(session), *waiting].count("Turn left.") == 1
    assert session.steering == []


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("times", [1, 2])
async def test_a_stop_ends_a_running_turn_once_and_changes_nothing_else(world, state, times):
    scene = await scene_in(state, world)
    before = asked(scene.session)
    for _ in range(times):
        scene.session.stop()
    if state in BUSY:
        assert scene.session.state == "stopping"
    await scene.end()
    ends = [event.reason for event in scene.told if isinstance(event, TurnFinished)]
    assert ends == (["stopped"] if state in BUSY else [])
    kept = ["One.", "A way was left."] if state == "going back" else before
    # A summary that is being asked for is left out by a stop; the going back goes on.
    assert asked(scene.session) == ([k for k in kept if k != "A way was left."])
    assert scene.session.state in ("idle", "paused")


@pytest.mark.parametrize("state", STATES)
async def test_closing_in_any_state_ends_what_runs_and_keeps_all(world, start, state):
    scene = await scene_in(state, world)
    session = scene.session
    if state in BUSY:
        session.enqueue("Later.")
    scene.engine.lingers = False
    closing = scene.begin(session.close())
    for _ in range(5):
        await asyncio.sleep(0)
    scene.engine.go.set()
    await closing
    await scene.end()
    assert session.state in ("idle", "paused")
    before, waiting = asked(session), [item.text for item in session.queue]
    again = (await start(engine=Held())).sessions.open(session.id)
    assert asked(again) == before
    assert [item.text for item in again.queue] == waiting
    assert ("Later." in waiting) == (state in BUSY)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("act", ["edit", "branch"])
async def test_going_back_is_done_or_refused_in_words(world, state, act):
    scene = await scene_in(state, world)
    session = scene.session
    before = asked(session)
    going = (
        session.go_back(place(session, "Third."))
        if act == "edit"
        else session.switch_branch(place(session, "Second."), -1)
    )
    outcome = await outcome_of(scene, going)
    assert outcome == (ACCEPTED if state in ("idle", "paused") else REFUSED)
    await scene.end()
    if outcome == ACCEPTED:
        assert asked(session)[:2] == ["One.", "Second." if act == "edit" else "Two."]
    elif state != "going back":
        assert asked(session) == before


@pytest.mark.parametrize("state", STATES)
async def test_a_model_chosen_in_any_state_holds_for_the_next_request(world, state):
    scene = await scene_in(state, world)
    session = scene.session
    session.use_profile("other")
    session.set_effort("high")
    await scene.end()
    assert (session.profile, session.effort) == ("other", "high")
    if state != "closed":
        await scene.send("Who?")
        assert scene.engine.requests[-1].profile.name == "other"
        assert scene.engine.requests[-1].effort == "high"


@pytest.mark.parametrize("state", STATES)
async def test_the_queue_is_edited_and_cut_in_any_state(world, state):
    scene = await scene_in(state, world)
    session = scene.session
    changed, gone = session.enqueue("First thoughts."), session.enqueue("Not this.")
    assert session.edit_queued(changed.id, "Second thoughts.")
    assert session.remove_queued(gone.id)
    if state in BUSY:
        assert session.take_next() is None
    if state == "closed":
        return
    await scene.end()
    said = [*asked(session), *(item.text for item in session.queue)]
    assert said.count("Second thoughts.") == 1
    assert "First thoughts." not in said
    assert "Not this." not in said


@pytest.mark.parametrize("state", STATES)
async def test_every_turn_that_began_ended_once_and_what_is_stored_is_what_was_seen(
    world, start, state
):
    scene = await scene_in(state, world)
    session = scene.session
    if state != "closed":
        await outcome_of(scene, scene.send("New."))
    await scene.end()
    history = session.history()
    assert repair(history) == history
    events = session.events()
    begun = [event.turn_id for event in events if isinstance(event, TurnStarted)]
    assert len(begun) == sum(isinstance(event, TurnFinished) for event in events)
    assert len(begun) == len(set(begun))
    again = (await start(engine=Held())).sessions.open(session.id)
    assert again.history() == history


async def test_a_queued_message_that_cannot_be_sent_is_the_next_one_again(start):
    models = [PROFILE]

    def profile(name: str) -> Any:
        if not models:
            raise SettingsError("No model is chosen.")
        return models[0]

    world = await start(engine=Held(), profile=profile)
    session = world.sessions.create()
    await collect(session.send("One."))
    for text in ("Two.", "Three."):
        session.enqueue(text)
    models.clear()
    taken = session.take_next()
    with pytest.raises(SettingsError):
        await collect(session.send(taken.text))
    assert [item.text for item in session.queue] == ["Two.", "Three."]
    models.append(PROFILE)
    while (item := session.take_next()) is not None:
        await collect(session.send(item.text))
    assert asked(session) == ["One.", "Two.", "Three."]
    world = await start(engine=Held())
    assert world.sessions.open(session.id).queue == []


async def test_a_taken_message_that_another_one_overtakes_is_sent_once(world, start):
    """A face may be slower than a person who types."""
    session = world.sessions.create()
    await collect(session.send("One."))
    session.enqueue("Two.")
    taken = session.take_next()
    world.engine.holds = True
    overtaking = asyncio.ensure_future(collect(session.send("Three.")))
    await world.engine.begun.wait()
    (notice,) = await collect(session.send(taken.text))
    assert isinstance(notice, Notice)
    assert [item.id for item in session.queue] == [taken.id]
    world.engine.go.set()
    await overtaking
    while (item := session.take_next()) is not None:
        await collect(session.send(item.text))
    assert asked(session) == ["One.", "Three.", "Two."]
    assert (await start(engine=Held())).sessions.open(session.id).queue == []


@pytest.mark.parametrize("reason", ["failed", "budget", "no_progress", "stopped"])
async def test_p04_after_an_error_or_a_stop_what_waits_stays_listed(start, reason):
    """Else a server that is down would get one message of the queue after the other."""
    session: Session

    def ends() -> list[Any]:
        return [lambda: session.steer("Steered."), TurnFinished(reason, detail="It ended.")]

    world = await start(ends())
    session = world.sessions.create()
    session.enqueue("Two.")
    await collect(session.send("One."))
    assert session.state == "paused"
    assert session.take_next() is None
    assert [item.text for item in session.queue] == ["Two.", "Steered."]
    await collect(session.send("Now."))
    assert session.take_next().text == "Two."


@pytest.mark.parametrize("reason", ["completed", "step_limit"])
async def test_after_a_turn_that_did_its_work_or_met_its_cap_the_queue_goes_on(start, reason):
    world = await start([TurnFinished(reason)])
    session = world.sessions.create()
    session.enqueue("Two.")
    await collect(session.send("One."))
    assert session.take_next().text == "Two."


async def test_a_taken_command_that_a_message_overtakes_is_the_next_one_again(world, tmp_path):
    session = world.sessions.create(folder=tmp_path)
    await collect(session.send("One."))
    session.enqueue("!echo hi", command=True)
    taken = session.take_next()
    world.engine.holds = True
    overtaking = asyncio.ensure_future(collect(session.send("Two.")))
    await world.engine.begun.wait()
    await collect(session.run_command(OwnCommand("echo hi")))
    assert [item.id for item in session.queue] == [taken.id]
    world.engine.go.set()
    await overtaking


def test_of_who_reads_a_session_beside_others_nothing_is_held_afterwards() -> None:
    session: Any = SimpleNamespace(watchers=[])
    watched = WatchedSession(session, [])

    class Panel:
        def came(self, event: Event) -> None:
            """Shows it."""

    panel = Panel()
    gone = weakref.ref(panel)
    watched.watch(panel.came)
    assert len(session.watchers) == 1
    watched.leave()
    watched.leave()
    del panel
    assert session.watchers == []
    assert gone() is None
