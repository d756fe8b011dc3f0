"""Plan mode looks and changes nothing: whatever the tool, the rule that was kept, or who calls."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from kinet.core.approval import Decision
from kinet.core.events import ApprovalRequested, ToolStarted
from kinet.tools.catalog import builtin_tools
from tests.support.approvers import allows_everything
from tests.support.replies import Reply, asks_for, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.turns import collect, last, results, turn

pytestmark = pytest.mark.usefixtures("wire")


class Everything:
    """A rule that allows every call, for ever."""

    def decision(self, tool: str, arguments: Any, folder: str, definition: str = "") -> Decision:
        """Yes."""
        return Decision(True, scope="always")

    def remember(
        self, tool: str, arguments: Any, folder: str, decision: Decision, definition: str = ""
    ) -> None:
        """Nothing is added."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.txt").write_text("old\n")
    return folder


def _state(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


CHANGES: dict[str, Reply] = {
    "write": asks_for("write_file", path="b.txt", content="new\n"),
    "edit": asks_for("edit_file", path="a.txt", old_string="old", new_string="new"),
    "delete": asks_for("delete_file", path="a.txt"),
    "a command": asks_for("shell", command="echo new > a.txt"),
    "a part of a command": asks_for("shell", command="cat a.txt && touch b.txt"),
    "in the background": asks_for("shell", command="touch b.txt", background=True),
    "outside a sandbox": asks_for("shell", command="touch b.txt", outside_sandbox=True),
}


@pytest.mark.parametrize("kept", [None, Everything()], ids=["no rule", "a rule for all"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
async def test_in_plan_mode_nothing_is_changed_and_nobody_asked(folder, change, kept):
    asked = allows_everything()
    request = turn(
        ScriptedProvider(change, says("The plan.")),
        tools=builtin_tools(),
        folder=folder,
        mode="plan",
        approver=asked,
        remembered=kept,
        unsandboxed=True,
    )
    events = await collect(request)
    assert last(events).reason == "completed"
    (result,) = results(events)
    assert result.is_error
    assert result.details.get("denied")
    assert re.search("plan|only reads", result.content)
    assert not any(isinstance(event, ApprovalRequested | ToolStarted) for event in events)
    assert asked.asked == []
    assert _state(folder) == {"a.txt": "old\n"}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
async def test_in_plan_mode_a_sub_agent_changes_nothing_either(folder, change):
    provider = ScriptedProvider(
        asks_for("dispatch_agent", task="Change it."), change, says("I could not."), says("So.")
    )
    request = turn(
        provider,
        tools=builtin_tools(),
        folder=folder,
        mode="plan",
        remembered=Everything(),
        unsandboxed=True,
    )
    events = await collect(request)
    assert last(events).reason == "completed"
    nested = [item for item in results(events) if item.parent]
    assert [item.is_error for item in nested] == [True]
    assert not any(isinstance(event, ApprovalRequested) for event in events)
    assert _state(folder) == {"a.txt": "old\n"}


async def test_in_plan_mode_reading_goes_on(folder):
    provider = ScriptedProvider(
        asks_for("read_file", path="a.txt").with_call("shell", command="cat a.txt"), says("So.")
    )
    request = turn(provider, tools=builtin_tools(), folder=folder, mode="plan", unsandboxed=True)
    events = await collect(request)
    assert [item.is_error for item in results(events)] == [False, False]
