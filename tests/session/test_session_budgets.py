"""Budgets of a session: continue, raise, stop; what was raised is known after reopening."""

from __future__ import annotations

import pytest

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.budgets import budget_question, going_in_circles, raised_limit
from kinet.core.completion import Usage
from kinet.core.events import MessageCompleted
from kinet.core.messages import Message
from kinet.engine.base import Limits
from tests.session.conftest import collect
from tests.support.approvers import ScriptedApprover, denies_everything


class Chooses:
    """Answers with the choice of this name; keeps what it was asked."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.asked: list[ApprovalRequest] = []

    async def ask(self, request: ApprovalRequest) -> Decision:
        """The decision of the choice."""
        self.asked.append(request)
        return next(choice.decision for choice in request.choices if choice.name == self.name)


def dear(usd: float) -> list[MessageCompleted]:
    return [MessageCompleted(Message("assistant", "a"), usage=Usage(1, 1), cost=usd)]


def test_a_budget_offers_to_continue_to_raise_and_to_stop_in_its_own_words():
    question = budget_question("turn", 1.0, 1.25)
    assert question.kind == "budget"
    assert [choice.label for choice in question.choices] == [
        "Continue: 1.00 USD more",
        "Raise to 2.00 USD for each turn of this session",
        "Stop here",
    ]
    assert [choice.decision.allowed for choice in question.choices] == [True, True, False]
    assert ApprovalRequest.from_dict(question.to_dict()) == question
    circles = going_in_circles("Go on?", "the same")
    assert [choice.name for choice in circles.choices] == ["continue", "stop"]


@pytest.mark.parametrize(("limit", "spent", "raised"), [(1, 1.2, 2), (1, 5, 8), (2, 2, 4)])
def test_a_raised_limit_is_always_more_than_what_was_spent(limit, spent, raised):
    assert raised_limit(limit, spent) == raised


async def test_a_raised_session_budget_holds_after_reopening(start):
    world = await start(dear(3.0), dear(2.0), dear(3.0), session_limit=lambda: 2.0)
    session = world.sessions.create()
    await collect(session.send("1"))
    raising = Chooses("raise")
    await collect(session.send("2", raising))
    assert [item.reason for item in raising.asked] == [
        "3.00 USD were spent in it; the limit is 2.00 USD"
    ]
    world.sessions._open.clear()
    again = world.sessions.open(session.id)
    no = denies_everything()
    assert (await collect(again.send("3", no)))[-1].reason == "budget"
    # Raised to 4 USD; the 5 that were spent by then are over it.
    assert no.asked[0].arguments == {"budget": "session", "limit": 4.0, "spent": 5.0}


async def test_continue_gives_the_session_as_much_again(start):
    world = await start(dear(3.0), dear(1.0), dear(1.5), dear(1.0), session_limit=lambda: 2.0)
    session = world.sessions.create()
    yes = Chooses("continue")
    for text in "1234":
        await collect(session.send(text, yes))
    assert [item.arguments["spent"] for item in yes.asked] == [3.0, 5.5]


async def test_the_day_is_asked_again_only_after_twice_its_limit_when_it_was_raised(start):
    world = await start(dear(6.0), dear(3.0), dear(3.0), dear(1.0), day_limit=lambda: 5.0)
    session = world.sessions.create()
    raising = Chooses("raise")
    for text in "123":
        await collect(session.send(text, raising))
    assert len(raising.asked) == 1
    assert "12.00 USD were spent today; the limit is 10.00 USD" in await _reason(session)


async def _reason(session) -> str:
    no = denies_everything()
    await collect(session.send("on", no))
    return no.asked[0].reason


async def test_a_raised_turn_budget_is_what_the_next_turn_is_given(start):
    asked = budget_question("turn", 1.0, 1.5)
    from kinet.core.events import ApprovalRequested, ApprovalResolved

    answer = asked.choices[1].decision
    events = [ApprovalRequested(asked), ApprovalResolved(asked.id, "", answer), *dear(1.0)]
    world = await start(events, dear(1.0), limits=lambda *_: Limits(budget_usd=1.0))
    session = world.sessions.create()
    await collect(session.send("1", ScriptedApprover()))
    await collect(session.send("2", ScriptedApprover()))
    assert [request.limits.budget_usd for request in world.engine.requests] == [1.0, 2.0]


async def test_a_budget_raised_on_a_branch_that_was_left_is_known_after_reopening(start):
    world = await start(dear(3.0), dear(0.5), dear(0.2), session_limit=lambda: 2.0)
    session = world.sessions.create()
    await collect(session.send("1"))
    await collect(session.send("2", Chooses("raise")))
    await session.go_back(session.history()[0].id)
    no = denies_everything()
    assert (await collect(session.send("other", no)))[-1].reason == "completed"
    again = await start(dear(0.1), session_limit=lambda: 2.0)
    opened = again.sessions.open(session.id)
    # 3.7 USD were spent on both branches; the person raised the limit to 4.
    assert (await collect(opened.send("on", no)))[-1].reason == "completed"
    assert no.asked == []


async def test_money_of_a_branch_that_was_left_stays_in_the_total_after_reopening(start):
    def dear(text: str, usd: float) -> MessageCompleted:
        return MessageCompleted(Message("assistant", text), usage=Usage(100, 10), cost=usd)

    world = await start([dear("One.", 2.0)], [dear("Two.", 0.5)])
    session = world.sessions.create()
    await collect(session.send("Ask."))
    await session.go_back(session.history()[0].id)
    await collect(session.send("Ask better."))
    assert session.conversation.cost == 2.5
    again = (await start()).sessions.open(session.id)
    assert [item.text for item in again.history()] == ["Ask better.", "Two."]
    assert (again.conversation.cost, again.conversation.usage.tokens_in) == (2.5, 200)
