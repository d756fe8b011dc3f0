"""The reducer: the same events make the same conversation, live and replayed."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.completion import Usage
from kinet.core.conversation import Conversation, replay
from kinet.core.events import (
    ApprovalRequested,
    ApprovalResolved,
    ContextCompacted,
    Event,
    MessageCompleted,
    SegmentReset,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolFinished,
    TurnFinished,
    TurnStarted,
    from_json,
    to_json,
)
from kinet.core.messages import Message, ToolCall
from kinet.core.own_command import NAME, OwnCommand, fenced, told
from kinet.core.pairing import INTERRUPTED, repair, unanswered

CALLS = (ToolCall("a", "look"), ToolCall("b", "look"), ToolCall("c", "look"))


def _finished(call_id: str, text: str = "ok") -> ToolFinished:
    return ToolFinished(call_id, "look", content=text, model_content=text)


def test_results_stand_in_call_order_whatever_finished_first():
    conversation = Conversation()
    conversation.apply(MessageCompleted(Message("assistant", tool_calls=CALLS)))
    for call_id in ("c", "a", "b"):
        conversation.apply(_finished(call_id))
    assert [item.tool_call_id for item in conversation.messages[1:]] == ["a", "b", "c"]


def test_results_of_a_sub_agent_do_not_join_the_history():
    conversation = Conversation()
    conversation.apply(MessageCompleted(Message("assistant", tool_calls=CALLS[:1])))
    conversation.apply(ToolFinished("a.1", "look", content="x", parent="a"))
    assert len(conversation.messages) == 1


def test_a_reset_segment_leaves_only_the_last_attempts_text():
    conversation = Conversation()
    for event in (StepStarted(1), TextDelta("Hel"), SegmentReset(1), TextDelta("Hi")):
        conversation.apply(event)
    assert conversation.draft == "Hi"


def test_a_question_makes_it_wait_until_it_is_answered():
    conversation = replay([TurnStarted("s")])
    request = ApprovalRequest("q", "a", "shell", "command", "Run?")
    conversation.apply(ApprovalRequested(request))
    assert conversation.state == "waiting"
    conversation.apply(ApprovalResolved("q", "a", Decision(True)))
    assert conversation.state == "running"


def test_money_is_counted_with_the_message_and_not_again_with_its_step():
    usage = Usage(10, 5)
    conversation = Conversation()
    conversation.apply(MessageCompleted(Message("assistant", "x"), usage=usage, cost=1.0))
    conversation.apply(StepFinished(usage, 1.0))
    conversation.apply(StepFinished(usage, 0.5, purpose="summary"))
    assert conversation.cost == 1.5
    assert conversation.usage.tokens_in == 20


def test_an_unknown_price_makes_the_total_a_lower_bound():
    conversation = Conversation()
    conversation.apply(MessageCompleted(Message("assistant", "x"), usage=Usage(1), cost=None))
    assert not conversation.cost_known


def test_a_turn_without_an_end_is_an_interrupted_one():
    assert replay([TurnStarted("s")]).interrupted
    assert not replay([TurnStarted("s"), TurnFinished("completed")]).interrupted


def test_a_compaction_is_a_view():
    conversation = Conversation(messages=[Message("user", str(n)) for n in range(4)])
    conversation.apply(ContextCompacted(100, 10, 3, "Before."))
    assert [item.text for item in conversation.context()][1:] == ["3"]
    assert conversation.context()[0].kind == "summary"
    assert len(conversation.messages) == 4
    assert conversation.carry().first_message == 3


def test_repair_leaves_a_legal_history_as_it_is():
    messages = (
        Message("user", "x"),
        Message("assistant", tool_calls=CALLS[:1]),
        Message("tool", "ok", tool_call_id="a"),
    )
    assert repair(messages) == messages


def test_repair_answers_what_is_open_and_drops_what_nobody_asked_for():
    messages = (
        Message("tool", "orphan", tool_call_id="z"),
        Message("assistant", tool_calls=CALLS[:2]),
        Message("tool", "late", tool_call_id="b"),
        Message("tool", "again", tool_call_id="b"),
        Message("user", "next"),
    )
    repaired = repair(messages)
    assert [item.text for item in repaired] == ["", INTERRUPTED, "late", "next"]


_ids = st.sampled_from(["a", "b", "c", ""])
_calls = st.lists(_ids, max_size=3).map(lambda ids: tuple(ToolCall(i, "look") for i in ids))
_messages = st.lists(
    st.one_of(
        st.text(max_size=5).map(lambda text: Message("user", text)),
        st.text(max_size=5).map(
            lambda text: Message(
                "user", text, kind="command", command=OwnCommand("ls", text, private=bool(text))
            )
        ),
        _calls.map(lambda calls: Message("assistant", "x", tool_calls=calls)),
        _ids.map(lambda call_id: Message("tool", "r", tool_call_id=call_id)),
    ),
    max_size=12,
)


@settings(max_examples=300, deadline=None)
@given(messages=_messages)
def test_r08_repair_makes_any_history_legal_and_is_stable(messages):
    repaired = repair(messages)
    assert unanswered(repaired) == ()
    assert repair(repaired) == repaired
    waiting: list[str] = []
    for message in repaired:
        if message.role == "tool":
            assert message.tool_call_id == waiting.pop(0)
        else:
            assert waiting == []
            waiting = [call.id for call in message.tool_calls]
    kept = [item for item in repaired if item.role == "user"]
    assert kept == [item for item in messages if item.role == "user"]


_events = st.lists(
    st.one_of(
        st.just(TurnStarted("s")),
        st.integers(1, 5).map(StepStarted),
        st.text(max_size=5).map(TextDelta),
        _messages.map(lambda m: MessageCompleted(m[0] if m else Message("user", "x"))),
        _ids.map(_finished),
        _ids.map(
            lambda call_id: ToolFinished(
                call_id, NAME, preview="exit 0", content="c", details={"command": "ls"}
            )
        ),
        st.just(ContextCompacted(9, 3, 1, "s")),
        st.just(StepFinished(Usage(3, 4), 0.5, purpose="summary", segments=("a", "b"))),
        st.just(TurnFinished("completed")),
    ),
    max_size=15,
)


@settings(max_examples=200, deadline=None)
@given(events=_events)
def test_events_survive_their_json_form_and_replay_to_the_same(events: list[Event]):
    again = [from_json(to_json(event)) for event in events]
    assert again == events
    assert replay(again) == replay(events)


def test_a_message_of_a_command_keeps_what_it_is_in_its_json_form_and_odd_ones_are_messages():
    ran = Message(
        "user", "out", kind="command", command=OwnCommand("ls", "exit 1", private=True), id="a"
    )
    assert Message.from_dict(ran.to_dict()) == ran
    odd = {"role": "user", "content": "out", "_kind": "command"}
    for raw in ({**odd, "_command": 3}, odd, {**odd, "_command": {"text": 1}, "role": "assistant"}):
        read = Message.from_dict(raw)
        assert (read.kind, read.command, read.text) == ("", None, "out")


@pytest.mark.parametrize("output", ["plain", "```\nclosed\n```", "`" * 9, ""])
def test_nothing_that_a_command_printed_can_close_its_fence(output):
    words = told(OwnCommand("cat x", "exit 0"), output)
    assert words.partition("\n")[2] == (
        f"```\ncat x\n```\nWhat it printed (exit 0):\n{fenced(output)}"
    )
    fence = words.rpartition("\n")[2]
    assert set(fence) == {"`"}
    assert fence not in output
    assert told(OwnCommand("cat x", private=True), output) == ""
