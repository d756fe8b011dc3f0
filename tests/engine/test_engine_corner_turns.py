"""Corners of the loop: caps, budgets, stops, empty replies and hooks that meet each other."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from kinet.core.events import (
    ContextCompacted,
    Notice,
    SegmentReset,
    TextDelta,
)
from kinet.core.messages import Message
from kinet.core.pairing import repair
from kinet.engine.base import Allowance, Limits, StopSignal
from kinet.engine.hooks import CompactionAnswer, Hook
from kinet.tools.catalog import builtin_tools
from tests.support.approvers import Undecided, denies_everything
from tests.support.chat import Chat
from tests.support.replies import (
    Call,
    Reply,
    asks_for,
    breaks,
    for_ever,
    says,
    says_and_asks,
)
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Big, Change, Look, Watch
from tests.support.turns import PROFILE, collect, conversation_after, last, results, texts, turn

pytestmark = pytest.mark.usefixtures("wire")


def _dollar(model: str, usage: Any) -> tuple[float, bool]:
    return 1.0, False


def _legal(request: Any, events: list[Any]) -> None:
    messages = conversation_after(request, events).messages
    assert repair(messages) == tuple(messages)


async def test_u01_l13_steering_with_the_last_step_makes_one_more_that_may_not_call_either():
    late = Message("user", "Also this.", kind="steer")
    waiting: list[tuple[Message, ...]] = [(), (), (), (late,)]
    provider = ScriptedProvider(
        asks_for("look", word="a"),
        asks_for("look", word="b"),
        says("So far."),
        says_and_asks("And this.", "look", word="c"),
    )
    request = turn(
        provider,
        tools=(Look(),),
        limits=Limits(max_steps=3),
        steering=lambda: waiting.pop(0) if waiting else (),
    )
    events = await collect(request)
    assert [sent.tool_choice for sent in provider.requests] == ["auto", "auto", "none", "none"]
    assert provider.requests[3].messages[-1].text == "Also this."
    assert last(events).reason == "step_limit"
    assert texts(events)[-1] == "And this."
    assert len(results(events)) == 2
    _legal(request, events)


async def test_c08_u01_an_empty_reply_in_the_last_step_is_asked_once_more_for_its_final_text():
    provider = ScriptedProvider(asks_for("look", word="a"), says(), says("What is done."))
    events = await collect(turn(provider, tools=(Look(),), limits=Limits(max_steps=2)))
    assert [sent.tool_choice for sent in provider.requests] == ["auto", "none", "none"]
    assert texts(events)[-1] == "What is done."
    assert last(events).reason == "step_limit"


async def test_u01_nothing_but_calls_in_the_last_step_ends_visibly_without_one_more():
    provider = ScriptedProvider(for_ever("look", word="{n}"))
    request = turn(provider, tools=(Look(),), limits=Limits(max_steps=2))
    events = await collect(request)
    # A cap of two makes two requests: the model was told, and called all the same.
    assert len(provider.requests) == 2
    assert len(results(events)) == 1
    assert last(events).reason == "step_limit"
    assert any(isinstance(event, Notice) and "2 steps" in event.text for event in events)
    _legal(request, events)


async def test_u01_a_cap_whose_note_meets_a_compaction_still_tells_the_model():
    provider = ScriptedProvider()
    rounds = iter([asks_for("big", characters=6_000, letter=letter) for letter in "abcde"])
    asked: list[Any] = []

    def stream(request: Any) -> Any:
        if "memory of" in request.system:
            return ScriptedProvider(says("Did things.")).stream(request)
        asked.append(request)
        return ScriptedProvider(next(rounds, says("Final."))).stream(request)

    provider.stream = stream  # type: ignore[method-assign]
    events = await collect(
        turn(
            provider,
            "The long task.",
            tools=(Big(),),
            profile=replace(PROFILE, window=10_000),
            limits=Limits(max_steps=6),
        )
    )
    assert any(isinstance(event, ContextCompacted) for event in events)
    assert asked[-1].tool_choice == "none"
    assert "last step" in asked[-1].messages[-1].text
    assert "2 steps are left" in " ".join(item.text for item in asked[4].messages)
    assert last(events).reason == "step_limit"


@pytest.mark.parametrize("wire", [None], indirect=True)
@pytest.mark.parametrize(
    ("cap", "warned"), [(100, 96), (25, 21), (24, 20), (20, 17), (16, 13), (8, 7), (6, 5), (3, 0)]
)
async def test_u01_the_warning_comes_five_steps_before_the_cap_or_after_80_percent(cap, warned):
    provider = ScriptedProvider(for_ever("look", word="{n}"))
    await collect(turn(provider, tools=(Look(),), limits=Limits(max_steps=cap)))
    told = [
        number
        for number, sent in enumerate(provider.requests, 1)
        if f"[Kinet: {cap - number + 1} steps are left" in sent.messages[-1].text
    ]
    assert told == ([warned] if warned else [])
    assert "this is the last step" in provider.requests[-1].messages[-1].text


async def test_a_stop_while_a_budget_asks_is_a_stop_and_the_next_turn_is_accepted():
    approver, stop = Undecided(), StopSignal()
    provider = ScriptedProvider(for_ever("look", word="{n}"))
    chat = Chat(tools=(Look(),), price=_dollar, limits=Limits(budget_usd=2.0))

    async def stop_when_asked() -> None:
        await approver.waiting.wait()
        stop.set()

    stopper = asyncio.create_task(stop_when_asked())
    events = await chat.send(provider, stop=stop, approver=approver)
    await stopper
    assert last(events).reason == "stopped"
    assert len(provider.requests) == 2
    assert not chat.conversation.pending
    again = await chat.send(ScriptedProvider(says("Fine.")), limits=Limits())
    assert texts(again) == ["Fine."]


async def test_p02_a_budget_is_consulted_before_every_step_whatever_led_to_it():
    """Steering after a text makes a step as calls do, and costs as much."""
    more = [(), *[(Message("user", f"More {n}.", kind="steer"),) for n in range(20)]]
    provider = ScriptedProvider(says(f"Text {n}.") for n in range(20))
    request = turn(
        provider,
        price=_dollar,
        limits=Limits(budget_usd=3.0),
        steering=lambda: more.pop(0) if more else (),
        approver=denies_everything(),
    )
    events = await collect(request)
    assert last(events).reason == "budget"
    assert len(provider.requests) == 3


async def test_p02_what_is_left_of_the_day_is_consulted_when_a_text_is_steered_on():
    more = [(), *[(Message("user", "More.", kind="steer"),) for _ in range(5)]]
    provider = ScriptedProvider(says("Text.") for _ in range(20))
    request = turn(
        provider,
        price=_dollar,
        allowances=(Allowance("day", 2.0, 5.0, 3.0),),
        steering=lambda: more.pop(0) if more else (),
        approver=denies_everything(),
    )
    events = await collect(request)
    assert last(events).reason == "budget"
    assert len(provider.requests) == 2


async def test_a_turn_that_is_done_is_not_asked_about_its_budget_any_more():
    approver = denies_everything()
    provider = ScriptedProvider(asks_for("look", word="a"), says("Done."))
    request = turn(
        provider, tools=(Look(),), price=_dollar, limits=Limits(budget_usd=2.0), approver=approver
    )
    assert last(await collect(request)).reason == "completed"
    assert approver.asked == []


async def test_p03_a_cut_reply_runs_whole_reads_alone_and_answers_every_call_once():
    watch = Watch()
    calls = (
        Call("look", '{"word": "1"}', "c1"),
        Call("change", '{"word": "2"}', "c2"),
        Call("nothing", "{}", "c3"),
        Call("look", '{"word": "3"}', "c4"),
        Call("look", '{"word": "4', "c5"),
    )
    provider = ScriptedProvider(Reply(calls=calls).cut_by_length(), says("Well."))
    request = turn(provider, tools=(Look(watch), Change(watch)), mode="all")
    events = await collect(request)
    assert watch.started == ["1", "3"]
    sent = [item for item in provider.requests[1].messages if item.role == "tool"]
    assert [item.tool_call_id for item in sent] == ["c1", "c2", "c3", "c4", "c5"]
    assert [item.is_error for item in sent] == [False, True, True, False, True]
    assert "smaller parts" in sent[1].text
    assert "smaller parts" in sent[4].text
    assert last(events).reason == "completed"


async def test_c08_an_empty_reply_after_results_keeps_the_history_legal_in_this_turn_and_the_next():
    chat = Chat(tools=(Look(),))
    provider = ScriptedProvider(asks_for("look", word="a"), says(), says())
    events = await chat.send(provider)
    assert last(events).reason == "failed"
    assert len(provider.requests) == 3
    said = [item for item in chat.conversation.messages if item.role == "assistant"]
    assert all(item.text or item.tool_calls for item in said)
    assert texts(await chat.send(ScriptedProvider(says("Here.")), "Go on.")) == ["Here."]


async def test_c08_a_nudge_counts_anew_after_the_model_did_something():
    provider = ScriptedProvider(
        says(), asks_for("look", word="a"), says(), asks_for("look", word="b"), says("Done.")
    )
    assert last(await collect(turn(provider, tools=(Look(),)))).reason == "completed"


async def test_c09_a_reset_within_a_sub_agent_shows_nothing_and_is_paid_for():
    provider = ScriptedProvider(
        asks_for("dispatch_agent", task="Look."), breaks("Half"), says("Report."), says("Done.")
    )
    request = turn(provider, tools=builtin_tools(), price=_dollar)
    events = await collect(request)
    assert [item.content for item in results(events)] == ["Report."]
    assert not any(isinstance(event, SegmentReset) for event in events)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "Done."
    assert conversation_after(request, events).cost == 4.0


async def test_u08_480_kilobytes_is_the_usual_limit_to_the_byte():
    limit = 480 * 1024
    for size, reason in ((limit, "completed"), (limit + 1, "budget")):
        pieces = ["x" * 65_536] * (size // 65_536) + ["x" * (size % 65_536)]
        events = await collect(turn(ScriptedProvider(says(*pieces))))
        assert last(events).reason == reason
        assert len(texts(events)[0]) == limit


async def test_u08_one_huge_piece_is_shown_up_to_the_limit_and_cut_at_a_character():
    """A server that does not stream sends its whole answer as one piece."""
    limits = Limits(screen_bytes=1024)
    text = "a" * 1020 + "👩‍👩‍👧" + "b" * 500
    events = await collect(turn(ScriptedProvider(says(text)), limits=limits))
    assert last(events).reason == "budget"
    assert texts(events) == ["a" * 1020]
    assert "partial" in last(events).detail


async def test_u08_reasoning_counts_and_the_calls_of_the_cut_reply_do_not_run():
    watch = Watch()
    reply = says_and_asks("x" * 600, "look", word="a").thinking("y" * 600)
    provider = ScriptedProvider(reply)
    request = turn(provider, tools=(Look(watch),), limits=Limits(screen_bytes=1024))
    events = await collect(request)
    assert last(events).reason == "budget"
    assert watch.started == []
    assert results(events) == []
    _legal(request, events)


class Veto(Hook):
    """Lets nothing be compacted."""

    async def before_compaction(
        self, dropped: tuple[Message, ...], reason: str
    ) -> CompactionAnswer | None:
        """A reason a person can read."""
        return CompactionAnswer(veto="the notes are not written yet.")


class Broken(Hook):
    """Fails when it is asked about a compaction."""

    async def before_compaction(
        self, dropped: tuple[Message, ...], reason: str
    ) -> CompactionAnswer | None:
        """Raises."""
        raise RuntimeError("broken")


def _long(**fields: Any) -> Chat:
    chat = Chat(limits=Limits(compact_at=3_000), **fields)
    for number in range(8):
        role = "assistant" if number % 2 else "user"
        chat.conversation.messages.append(Message(role, f"{number} " + "word " * 600))  # type: ignore[arg-type]
    return chat


async def test_p21_a_hook_that_fails_before_a_compaction_does_not_break_the_turn():
    provider = ScriptedProvider(says("Answer."), says("## Goal\nGo on."))
    events = await _long(hooks=(Broken(),)).send(provider)
    assert last(events).reason == "completed"
    told = [event.text for event in events if isinstance(event, Notice)]
    assert any("broken" in text for text in told)


async def test_p21_a_veto_against_a_compaction_by_hand_is_all_that_is_told():
    chat = _long(hooks=(Veto(),))
    *history, newest = chat.conversation.messages
    request = turn(
        ScriptedProvider(),
        history=tuple(history),
        user=newest,
        limits=Limits(compact_at=3_000),
        hooks=(Veto(),),
    )
    events = [event async for event in chat.engine.compact(request)]
    told = [event.text for event in events if isinstance(event, Notice)]
    assert len(told) == 1
    assert "not written yet" in told[0]


async def test_call_ids_that_come_again_name_one_call_of_the_conversation(wire):
    """Some gateways number the calls of each reply anew, whatever they speak."""
    chat = Chat(tools=(Look(),))
    for _ in range(2):
        script = [
            Reply(calls=(Call("look", f'{{"word": "{word}"}}', "call_0"),)).thinking("Hm.")
            for word in "ab"
        ]
        await chat.send(ScriptedProvider(script, says("Done.")))
    answered = [item for item in chat.conversation.messages if item.role == "tool"]
    assert [item.text for item in answered] == ["saw a", "saw b", "saw a", "saw b"]
    assert len({item.tool_call_id for item in answered}) == 4


async def test_call_ids_do_not_come_again_behind_a_compaction_either():
    chat = Chat(tools=(Look(),), limits=Limits(compact_at=3_000))
    reply = Reply(calls=(Call("look", '{"word": "a"}', "call_0"),))
    await chat.send(ScriptedProvider(reply, says("word " * 3_000), says("## Goal\nGo on.")))
    await chat.send(ScriptedProvider(says("word " * 3_000), says("## Goal\nGo on.")))
    assert all(not item.tool_calls for item in chat.conversation.context())
    await chat.send(ScriptedProvider(reply, says("Done.")))
    answered = [item.tool_call_id for item in chat.conversation.messages if item.role == "tool"]
    assert answered == ["call_0", "call_0_2"]
