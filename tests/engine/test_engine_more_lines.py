"""More lines of the engine's design: guards that must not fire, echoes, put-back, clocks."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, ClassVar

import pytest

from kinet.core.approval import Decision
from kinet.core.completion import Usage
from kinet.core.errors import OverloadedError
from kinet.core.events import (
    ContextCompacted,
    Notice,
    StepFinished,
    ToolFinished,
    ToolStarted,
)
from kinet.core.messages import ImagePart, Message, ToolCall
from kinet.engine.base import Limits, Section, StopSignal
from kinet.engine.context.environment import environment_note
from kinet.engine.context.old_outputs import shrunk
from kinet.engine.context.prompt import system_prompt
from kinet.engine.context.segments import cache_note
from kinet.engine.context.tokens import size_of_message
from kinet.engine.direct import DirectEngine
from kinet.engine.guards.circuit import Circuit
from kinet.engine.loop.echoes import without_echoes
from kinet.engine.presets import PRESETS
from kinet.tools.ask_user import AskUser
from kinet.tools.base import ToolContext, ToolOutput
from kinet.tools.catalog import builtin_tools
from kinet.tools.read_file import ReadFile
from tests.support.approvers import ScriptedApprover, Undecided, denies_everything
from tests.support.chat import Chat
from tests.support.replies import asks_for, fails, for_ever, says, says_and_asks
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Change, Look
from tests.support.turns import PROFILE, collect, last, results, texts, turn

pytestmark = pytest.mark.usefixtures("wire")


class Poll(Look):
    """Gives another result each time."""

    name: ClassVar[str] = "poll"
    count = 0

    async def run(self, arguments: Any, context: ToolContext) -> ToolOutput:
        """Counts."""
        Poll.count += 1
        return ToolOutput(f"{Poll.count} % done")


async def test_l07_polling_whose_result_changes_is_no_loop():
    provider = ScriptedProvider([asks_for("poll") for _ in range(20)], says("Ready."))
    events = await collect(turn(provider, tools=(Poll(),), approver=denies_everything()))
    assert last(events).reason == "completed"


async def test_l07_identical_successful_writes_are_a_loop():
    provider = ScriptedProvider(for_ever("change", word="same"))
    request = turn(provider, tools=(Change(),), mode="all", approver=denies_everything())
    assert last(await collect(request)).reason == "no_progress"


async def test_l07_the_same_read_with_other_work_between_is_no_loop():
    rounds = []
    for number in range(8):
        rounds += [asks_for("look", word="same"), asks_for("poll"), asks_for("look", word=number)]
    request = turn(
        ScriptedProvider(rounds, says("Ready.")),
        tools=(Look(), Poll()),
        approver=denies_everything(),
    )
    assert last(await collect(request)).reason == "completed"


async def test_a10_echoed_notes_are_taken_out_of_the_final_text():
    provider = ScriptedProvider(says("[Kinet: 3 steps are left.]\nThe answer."))
    assert texts(await collect(turn(provider))) == ["The answer."]


def test_a10_the_same_words_inside_a_code_block_stay():
    text = "See:\n```\n[Kinet: a note.]\n```\n[Kinet: a note.]\nEnd."
    assert without_echoes(text) == "See:\n```\n[Kinet: a note.]\n```\nEnd."


async def test_a13_an_empty_reply_uses_no_step_of_the_cap():
    provider = ScriptedProvider(says(), asks_for("look", word="a"), says("Done."))
    events = await collect(turn(provider, tools=(Look(),), limits=Limits(max_steps=3)))
    assert last(events).reason == "completed"


async def test_u05_an_approval_limit_is_a_refusal_the_model_hears():
    provider = ScriptedProvider(asks_for("change", word="x"), says("Fine."))
    request = turn(
        provider, tools=(Change(),), approver=Undecided(), limits=Limits(approval_seconds=0.02)
    )
    events = await collect(request)
    assert "did not answer in time" in results(events)[0].content
    assert last(events).reason == "completed"


async def test_waiting_for_a_person_does_not_count_as_time_of_the_turn():
    class Slow:
        async def ask(self, request: Any) -> Any:
            await asyncio.sleep(0.4)
            return Decision(True)

    provider = ScriptedProvider(asks_for("change", word="x"), says("Done."))
    request = turn(provider, tools=(Change(),), approver=Slow(), limits=Limits(max_seconds=0.3))
    assert last(await collect(request)).reason == "completed"


async def test_a_clock_set_back_changes_neither_order_nor_limits(monkeypatch):
    provider = ScriptedProvider(asks_for("look", word="a"), says("Done."))
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 365 * 86_400)
    events = await collect(turn(provider, tools=(Look(),), limits=Limits(max_seconds=60)))
    assert last(events).reason == "completed"
    assert 0 <= last(events).duration_s < 60


async def test_a_compaction_by_hand_makes_one_request_and_names_its_topic():
    chat = Chat(profile=replace(PROFILE, window=20_000))
    for number in range(6):
        chat.conversation.messages += [
            Message("user", f"{number} " + "word " * 400),
            Message("assistant", "Yes."),
        ]
    provider = ScriptedProvider(says("## Goal\nShort."))
    *history, user = chat.conversation.messages
    request = turn(
        provider, history=tuple(history), user=user, profile=replace(PROFILE, window=9_000)
    )
    events = [event async for event in DirectEngine().compact(request, "the tabs")]
    assert last(events).reason == "completed"
    assert len(provider.requests) == 1
    assert "the tabs" in provider.requests[0].messages[0].text
    (done,) = [event for event in events if isinstance(event, ContextCompacted)]
    assert done.after < done.before


async def test_compacting_what_is_short_says_so():
    request = turn(
        ScriptedProvider(), history=(Message("user", "a"),), user=Message("assistant", "b")
    )
    events = [event async for event in DirectEngine().compact(request)]
    assert any(isinstance(event, Notice) for event in events)


async def test_files_read_last_are_put_back_as_they_are_now(tmp_path):
    (tmp_path / "a.txt").write_text("old text\n")
    chat = Chat(
        profile=replace(PROFILE, window=12_000), folder=tmp_path, tools=(ReadFile(), Look())
    )
    await chat.send(ScriptedProvider(asks_for("read_file", path="a.txt"), says("Read.")))
    (tmp_path / "a.txt").write_text("new text\n")
    chat.conversation.messages += [
        Message(role, "word " * 300) for _ in range(12) for role in ("user", "assistant")
    ]
    chat.conversation.occupancy = 0
    await chat.send(ScriptedProvider(says("## Goal\nShort."), says("Fine.")))
    summary = chat.conversation.compaction.summary
    assert "new text" in summary
    assert "## Files read\na.txt" in summary


@pytest.mark.parametrize("name", PRESETS)
async def test_a01_every_preset_holds_its_cap(name):
    preset = PRESETS[name]
    provider = ScriptedProvider(
        for_ever("look", word="{n}") if preset.limits.max_steps else says(".")
    )
    events = await collect(turn(provider, tools=(Look(),), limits=preset.apply(Limits())))
    assert len(provider.requests) == (preset.limits.max_steps or 1)
    assert last(events).reason == ("step_limit" if preset.limits.max_steps else "completed")


def test_a01_the_table_of_presets_is_that_of_the_design():
    table = {
        name: (preset.limits.max_steps, preset.limits.max_seconds)
        for name, preset in PRESETS.items()
    }
    assert table == {
        "default": (0, 0.0),
        "chat": (8, 120.0),
        "insight": (24, 3600.0),
        "evolution": (16, 180.0),
        "lark": (12, 180.0),
        "remote-exec": (6, 60.0),
        "loop-20": (20, 0.0),
        "loop-25": (25, 0.0),
    }


def test_a_stricter_limit_of_the_person_stays():
    assert PRESETS["chat"].apply(Limits(max_steps=3)).max_steps == 3


def test_k03_the_system_prompt_has_base_skills_and_rules_in_this_order():
    text = system_prompt("BASE", [Section("s", "SKILL")], [Section("r", "RULE")])
    assert text.index("BASE") < text.index("SKILL") < text.index("RULE")


def test_u11_the_environment_note_has_a_date_and_no_clock():
    morning = environment_note(None, now=datetime(2024, 5, 1, 8, 1))
    assert morning == environment_note(None, now=datetime(2024, 5, 1, 21, 59))
    assert "2024-05-01" in morning
    assert morning != environment_note(None, now=datetime(2024, 5, 2, 8, 1))


def test_a_cache_note_names_the_first_segment_that_differs():
    usage = Usage(9_000, 10, 1_000)
    assert cache_note((), ("a",), usage, 0) == ""
    assert cache_note(("a", "b", "c"), ("a", "b", "c", "d"), Usage(9_000, 1, 8_000), 8_500) == ""
    assert "tool list" in cache_note(("a", "b"), ("x", "b"), usage, 8_000)
    assert "7,000" in cache_note(("a", "b", "c"), ("a", "b", "x"), usage, 8_000)
    assert "nothing changed" in cache_note(("a",), ("a", "b"), usage, 8_000)


async def test_a15_a_provider_that_failed_five_times_is_not_asked_for_thirty_seconds():
    now = 0.0
    circuit = Circuit(lambda: now)
    engine = DirectEngine(circuit=circuit)
    for _ in range(5):
        await collect(turn(ScriptedProvider(fails(500))), engine)
    provider = ScriptedProvider()
    events = await collect(turn(provider), engine)
    assert provider.requests == []
    assert last(events).error.kind == "circuit"
    now = 31.0
    assert last(await collect(turn(provider), engine)).reason == "completed"


async def test_the_circuit_can_be_closed_by_hand():
    circuit = Circuit()
    for _ in range(5):
        circuit.failed(PROFILE, OverloadedError("x"))
    with pytest.raises(OverloadedError, match="5 times in a row") as refused:
        circuit.check(PROFILE)
    assert 29 <= (refused.value.retry_after_s or 0) <= 31
    circuit.try_anyway(PROFILE)
    circuit.check(PROFILE)


async def test_a_stop_is_neither_counted_as_a_failure_nor_retried():
    circuit, stop = Circuit(), StopSignal()
    stop.set()
    await collect(turn(ScriptedProvider(), stop=stop), DirectEngine(circuit=circuit))
    assert circuit._states == {}


async def test_two_turns_at_once_do_not_touch_each_other():
    engine, stop = DirectEngine(), StopSignal()
    one = turn(ScriptedProvider(for_ever("look", word="{n}")), tools=(Look(),), stop=stop)
    two = turn(ScriptedProvider(asks_for("look", word="a", seconds=0.05)), tools=(Look(),))
    asyncio.get_running_loop().call_later(0.02, stop.set)
    first, second = await asyncio.gather(collect(one, engine), collect(two, engine))
    assert last(first).reason == "stopped"
    assert last(second).reason == "completed"


async def test_a_price_that_fails_still_ends_the_turn_visibly():
    def price(model: str, usage: Usage) -> Any:
        raise RuntimeError("no price")

    events = await collect(turn(ScriptedProvider(says("Hi.")), price=price))
    assert last(events).reason == "failed"
    assert last(events).error.kind == "internal"


async def test_each_step_has_its_own_figures():
    provider = ScriptedProvider(
        says_and_asks("Look.", "look", word="a").counting(100, 5), says("Done.").counting(200, 6)
    )
    events = await collect(turn(provider, tools=(Look(),)))
    steps = [event.usage.tokens_in for event in events if isinstance(event, StepFinished)]
    assert steps == [100, 200]
    assert [event.name for event in events if isinstance(event, ToolFinished)] == ["look"]


async def test_a_session_without_a_folder_has_no_file_tools():
    provider = ScriptedProvider()
    await collect(turn(provider, tools=(ReadFile(), Look()), folder=None))
    assert [tool.name for tool in provider.requests[0].tools] == ["look"]


async def test_a_call_denied_for_want_of_someone_to_ask_is_marked():
    request = turn(ScriptedProvider(asks_for("change", word="x")), tools=(Change(),), mode="deny")
    (result,) = results(await collect(request))
    assert result.details == {"denied": True, "unasked": True}


class Grep(Look):
    """Gives 150 lines, under the name of the tool that the rule knows."""

    name: ClassVar[str] = "grep"

    async def run(self, arguments: Any, context: ToolContext) -> ToolOutput:
        """Lines."""
        return ToolOutput("\n".join(f"hit {number}" for number in range(150)))


@pytest.mark.parametrize(("preset", "lines"), [("loop-25", 101), ("default", 150)])
async def test_u03_old_outputs_shrink_with_preset_loop_25_and_no_other(preset, lines, tmp_path):
    provider = ScriptedProvider(asks_for("grep"), asks_for("look", word="a"), says("Done."))
    limits = PRESETS[preset].apply(Limits())
    await collect(turn(provider, tools=(Grep(), Look()), limits=limits, folder=tmp_path))
    newest = [item for item in provider.requests[1].messages if item.name == "grep"]
    older = [item for item in provider.requests[2].messages if item.name == "grep"]
    assert len(newest[0].text.splitlines()) == 150
    assert len(older[0].text.splitlines()) == lines


def test_u03_a_large_output_keeps_twelve_and_three_kilobytes():
    text = shrunk(Message("tool", "x" * 20_000, name="other")).text
    assert text.count("x") == 15 * 1024
    assert f"{20_000 - 15 * 1024:,}" in text
    assert len(shrunk(Message("tool", "l\n" * 300, name="shell")).text.splitlines()) == 141


@pytest.mark.parametrize("effort", ["off", "low", "medium", "high"])
async def test_c03_c14_c15_the_effort_is_kept_on_the_last_step_too(effort):
    provider = ScriptedProvider(for_ever("look", word="{n}"))
    await collect(turn(provider, tools=(Look(),), limits=Limits(max_steps=3), effort=effort))
    assert [request.effort for request in provider.requests] == [effort] * 3


def test_k14_the_json_of_calls_counts_and_pictures_count_by_size():
    call = ToolCall("a", "edit_file", '{"text": "' + "x" * 1_000 + '"}')
    plain, calling = Message("assistant", "x"), Message("assistant", "x", tool_calls=(call,))
    assert size_of_message(calling).characters - size_of_message(plain).characters > 1_000
    sizes = [
        size_of_message(Message("user", (ImagePart("data:image/png;base64," + "x" * n),))).tokens
        for n in (1_000, 300_000, 3_000_000)
    ]
    assert sizes == sorted(set(sizes))


def test_k15_no_tokenizer_is_needed():
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert not any(name in text for name in ("tiktoken", "tokenizers", "transformers"))


async def test_p02_the_loop_goes_on_if_and_only_if_there_are_calls():
    provider = ScriptedProvider(
        says("I will call a tool now."), asks_for("look", word="never reached")
    )
    await collect(turn(provider, tools=(Look(),)))
    assert len(provider.requests) == 1


async def test_p04_no_tool_runs_and_no_steering_is_taken_after_a_stop():
    look, stop, taken = Look(), StopSignal(), []
    reply = asks_for("look", word="1", seconds=0.05).with_call("change", word="2")

    def steering() -> tuple[Message, ...]:
        taken.append(stop.is_set)
        return ()

    def stop_at_call(event: object) -> None:
        if isinstance(event, ToolStarted):
            stop.set()

    change = Change(look.watch)
    request = turn(
        ScriptedProvider(reply), tools=(look, change), stop=stop, mode="all", steering=steering
    )
    await collect(request, on=stop_at_call)
    assert look.watch.started == ["1"]
    assert taken == [False]


async def test_the_hashes_of_a_request_are_told_as_what_is_new_and_add_up_again():
    chat = Chat(tools=(Look(),))
    rounds = [asks_for("look", word=str(number)) for number in range(5)]
    events = await chat.send(ScriptedProvider(rounds, says("Done.")))
    events += await chat.send(ScriptedProvider(says("Yes.")))
    steps = [event for event in events if isinstance(event, StepFinished)]
    assert [len(step.segments) for step in steps] == [3, 3, 3, 3, 3, 3, 3]
    assert len(chat.conversation.segments) == 2 + len(chat.conversation.messages) - 1
    assert not any(step.cache_note for step in steps)


class Answers(ScriptedApprover):
    """A person who can also be asked in words."""

    async def answer(self, question: str, choices: tuple[str, ...]) -> str:
        """Always the last choice."""
        return choices[-1]


async def test_ask_user_is_offered_only_where_somebody_can_answer():
    reply = asks_for("ask_user", question="Which?", choices=["red", "blue"])
    provider = ScriptedProvider(reply, says("Blue it is."))
    events = await collect(turn(provider, tools=(AskUser(), Look()), approver=Answers()))
    assert [item.content for item in results(events)] == ["blue"]
    provider = ScriptedProvider()
    await collect(turn(provider, tools=(AskUser(), Look())))
    assert [tool.name for tool in provider.requests[0].tools] == ["look"]


def test_k28_the_tools_of_the_design_are_there():
    names = {tool.name for tool in builtin_tools()}
    wanted = "read_file write_file edit_file shell grep glob web_fetch git_diff recall_memory"
    assert names >= {*wanted.split(), "dispatch_agent", "todo", "read_output", "ask_user"}
