"""Sub-agents: limits, refusals, and what a parent sees and pays."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, ClassVar

import pytest

from kinet.core.approval import Decision
from kinet.core.events import (
    ApprovalRequested,
    StepFinished,
    TextDelta,
    ToolFinished,
    ToolStarted,
)
from kinet.engine.base import Allowance, Limits, StopSignal
from kinet.engine.loop.subagent import SubAgentRunner
from kinet.providers.base import ModelRequest, StreamItem
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput
from tests.support.approvers import ScriptedApprover
from tests.support.replies import Reply, asks_for, for_ever, hangs, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Change, Look
from tests.support.turns import collect, conversation_after, last, results, texts, turn

pytestmark = pytest.mark.usefixtures("wire")


class TaskArguments(Arguments):
    """What the sub-agent is to do."""

    task: str
    context: str = ""


class Dispatch(Look):
    """The shape of dispatch_agent."""

    name: ClassVar[str] = "dispatch_agent"
    description: ClassVar[str] = "Send a helper."
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = TaskArguments

    async def run(self, arguments: Any, context: ToolContext) -> ToolOutput:
        """Hands the task to the engine's sub-agents."""
        assert context.agents is not None
        return await context.agents.dispatch(arguments.task, arguments.context, context.call_id)


class TwoMinds:
    """Plays one script for the parent and one for its sub-agents, told apart by their tools."""

    def __init__(self, parent: ScriptedProvider, agent: ScriptedProvider) -> None:
        self.parent, self.agent = parent, agent

    async def stream(self, request: ModelRequest) -> AsyncIterator[StreamItem]:
        """The next reply of the one who asks."""
        names = {tool.name for tool in request.tools}
        mind = self.parent if "dispatch_agent" in names else self.agent
        async for item in mind.stream(request):
            yield item


def _request(agent: ScriptedProvider, *replies: Reply, **fields: Any) -> Any:
    parent = ScriptedProvider(*(replies or (asks_for("dispatch_agent", task="Find it."),)))
    tools = (Dispatch(), Look(), Change())
    return turn(TwoMinds(parent, agent), tools=tools, **fields)  # type: ignore[arg-type]


async def test_k20_a_sub_agent_works_with_its_own_history_and_read_only_tools():
    agent = ScriptedProvider(asks_for("look", word="a"), says("Found in a.py."))
    request = _request(agent, history=(), memory_text="Facts.")
    events = await collect(request)
    assert last(events).reason == "completed"
    (result,) = [item for item in results(events) if not item.parent]
    assert result.content == "Found in a.py."
    first = agent.requests[0]
    assert [tool.name for tool in first.tools] == ["look"]
    assert [item.text for item in first.messages] == ["Find it."]


async def test_k21_the_parent_sees_prefixed_calls_and_no_text():
    agent = ScriptedProvider(asks_for("look", word="a"), says("SECRET TALK"))
    events = await collect(_request(agent))
    nested = [event for event in events if isinstance(event, ToolStarted) and event.parent]
    parent = next(e.call_id for e in events if isinstance(e, ToolStarted) and not e.parent)
    assert [event.parent for event in nested] == [parent]
    assert nested[0].call_id.startswith(parent)
    assert not any("SECRET" in event.text for event in events if isinstance(event, TextDelta))
    assert "SECRET TALK" not in texts(events)


async def test_k21_its_cost_is_in_the_total_of_the_parent():
    agent = ScriptedProvider(asks_for("look", word="a"), says("Found."))
    request = _request(agent, price=lambda model, usage: (1.0, False))
    events = await collect(request)
    purposes = [event.purpose for event in events if isinstance(event, StepFinished)]
    assert purposes == ["subagent", "subagent", "", ""]
    assert conversation_after(request, events).cost == 4.0


async def test_k20_eight_steps_are_its_cap_and_what_it_wrote_comes_back():
    agent = ScriptedProvider(for_ever("look", word="{n}"))
    events = await collect(_request(agent))
    assert len(agent.requests) == 8
    (result,) = [item for item in results(events) if not item.parent]
    assert "did not finish" in result.content
    assert last(events).reason == "completed"


async def test_a_write_of_a_sub_agent_is_refused_without_a_question():
    agent = ScriptedProvider(asks_for("change", word="x"), says("I may not."))
    events = await collect(_request(agent))
    assert not any(isinstance(event, ApprovalRequested) for event in events)
    (nested,) = [item for item in results(events) if item.parent]
    assert nested.is_error
    assert "There is no tool" in nested.content


async def test_a_sub_agent_that_stalls_ends_at_its_time_limit():
    agent = ScriptedProvider(asks_for("look", word="slow", seconds=30))
    request = _request(agent)
    told: list[Any] = []

    async def run(inner: Any, put: Any) -> Any:
        put(ToolStarted("1", "look"))
        await asyncio.Event().wait()

    runner = SubAgentRunner(request, told.append, run, seconds=0.02)
    output = await runner.dispatch("Find it.", "", "call")
    assert output.is_error
    assert "time limit" in output.content
    assert [event.call_id for event in told if isinstance(event, ToolFinished)] == ["call.1"]


async def test_stop_reaches_a_sub_agent_and_its_calls():
    agent = ScriptedProvider(hangs("thinking"))
    stop = StopSignal()
    request = _request(agent, stop=stop)

    def stop_at_its_call(event: object) -> None:
        if isinstance(event, ToolStarted):
            asyncio.get_running_loop().call_later(0.02, stop.set)

    events = await collect(request, on=stop_at_its_call)
    assert last(events).reason == "stopped"
    assert [item.content for item in results(events)] == ["[stopped]"]
    assert agent.closed_streams == 1


async def test_three_sub_agents_run_side_by_side():
    agent = ScriptedProvider(says("One."), says("Two."), says("Three."))
    reply = (
        asks_for("dispatch_agent", task="1")
        .with_call("dispatch_agent", task="2")
        .with_call("dispatch_agent", task="3")
    )
    events = await collect(_request(agent, reply, limits=Limits()))
    found = {item.content for item in results(events)}
    assert found == {"One.", "Two.", "Three."}
    assert len({item.call_id for item in results(events)}) == 3


def _three() -> tuple[ScriptedProvider, Reply]:
    """What three sub-agents do that are sent at once and never end by themselves."""
    agent = ScriptedProvider(for_ever("look", word="{n}"))
    reply = (
        asks_for("dispatch_agent", task="1")
        .with_call("dispatch_agent", task="2")
        .with_call("dispatch_agent", task="3")
    )
    return agent, reply


@pytest.mark.parametrize("of", ["turn", "session", "day"])
async def test_what_sub_agents_spend_is_asked_about_at_their_own_steps_and_once_for_all(of):
    agent, reply = _three()
    asked = ScriptedApprover(Decision(False))
    values: dict[str, Any] = {"limits": Limits(budget_usd=5.0 if of == "turn" else 0.0)}
    if of != "turn":
        values["allowances"] = (Allowance(of, 5.0, 10.0, 5.0),)
    request = _request(
        agent, reply, price=lambda model, usage: (1.0, False), approver=asked, **values
    )
    events = await collect(request)
    assert last(events).reason == "budget"
    # The parent's step and four of theirs; each of the others may have been under way.
    assert 4 <= len(agent.requests) <= 7
    questions = [event for event in events if isinstance(event, ApprovalRequested)]
    assert len(questions) == 1
    assert len(request.provider.parent.requests) == 1


async def test_a_yes_to_the_budget_of_sub_agents_holds_for_all_of_the_turn():
    agent, reply = _three()
    asked = ScriptedApprover(Decision(True, scope="session"))
    request = _request(
        agent,
        reply,
        price=lambda model, usage: (1.0, False),
        approver=asked,
        limits=Limits(budget_usd=5.0),
    )
    events = await collect(request)
    assert last(events).reason == "completed"
    assert len(agent.requests) == 24
    assert sum(isinstance(event, ApprovalRequested) for event in events) == 1


async def test_a_call_of_a_sub_agent_that_never_began_says_what_it_was_for():
    agent = ScriptedProvider(asks_for("change", word="x"), says("I may not."))
    events = await collect(_request(agent))
    (nested,) = [item for item in results(events) if item.parent]
    assert nested.details["arguments"] == {"word": "x"}
