"""Undo in the real window: the card at the end of a turn, Review, a change by hand, coming back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QDialog, QPushButton

from kinet.ui.desks.undo_question import UndoQuestion
from kinet.ui.transcript.entries.entry import Hit
from kinet.ui.transcript.entries.files_entry import FilesEntry
from tests.support.live_window import LiveWindow, live_window
from tests.support.replies import Reply
from tests.support.scripted_server import ScriptedServer, asks_for, says
from tests.support.window import until

pytestmark = pytest.mark.window


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder without git, with two files in it."""
    place = tmp_path / "work"
    place.mkdir()
    (place / "notes.txt").write_text("eggs\nmilk\n")
    (place / "old.txt").write_text("old\n")
    return place


def script() -> tuple[Reply, ...]:
    """A turn that makes a file with a tool, and changes and deletes others by a command."""
    return (
        asks_for("write_file", path="list.md", content="- bread\n"),
        asks_for("shell", command="sed -i s/milk/tea/ notes.txt; rm old.txt"),
        says("Done."),
    )


def card(live: LiveWindow) -> FilesEntry:
    """The newest card of changed files."""
    entries = live.panel.transcript.stage.flow.entries
    found = [entry for entry in entries if isinstance(entry, FilesEntry)]
    assert found, "no card of changed files"
    return found[-1]


def offered(live: LiveWindow) -> dict[str, Hit]:
    """What the card offers, by action."""
    flow = live.panel.transcript.stage.flow
    return {hit.action: hit for hit in card(live).hits(flow.style, flow.width)}


def click(live: LiveWindow, action: str) -> None:
    """Clicks a word of the card where it is on screen."""
    transcript = live.panel.transcript
    stage = transcript.stage
    transcript.jump_to_bottom()
    number = list(stage.flow.entries).index(card(live))
    rect = offered(live)[action].rect
    for y in range(transcript.viewport().height()):
        at = QPoint(transcript.viewport().width() // 2, y)
        if stage.entry_at(at)[0] == number:
            left = (transcript.viewport().width() - stage.flow.width) // 2
            place = QPoint(left + rect.center().x(), y + rect.height() // 2)
            QTest.mouseClick(transcript.viewport(), Qt.MouseButton.LeftButton, pos=place)
            return
    raise AssertionError("the card is not on screen")


async def test_a_turn_is_taken_back_and_made_again_with_one_click_each(
    tmp_path: Path, folder: Path
) -> None:
    with ScriptedServer(*script()) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder, approve="edits"
        ) as live:
            await live.say("Change things")
            await live.allow()
            await live.ended()
            await until(lambda: "undo" in offered(live), what="undo is offered")
            shown = card(live)
            assert shown.paths == ("list.md", "notes.txt", "old.txt")
            assert (shown.added, shown.removed) == (2, 2)

            click(live, "undo")
            await until(lambda: shown.undone, what="it is taken back")
            assert (folder / "notes.txt").read_text() == "eggs\nmilk\n"
            assert (folder / "old.txt").read_text() == "old\n"
            assert not (folder / "list.md").exists()
            assert live.window.parts.toast.text() == "3 files put back"

            click(live, "redo")
            await until(lambda: not shown.undone, what="it is made again")
            assert (folder / "list.md").read_text() == "- bread\n"
            assert not (folder / "old.txt").exists()


async def test_review_shows_every_file_and_undoes_one_alone(tmp_path: Path, folder: Path) -> None:
    with ScriptedServer(*script()) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder, approve="edits"
        ) as live:
            await live.say("Change things")
            await live.allow()
            await live.ended()
            await until(lambda: "changes" in offered(live), what="review is offered")
            click(live, "changes")
            view = live.window.core.undo.view
            await until(lambda: view.isVisible(), what="the changes are shown")
            assert [(file.letter, file.shown) for file in view.files] == [
                ("A", "list.md"), ("M", "notes.txt"), ("D", "old.txt"),
            ]  # fmt: skip
            view.list.setCurrentRow(1)
            assert [row.text for row in view.diff.rows if row.kind == "add"] == ["tea"]
            view.undo_file.click()
            await until(lambda: view.files[1].undone, what="one file is put back")
            assert (folder / "notes.txt").read_text() == "eggs\nmilk\n"
            assert not (folder / "old.txt").exists()
            live.find(QPushButton, "undoButton").click()
            await until(lambda: all(file.undone for file in view.files), what="all are put back")
            assert (folder / "old.txt").exists()


async def test_hunks_of_a_file_are_chosen_and_come_back(tmp_path: Path, folder: Path) -> None:
    lines = [f"line {number}\n" for number in range(40)]
    changed = [f"new {n}\n" if n in (3, 15, 30) else line for n, line in enumerate(lines)]
    notes = folder / "notes.txt"
    notes.write_text("".join(lines))
    sed = "; ".join(f"s/^line {number}$/new {number}/" for number in (3, 15, 30))
    with ScriptedServer(asks_for("shell", command=f"sed -i '{sed}' notes.txt"), says("Done.")) as s:
        async with live_window(
            tmp_path / "home", server_url=s.base_url, folder=folder, approve="edits"
        ) as live:
            await live.say("Change things")
            await live.allow()
            await live.ended()
            await until(lambda: "changes" in offered(live), what="review is offered")
            assert notes.read_text() == "".join(changed)
            click(live, "changes")
            view = live.window.core.undo.view
            await until(lambda: view.isVisible(), what="the changes are shown")
            choice, toast = view.hunks, live.window.parts.toast
            assert choice.words.text() == "3 hunks"
            choice.choose.click()
            assert choice.hunks is not None
            assert not choice.undo.isEnabled()
            for number in (0, 1):
                choice.hunks.hunks[number].choice.buttons["undo"].click()
            assert choice.words.text() == "2 of 3 chosen"
            # One of them is changed by hand meanwhile.
            notes.write_text("".join(changed).replace("new 15", "mine 15"))
            choice.undo.setFocus()
            choice.undo.click()
            await until(lambda: "hunk" in toast.text(), what="it is told")
            assert toast.text() == ("1 hunk put back; not notes.txt, hunk 2: it was changed since")
            held = "".join(changed).replace("new 3\n", "line 3\n")
            assert notes.read_text() == held.replace("new 15", "mine 15")
            assert choice.hunks is None
            assert choice.words.text() == "2 hunks"
            assert live.window.focusWidget() is choice.choose
            notes.write_text(held)
            choice.redo.click()
            await until(lambda: not view.files[0].partly, what="it is there again")
            assert notes.read_text() == "".join(changed)


async def test_a_file_changed_by_hand_is_asked_about(tmp_path: Path, folder: Path) -> None:
    with ScriptedServer(*script()) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder, approve="edits"
        ) as live:
            await live.say("Change things")
            await live.allow()
            await live.ended()
            await until(lambda: "undo" in offered(live), what="undo is offered")
            (folder / "list.md").write_text("- mine\n")
            click(live, "undo")
            asked: list[Any] = []
            await until(
                lambda: asked.extend(live.window.findChildren(QDialog, "undoQuestion")) or asked
            )
            assert not (folder / "old.txt").exists()
            choice = asked[0].findChild(QComboBox)
            assert [choice.itemData(row) for row in range(choice.count())] == ["keep", "restore"]
            asked[0].findChild(QPushButton, "undoAnswerButton").click()
            await until(lambda: (folder / "old.txt").exists(), what="the rest is taken back")
            assert (folder / "list.md").read_text() == "- mine\n"


async def test_undo_is_still_there_after_a_restart(tmp_path: Path, folder: Path) -> None:
    home = tmp_path / "home"
    with ScriptedServer(*script()) as server:
        async with live_window(
            home, server_url=server.base_url, folder=folder, approve="edits"
        ) as live:
            await live.say("Change things")
            await live.allow()
            await live.ended()
            session_id = live.panel.session_id
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            live.window.open_session(session_id)
            await until(lambda: "undo" in offered(live), what="undo is offered again")
            click(live, "undo")
            await until(lambda: (folder / "old.txt").exists(), what="it is taken back")


async def test_what_a_stopped_call_changed_gets_its_card_however_long_the_look_takes(
    tmp_path: Path, folder: Path
) -> None:
    command = "echo new > made.txt; echo begun; sleep 600"
    with ScriptedServer(asks_for("shell", command=command), says("Fine.")) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder
        ) as live:
            await live.say("Run it")
            await live.allow()
            await until(lambda: (folder / "made.txt").exists())
            journal, go = live.panel.session._state.parts.journal, asyncio.Event()
            look = journal.after

            async def slow_look(ticket: object) -> object:
                await go.wait()
                return await look(ticket)

            journal.after = slow_look
            live.press("stopButton")
            await live.ended()
            assert cards(live) == []
            await live.ask("And now?")
            go.set()
            await until(lambda: cards(live) and cards(live)[0].can_undo)
            (shown,) = cards(live)
            assert shown.paths == ("made.txt",)
            # It stands in its own turn, above the line that ends that.
            entries = live.panel.transcript.stage.flow.entries
            place = entries.index(shown)
            assert entries[place + 1].kind == "meta"
            assert [entry.kind for entry in entries[place:]].count("user") == 1
            live.panel.reading.files_chosen.emit("undo", shown.turn_id)
            await until(lambda: not (folder / "made.txt").exists())
            await until(lambda: shown.undone)


async def test_what_a_background_job_changed_gets_a_card_when_it_ends_and_undo_asks(
    tmp_path: Path, folder: Path
) -> None:
    command = "until [ -e ../go ]; do sleep 0.02; done; echo new > made.txt"
    with ScriptedServer(
        asks_for("shell", command=command, background=True), says("It runs.")
    ) as server:
        async with live_window(
            tmp_path / "home", server_url=server.base_url, folder=folder
        ) as live:
            await live.say("Run it")
            await live.allow()
            await until(lambda: "It runs." in live.text)
            await live.ended()
            assert cards(live) == []
            (folder.parent / "go").touch()
            await until(lambda: cards(live) and cards(live)[0].can_undo)
            assert "changed while a command ran on in the background" in live.text
            assert cards(live)[0].paths == ("made.txt",)
            live.panel.reading.files_chosen.emit("undo", cards(live)[0].turn_id)
            await until(lambda: live.window.findChildren(UndoQuestion))
            assert (folder / "made.txt").exists()


def cards(live: LiveWindow) -> list[FilesEntry]:
    return [e for e in live.panel.transcript.stage.flow.entries if isinstance(e, FilesEntry)]
