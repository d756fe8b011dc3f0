"""What stands around calls, compactions and budgets: hooks, batches, guards that ask."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import pytest

from kinet.core.approval import Decision
from kinet.core.events import (
    ApprovalRequested,
    ContextCompacted,
    Notice,
    StepStarted,
    ToolStarted,
)
from kinet.core.messages import Message
from kinet.engine.base import Allowance, Limits, ModelChange
from kinet.engine.direct import DirectEngine
from kinet.engine.guards.circuit import Circuit
from kinet.engine.hooks import CompactionAnswer, Hook, HookedCall
from kinet.tools.base import Access, ToolOutput
from tests.support.approvers import ScriptedApprover, denies_everything
from tests.support.chat import Chat
from tests.support.replies import Reply, asks_for, fails, for_ever, hangs, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Change, Look, Watch
from tests.support.turns import PROFILE, collect, last, results, texts, turn

pytestmark = pytest.mark.usefixtures("wire")


class Noted(Hook):
    """Notes what passes by; forbids one word; hides another."""

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def before_call(self, call: HookedCall) -> str:
        self.seen.append(f"before {call.name} {call.arguments.get('word')}")
        return "this word is not allowed here." if call.arguments.get("word") == "bad" else ""

    async def after_call(self, call: HookedCall, output: ToolOutput) -> ToolOutput:
        self.seen.append(f"after {call.name}")
        return replace(output, content=output.content.replace("secret", "[hidden]"))


async def test_p07_a_veto_means_that_the_call_never_runs():
    watch, hook = Watch(), Noted()
    provider = ScriptedProvider(asks_for("look", word="bad"), says("Then not."))
    events = await collect(turn(provider, tools=(Look(watch),), hooks=(hook,)))
    assert watch.started == []
    (result,) = results(events)
    assert result.is_error
    assert "not allowed here" in result.content
    assert not any(isinstance(event, ToolStarted) for event in events)
    assert last(events).reason == "completed"


async def test_p07_hooks_stand_after_the_permission_and_around_the_call():
    hook, approver = Noted(), denies_everything()
    provider = ScriptedProvider(asks_for("change", word="a"), asks_for("look", word="secret"))
    events = await collect(
        turn(provider, tools=(Look(), Change()), hooks=(hook,), approver=approver)
    )
    # A refused call is known to the hooks that follow, for an audit, and was never begun.
    assert hook.seen == ["after change", "before look secret", "after look"]
    assert [item.content for item in results(events)][1] == "saw [hidden]"
    assert "secret" not in provider.requests[-1].messages[-1].text


async def test_p07_a_hook_that_fails_is_a_no_and_the_turn_goes_on():
    class Broken(Hook):
        async def before_call(self, call: HookedCall) -> str:
            raise RuntimeError("broken")

    watch = Watch()
    provider = ScriptedProvider(asks_for("look", word="a"), says("Well."))
    events = await collect(turn(provider, tools=(Look(watch),), hooks=(Broken(),)))
    assert watch.started == []
    assert results(events)[0].is_error
    assert last(events).reason == "completed"


async def test_p07_arguments_are_repaired_and_checked_before_any_hook_sees_them():
    hook = Noted()
    provider = ScriptedProvider(asks_for("look", word=["a"]), asks_for("look", words="a"))
    await collect(turn(provider, tools=(Look(),), hooks=(hook,)))
    assert hook.seen == ["before look a", "after look"]


def _long_chat(**fields: Any) -> Chat:
    chat = Chat(limits=Limits(compact_at=3_000), **fields)
    for number in range(8):
        role = "assistant" if number % 2 else "user"
        chat.conversation.messages.append(Message(role, f"{number} " + "word " * 600))
    return chat


async def test_p21_a_compaction_can_be_vetoed():
    class Veto(Hook):
        async def before_compaction(
            self, dropped: tuple[Message, ...], reason: str
        ) -> CompactionAnswer:
            return CompactionAnswer(veto="the notes are not written yet.")

    provider = ScriptedProvider(says("Answer."))
    events = await _long_chat(hooks=(Veto(),)).send(provider)
    assert len(provider.requests) == 1
    assert not any(isinstance(event, ContextCompacted) for event in events)
    assert any(isinstance(event, Notice) and "not written yet" in event.text for event in events)


async def test_p21_a_compaction_can_be_supplied():
    class Own(Hook):
        async def before_compaction(
            self, dropped: tuple[Message, ...], reason: str
        ) -> CompactionAnswer:
            return CompactionAnswer(summary=f"Own summary of {len(dropped)}.")

    provider = ScriptedProvider(says("Answer."))
    chat = _long_chat(hooks=(Own(),))
    await chat.send(provider)
    assert len(provider.requests) == 1
    assert chat.conversation.context()[0].text.count("Own summary of") == 1


async def test_a20_a23_the_log_of_compactions_has_figures_before_and_after():
    chat = _long_chat()
    await chat.send(ScriptedProvider(says("Answer."), says("## Goal\nGo on.")))
    (entry,) = chat.conversation.compactions
    assert entry.before > entry.after > 0
    assert entry.reason


class Ends(Look):
    """Says that nothing is left to do."""

    name: ClassVar[str] = "finish"

    async def run(self, arguments: Any, context: Any) -> ToolOutput:
        return ToolOutput("finished", ends_turn=True)


async def test_p05_a_turn_ends_if_all_calls_of_a_step_ask_to_end():
    provider = ScriptedProvider(Reply().with_call("finish").with_call("finish"))
    events = await collect(turn(provider, tools=(Ends(), Look())))
    assert len(provider.requests) == 1
    assert last(events).reason == "completed"
    assert len(results(events)) == 2


async def test_p05_one_call_that_does_not_ask_to_end_keeps_the_turn_going():
    provider = ScriptedProvider(Reply().with_call("finish").with_call("look", word="a"))
    await collect(turn(provider, tools=(Ends(), Look())))
    assert len(provider.requests) == 2


async def test_p09_one_tool_that_must_run_alone_makes_its_whole_step_serial():
    class Alone(Look):
        name: ClassVar[str] = "alone"
        access: ClassVar[Access] = Access.READ
        alone: ClassVar[bool] = True

    watch = Watch()
    reply = Reply()
    for word in "abc":
        reply = reply.with_call("look", word=word, seconds=0.01)
    reply = reply.with_call("alone", word="d")
    provider = ScriptedProvider(reply)
    await collect(turn(provider, tools=(Look(watch), Alone(watch))))
    assert watch.peak == 1
    assert watch.finished == ["a", "b", "c", "d"]


async def test_c02_a_context_source_adds_to_the_newest_message_and_never_to_the_system_prompt():
    provider = ScriptedProvider()
    await collect(turn(provider, "Ask.", added=("<open_file>a.py</open_file>",)))
    (request,) = provider.requests
    assert "a.py" not in request.system
    assert "a.py" in request.messages[-1].environment


@pytest.mark.parametrize("wire", [None], indirect=True)
async def test_l07_a_model_that_only_talks_three_times_is_asked_about():
    talk = replace(says("I will now begin."), finish="pause")
    provider = ScriptedProvider([talk, talk, talk, talk])
    events = await collect(turn(provider, approver=denies_everything()))
    assert last(events).reason == "no_progress"
    assert len(provider.requests) == 3
    assert "only written so far" in provider.requests[2].messages[-1].text


@pytest.mark.parametrize("wire", [None], indirect=True)
async def test_l07_a_person_may_let_a_talking_model_go_on():
    talk = replace(says("I will now begin."), finish="pause")
    provider = ScriptedProvider([talk, talk, talk], says("The end."))
    events = await collect(turn(provider))
    assert last(events).reason == "completed"
    assert texts(events)[-1] == "The end."


def _priced(model: str, usage: Any) -> tuple[float, bool]:
    return 1.0, False


async def test_a_yes_to_a_budget_gives_as_much_again_and_one_for_the_session_lifts_it():
    for scope, questions in (("once", 3), ("session", 1)):
        approver = ScriptedApprover(Decision(True, scope))
        provider = ScriptedProvider([asks_for("look", word=str(n)) for n in range(6)])
        limits = Limits(budget_usd=2.0)
        request = turn(provider, tools=(Look(),), price=_priced, limits=limits, approver=approver)
        assert last(await collect(request)).reason == "completed"
        assert len(approver.asked) == questions
        assert approver.asked[0].scopes == ("once", "session")


async def test_what_is_left_of_session_and_day_is_asked_about_within_the_turn():
    provider = ScriptedProvider(for_ever("look", word="{n}"))
    request = turn(
        provider,
        tools=(Look(),),
        price=_priced,
        allowances=(Allowance("session", 3.0, 20.0),),
        approver=denies_everything(),
    )
    events = await collect(request)
    assert last(events).reason == "budget"
    assert "session" in last(events).detail
    assert len(provider.requests) == 3


async def test_at_the_time_limit_it_is_asked_and_a_no_keeps_what_there_is():
    request = turn(
        ScriptedProvider(hangs("So far")),
        limits=Limits(max_seconds=0.05),
        approver=denies_everything(),
    )
    events = await collect(request)
    asked = [event.request for event in events if isinstance(event, ApprovalRequested)]
    assert [item.tool for item in asked] == ["time"]
    assert last(events).reason == "budget"
    assert texts(events) == ["So far"]


async def test_at_the_time_limit_a_yes_goes_on():
    approver = ScriptedApprover(Decision(True, "session"))
    provider = ScriptedProvider(asks_for("look", word="a", seconds=0.2), says("In the end."))
    request = turn(provider, tools=(Look(),), limits=Limits(max_seconds=0.05), approver=approver)
    events = await collect(request)
    assert last(events).reason == "completed"
    assert len(approver.asked) == 1


async def test_while_more_time_is_asked_for_no_step_begins():
    order: list[str] = []

    class Slow(ScriptedApprover):
        async def ask(self, request: Any) -> Decision:
            order.append("asked")
            await watch.during("wait", 0.3)
            order.append("answered")
            return Decision(True, "session")

    watch = Watch()
    provider = ScriptedProvider(asks_for("look", word="a", seconds=0.15), says("Done."))
    limits = Limits(max_seconds=0.05)
    request = turn(provider, tools=(Look(),), limits=limits, approver=Slow())
    await collect(
        request,
        on=lambda event: order.append("step") if isinstance(event, StepStarted) else None,
    )
    assert order == ["step", "asked", "answered", "step"]


async def test_a15_a_person_may_insist_on_asking_a_server_that_is_left_alone():
    engine = DirectEngine(circuit=Circuit())
    for _ in range(5):
        await collect(turn(ScriptedProvider(fails(500))), engine)
    refused = last(await collect(turn(ScriptedProvider()), engine))
    assert refused.error is not None
    assert (refused.error.kind, "try anyway" in refused.error.hint) == ("circuit", True)
    provider = ScriptedProvider(says("Here again."))
    events = await collect(turn(provider, insist=True), engine)
    assert texts(events) == ["Here again."]


async def test_p10_the_next_request_goes_to_the_model_that_was_chosen_meanwhile():
    other = ScriptedProvider(says("From the other."))
    changes = [None, ModelChange(replace(PROFILE, model="other"), other, "high", "Now the other.")]

    async def changed() -> ModelChange | None:
        return changes.pop(0) if changes else None

    first = ScriptedProvider(asks_for("look", word="a"))
    events = await collect(turn(first, tools=(Look(),), changed=changed))
    assert texts(events)[-1] == "From the other."
    assert other.requests[0].effort == "high"
    assert [item.role for item in other.requests[0].messages] == ["user", "assistant", "tool"]
    assert any(isinstance(event, Notice) and "other" in event.text for event in events)
