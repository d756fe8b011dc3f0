"""The hard situations of a session: kills, messages at the worst moments, two at once."""

from __future__ import annotations

import asyncio
import random
import re
import time
from dataclasses import replace

import pytest

from kinet.core.approval import Decision
from kinet.core.events import ApprovalRequested, ContextCompacted, MessageCompleted, TurnFinished
from kinet.core.pairing import repair, unanswered
from kinet.engine.base import Limits
from kinet.engine.direct import DirectEngine
from kinet.tools.toolbox import Toolbox
from tests.session.conftest import collect
from tests.session.test_session_recovery import Dying
from tests.support.approvers import ScriptedApprover, Undecided
from tests.support.replies import Gate, Reply, asks_for, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Change, Look, Talk
from tests.support.turns import PROFILE

_random = random.Random(4)


@pytest.mark.parametrize("what", ["stream", "tool", "approval", "turns"])
async def test_situation_01_killed_in_any_state_the_session_opens_legal_and_whole(
    start, tmp_path, what
):
    """A seeded slice; the bench of kills runs the whole hundred."""
    program = Dying(tmp_path / "home", what)
    said = [program.line()]
    await asyncio.to_thread(time.sleep, 1.0 + _random.random() / 2)
    said += program.kill()
    world = await start()
    session = world.sessions.open(program.session_id)
    history = session.history()
    assert unanswered(history) == ()
    assert repair(history) == history
    shown = [word for at, word in said if at < said[-1][0] - 1]
    whole = " ".join(message.text for message in history)
    for word in shown:
        if what == "stream":
            assert f"piece{word} " in whole
        if what == "turns":
            assert f"answer to question {word.split()[1]}" in whole
    await collect(session.send("Go on."))
    assert session.history()[-1].text == "Done."


def _real(provider: ScriptedProvider, *tools, **parts):
    return {
        "engine": DirectEngine(),
        "provider": lambda profile: provider,
        "toolbox": lambda: Toolbox(tools),
        **parts,
    }


async def _drain(session) -> None:
    """Sends what waits, as a face does."""
    while (item := session.take_next()) is not None:
        await collect(session.send(item.text))


async def test_situation_07_messages_with_the_last_step_and_twice_at_once_arrive_once_in_order(
    start,
):
    gate = Gate()
    provider = ScriptedProvider(Reply((gate, "Answer.")))
    world = await start(**_real(provider))
    session, other = world.sessions.create(), world.sessions.create()
    running = asyncio.create_task(collect(session.send("One.")))
    await asyncio.to_thread(gate.reached.wait, 10)
    # Within the same moment, while the last step's text is on its way.
    await asyncio.gather(
        collect(session.send("Two.")), collect(session.send("Three.")), collect(other.send("Not."))
    )
    session.steer("Steered.")
    gate.open()
    await running
    await _drain(session)
    said = [item.text for item in session.history() if item.role == "user"]
    assert said == ["One.", "Steered.", "Two.", "Three."]
    assert [item.text for item in other.history() if item.role == "user"] == ["Not."]


async def test_situation_07_a_message_during_an_approval_steers_and_never_answers(start):
    provider = ScriptedProvider(asks_for("change", word="a"), says("Done."))
    world = await start(**_real(provider, Change()))
    session = world.sessions.create()

    class Person(ScriptedApprover):
        async def ask(self, request) -> Decision:
            session.steer("yes")
            await asyncio.sleep(0)
            return Decision(False)

    await collect(session.send("Go.", approver=Person()))
    results = [item for item in session.history() if item.role == "tool"]
    assert "denied" in results[0].text
    assert [item.text for item in session.history() if item.role == "user"] == ["Go.", "yes"]


async def test_situation_07_a_message_during_a_compaction_waits_and_arrives(start):
    gate = Gate()
    provider = ScriptedProvider(
        says("A. " + "long " * 2_000), says("B."), Reply((gate, "## Goal\nAll.")), says("C.")
    )
    world = await start(**_real(provider, limits=lambda preset: Limits(compact_at=3_000)))
    session = world.sessions.create()
    await collect(session.send("First. " + "words " * 100))
    running = asyncio.create_task(collect(session.send("Second. " + "words " * 3_000)))
    await asyncio.to_thread(gate.reached.wait, 10)
    await collect(session.send("Third."))
    gate.open()
    events = await running
    assert any(isinstance(event, ContextCompacted) for event in events)
    await _drain(session)
    said = [item.text[:6].strip() for item in session.history() if item.role == "user"]
    assert said == ["First.", "Second", "Third."]


async def test_situation_11_an_answer_reaches_its_own_session_alone(start, tmp_path):
    provider = ScriptedProvider(
        *[asks_for("change", word="same")] * 2, says("Done."), says("Done.")
    )
    change = Change()
    world = await start(**_real(provider, change))
    sessions = [world.sessions.create(folder=tmp_path) for _ in range(2)]

    class Person:
        def __init__(self) -> None:
            self.asked: list[str] = []
            self.answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()

        async def ask(self, request) -> Decision:
            self.asked.append(request.call_id)
            return await self.answer

    people = [Person(), Person()]
    turns = [
        asyncio.create_task(collect(session.send("Go.", approver=person)))
        for session, person in zip(sessions, people, strict=True)
    ]
    async with asyncio.timeout(5):
        while [session.state for session in sessions] != ["waiting", "waiting"]:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    people[1].answer.set_result(Decision(True, scope="session"))
    events = await turns[1]
    assert events[-1].reason == "completed"
    assert change.watch.started == ["same"]
    # The very same question of the other is as open as before.
    assert sessions[0].state == "waiting"
    assert not turns[0].done()
    people[0].answer.set_result(Decision(False))
    await turns[0]
    assert change.watch.started == ["same"]
    assert [len(person.asked) for person in people] == [1, 1]


ODD = {
    "emoji": "👩‍👧‍👦 🇩🇪 ❤️",
    "half a character": "a\ud83d b\udc00",
    "NUL": "a\x00b",
    "right to left": "\u202eevil\u202c שלום",
    "one long line": "x" * 1_000_000,
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
async def test_situation_14_odd_text_is_kept_queued_named_and_found_after_a_restart(
    start, tmp_path, odd
):
    # No server can send half a character.
    sent = odd.encode("utf-16", "surrogatepass").decode("utf-16", "replace")[:5_000]
    gate = Gate()
    provider = ScriptedProvider(Reply((sent, gate)), says(sent))
    world = await start(**_real(provider))
    session = world.sessions.create(folder=tmp_path)
    running = asyncio.create_task(collect(session.send(odd)))
    await asyncio.to_thread(gate.reached.wait, 10)
    session.enqueue(f"next {odd}")
    session.steer(f"now {odd}")
    session.rename(f"title {odd[:500]}")
    gate.open()
    assert (await running)[-1].reason == "completed"
    said = [item.text for item in session.history() if item.role == "user"]
    assert [text.partition(" ")[0] for text in said[1:]] == ["now"]
    waiting = [item.text for item in session.queue]
    before = session.history()
    world = await start(**_real(ScriptedProvider(says("Fine."))))
    again = world.sessions.open(session.id)
    assert again.history() == before
    assert [item.text for item in again.queue] == waiting
    assert _plain(again.history()[0].text) == _plain(odd)
    assert again.title == session.title
    assert world.sessions.list()[0].id == session.id
    await collect(again.send("Go on."))
    assert again.take_next().text.startswith("next ")


def _plain(text: str) -> str:
    """Without what stands for a character that cannot be kept."""
    return re.sub("[\ufffd\0\ud800-\udfff]", "", text)


async def test_situation_11_of_two_sessions_on_one_folder_only_the_stopped_one_stops(
    start, tmp_path
):
    talk = Talk()
    quiet = ScriptedProvider(asks_for("talk"))
    busy = ScriptedProvider(asks_for("change", word="a"), says("Done."))
    providers = {"quiet": quiet, "busy": busy}
    parts = _real(quiet, talk, Change(), Look())
    parts["provider"] = lambda profile: providers[profile.name]
    world = await start(profile=lambda name: replace(PROFILE, name=name), **parts)
    first = world.sessions.create(folder=tmp_path, profile="quiet")
    second = world.sessions.create(folder=tmp_path, profile="busy")
    waiting = Undecided()
    asking = asyncio.create_task(collect(second.send("Go.", approver=waiting)))
    stopping = asyncio.create_task(collect(first.send("Go.")))
    await waiting.waiting.wait()
    await talk.running_now.wait()
    async with asyncio.timeout(5):
        # A state has no event to wait for.
        while second.state != "waiting":  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    assert (first.state, second.state) == ("running", "waiting")
    first.stop()
    ended = await stopping
    assert ended[-1].reason == "stopped"
    # The question of the other still waits; nothing of the first has answered it.
    assert second.state == "waiting"
    assert not any(isinstance(event, ApprovalRequested) for event in ended)
    second.stop()
    assert (await asking)[-1].reason == "stopped"
    assert not any(isinstance(event, MessageCompleted) and event.partial for event in ended)
    assert sum(isinstance(event, TurnFinished) for event in ended) == 1


@pytest.mark.parametrize("state", ["text", "an approval", "a call"])
async def test_situation_02_a_stop_costs_the_disk_one_write_however_much_it_ends(start, state):
    """A busy disk takes half a second for each; the person waits for the end."""
    gate, talk, asked = Gate(), Talk(), Undecided()
    script, reached = {
        "text": (Reply(("Half an ", gate)), lambda: asyncio.to_thread(gate.reached.wait, 10)),
        "an approval": (asks_for("change", word="a"), asked.waiting.wait),
        "a call": (asks_for("talk"), talk.running_now.wait),
    }[state]
    world = await start(**_real(ScriptedProvider(script), Change(), talk))
    session = world.sessions.create()
    running = asyncio.create_task(collect(session.send("Go.", approver=asked)))
    await reached()
    # What came before is taken and on the disk.
    for _ in range(20):
        await asyncio.sleep(0)
    await session._state.recorder.durable()
    writes = []
    put = world.store.put

    def counted(session_id, events, **fields):
        writes.append([type(event).__name__ for event in events])
        return put(session_id, events, **fields)

    world.store.put = counted
    session.stop()
    events = await running
    gate.open()
    assert events[-1].reason == "stopped"
    assert len(writes) == 1, writes
    assert writes[0][-1] == "TurnFinished"
    assert len(writes[0]) > 1
