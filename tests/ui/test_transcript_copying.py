"""A very long conversation is copied in slices, and what is copied is the same as all at once."""

from __future__ import annotations

import subprocess
import sys

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from kinet.core.events import Event
from kinet.net import redact
from kinet.net.secret import Secret
from kinet.ui.kit import clipboard as clipboards
from kinet.ui.transcript import presenter
from kinet.ui.transcript.entries.text_entry import TextEntry
from kinet.ui.transcript.hand import copying
from kinet.ui.transcript.stage.selection import Place
from kinet.ui.transcript.view import Transcript
from tests.support.markdown_cases import cases, pieces
from tests.ui.transcript_kit import asked, said, settle, shown, turn

TURNS = 60


@pytest.fixture(autouse=True)
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is done at once, and of each slice only the first text."""
    monkeypatch.setattr(copying, "_FIRST_SECONDS", -1.0)
    monkeypatch.setattr(copying, "SLICE_SECONDS", -1.0)


def clipboard() -> str:
    return QGuiApplication.clipboard().text()


def loaded(answers: int = TURNS) -> Transcript:
    events: list[Event] = []
    for number in range(answers):
        events += [asked(f"Ask {number}"), said(f"**Answer** {number}.\n\n- one\n- two")]
    transcript = shown()
    transcript.load([*events, *turn()])
    settle(transcript)
    QGuiApplication.clipboard().setText("before")
    return transcript


@pytest.mark.parametrize("plain", [False, True])
@pytest.mark.parametrize("large", [clipboards.LARGE, 0])
def test_in_slices_the_same_is_copied_as_at_once(
    app: object, monkeypatch: pytest.MonkeyPatch, plain: bool, large: int
) -> None:
    monkeypatch.setattr(clipboards, "LARGE", large)
    transcript = loaded()
    transcript.selection.all()
    whole = transcript.selection.text(plain=plain)
    told: list[int] = []
    transcript.copier.ended.connect(told.append)
    transcript.copy(plain=plain)
    assert clipboard() == "before"
    assert not transcript.is_idle()
    settle(transcript)
    assert clipboard() == whole
    assert f"Ask {TURNS - 1}" in whole
    assert told == [whole.count("\n") + 1]


def test_the_newer_copy_takes_the_place_of_the_older_one(app: object) -> None:
    transcript = loaded()
    transcript.selection.all()
    transcript.copy()
    QApplication.processEvents()
    transcript.selection.set(Place(0, 0, 0), Place(0, 0, 3))
    transcript.copy()
    settle(transcript)
    assert clipboard() == "Ask"


def test_everything_is_what_is_still_to_come_from_above_too(
    app: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(presenter, "_FIRST_ENTRIES", 3)
    transcript = shown()
    transcript.load([event for n in range(TURNS) for event in (asked(f"Ask {n}"), said("So."))])
    transcript.selection.all()
    transcript.copy()
    settle(transcript)
    assert clipboard().count("Ask ") == TURNS


def test_what_changes_meanwhile_changes_nothing_of_the_copy(app: object) -> None:
    transcript = loaded()
    transcript.selection.all()
    whole = transcript.selection.text()
    transcript.copy()
    QApplication.processEvents()
    transcript.load([said("Something else.")])
    settle(transcript)
    assert clipboard() == whole


def test_no_live_key_is_copied_in_slices(app: object) -> None:
    key = "sk-live-key-0123456789abcdef"
    redact.register(Secret(key))
    transcript = shown()
    transcript.load([asked("My key"), said(f"It is {key}.")])
    settle(transcript)
    transcript.selection.all()
    transcript.copy()
    settle(transcript)
    assert key not in clipboard()
    assert "It is " in clipboard()


def test_a_whole_text_is_copied_as_it_was_written_split_or_not(app: object) -> None:
    for case in cases():
        source = "".join(pieces(case))[:20_000]
        entry = TextEntry(source)
        assert "".join(piece.block.source for piece in entry.pieces) == source, case


def test_what_was_copied_last_does_not_end_the_program_badly(app: object) -> None:
    program = (
        "import sys\n"
        "from PySide6.QtCore import QByteArray\n"
        "from PySide6.QtWidgets import QApplication\n"
        "app = QApplication([])\n"
        "from kinet.ui.kit import clipboard\n"
        "clipboard.LARGE = 0\n"
        "clipboard.copy_masked(QByteArray('問 🚀 two'.encode()))\n"
        "print(ascii(app.clipboard().text()))\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert ended.returncode == 0
    assert ended.stdout.decode().strip() == ascii("問 🚀 two")
