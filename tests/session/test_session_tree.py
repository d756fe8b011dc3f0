"""A session as a tree: going back, branches, and the choices that belong to them."""

from __future__ import annotations

import asyncio
import dataclasses
import tempfile
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinet.core.approval import Decision
from kinet.core.conversation import replay
from kinet.core.errors import SettingsError, StoreError
from kinet.core.events import (
    ContextCompacted,
    MessageCompleted,
    ModelChosen,
    Notice,
    TurnFinished,
)
from kinet.core.messages import Message
from kinet.core.own_command import OwnCommand
from kinet.engine.direct import DirectEngine
from kinet.session.manager import SessionManager
from kinet.session.parts import SessionParts
from kinet.store.database import Database
from kinet.store.sessions import SessionStore
from kinet.tools.base import ToolContext, ToolOutput
from kinet.tools.toolbox import Toolbox
from tests.session.conftest import collect, reply
from tests.support.replies import asks_for, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Change, Look
from tests.support.turns import PROFILE


def _texts(session) -> list[str]:
    return [message.text for message in session.history()]


def _asked(session, text: str) -> str:
    return next(item.id for item in session.history() if item.text == text)


async def test_p22_an_edited_message_begins_a_branch_and_the_old_one_stays(start):
    world = await start([reply("One.")], [reply("Two.")], [reply("Other.")])
    session = world.sessions.create()
    await collect(session.send("First."))
    await collect(session.send("Second."))
    await session.go_back(_asked(session, "Second."))
    assert _texts(session) == ["First.", "One."]
    await collect(session.send("Second, better."))
    assert _texts(session) == ["First.", "One.", "Second, better.", "Other."]
    # The model got the path and nothing else.
    assert [item.text for item in world.engine.requests[-1].history] == ["First.", "One."]
    points = await session.branch_points()
    assert [(point.number, point.count) for point in points] == [(1, 1), (2, 2)]
    await session.switch_branch(points[1].message_id, -1)
    assert _texts(session) == ["First.", "One.", "Second.", "Two."]
    with pytest.raises(StoreError):
        await session.switch_branch(_asked(session, "Second."), -1)


async def test_p22_the_place_in_the_tree_survives_a_restart(start):
    world = await start()
    session = world.sessions.create()
    for text in ("First.", "Second."):
        await collect(session.send(text))
    await session.go_back(_asked(session, "Second."))
    world = await start()
    session = world.sessions.open(session.id)
    assert _texts(session) == ["First.", "Done."]
    assert replay(session.events()).messages == session.conversation.messages


async def test_p23_going_back_to_the_first_message_and_sending_it_again_is_a_new_branch(start):
    world = await start([reply("A.")], [reply("B.")], [reply("C.")])
    session = world.sessions.create()
    await collect(session.send("Ask."))
    for count in (2, 3):
        await session.go_back(_asked(session, "Ask."))
        assert _texts(session) == []
        await collect(session.send("Ask."))
        (point,) = await session.branch_points()
        assert (point.number, point.count) == (count, count)
    assert _texts(session) == ["Ask.", "C."]


async def test_p24_nothing_of_the_tree_is_ever_deleted(start):
    world = await start()
    session = world.sessions.create()
    await collect(session.send("Ask."))
    before = _rows(world, session.id)
    await session.go_back(_asked(session, "Ask."))
    await collect(session.send("Ask again."))
    assert _rows(world, session.id)[: len(before)] == before


def _rows(world, session_id: str) -> list[object]:
    query = "SELECT seq, parent, body FROM event WHERE session_id = ? ORDER BY seq"
    return world.database.read(lambda db: db.execute(query, (session_id,)).fetchall())


async def test_p25_a_changed_model_is_an_entry_and_going_back_undoes_it(start):
    world = await start(profile=lambda name: dataclasses.replace(PROFILE, name=name or "usual"))
    session = world.sessions.create(profile="small")
    await collect(session.send("First."))
    session.use_profile("large")
    session.set_effort("high")
    await collect(session.send("Second."))
    assert world.engine.requests[-1].profile.name == "large"
    assert world.engine.requests[-1].effort == "high"
    chosen = [item for item in session.events() if isinstance(item, ModelChosen)]
    assert [(item.profile, item.effort) for item in chosen] == [("large", ""), ("large", "high")]
    first = _asked(session, "First.")
    await session.go_back(first)
    assert (session.profile, session.effort) == ("small", "")
    await collect(session.send("First, again."))
    await session.switch_branch(_asked(session, "First, again."), -1)
    assert (session.profile, session.effort) == ("large", "high")


async def test_p25_the_chosen_effort_survives_a_restart(start):
    world = await start()
    session = world.sessions.create()
    await collect(session.send("First."))
    session.set_effort("low")
    world = await start()
    assert world.sessions.open(session.id).effort == "low"


async def test_a01_a_chosen_preset_is_an_entry_holds_the_turn_and_goes_back_with_the_path(start):
    world = await start()
    session = world.sessions.create()
    await collect(session.send("First."))
    session.set_preset("chat")
    await collect(session.send("Second."))
    assert world.engine.requests[-1].limits.max_steps == 8
    assert world.engine.requests[-1].limits.max_seconds == 120.0
    await session.go_back(_asked(session, "First."))
    assert session.preset == "default"
    await collect(session.send("First, again."))
    assert world.engine.requests[-1].limits.max_steps == 0


async def test_a01_what_is_chosen_before_the_first_message_survives_a_restart_and_a_retry(start):
    world = await start()
    session = world.sessions.create()
    session.set_preset("lark")
    session.set_effort("low")
    await collect(session.send("First."))
    world = await start()
    session = world.sessions.open(session.id)
    assert (session.preset, session.effort) == ("lark", "low")
    await session.go_back(_asked(session, "First."))
    assert (session.preset, session.effort) == ("lark", "low")


async def test_a_preset_that_does_not_exist_is_refused_and_changes_nothing(start):
    world = await start()
    session = world.sessions.create()
    with pytest.raises(SettingsError, match="no preset 'nope'"):
        session.set_preset("nope")
    assert session.preset == "default"


async def test_p25_a_model_changed_between_two_messages_belongs_to_the_later_one(start):
    world = await start()
    session = world.sessions.create()
    await collect(session.send("First."))
    session.set_effort("low")
    await collect(session.send("Second."))
    await session.go_back(_asked(session, "Second."))
    session.set_effort("high")
    await collect(session.send("Second."))
    points = await session.branch_points()
    assert [(point.number, point.count) for point in points] == [(1, 1), (2, 2)]


async def test_p20_branching_from_before_a_compaction_shows_everything(start):
    shrunk = ContextCompacted(1000, 10, 2, "Summary.", "by hand")
    world = await start([reply("One.")], [reply("Two."), shrunk], [reply("Three.")])
    session = world.sessions.create()
    await collect(session.send("First."))
    await collect(session.send("Second."))
    await session.go_back(_asked(session, "Second."))
    await collect(session.send("Second."))
    assert [item.text for item in world.engine.requests[-1].history] == ["First.", "One."]


async def test_a_running_session_does_not_go_back_and_says_why(start):
    started, go_on = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        started.set()
        await go_on.wait()

    world = await start([wait, reply("Done.")])
    session = world.sessions.create()
    running = asyncio.create_task(collect(session.send("Ask.")))
    await started.wait()
    with pytest.raises(StoreError, match="running"):
        await session.go_back(_asked(session, "Ask."))
    go_on.set()
    await running


async def test_an_unknown_message_is_said_in_words(start):
    world = await start()
    session = world.sessions.create()
    with pytest.raises(StoreError, match="not in the conversation"):
        await session.go_back("nothing")


async def test_compacting_by_hand_is_a_turn_without_a_message(start):
    provider = ScriptedProvider(
        says("A " + "long " * 3000), says("Another."), says("## Goal\nAll.")
    )
    world = await start(engine=DirectEngine(), provider=lambda profile: provider)
    session = world.sessions.create()
    await collect(session.send("First. " + "words " * 12_000))
    await collect(session.send("Second."))
    before = len(session.history())
    events = await collect(session.send("/compact the database"))
    assert isinstance(events[-1], TurnFinished)
    assert events[-1].reason == "completed"
    assert any(isinstance(event, ContextCompacted) for event in events)
    assert not any(isinstance(event, MessageCompleted) for event in events)
    assert "the database" in provider.requests[-1].messages[-1].text
    assert len(session.history()) == before
    await collect(session.send("Third."))
    assert provider.requests[-1].messages[0].kind == "summary"


async def test_compacting_an_empty_session_says_so_and_stores_no_message(start):
    world = await start()
    session = world.sessions.create()
    events = await collect(session.send("/compact"))
    assert any(isinstance(event, Notice) and "nothing" in event.text for event in events)
    assert session.history() == ()


async def test_a_compaction_asked_for_while_a_turn_runs_waits_for_its_end(start):
    started, go_on = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        started.set()
        await go_on.wait()

    world = await start([wait, reply("Done.")])
    session = world.sessions.create()
    running = asyncio.create_task(collect(session.send("Ask.")))
    await started.wait()
    await collect(session.send("/compact"))
    assert [item.text for item in session.queue] == ["/compact"]
    go_on.set()
    await running
    assert session.take_next().text == "/compact"


@pytest.mark.parametrize("wanted", [True, False])
async def test_p22_a_branch_that_is_left_is_summed_up_where_that_is_wished(start, wanted):
    provider = ScriptedProvider(
        asks_for("look", word="a"), says("One."), says("## Goal\nIt looked.").counting(50)
    )
    world = await start(
        engine=DirectEngine(),
        provider=lambda profile: provider,
        toolbox=lambda: Toolbox((Look(),)),
        branch_summary=lambda: wanted,
        price=lambda model, usage: (0.5, False),
    )
    session = world.sessions.create()
    await collect(session.send("Ask."))
    cost = session.conversation.cost
    await session.go_back(_asked(session, "Ask."), summary=True)
    kinds = [item.kind for item in session.history()]
    assert kinds == (["branch"] if wanted else [])
    await collect(session.send("Ask better."))
    (point,) = await session.branch_points()
    assert (point.number, point.count) == (2, 2)
    if wanted:
        assert provider.requests[2].max_tokens == 2_048
        assert "It looked." in provider.requests[3].messages[0].text
    assert cost == 1.0
    # What was spent on the branch that was left stays in the total.
    assert session.conversation.cost == (2.0 if wanted else 1.5)


async def test_the_state_is_one_word_from_idle_to_paused(start):
    started = asyncio.Event()

    async def wait() -> None:
        started.set()
        await asyncio.Event().wait()

    world = await start([wait])
    session = world.sessions.create()
    assert session.state == "idle"
    running = asyncio.create_task(collect(session.send("Ask.")))
    await started.wait()
    assert session.state == "running"
    session.enqueue("Next.")
    session.stop()
    assert session.state == "stopping"
    await running
    assert session.state == "paused"
    assert session.take_next() is None
    assert (await start()).sessions.open(session.id).state == "paused"


_acts = st.lists(
    st.one_of(
        st.tuples(st.just("send"), st.integers(0, 3)),
        st.tuples(st.just("back"), st.integers(0, 5)),
        st.tuples(st.just("switch"), st.integers(0, 5)),
        st.tuples(st.just("effort"), st.sampled_from(["low", "high"])),
        st.tuples(st.just("run"), st.booleans()),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=30, deadline=None)
@given(acts=_acts)
def test_random_branches_keep_every_path_whole(acts):
    """Whatever is sent, run, gone back to or switched: what is stored replays to what is shown."""
    ran = patch("kinet.engine.own_command.run_typed", _printed)
    with tempfile.TemporaryDirectory() as folder, ran:
        asyncio.run(_wander(acts, Path(folder)))


async def _printed(text: str, context: ToolContext) -> ToolOutput:
    """As quick as no process is."""
    context.progress("a line\n")
    return ToolOutput("a line", "exit 0", {"exit_code": 0})


async def _wander(acts, folder: Path) -> None:
    database = Database(None)
    provider = ScriptedProvider()
    parts = SessionParts(
        store=SessionStore(database),
        engine=lambda: engine,
        profile=lambda name: PROFILE,
        provider=lambda profile: provider,
        toolbox=lambda: Toolbox((Look(),)),
    )
    engine = DirectEngine()
    session = SessionManager(parts).create(folder)
    sent = 0
    for act, value in acts:
        begun = [item for item in session.history() if item.kind in ("", "command")]
        asked = [item.id for item in begun if item.role == "user"]
        if act == "send":
            sent += 1
            provider.replies(*[asks_for("look", word=str(sent))] * value)
            provider.replies(says(f"Answer {sent}."))
            await collect(session.send(f"Message {sent}."))
        elif act == "run":
            ran = OwnCommand("cd .", private=value)
            await collect(session.run_command(ran))
            assert session.history()[-1].command == dataclasses.replace(ran, status="exit 0")
        elif act == "effort":
            session.set_effort(value)
        elif asked and act == "back":
            await session.go_back(asked[value % len(asked)])
        elif asked:
            point = (await session.branch_points())[value % len(asked)]
            step = 1 if point.number < point.count else -1
            if point.count > 1:
                await session.switch_branch(point.message_id, step)
        stored = replay(session.events())
        assert stored.messages == session.conversation.messages
        assert session.history() == tuple(session.conversation.messages)
        answers = [m.text for m in session.history() if m.text.startswith("Answer")]
        questions = [m.text for m in session.history() if m.text.startswith("Message")]
        assert [a[7:] for a in answers] == [q[8:] for q in questions]
    bodies = database.read(lambda db: db.execute("SELECT body FROM event").fetchall())
    told = sum('"type":"message_completed"' in body and '"user"' in body for (body,) in bodies)
    assert told == sent
    await session.close()
    database.close()


async def test_c12_a_forked_conversation_goes_its_own_way():
    conversation = replay([MessageCompleted(Message("user", "One."))])
    other = conversation.fork()
    other.apply(MessageCompleted(Message("user", "Two.")))
    assert [item.text for item in conversation.messages] == ["One."]
    assert [item.text for item in other.messages] == ["One.", "Two."]


async def test_p10_a_model_chosen_in_mid_turn_answers_from_the_next_request_on(start):
    small, large = ScriptedProvider(asks_for("change", word="a")), ScriptedProvider(says("Large."))
    world = await start(
        engine=DirectEngine(),
        profile=lambda name: dataclasses.replace(PROFILE, name=name, model=name or "small"),
        provider=lambda profile: large if profile.name == "large" else small,
        toolbox=lambda: Toolbox((Change(),)),
    )
    session = world.sessions.create()

    class Switches:
        async def ask(self, request):
            session.use_profile("large")
            session.set_effort("high")
            return Decision(True)

    events = await collect(session.send("Ask.", approver=Switches()))
    assert _texts(session)[-1] == "Large."
    assert len(small.requests) == len(large.requests) == 1
    assert large.requests[0].effort == "high"
    assert any(isinstance(event, Notice) and "large answers" in event.text for event in events)
