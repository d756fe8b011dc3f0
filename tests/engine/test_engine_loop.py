"""The loop of a turn, line by line of the engine's design."""

from __future__ import annotations

import asyncio
import itertools
import time

import pytest

from kinet.core.events import (
    ApprovalRequested,
    MessageCompleted,
    Notice,
    SegmentReset,
    StepFinished,
    StepStarted,
    TextDelta,
    ToolStarted,
    event_type,
)
from kinet.core.messages import Message
from kinet.core.pairing import repair
from kinet.engine.base import Limits, Section, StopSignal
from kinet.engine.direct import DirectEngine
from tests.support.approvers import ScriptedApprover, Undecided, denies_everything
from tests.support.replies import (
    asks_for,
    asks_raw,
    breaks,
    fails,
    for_ever,
    hangs,
    says,
    says_and_asks,
)
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Big, Change, Fail, Look, Talk, Watch
from tests.support.turns import collect, conversation_after, last, results, texts, turn

pytestmark = pytest.mark.usefixtures("wire")


async def test_k01_two_rounds_and_a_text_are_three_requests_with_memory_first():
    provider = ScriptedProvider(
        asks_for("look", word="a"), asks_for("look", word="b"), says("All seen.")
    )
    history = (Message("user", "Earlier."), Message("assistant", "Yes."))
    request = turn(provider, tools=(Look(),), history=history, memory_text="Facts.")
    events = await collect(request)
    assert last(events).reason == "completed"
    assert [len(sent.messages) for sent in provider.requests] == [4, 6, 8]
    first = provider.requests[0].messages
    assert first[0].memory
    assert [item.text for item in first] == ["Facts.", "Earlier.", "Yes.", "Do it."]


async def test_k02_sixty_rounds_all_run():
    rounds = [asks_for("look", word=str(number)) for number in range(60)]
    provider = ScriptedProvider(rounds)
    events = await collect(turn(provider, tools=(Look(),)))
    assert len(provider.requests) == 61
    assert last(events).reason == "completed"


async def test_k05_the_history_holds_neither_system_nor_memory():
    request = turn(ScriptedProvider(says("Yes.")), memory_text="Facts.")
    events = await collect(request)
    messages = conversation_after(request, events).messages
    assert [item.role for item in messages] == ["user", "assistant"]
    assert not any(item.memory for item in messages)


async def test_k08_c11_six_reads_overlap_with_at_most_four_at_once():
    watch = Watch()
    reply = asks_for("look", word="0", seconds=0.05)
    for number in range(1, 6):
        reply = reply.with_call("look", word=str(number), seconds=0.05)
    events = await collect(turn(ScriptedProvider(reply), tools=(Look(watch),)))
    assert watch.peak == 4
    assert len(results(events)) == 6


async def test_k09_a_write_runs_alone_and_splits_the_reads():
    watch = Watch()
    reply = (
        asks_for("look", word="1", seconds=0.02)
        .with_call("change", word="2", seconds=0.02)
        .with_call("look", word="3", seconds=0.02)
    )
    await collect(turn(ScriptedProvider(reply), tools=(Look(watch), Change(watch)), mode="all"))
    assert watch.peak == 1
    assert watch.started == ["1", "2", "3"]


async def test_k10_results_join_in_call_order_whatever_finished_first():
    reply = asks_for("look", word="slow", seconds=0.05).with_call("look", word="fast")
    provider = ScriptedProvider(reply)
    events = await collect(turn(provider, tools=(Look(),)))
    assert [item.content for item in results(events)] == ["saw fast", "saw slow"]
    sent = [item.text for item in provider.requests[1].messages if item.role == "tool"]
    assert sent == ["saw slow", "saw fast"]


async def test_k11_stop_in_the_first_of_three_calls_answers_all_three():
    talk = Talk()
    reply = asks_for("talk").with_call("change", word="2").with_call("look", word="3")
    stop = StopSignal()
    request = turn(ScriptedProvider(reply), tools=(talk, Change(), Look()), stop=stop)
    stopper = asyncio.create_task(_stop_when(talk.running_now, stop))
    events = await collect(request)
    await stopper
    assert last(events).reason == "stopped"
    ended = results(events)
    assert len(ended) == 3
    assert all(item.content.endswith("[stopped]") for item in ended)
    assert ended[0].content.startswith("half of it")
    assert talk.ended.is_set()
    messages = conversation_after(request, events).messages
    assert repair(messages) == tuple(messages)


async def test_a_stop_while_text_streams_keeps_the_text():
    stop = StopSignal()
    request = turn(ScriptedProvider(hangs("Half a sen")), stop=stop)

    def stop_at_text(event: object) -> None:
        if isinstance(event, TextDelta):
            stop.set()

    began = time.monotonic()
    events = await collect(request, on=stop_at_text)
    assert time.monotonic() - began < 5
    assert last(events).reason == "stopped"
    kept = [event for event in events if isinstance(event, MessageCompleted)]
    assert [(item.message.text, item.partial) for item in kept] == [("Half a sen", True)]


async def test_a_stop_while_an_approval_waits_closes_the_question():
    approver, stop = Undecided(), StopSignal()
    request = turn(
        ScriptedProvider(asks_for("change", word="x")),
        tools=(Change(),),
        approver=approver,
        stop=stop,
    )
    stopper = asyncio.create_task(_stop_when(approver.waiting, stop))
    events = await collect(request)
    await stopper
    assert last(events).reason == "stopped"
    assert not conversation_after(request, events).pending


async def test_leaving_the_events_early_ends_everything():
    talk = Talk()
    stream = DirectEngine().run(turn(ScriptedProvider(asks_for("talk")), tools=(talk,)))
    async for event in stream:
        if isinstance(event, ToolStarted):
            break
    await talk.running_now.wait()
    await stream.aclose()  # type: ignore[attr-defined]
    assert talk.ended.is_set()


async def test_c08_a17_an_empty_reply_is_asked_once_more_and_never_a_silent_success():
    provider = ScriptedProvider(says(), says())
    events = await collect(turn(provider))
    assert len(provider.requests) == 2
    assert last(events).reason == "failed"
    assert any(isinstance(event, Notice) for event in events)


async def test_c08_a_reply_after_the_nudge_completes():
    events = await collect(turn(ScriptedProvider(says(), says("Here."))))
    assert last(events).reason == "completed"
    assert texts(events) == ["Here."]


async def test_c09_a_cut_stream_is_asked_again_and_only_the_last_attempt_counts():
    provider = ScriptedProvider(breaks("Hel"), says("Hello."))
    events = await collect(turn(provider))
    assert [event.attempt for event in events if isinstance(event, SegmentReset)] == [1]
    assert texts(events) == ["Hello."]
    assert last(events).reason == "completed"


async def test_a15_a_second_failure_leaves_the_partial_text():
    events = await collect(turn(ScriptedProvider(breaks("Hel"), breaks("Hell"))))
    assert texts(events) == ["Hell"]
    assert last(events).reason == "failed"
    assert last(events).error.kind == "network"


async def test_c16_u06_a_failing_observer_never_breaks_a_run():
    def observer(event: object) -> None:
        raise RuntimeError("observer")

    events = await collect(turn(ScriptedProvider(says("Fine.")), observers=(observer,)))
    assert last(events).reason == "completed"


async def test_c17_the_order_of_events_is_fixed():
    provider = ScriptedProvider(says_and_asks("Look.", "look", word="a"), says("Done."))
    events = await collect(turn(provider, tools=(Look(),)))
    # Pieces of one text or one call count as one.
    assert [kind for kind, _ in itertools.groupby(map(event_type, events))] == [
        "step_started",
        "text_delta",
        "tool_arguments_delta",
        "message_completed",
        "tool_started",
        "tool_finished",
        "step_finished",
        "step_started",
        "text_delta",
        "message_completed",
        "step_finished",
        "turn_finished",
    ]


async def test_u01_c01_a_cap_warns_then_forbids_calls_then_ends_as_step_limit():
    provider = ScriptedProvider(for_ever("look", word="{n}"))
    request = turn(provider, tools=(Look(),), limits=Limits(max_steps=20))
    events = await collect(request)
    assert len(provider.requests) == 20
    assert [sent.tool_choice for sent in provider.requests] == ["auto"] * 19 + ["none"]
    assert all(sent.tools for sent in provider.requests)
    assert last(events).reason == "step_limit"
    notes = [item for item in conversation_after(request, events).messages if item.kind == "note"]
    assert len(notes) == 2
    assert any(isinstance(event, Notice) and "20 steps" in event.text for event in events)


async def test_t02_u14_an_unknown_tool_gives_the_nearest_names_and_the_turn_goes_on():
    provider = ScriptedProvider(asks_for("looke"), says("Sorry."))
    events = await collect(turn(provider, tools=(Look(),)))
    assert results(events)[0].is_error
    assert "look" in results(events)[0].content
    assert last(events).reason == "completed"


async def test_p08_arguments_that_are_no_json_are_told_to_the_model():
    provider = ScriptedProvider(asks_raw("look", '{"word": "a'), says("Sorry."))
    events = await collect(turn(provider, tools=(Look(),)))
    assert "JSON" in results(events)[0].content
    assert last(events).reason == "completed"


async def test_p03_a_reply_cut_by_length_runs_reads_and_no_writes():
    watch = Watch()
    reply = asks_for("look", word="1").with_call("change", word="2").cut_by_length()
    events = await collect(
        turn(ScriptedProvider(reply), tools=(Look(watch), Change(watch)), mode="all")
    )
    assert watch.started == ["1"]
    (refused,) = [item for item in results(events) if item.is_error]
    assert "smaller parts" in refused.content


async def test_a05_calls_beyond_the_limit_are_answered_as_not_run():
    reply = asks_for("look", word="0")
    for number in range(1, 5):
        reply = reply.with_call("look", word=str(number))
    request = turn(ScriptedProvider(reply), tools=(Look(),), limits=Limits(max_calls_per_step=2))
    events = await collect(request)
    assert [item.content.startswith("Not run: limit") for item in results(events)].count(True) == 3
    assert len({item.call_id for item in results(events)}) == 5


async def test_a_denied_call_is_told_to_the_model_and_the_turn_goes_on():
    provider = ScriptedProvider(asks_for("change", word="x"), says("Understood."))
    approver = denies_everything("not today")
    events = await collect(turn(provider, tools=(Change(),), approver=approver))
    assert results(events)[0].is_error
    assert "not today" in results(events)[0].content
    assert last(events).reason == "completed"


async def test_a_tool_with_a_bug_fails_alone():
    reply = asks_for("fail", word="bug").with_call("look", word="b")
    events = await collect(turn(ScriptedProvider(reply), tools=(Fail(), Look())))
    assert [item.is_error for item in results(events)] == [True, False]
    assert last(events).reason == "completed"


async def test_k12_8192_characters_are_untouched_and_8193_are_cut():
    reply = asks_for("big", characters=8192).with_call("big", characters=8193)
    provider = ScriptedProvider(reply)
    events = await collect(turn(provider, tools=(Big(),)))
    whole, cut = [item.text for item in provider.requests[1].messages if item.role == "tool"]
    assert whole == "x" * 8192
    assert "2,193" in cut
    assert cut.startswith("x" * 3000)
    assert cut.endswith("x" * 3000)
    assert max(len(item.content) for item in results(events)) == 8193


async def test_l07_the_same_call_again_and_again_ends_as_no_progress():
    provider = ScriptedProvider(asks_for("look", word="same") for _ in range(50))
    approver = denies_everything()
    events = await collect(turn(provider, tools=(Look(),), approver=approver))
    assert last(events).reason == "no_progress"
    assert len(provider.requests) == 6
    assert any("[Kinet:" in item.model_content for item in results(events))


async def test_l07_a_person_may_let_it_go_on():
    rounds = [asks_for("look", word="same") for _ in range(8)]
    approver = ScriptedApprover()
    events = await collect(
        turn(ScriptedProvider(rounds, says("End.")), tools=(Look(),), approver=approver)
    )
    assert last(events).reason == "completed"
    assert [item.tool for item in approver.asked] == ["no_progress"]


async def test_l07_two_calls_in_turn_are_no_progress():
    rounds = [asks_for("look", word=word) for word in "ab" * 20]
    request = turn(ScriptedProvider(rounds), tools=(Look(),), approver=denies_everything())
    assert last(await collect(request)).reason == "no_progress"


async def test_l07_the_same_error_three_times_is_noted():
    rounds = [asks_for("fail", word="x", seconds=number) for number in range(3)]
    events = await collect(turn(ScriptedProvider(rounds, says("I give up.")), tools=(Fail(),)))
    assert "3 times" in results(events)[2].model_content
    assert last(events).reason == "completed"


async def test_l13_steering_reaches_the_next_step_and_the_last_step_makes_one_more():
    provider = ScriptedProvider(says("First."), says("Second."))
    waiting = [(), (Message("user", "Also this.", kind="steer"),), ()]
    request = turn(provider, steering=lambda: waiting.pop(0) if waiting else ())
    events = await collect(request)
    assert len(provider.requests) == 2
    assert provider.requests[1].messages[-1].text == "Also this."
    assert texts(events) == ["First.", "Second."]


async def test_u08_too_much_text_stops_with_a_partial_answer():
    provider = ScriptedProvider(says(*["x" * 1000] * 100))
    request = turn(provider, limits=Limits(screen_bytes=50 * 1024))
    events = await collect(request)
    assert last(events).reason == "budget"
    assert len(texts(events)[0]) < 60_000


async def test_a_budget_asks_and_a_no_ends_the_turn():
    provider = ScriptedProvider(for_ever("look", word="{n}"))
    request = turn(
        provider,
        tools=(Look(),),
        limits=Limits(budget_usd=0.5),
        price=lambda model, usage: (0.2, False),
        approver=denies_everything(),
    )
    events = await collect(request)
    assert last(events).reason == "budget"
    assert len(provider.requests) == 3
    assert any(isinstance(event, ApprovalRequested) for event in events)


async def test_a_time_limit_ends_with_a_partial_answer():
    request = turn(
        ScriptedProvider(hangs("So far")),
        limits=Limits(max_seconds=0.05),
        approver=denies_everything(),
    )
    events = await collect(request)
    assert last(events).reason == "budget"
    assert texts(events) == ["So far"]


async def test_k16_a_server_that_always_finds_it_too_long_is_asked_three_times():
    history = tuple(
        Message(role, f"{role} {number} " + "word " * 200)
        for number in range(20)
        for role in ("user", "assistant")
    )
    provider = ScriptedProvider(fails(413) for _ in range(10))
    request = turn(provider, history=history)
    events = await collect(request)
    assert len(provider.requests) == 3
    sizes = [len(sent.messages) for sent in provider.requests]
    assert sizes[0] > sizes[1] > sizes[2]
    assert last(events).error.kind == "context_too_long"
    assert provider.requests[2].messages[-1].text == "Do it."
    assert conversation_after(request, events).messages[:41] == [*history, request.user]


async def test_a_request_that_fits_after_the_trim_goes_on_by_itself():
    history = tuple(Message("user", "word " * 500) for _ in range(10))
    provider = ScriptedProvider(fails(413), says("Fits."))
    events = await collect(turn(provider, history=history, memory_text="Facts."))
    assert last(events).reason == "completed"
    assert provider.requests[1].messages[0].text == "Facts."


async def test_every_step_says_what_it_cost_and_the_message_counts_it():
    provider = ScriptedProvider(says("Hi.").counting(1000, 50, 800))
    request = turn(provider, price=lambda model, usage: (usage.tokens_in / 1e6, False))
    events = await collect(request)
    (step,) = [event for event in events if isinstance(event, StepFinished)]
    assert (step.usage.tokens_in, step.cached, step.cost) == (1000, 800, 0.001)
    assert len(step.segments) == 3
    assert conversation_after(request, events).cost == 0.001


async def test_a_changed_system_prompt_is_named_as_the_cause_of_a_cache_miss():
    provider = ScriptedProvider(says("Hi.").counting(5000, 5))
    request = turn(provider)
    first = await collect(request)
    carry = conversation_after(request, first).carry()
    again = turn(
        ScriptedProvider(says("Hi.").counting(5000, 5)),
        rules=(Section("KINET.md", "New rule."),),
        carry=carry,
    )
    (step,) = [event for event in await collect(again) if isinstance(event, StepFinished)]
    assert "system prompt" in step.cache_note


async def test_the_steps_are_counted_from_one():
    events = await collect(turn(ScriptedProvider(asks_for("look", word="a")), tools=(Look(),)))
    assert [event.step for event in events if isinstance(event, StepStarted)] == [1, 2]


async def _stop_when(event: asyncio.Event, stop: StopSignal) -> None:
    await event.wait()
    stop.set()
