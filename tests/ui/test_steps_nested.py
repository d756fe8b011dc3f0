"""The calls of agents that work side by side stand under the call that sent each of them."""

from __future__ import annotations

from typing import Any

from kinet.core.events import ToolFinished, ToolStarted
from kinet.ui.steps import StepBook
from kinet.ui.transcript.entries.steps_group import StepGroup


def test_calls_of_agents_side_by_side_stand_under_their_own(app: Any) -> None:
    book, group = StepBook(), StepGroup()
    events = [ToolStarted(name, "dispatch_agent", {"task": name}) for name in ("a", "b")]
    events += [
        ToolStarted("a.1", "grep", {"pattern": "x"}, "a"),
        ToolStarted("b.1", "grep", {"pattern": "x"}, "b"),
        ToolStarted("a.2", "glob", {"pattern": "x"}, "a"),
    ]
    for event in (*events, ToolFinished("a.1", "grep", parent="a")):
        record = book.apply(event, 0.0)
        assert record is not None
        group.put(record)
    assert list(group.records) == ["a", "a.1", "a.2", "b", "b.1"]
    assert group.records["a.1"].state == "done"


def test_a_call_of_an_agent_that_was_refused_still_says_what_of() -> None:
    """It never began, and the agent's own messages are not told."""
    record = StepBook().apply(
        ToolFinished(
            "a.1",
            "read_file",
            is_error=True,
            details={"denied": True, "arguments": {"path": "missing.txt"}},
            parent="a",
        )
    )
    assert record is not None
    assert record.argument == "missing.txt"
