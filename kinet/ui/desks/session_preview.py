"""The end of a long session, to be read and scrolled while all of it is read from the disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from kinet.core.events import Event
from kinet.ui.chat.header import ChatHeader
from kinet.ui.kit.controls import text_label
from kinet.ui.look.theme import current_theme

if TYPE_CHECKING:
    from kinet.ui.transcript.view import Transcript

WORDS = "Reading the rest of the session…"


class EndRow(Protocol):
    """What the head shows of a session."""

    @property
    def title(self) -> str:
        """One line."""
        ...

    @property
    def folder(self) -> str:
        """The working folder, "" for none."""
        ...


class SavedEnd(Protocol):
    """The newest turns of a session."""

    @property
    def row(self) -> EndRow:
        """The session's line in the list."""
        ...

    @property
    def events(self) -> list[Event]:
        """From the beginning of a turn on."""
        ...


class SessionPreview(QFrame):
    """Stands over `room` where the session will be. `refused`: something cannot be done yet."""

    refused = Signal()

    def __init__(self, end: SavedEnd, room: QWidget, foot: int) -> None:
        """`foot` is the height of what stands below the conversation in the panel to come."""
        super().__init__(room.parentWidget())
        # Imported here: the window's first frame does without it.
        from kinet.ui.transcript.presenter import Presenter
        from kinet.ui.transcript.view import Transcript

        self.setObjectName("sessionPreview")
        self.setProperty("surface", "canvas")
        self.setAccessibleName(WORDS)
        self._room = room
        header = ChatHeader(self)
        header.set_title(end.row.title or "New session")
        header.set_folder(Path(end.row.folder) if end.row.folder else None)
        header.show_tools(False)
        header.more_button.hide()
        header.folder.setEnabled(False)
        self.transcript = Transcript(current_theme(), self)
        words = text_label(WORDS, type="meta", tone="text_3", parent=self)
        words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        words.setFixedHeight(foot)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(header)
        column.addWidget(self.transcript, 1)
        column.addWidget(words)
        self._refuse(self.transcript)
        room.installEventFilter(self)
        self.setGeometry(room.geometry())
        self.show()
        self.raise_()
        Presenter(self.transcript).replay(end.events)

    def hand_over(self, to: Transcript) -> None:
        """What was read here is read there: the place, what is selected, the keyboard."""
        if self.transcript.hasFocus():
            to.setFocus(Qt.FocusReason.OtherFocusReason)
        from kinet.ui.transcript.handing_over import hand_over

        hand_over(self.transcript, to)

    def leave(self) -> None:
        """Takes it away."""
        self._room.removeEventFilter(self)
        self.hide()
        self.deleteLater()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stays where the room is."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self.setGeometry(self._room.geometry())
        return False

    def changeEvent(self, event: QEvent) -> None:
        """Takes on another look."""
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "transcript"):
            self.transcript.set_theme(current_theme())
        super().changeEvent(event)

    def _refuse(self, transcript: Transcript) -> None:
        """What acts on a session waits until there is one."""
        for asked in (
            transcript.step_activated,
            transcript.link_activated,
            transcript.retry_requested,
            transcript.message_requested,
            transcript.fact_requested,
            transcript.files_requested,
        ):
            asked.connect(lambda *_: self.refused.emit())
