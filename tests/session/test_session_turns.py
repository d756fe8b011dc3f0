"""A message is kept before it leaves, and every turn ends once, stored and legal."""

from __future__ import annotations

import asyncio
import base64
from datetime import datetime
from pathlib import Path

import pytest

from kinet.core.approval import ApprovalRequest
from kinet.core.conversation import replay
from kinet.core.errors import AuthenticationError, SettingsError, StoreError
from kinet.core.events import (
    ApprovalRequested,
    ContextCompacted,
    MessageCompleted,
    Notice,
    StepStarted,
    TextDelta,
    ToolFinished,
    ToolStarted,
    TurnFinished,
    TurnStarted,
)
from kinet.core.messages import ImagePart, Message, TextPart, ToolCall
from kinet.core.pairing import STOPPED, unanswered
from kinet.engine.base import Section
from kinet.engine.direct import DirectEngine
from kinet.session.parts import Rules
from kinet.tools.toolbox import Toolbox
from tests.session.conftest import collect, reply, streamed
from tests.support.approvers import allows_everything
from tests.support.replies import says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Big, Change


async def test_a_turn_begins_with_the_message_and_ends_once(start):
    world = await start([StepStarted(1), *streamed("Hel", "lo"), reply("Hello")])
    session = world.sessions.create(Path("/work"))
    events = await collect(session.send("Say hello"))
    assert [type(event) for event in events] == [
        TurnStarted, MessageCompleted, StepStarted, TextDelta, TextDelta, MessageCompleted,
        TurnFinished,
    ]  # fmt: skip
    assert events[0].session_id == session.id
    assert session.state == "idle"
    assert [message.text for message in session.history()] == ["Say hello", "Hello"]


async def test_the_message_is_stored_before_the_engine_runs(start):
    world = await start([lambda: found.extend(world.store.load(session.id)), reply("Hi")])
    found: list[object] = []
    session = world.sessions.create()
    await collect(session.send("first"))
    assert [type(event) for event in found] == [TurnStarted, MessageCompleted]


async def test_the_end_is_told_after_everything_is_stored(start):
    world = await start([reply("Hi")])
    session = world.sessions.create()
    async for event in session.send("go"):
        if isinstance(event, TurnFinished):
            assert world.store.load(session.id)[-1] == event
            assert session.state == "idle"


async def test_what_is_reopened_equals_what_was_seen(start):
    world = await start([
        StepStarted(1),
        MessageCompleted(Message("assistant", "", (ToolCall("c1", "look", "{}"),))),
        ToolStarted("c1", "look", {"word": "a"}),
        ToolFinished("c1", "look", content="w" * 70_000, model_content="w", preview="1 line"),
        reply("Seen"),
    ])  # fmt: skip
    session = world.sessions.create(Path("/work"))
    await collect(session.send("look"))
    saved, history = session.events(), session.history()
    world = await start()
    again = world.sessions.open(session.id)
    assert again.events() == saved
    assert again.history() == history
    assert (again.title, again.folder) == ("look", Path("/work"))
    assert again.output("c1") == "w" * 70_000
    assert replay(saved).messages == again.conversation.messages


async def test_a_second_turn_gets_the_history_of_the_first(start):
    world = await start([reply("one")], [reply("two")])
    session = world.sessions.create()
    await collect(session.send("1"))
    await collect(session.send("2"))
    request = world.engine.requests[1]
    assert [message.text for message in request.history] == ["1", "one"]
    assert request.user.text == "2"
    assert request.session_id == session.id


async def test_a_message_sent_during_a_turn_waits_in_the_queue(start):
    gate = asyncio.Event()
    world = await start([gate.wait, reply("one")], [reply("two")])
    session = world.sessions.create()
    first = asyncio.ensure_future(collect(session.send("1")))
    await asyncio.sleep(0.01)
    assert session.state == "running"
    assert session.take_next() is None
    (notice,) = await collect(session.send("2"))
    assert isinstance(notice, Notice)
    assert not notice.keep
    gate.set()
    await first
    following = session.take_next()
    assert following.text == "2"
    assert session.queue == []
    await collect(session.send(following.text))
    assert session.take_next() is None
    world = await start()
    assert world.sessions.open(session.id).queue == []


async def test_the_queue_is_edited_survives_a_stop_and_a_restart_and_stays_in_its_session(start):
    world = await start([asyncio.Event().wait])
    session, other = world.sessions.create(), world.sessions.create()
    turn = asyncio.ensure_future(collect(session.send("long")))
    await asyncio.sleep(0.01)
    a, b, c = (session.enqueue(text) for text in ("a", "b", "c"))
    assert session.edit_queued(a.id, "A")
    assert session.remove_queued(b.id)
    assert not session.remove_queued(b.id)
    session.stop()
    assert session.state == "stopping"
    events = await turn
    assert events[-1].reason == "stopped"
    assert session.take_next() is None
    assert [item.text for item in session.queue] == ["A", "c"]
    assert other.queue == []
    world = await start([reply("x")])
    session = world.sessions.open(session.id)
    assert [item.id for item in session.queue] == [a.id, c.id]
    assert session.take_next() is None
    await collect(session.send("go on"))
    assert session.take_next().text == "A"


async def test_a_taken_message_that_was_never_sent_is_back_after_a_restart(start):
    world = await start()
    session = world.sessions.create()
    await collect(session.send("1"))
    session.enqueue("2")
    assert session.take_next().text == "2"
    world = await start()
    assert [item.text for item in world.sessions.open(session.id).queue] == ["2"]


async def test_steering_reaches_the_running_turn_once_and_leaves_the_queue(start):
    taken: list[Message] = []

    def steer_now() -> None:
        session.steer("the other way")
        taken.extend(world.engine.requests[0].steering())
        # As an engine does, it tells what it took.
        script[2:] = [*map(MessageCompleted, taken), reply("ok")]

    script = [StepStarted(1), steer_now]
    world = await start(script)
    session = world.sessions.create()
    events = []
    async for event in session.send("go"):
        events.append(event)
    assert [message.text for message in taken] == ["the other way"]
    assert taken[0].kind == "steer"
    assert [message.text for message in session.history()] == ["go", "the other way", "ok"]
    assert session.steering == []
    assert session.queue == []


async def test_what_came_too_late_to_steer_waits_in_the_queue(start):
    world = await start([lambda: session.steer("too late"), reply("ok")])
    session = world.sessions.create()
    await collect(session.send("go"))
    assert [item.text for item in session.queue] == ["too late"]
    assert session.take_next().text == "too late"


async def test_a_question_shows_as_waiting(start):
    world = await start([
        ApprovalRequested(ApprovalRequest("a1", "c1", "shell", "command", "Run?")),
        lambda: states.append(session.state),
        reply("ok"),
    ])  # fmt: skip
    states: list[str] = []
    session = world.sessions.create()
    await collect(session.send("go"))
    assert states == ["waiting"]


async def test_leaving_in_the_middle_leaves_a_legal_and_stored_history(start):
    world = await start([
        MessageCompleted(Message("assistant", "", tuple(ToolCall(c, "look") for c in ("1", "2")))),
        ToolStarted("1", "look"),
        TextDelta("never"),
    ])  # fmt: skip
    session = world.sessions.create()
    stream = session.send("go")
    async for event in stream:
        if isinstance(event, TextDelta):
            break
    await stream.aclose()
    assert session.state == "idle"
    assert world.engine.closed == 1
    assert unanswered(session.history()) == ()
    assert session.history()[2].text == STOPPED
    await collect(session.send("again"))
    world = await start()
    ends = [event for event in world.sessions.open(session.id).events()
            if isinstance(event, TurnFinished)]  # fmt: skip
    assert [end.reason for end in ends] == ["stopped", "completed"]


async def test_stop_ends_the_wait_for_a_keychain_that_hangs(start):
    import threading

    gate = threading.Event()
    world = await start(provider=lambda profile: gate.wait(5))
    session = world.sessions.create()
    turn = asyncio.ensure_future(collect(session.send("go")))
    await asyncio.sleep(0.02)
    session.stop()
    events = await asyncio.wait_for(turn, 1)
    gate.set()
    assert events[-1].reason == "stopped"
    assert world.engine.requests == []


async def test_without_a_model_nothing_is_stored_and_the_reason_is_raised(start):
    def no_profile(name: str):
        raise SettingsError("No model is chosen.", hint="Choose one.")

    world = await start(profile=no_profile)
    session = world.sessions.create()
    with pytest.raises(SettingsError, match="No model"):
        await collect(session.send("go"))
    assert session.state == "idle"
    assert session.events() == []
    assert world.sessions.list() == []


async def test_a_provider_that_cannot_be_made_fails_the_turn_in_words(start):
    def refused(profile):
        raise AuthenticationError("No key for scripted.", hint="Paste it in the settings.")

    world = await start(provider=refused)
    session = world.sessions.create()
    events = await collect(session.send("go"))
    assert events[-1].reason == "failed"
    assert events[-1].error.kind == "auth"
    assert [message.text for message in session.history()] == ["go"]


class OneSkill:
    """A source of skills that notes when its list is read."""

    def __init__(self, seen: list[str]) -> None:
        self.seen = seen

    def sections(self, folder):
        self.seen.append("read")
        return (Section("s", "text"),)

    def called(self, folder, text, session_id=""):
        return None

    def readable(self, folder):
        return ()

    async def load(self, name, arguments, folder, session_id=""):
        raise AssertionError("nobody loads it")


async def test_memory_and_skills_stay_the_same_until_a_compaction_or_an_edit(start):
    facts = ["likes tea"]
    seen: list[str] = []
    world = await start(
        [reply("1")], [ContextCompacted(9, 1, 2, "s"), reply("2")], [reply("3")], [reply("4")],
        memory_text=lambda folder: " ".join(facts),
        skills=OneSkill(seen),
    )  # fmt: skip
    session = world.sessions.create()
    await collect(session.send("1"))
    facts.append("likes cake")
    await collect(session.send("2"))
    await collect(session.send("3"))
    world.sessions.refresh_memory()
    facts.append("likes rain")
    await collect(session.send("4"))
    texts = [request.memory_text for request in world.engine.requests]
    assert texts == ["likes tea", "likes tea", "likes tea likes cake",
                     "likes tea likes cake likes rain"]  # fmt: skip
    assert len(seen) == 2
    assert all("likes" not in message.text for message in session.history())


async def test_memory_stays_the_same_over_a_restart(start):
    world = await start(memory_text=lambda folder: "old")
    session = world.sessions.create()
    await collect(session.send("1"))
    world = await start(memory_text=lambda folder: "new")
    await collect(world.sessions.open(session.id).send("2"))
    assert world.engine.requests[0].memory_text == "old"
    world.sessions.refresh_memory()
    world = await start(memory_text=lambda folder: "new")
    await collect(world.sessions.open(session.id).send("3"))
    assert world.engine.requests[0].memory_text == "new"


async def test_changed_rules_are_told_and_hold_from_the_next_turn(start):
    text = ["be brief"]

    def rules(folder):
        return Rules((Section("AGENTS.md", text[0], "/w/AGENTS.md"),), ("hidden characters",))

    world = await start(rules=rules)
    session = world.sessions.create()
    first = await collect(session.send("1"))
    second = await collect(session.send("2"))
    text[0] = "be long"
    third = await collect(session.send("3"))
    notices = [
        [e.text for e in events if isinstance(e, Notice)] for events in (first, second, third)
    ]
    assert notices[0] == ["hidden characters"]
    assert notices[1] == []
    assert notices[2][0] == "The rules changed (AGENTS.md); they apply from this turn on."
    assert world.engine.requests[2].rules[0].text == "be long"


async def test_date_and_folder_are_told_when_they_changed(start):
    day = [datetime(2024, 5, 1, 12)]
    world = await start(now=lambda: day[0])
    session = world.sessions.create(Path("/work"))
    for text in ("1", "2"):
        await collect(session.send(text))
    day[0] = datetime(2024, 5, 2, 12)
    await collect(session.send("3"))
    notes = [message.environment for message in session.history() if message.role == "user"]
    assert "2024-05-01" in notes[0]
    assert "/work" in notes[0]
    assert notes[1] == ""
    assert "2024-05-02" in notes[2]
    assert session.title == "1"


async def test_the_first_message_that_says_something_names_the_session(start):
    world = await start()
    session = world.sessions.create()
    await collect(session.send("hello"))
    assert session.title == ""
    await collect(session.send("## Sort **my** photos\nplease"))
    assert session.title == "Sort my photos"
    world.sessions.rename(session.id, "Mine")
    await collect(session.send("something else"))
    assert [row.title for row in world.sessions.list()] == ["Mine"]


async def test_another_model_can_be_chosen_between_turns(start):
    from dataclasses import replace

    from tests.support.turns import PROFILE

    world = await start(profile=lambda name: replace(PROFILE, name=name or "usual", model=name))
    session = world.sessions.create()
    await collect(session.send("1"))
    session.use_profile("other")
    session.set_mode("plan")
    await collect(session.send("2"))
    assert [request.profile.name for request in world.engine.requests] == ["usual", "other"]
    assert [request.mode for request in world.engine.requests] == ["ask", "plan"]
    world = await start()
    assert world.sessions.open(session.id).profile == "other"


# One point of red.
PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


async def test_files_are_attached_as_pictures_or_fenced_text(start, tmp_path):
    picture, note, other = tmp_path / "p.png", tmp_path / "n.md", tmp_path / "x.bin"
    picture.write_bytes(base64.b64decode(PNG))
    note.write_text("a ``` fence")
    other.write_bytes(b"\0\1\2")
    world = await start()
    session = world.sessions.create()
    await collect(session.send("look", attachments=[picture, note, TextPart("more")]))
    content = session.history()[0].content
    assert content[0] == TextPart("look")
    assert content[1] == ImagePart(f"data:image/png;base64,{PNG}")
    assert content[2].text == "n.md:\n````\na ``` fence\n````"
    for missing in (tmp_path / "none", other):
        with pytest.raises(SettingsError):
            await collect(session.send("look", attachments=[missing]))
    assert len(session.history()) == 2


async def test_a_full_disk_fails_the_turn_in_words_and_nothing_is_lost_when_it_heals(start):
    world = await start([reply("one")])
    session = world.sessions.create()
    await collect(session.send("1"))

    def limit(pages: str) -> None:
        world.database.submit(
            lambda db: db.execute(f"PRAGMA max_page_count = {pages}").fetchone()[0]
        ).result()

    limit("1")
    large = "x" * 60_000
    events = await collect(session.send(large))
    assert events[-1].error.kind == "store"
    assert "disk is full" in events[-1].error.message
    assert len(world.engine.requests) == 1
    limit("1000000")
    await collect(session.send("3"))
    world = await start()
    texts = [message.text for message in world.sessions.open(session.id).history()]
    assert texts == ["1", "one", large, "3", "Done."]


async def test_a_disk_that_fills_in_mid_turn_is_told_once_and_the_turn_goes_on(start):
    def limit(pages: int) -> None:
        world.database.submit(
            lambda db: db.execute(f"PRAGMA max_page_count = {pages}").fetchone()[0]
        ).result()

    world = await start([
        lambda: limit(1), reply("y" * 60_000), reply("z" * 60_000), lambda: limit(10**6),
    ])  # fmt: skip
    session = world.sessions.create()
    events = await collect(session.send("go"))
    said = [event for event in events if isinstance(event, Notice)]
    assert len(said) == 1
    assert said[0].level == "error"
    assert events[-1].reason == "completed"
    assert len(world.store.load(session.id)) == 5


async def test_the_real_engine_asks_acts_and_is_kept(start):
    provider = ScriptedProvider(
        says("").with_call("change", word="a").with_call("big", characters=50_000), says("Done.")
    )
    world = await start(
        engine=DirectEngine(),
        provider=lambda profile: provider,
        toolbox=lambda: Toolbox([Change(), Big()]),
        price=lambda model, usage: (0.25, False),
    )
    session = world.sessions.create()
    approver = allows_everything()
    events = await collect(session.send("change a", approver))
    assert events[-1].reason == "completed"
    assert len(approver.asked) == 1
    big = next(e for e in events if isinstance(e, ToolFinished) and e.name == "big")
    assert len(session.output(big.call_id)) == 50_000
    history = session.history()
    assert [message.role for message in history] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    from kinet.store.usage import UsageLog

    assert UsageLog(world.database).month().cost == 0.5
    world = await start()
    assert world.sessions.open(session.id).history() == history


async def test_an_unknown_session_is_said_in_words(start):
    world = await start()
    with pytest.raises(StoreError, match="no session 'nope'"):
        world.sessions.open("nope")


async def test_sessions_are_deleted_restored_and_found(start):
    world = await start([reply("about zebras")])
    session = world.sessions.create(Path("/a"))
    await collect(session.send("tell me"))
    world.database.flush()
    assert [hit.session_id for hit in world.sessions.search("zebra")] == [session.id]
    assert world.sessions.newest() == world.sessions.newest(Path("/a")) == session.id
    assert world.sessions.newest(Path("/b")) == ""
    world.sessions.delete(session.id)
    assert list(world.sessions.list()) == []
    assert [row.id for row in world.sessions.trash()] == [session.id]
    world.sessions.restore(session.id)
    assert len(world.sessions.open(session.id).history()) == 2
    assert world.sessions.open(session.id) is world.sessions.open(session.id)


async def test_when_the_day_is_spent_it_is_asked_once_and_no_ends_the_turn(start):
    from kinet.core.completion import Usage
    from tests.support.approvers import ScriptedApprover, denies_everything

    dear = MessageCompleted(Message("assistant", "a"), usage=Usage(1, 1), cost=6.0)
    world = await start([dear], [reply("b")], [dear], day_limit=lambda: 5.0)
    session = world.sessions.create()
    yes, no = ScriptedApprover(), denies_everything()
    await collect(session.send("1", yes))
    assert yes.asked == []
    refused = await collect(session.send("2", no))
    assert refused[-1].reason == "budget"
    assert "6.00 USD were spent today" in no.asked[0].reason
    assert len(world.engine.requests) == 1
    await collect(session.send("3", yes))
    await collect(session.send("4", no))
    assert (len(yes.asked), len(no.asked)) == (1, 1)
    assert len(world.engine.requests) == 3
    unasked = await collect(session.send("5"))
    assert unasked[-1].reason == "budget"


async def test_stop_closes_the_question_about_money(start):
    from kinet.core.completion import Usage
    from tests.support.approvers import Undecided

    dear = MessageCompleted(Message("assistant", "a"), usage=Usage(1, 1), cost=6.0)
    world = await start([dear], day_limit=lambda: 5.0)
    session = world.sessions.create()
    await collect(session.send("1"))
    nobody = Undecided()
    turn = asyncio.ensure_future(collect(session.send("2", nobody)))
    await nobody.waiting.wait()
    assert session.state == "waiting"
    session.stop()
    events = await turn
    assert events[-1].reason == "stopped"
    assert session.state == "idle"


async def test_tidying_removes_old_trash_and_makes_the_copy_of_the_day(start):
    world = await start(trash_days=lambda: -1)
    old, kept = world.sessions.create(), world.sessions.create()
    for session in (old, kept):
        await collect(session.send("hi"))
    world.sessions.delete(old.id)
    world.sessions.tidy()
    world.database.flush()
    assert world.sessions.trash() == []
    assert [row.id for row in world.sessions.list()] == [kept.id]
