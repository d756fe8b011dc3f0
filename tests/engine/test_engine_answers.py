"""What answering a question does: rules kept, refused or lost, and parts of a change."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from kinet.core.approval import Decision
from kinet.core.errors import SettingsError
from kinet.core.events import ApprovalRequested, Event, Notice
from kinet.policy.rules import RuleBook
from kinet.tools.catalog import builtin_tools
from tests.support.approvers import ScriptedApprover
from tests.support.replies import asks_for, says
from tests.support.scripted_provider import ScriptedProvider
from tests.support.tools import Change, Watch
from tests.support.turns import collect, last, results, turn

pytestmark = pytest.mark.usefixtures("wire")

LINES = "".join(f"line {number}\n" for number in range(1, 41))
TWO_CHANGES = {
    "path": "a.txt",
    "edits": [
        {"old_string": "line 3\n", "new_string": "third\n"},
        {"old_string": "line 33\n", "new_string": "last but some\n"},
    ],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    (place / "a.txt").write_bytes(LINES.replace("\n", "\r\n").encode())
    return place


class FullDisk:
    """A book that cannot be written to."""

    def decision(
        self, tool: str, arguments: Mapping[str, object], folder: str, definition: str = ""
    ) -> None:
        return None

    def remember(
        self,
        tool: str,
        arguments: Mapping[str, object],
        folder: str,
        decision: Decision,
        definition: str = "",
    ) -> None:
        raise SettingsError("The rule could not be saved: No space left on device.")


async def answered(
    folder: Path, decision: Decision, *calls: dict[str, object], **fields: object
) -> list[Event]:
    steps = [asks_for(str(call.pop("tool")), **call) for call in map(dict, calls)]
    request = turn(
        ScriptedProvider(*steps, says("Done.")),
        tools=builtin_tools(),
        folder=folder,
        approver=ScriptedApprover(decision),
        **fields,
    )
    return await collect(request)


def notices(events: list[Event]) -> list[str]:
    return [event.text for event in events if isinstance(event, Notice)]


def asked(events: list[Event]) -> int:
    return sum(isinstance(event, ApprovalRequested) for event in events)


MAKE = {"tool": "shell", "command": "touch made.txt"}


async def test_a_rule_that_cannot_be_saved_is_told_and_the_call_still_runs(folder: Path) -> None:
    events = await answered(folder, Decision(True, "folder"), MAKE, remembered=FullDisk())
    assert (folder / "made.txt").exists()
    assert last(events).reason == "completed"
    assert [text for text in notices(events) if "No space left" in text]


async def test_a_rule_that_would_be_too_broad_is_refused_with_the_reason(
    folder: Path, tmp_path: Path
) -> None:
    book = RuleBook(tmp_path / "data")
    decision = Decision(True, "folder", reach="prefix", rule="touch")
    events = await answered(folder, decision, MAKE, remembered=book)
    assert (folder / "made.txt").exists()
    assert "too broad" in notices(events)[0]
    assert book.rules() == ()


async def test_a_rule_for_a_beginning_answers_the_next_calls(folder: Path, tmp_path: Path) -> None:
    book = RuleBook(tmp_path / "data")
    decision = Decision(True, "folder", reach="prefix", rule="mkdir -p")
    calls = [{"tool": "shell", "command": f"mkdir -p {name}"} for name in ("one", "two", "three")]
    events = await answered(folder, decision, *calls, remembered=book)
    assert asked(events) == 1
    assert all((folder / name).is_dir() for name in ("one", "two", "three"))
    again = await answered(
        folder,
        Decision(False),
        {"tool": "shell", "command": "mkdir -p four"},
        remembered=RuleBook(tmp_path / "data"),
    )
    assert asked(again) == 0
    assert (folder / "four").is_dir()


async def test_a_rule_that_does_not_fit_its_own_command_is_refused(
    folder: Path, tmp_path: Path
) -> None:
    book = RuleBook(tmp_path / "data")
    decision = Decision(True, "folder", reach="prefix", rule="mkdir -p")
    events = await answered(folder, decision, MAKE, remembered=book)
    assert "does not fit" in notices(events)[0]
    assert book.rules() == ()


READ = {"tool": "read_file", "path": "a.txt"}


async def test_one_of_two_hunks_is_applied_and_the_other_named(folder: Path) -> None:
    events = await answered(
        folder, Decision(True, hunks=(2,)), READ, {"tool": "edit_file", **TWO_CHANGES}
    )
    changed = LINES.replace("line 33\n", "last but some\n").replace("\n", "\r\n").encode()
    assert (folder / "a.txt").read_bytes() == changed
    result = results(events)[-1]
    assert not result.is_error
    assert "skipped hunk 1 (@@ -1,6 +1,6 @@) of 2" in result.content
    assert "third" not in result.details["diff"]


async def test_all_hunks_are_the_whole_change(folder: Path) -> None:
    events = await answered(
        folder, Decision(True, hunks=(1, 2)), READ, {"tool": "edit_file", **TWO_CHANGES}
    )
    assert b"third" in (folder / "a.txt").read_bytes()
    assert b"last but some" in (folder / "a.txt").read_bytes()
    assert "skipped" not in results(events)[-1].content


async def test_no_hunk_at_all_is_a_refusal(folder: Path) -> None:
    events = await answered(
        folder, Decision(True, hunks=()), READ, {"tool": "edit_file", **TWO_CHANGES}
    )
    assert (folder / "a.txt").read_bytes() == LINES.replace("\n", "\r\n").encode()
    assert "skipped every hunk" in results(events)[-1].content


async def test_hunks_of_another_diff_than_the_one_shown_are_not_applied(folder: Path) -> None:
    class Changes(ScriptedApprover):
        async def ask(self, request: object) -> Decision:
            (folder / "a.txt").write_text("new\n" + LINES, encoding="utf-8")
            return Decision(True, hunks=(1,))

    request = turn(
        ScriptedProvider(asks_for("edit_file", **TWO_CHANGES), says("Done.")),
        tools=builtin_tools(),
        folder=folder,
        approver=Changes(),
    )
    events = await collect(request)
    assert results(events)[-1].is_error
    assert (folder / "a.txt").read_text(encoding="utf-8") == "new\n" + LINES


async def test_equal_calls_of_one_reply_are_asked_about_once_and_told():
    reply = asks_for("change", word="a").with_call("change", word="a").with_call("change", word="b")
    watch = Watch()
    approver = ScriptedApprover(Decision(True), Decision(False, reason="not b"))
    provider = ScriptedProvider(reply, asks_for("change", word="a"))
    events = await collect(turn(provider, tools=(Change(watch),), approver=approver))
    asked = [request.arguments["word"] for request in approver.asked]
    # A later reply asks again.
    assert asked == ["a", "b", "a"]
    assert "the same call is made 2 times here" in approver.asked[0].reason
    assert "2 times" not in approver.asked[1].reason
    assert watch.started == ["a", "a"]
    assert [item.is_error for item in results(events)] == [False, False, True, True]


async def test_a_no_to_one_of_two_equal_calls_is_a_no_to_both():
    reply = asks_for("change", word="a").with_call("change", word="a")
    approver = ScriptedApprover(Decision(False, reason="no"), Decision(True))
    events = await collect(turn(ScriptedProvider(reply), tools=(Change(),), approver=approver))
    assert len(approver.asked) == 1
    assert [item.is_error for item in results(events)] == [True, True]


async def test_an_equal_edit_whose_diff_is_another_one_is_asked_about_again(tmp_path):
    (tmp_path / "a.txt").write_text("a\n")
    call = {"path": "a.txt", "old_string": "a\n", "new_string": "b\na\n"}
    reply = asks_for("edit_file", **call).with_call("edit_file", **call)
    approver = ScriptedApprover(Decision(True))
    provider = ScriptedProvider(asks_for("read_file", path="a.txt"), reply)
    await collect(turn(provider, tools=builtin_tools(), folder=tmp_path, approver=approver))
    assert [request.tool for request in approver.asked] == ["edit_file", "edit_file"]
    assert approver.asked[0].body != approver.asked[1].body
    assert (tmp_path / "a.txt").read_text() == "b\nb\na\n"
