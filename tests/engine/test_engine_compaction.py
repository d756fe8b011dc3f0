"""Compaction: when it happens, what it keeps, and what happens when no summary can be had."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinet.core.conversation import Conversation
from kinet.core.events import ContextCompacted, Event, Notice, StepFinished
from kinet.core.messages import Message, ToolCall
from kinet.core.own_command import OwnCommand
from kinet.core.pairing import repair
from kinet.engine.base import Limits, StopSignal
from kinet.engine.compacting.compaction import plan
from kinet.engine.compacting.file_lists import FileLists, files_of
from kinet.engine.context.cut_points import begins_turn
from tests.support.chat import Chat
from tests.support.replies import Gate, asks_for, fails, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Big, Look
from tests.support.turns import PROFILE, last, texts

pytestmark = pytest.mark.usefixtures("wire")

SMALL = replace(PROFILE, window=10_000)
SUMMARY = "## Goal\nTabs everywhere. path/to/file.py"


def _filled(turns: int = 8, words: int = 300, **fields: Any) -> Chat:
    """A chat with so many turns behind it, of about 5 × `words` characters each."""
    chat = Chat(profile=SMALL, **fields)
    for number in range(turns):
        chat.conversation.messages += [
            Message("user", f"Question {number}. " + "word " * words),
            Message("assistant", f"Answer {number}."),
        ]
    return chat


def _compactions(events: list[Event]) -> list[ContextCompacted]:
    return [event for event in events if isinstance(event, ContextCompacted)]


@pytest.mark.parametrize(("used", "wanted"), [(29_000, 0), (31_000, 1)])
async def test_k17_c06_at_a_fixed_limit_29k_compacts_nothing_and_31k_once(used, wanted):
    chat = Chat(limits=Limits(compact_at=30_000))
    for _ in range(10):
        await chat.send(ScriptedProvider(says("Yes.").counting(5_000)), "word " * 4_000)
    provider = ScriptedProvider(says("Final.").counting(used - 10, 10), says(SUMMARY))
    events = await chat.send(provider)
    assert len(_compactions(events)) == wanted
    assert len(provider.requests) == 1 + wanted
    assert texts(events) == ["Final."]
    if wanted:
        assert provider.requests[1].tools == ()
        assert events.index(_compactions(events)[0]) == len(events) - 2


@pytest.mark.parametrize(("used", "wanted"), [(69_000, 0), (70_000, 1)])
async def test_c04_ratio_069_compacts_nothing_and_070_once(used, wanted):
    chat = Chat(profile=replace(PROFILE, window=100_000))
    for _ in range(10):
        await chat.send(ScriptedProvider(says("Yes.").counting(5_000)), "word " * 4_000)
    provider = ScriptedProvider(says("Final.").counting(used - 10, 10), says(SUMMARY))
    assert len(_compactions(await chat.send(provider))) == wanted


async def test_c05_occupancy_is_the_last_request_not_the_sum():
    steps = [asks_for("look", word=str(n)).counting(n * 1000, 0) for n in (1, 2, 3)]
    chat = Chat(tools=(Look(),))
    await chat.send(ScriptedProvider(steps, says("Done.").counting(3000, 0)))
    assert chat.conversation.occupancy == 3000


async def test_k06_the_summary_request_holds_no_memory_and_the_next_turn_has_it_first():
    chat = _filled(memory_text="SECRET-FACT")
    provider = ScriptedProvider(says(SUMMARY), says("Fine."), says(SUMMARY))
    await chat.send(provider)
    summary_request = provider.requests[0]
    assert summary_request.tools == ()
    assert "SECRET-FACT" not in "".join(item.text for item in summary_request.messages)
    after = ScriptedProvider()
    await chat.send(after, "Next.")
    first, second = after.requests[0].messages[:2]
    assert first.memory
    assert second.kind == "summary"
    assert SUMMARY in second.text


async def test_p20_a_compaction_deletes_nothing():
    chat = _filled()
    before = [*chat.conversation.messages]
    await chat.send(ScriptedProvider(says(SUMMARY)))
    assert chat.conversation.compaction is not None
    assert chat.conversation.messages[: len(before)] == before
    assert len(chat.conversation.context()) < len(before)


async def test_k18_p18_an_earlier_summary_is_updated_not_summarised_again():
    chat = _filled()
    await chat.send(ScriptedProvider(says(SUMMARY)))
    assert chat.conversation.compaction.summary.startswith(SUMMARY)
    chat.conversation.messages += _filled(turns=10).conversation.messages
    provider = ScriptedProvider(says("## Goal\nNewer."))
    await chat.send(provider)
    asked = provider.requests[0].messages[0].text
    assert "<earlier_summary>" in asked
    assert asked.count("Tabs everywhere") == 1
    context = chat.conversation.context()
    assert context[0].text.count("Newer.") == 1
    assert sum(item.kind == "summary" for item in context) == 1


@pytest.mark.parametrize(
    "answer",
    [says(""), asks_for("look", word="x"), says("long " * 10_000), fails(500)],
    ids=["empty", "a call", "too long", "failed"],
)
async def test_k19_u04_without_a_summary_a_plain_trim_is_told_and_not_tried_for_three_turns(answer):
    chat = _filled()
    events = await chat.send(ScriptedProvider(answer, says("Fine.")))
    assert last(events).reason == "completed"
    assert any("without a summary" in e.text for e in events if isinstance(e, Notice))
    assert chat.conversation.compaction.reason.startswith("summary failed")
    for _ in range(3):
        chat.conversation.messages += _filled(turns=10).conversation.messages
        provider = ScriptedProvider()
        await chat.send(provider)
        assert len(provider.requests) == 1
    chat.conversation.messages += _filled(turns=10).conversation.messages
    provider = ScriptedProvider(says(SUMMARY))
    await chat.send(provider)
    assert len(provider.requests) == 2


async def test_p17_one_turn_larger_than_the_window_is_cut_inside_and_goes_on_by_itself():
    provider = ScriptedProvider(
        [asks_for("big", characters=6_000, letter=letter) for letter in "abcdef"],
    )

    def stream(request):
        if "memory of" in request.system:
            provider_requests.append(request)
            return ScriptedProvider(says("Did things.")).stream(request)
        return original(request)

    provider_requests: list[object] = []
    original = provider.stream
    provider.stream = stream  # type: ignore[method-assign]
    events = await Chat(profile=SMALL, tools=(Big(),)).send(provider, "The long task.")
    assert last(events).reason == "completed"
    assert provider_requests
    assert len(provider.requests) == 7
    summaries = [event.summary for event in _compactions(events)]
    assert "The turn being worked on" in summaries[0]
    assert all(text.count("> The long task.") == 1 for text in summaries)


async def test_every_summary_is_paid_for_in_the_total():
    chat = _filled(price=lambda model, usage: (1.0, False))
    events = await chat.send(ScriptedProvider(says(SUMMARY).counting(100)))
    assert [e.purpose for e in events if isinstance(e, StepFinished)] == ["summary", ""]
    assert chat.conversation.cost == 2.0


async def test_a_stop_during_a_compaction_ends_the_turn_as_stopped():
    gate, stop = Gate(), StopSignal()
    chat = _filled()
    task = asyncio.create_task(
        chat.send(ScriptedProvider(says("## Goal", gate, " more")), stop=stop)
    )
    await asyncio.to_thread(gate.reached.wait, 5)
    stop.set()
    events = await task
    gate.open()
    assert last(events).reason == "stopped"
    assert chat.conversation.compaction is None


async def test_200_messages_of_chinese_without_usage_compact_before_the_servers_limit():
    limit_characters = 60_000
    chat = Chat(profile=replace(PROFILE, window=0))
    largest = 0
    for _ in range(100):
        provider = ScriptedProvider(says("好的。").without_usage(), says(SUMMARY))
        await chat.send(provider, "请把这个文件里的所有缩进改成制表符，然后运行测试。" * 40)
        largest = max(largest, *(sum(len(m.text) for m in r.messages) for r in provider.requests))
    assert chat.conversation.compaction is not None
    assert largest < limit_characters


def test_p19_files_add_up_over_compactions_and_changed_wins():
    calls = (
        ToolCall("1", "read_file", '{"path": "a.py"}'),
        ToolCall("2", "read_file", '{"path": "b.py"}'),
        ToolCall("3", "edit_file", '{"path": "a.py"}'),
        ToolCall("4", "write_file", '{"path": "failed.py"}'),
    )
    messages = [Message("assistant", tool_calls=calls)]
    messages += [
        Message("tool", "x", tool_call_id=call.id, is_error=call.id == "4") for call in calls
    ]
    lists = files_of(messages)
    assert lists == FileLists(("b.py",), ("a.py",))
    again = FileLists.read("text\n\n" + lists.write()).joined_with(FileLists(("c.py",), ("b.py",)))
    assert again == FileLists(("c.py",), ("a.py", "b.py"))
    assert FileLists.strip("text\n\n" + lists.write()) == "text"


_texts = st.text(max_size=30)


@st.composite
def _histories(draw: st.DrawFn) -> list[Message]:
    messages: list[Message] = [Message("user", "begin")]
    number = 0
    kinds = st.sampled_from(["user", "note", "command", "text", "calls"])
    for kind in draw(st.lists(kinds, max_size=25)):
        if kind == "command":
            ran = OwnCommand("ls", "exit 0", private=draw(st.booleans()))
            messages.append(Message("user", draw(_texts), kind="command", command=ran))
        elif kind in ("user", "note"):
            words = draw(_texts) or "x"
            messages.append(Message("user", words, kind="note" if kind == "note" else ""))
        elif kind == "text":
            messages.append(Message("assistant", draw(_texts) or "x"))
        else:
            count = draw(st.integers(1, 3))
            calls = tuple(ToolCall(f"c{number + n}", "look") for n in range(count))
            number += count
            messages.append(Message("assistant", tool_calls=calls))
            messages += [Message("tool", draw(_texts), tool_call_id=call.id) for call in calls]
    return messages


@settings(max_examples=150, deadline=None)
@given(messages=_histories(), keep=st.integers(0, 400), whole=st.booleans())
def test_p14_a_cut_never_parts_a_call_from_its_result(messages, keep, whole):
    cut = plan(messages, keep, lambda message: len(message.text) + 1, whole_turns=whole)
    if cut is None:
        return
    kept = messages[cut.kept_from :]
    assert kept
    assert repair(kept) == tuple(kept)
    assert kept[0].role in ("user", "assistant")
    if whole:
        assert begins_turn(kept[0])
    if cut.turn_prefix:
        assert begins_turn(cut.turn_prefix[0])


def test_the_carry_counts_the_turns_since_a_failed_summary():
    conversation = Conversation()
    conversation.turns = 5
    conversation.apply(ContextCompacted(10, 5, 1, "", "summary failed: x"))
    assert conversation.carry().summary_rests
    conversation.turns = 7
    assert conversation.carry().summary_rests
    conversation.turns = 8
    assert not conversation.carry().summary_rests


async def test_the_sessions_view_is_what_the_model_got_after_several_compactions():
    """Numbers of messages count in the whole conversation, however often it was compacted."""
    chat = Chat(profile=SMALL, tools=(Big(),))
    checked = 0
    for number in range(6):
        rounds = [asks_for("big", characters=3_000, letter=letter) for letter in "abcd"]
        provider = ScriptedProvider(rounds)
        original = provider.stream

        def stream(request, original=original):
            if "memory of" in request.system:
                return ScriptedProvider(says("Did things.")).stream(request)
            return original(request)

        provider.stream = stream  # type: ignore[method-assign]
        events = await chat.send(provider, f"Task {number}.")
        assert last(events).reason == "completed"
        if isinstance(events[-2], ContextCompacted):
            continue
        sent = [(item.role, item.text) for item in provider.requests[-1].messages]
        kept = [(item.role, item.text) for item in chat.conversation.context()]
        assert kept == [*sent, ("assistant", "Done.")]
        checked += chat.conversation.compaction is not None
    assert checked


async def test_a_server_that_counts_only_its_answers_does_not_hide_how_full_the_window_is():
    chat = Chat()
    await chat.send(ScriptedProvider(says("Yes.").counting(0, 5)), "word " * 4_000)
    assert chat.conversation.occupancy > 4_000
