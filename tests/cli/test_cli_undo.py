"""kinet undo and kinet redo: what a run changed through tools and commands, taken back."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Kinet
from tests.support.replies import asks_for, says
from tests.support.scripted_server import ScriptedServer


def run_of_changes(kinet: Kinet, folder: Path) -> tuple[str, list[dict[str, object]]]:
    """A run with an edit and a command; the session's id and the events."""
    replies = (
        asks_for("write_file", path="new.md", content="fresh\n"),
        asks_for("shell", command="printf 'b\\n' >> notes.md; rm old.txt"),
        says("done"),
    )
    with ScriptedServer(*replies) as server:
        ran = kinet(
            "run", "--base-url", server.base_url, "--model", "m", "--cwd", folder,
            "--approve", "all", "--unsandboxed", "--json", "go",
        )  # fmt: skip
    events = [json.loads(line) for line in ran.out.splitlines()]
    return str(events[0]["session_id"]), events


def furnished(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "notes.md").write_text("a\n")
    (folder / "old.txt").write_text("old")
    return folder


def test_a_run_says_what_changed_and_undo_takes_it_back(kinet: Kinet, tmp_path: Path) -> None:
    folder = furnished(tmp_path)
    session, events = run_of_changes(kinet, folder)
    changed = [event["paths"] for event in events if event["type"] == "files_changed"]
    assert changed == [["new.md"], ["notes.md", "old.txt"]]
    assert (folder / "notes.md").read_text() == "a\nb\n"

    dry = kinet("undo", session, "--dry-run")
    assert dry.code == 0
    assert "-b" in dry.out
    assert "+old" in dry.out
    assert (folder / "new.md").exists()

    assert kinet("undo", session, "1").code == 0
    assert (folder / "notes.md").read_text() == "a\n"
    assert (folder / "old.txt").read_text() == "old"
    assert not (folder / "new.md").exists()
    again = kinet("undo", session)
    assert again.code == 1
    assert "nothing to take back" in again.err

    assert kinet("redo", session).code == 0
    assert (folder / "new.md").read_text() == "fresh\n"
    assert not (folder / "old.txt").exists()


def test_a_file_changed_since_is_not_overwritten_unasked(kinet: Kinet, tmp_path: Path) -> None:
    folder = furnished(tmp_path)
    session, _ = run_of_changes(kinet, folder)
    (folder / "new.md").write_text("mine")
    asked = kinet("undo", session, "--json")
    assert asked.code == 5
    assert json.loads(asked.out)["changed"] == ["new.md"]
    assert not (folder / "old.txt").exists()
    kept = kinet("undo", session, "--changed", "keep", "--json")
    assert json.loads(kept.out)["kept"] == ["new.md"]
    assert (folder / "new.md").read_text() == "mine"
    assert (folder / "old.txt").exists()


def test_an_unknown_session_or_turn_is_one_sentence(kinet: Kinet, tmp_path: Path) -> None:
    unknown = kinet("undo", "nothing")
    assert (unknown.code, unknown.out) == (1, "")
    session, _ = run_of_changes(kinet, furnished(tmp_path))
    assert "no turn '7'" in kinet("undo", session, "7").err
