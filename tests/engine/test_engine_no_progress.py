"""When exactly a turn counts as going in circles, and when not."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from kinet.engine.base import Limits
from kinet.tools.base import ToolContext, ToolOutput
from tests.support.approvers import denies_everything
from tests.support.replies import (
    Reply,
    asks_for,
    says,
)
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Fail, Look
from tests.support.turns import collect, conversation_after, last, results, turn

pytestmark = pytest.mark.usefixtures("wire")


class Poll(Look):
    """Gives another result each time."""

    name: ClassVar[str] = "poll"

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    async def run(self, arguments: Any, context: ToolContext) -> ToolOutput:
        """Counts."""
        self.count += 1
        return ToolOutput(f"{self.count} % done")


def _noted(events: list[Any]) -> list[int]:
    """The numbers, from 1, of the results that carry a note of the guard."""
    return [
        number for number, item in enumerate(results(events), 1) if "[Kinet:" in item.model_content
    ]


async def test_l07_the_fourth_identical_call_is_the_first_with_a_note():
    for rounds, wanted in ((3, []), (4, [4])):
        provider = ScriptedProvider([asks_for("look", word="same") for _ in range(rounds)])
        assert _noted(await collect(turn(provider, tools=(Look(),)))) == wanted


async def test_l07_the_third_identical_error_is_the_first_with_a_note():
    for rounds, wanted in ((2, []), (3, [3])):
        script = [asks_for("fail", word="x", seconds=number) for number in range(rounds)]
        assert _noted(await collect(turn(ScriptedProvider(script), tools=(Fail(),)))) == wanted


async def test_l07_the_sixth_of_two_alternating_calls_is_the_first_with_a_note():
    for rounds, wanted in ((5, []), (6, [6])):
        script = [asks_for("look", word="ab"[number % 2]) for number in range(rounds)]
        assert _noted(await collect(turn(ScriptedProvider(script), tools=(Look(),)))) == wanted


async def test_l07_calls_that_alternate_within_one_reply_count_as_well():
    def pair() -> Reply:
        return asks_for("look", word="a").with_call("look", word="b").with_call("look", word="a")

    other = asks_for("look", word="b").with_call("look", word="a").with_call("look", word="b")
    events = await collect(turn(ScriptedProvider(pair(), other), tools=(Look(),)))
    assert _noted(events) == [6]


async def test_l07_first_a_note_then_a_message_then_the_person():
    provider = ScriptedProvider([asks_for("look", word="same") for _ in range(20)])
    approver = denies_everything()
    request = turn(provider, tools=(Look(),), approver=approver)
    events = await collect(request)
    assert _noted(events) == [4, 5, 6]
    messages = conversation_after(request, events).messages
    notes = [item for item in messages if item.kind == "note"]
    assert ["leads nowhere" in item.text for item in notes] == [True]
    # The message stands behind the fifth result, before the sixth request.
    assert messages.index(notes[0]) == 11
    assert [item.tool for item in approver.asked] == ["no_progress"]


async def test_l07_a_circle_of_three_calls_is_no_progress_too():
    script = [asks_for("look", word="abc"[number % 3]) for number in range(60)]
    request = turn(ScriptedProvider(script), tools=(Look(),), approver=denies_everything())
    assert last(await collect(request)).reason == "no_progress"


async def test_l07_calls_not_run_because_of_the_limit_are_no_error_of_the_model():
    reply = asks_for("look", word="0")
    for number in range(1, 25):
        reply = reply.with_call("look", word=str(number))
    provider = ScriptedProvider(reply, says("Well."))
    request = turn(provider, tools=(Look(),), limits=Limits(max_calls_per_step=8))
    events = await collect(request)
    assert _noted(events) == []
    sent = [item for item in provider.requests[1].messages if item.role == "tool"]
    assert [item.tool_call_id for item in sent] == [call.id for call in reply.calls]
    assert sum(item.text.startswith("Not run: limit") for item in sent) == 17


async def test_l07_equal_errors_of_one_reply_are_one_for_the_model_has_not_seen_them():
    reply = Reply()
    for number in range(5):
        reply = reply.with_call("fail", word="x", seconds=number / 1000)
    events = await collect(turn(ScriptedProvider(reply, says("Well.")), tools=(Fail(),)))
    assert _noted(events) == []


async def test_l07_a_result_that_changes_between_makes_the_count_begin_anew():
    tool = Poll()
    script = [asks_for("poll", word="same") for _ in range(12)]
    events = await collect(turn(ScriptedProvider(script), tools=(tool,)))
    assert _noted(events) == []
