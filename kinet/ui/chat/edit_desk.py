"""Edits a sent message in its place, and keeps what was written until it is sent."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication

from kinet.core.messages import Message
from kinet.ui.chat.reading import Reading
from kinet.ui.kit.when_kept import when_kept
from kinet.ui.look.theme import Theme
from kinet.ui.open_session import OpenSession
from kinet.ui.writing.bubble_editor import BubbleEditor, edit_of, too_long_to_edit
from kinet.ui.writing.kept_edits import EditBook, KeptEdit

_KEEP_DELAY = 700  # milliseconds from a key to the file
_RUNNING = "A message can be edited when this turn has ended, or was stopped."
_TOO_LONG = (
    "This message cannot be edited in its place: a line of it has {longest:,} characters. Copy it,"
    " or put it into a file and attach that."
)
_KEPT = "Kept with the message, not sent. Edit brings it back."


class EditDesk(QObject):
    """Serves one panel; at most one message is edited at a time."""

    # The message, its new text, and those of its pictures that stay.
    submitted = Signal(object, str, object)
    began = Signal()  # the conversation is to be seen
    problem = Signal(str)
    # A text that has no place of its own any more.
    given_back = Signal(str)
    # The editor was closed by the person; the next words go into the composer.
    left = Signal()

    def __init__(
        self,
        session: Callable[[], OpenSession | None],
        running: Callable[[], bool],
        reading: Reading,
        book: EditBook,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._session, self._running = session, running
        self._reading, self._book = reading, book
        self.editing = ""
        self.editor: BubbleEditor | None = None
        self._message: Message | None = None
        # Whether the end was followed before the editor was looked at.
        self._followed = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_KEEP_DELAY)
        self._timer.timeout.connect(self.save)
        reading.made.connect(self._watch_place)
        reading.replayed.connect(self.show_again)

    def edit(self, message_id: str, *, again: bool = False) -> None:
        """Edits the message in its place, from where it was left.

        `again` is true where the window does that by itself: then the keyboard stays where it is.
        """
        session = self._session()
        message = self._found(message_id)
        if session is None or message is None:
            return
        if self._running():
            self.problem.emit(_RUNNING)
            return
        if not again:
            self.began.emit()
        if self.editor is not None and self.editing == message_id:
            self.editor.edit.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        if longest := too_long_to_edit(message.text):
            self.problem.emit(_TOO_LONG.format(longest=longest))
            return
        self.put_aside()
        kept = self._book.get(session.id, message_id)
        sizes = [len(picture.url) * 3 // 4 for picture in message.images]
        editor = BubbleEditor(edit_of(message.text, len(sizes)), sizes, kept.saved)
        if kept.open is not None:
            editor.show_edit(kept.open)
        followed = self._reading.transcript.following
        if not self._reading.transcript.put_in_place(message_id, editor):
            editor.deleteLater()
            return
        self.editing, self.editor, self._message = message_id, editor, message
        self._followed = followed
        editor.left.connect(self._left)
        editor.kept.connect(self._keep)
        editor.saved.connect(self._submit)
        # Not anew with each letter: who types without a pause is kept too.
        editor.changed.connect(lambda: self._timer.isActive() or self._timer.start())
        if not again:
            editor.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self) -> None:
        """Leaves the message as it is; asks first if something would be lost."""
        if self.editor is not None:
            self.editor.ask_to_leave()

    def show_again(self) -> None:
        """Opens the editor that was open when the conversation was left, and marks the others."""
        self._show_kept()
        session = self._session()
        if session is None or self._running() or self.editor is not None:
            return
        edits = self._book.messages(session.id)
        opened = [message_id for message_id, kept in edits.items() if kept.open is not None]
        message_id = next((id_ for id_ in reversed(opened) if self._found(id_)), "")
        if not message_id:
            return
        filler = self._reading.transcript.stage.filler
        if filler.is_idle:
            self.edit(message_id, again=True)
        else:
            # Its place may not be told yet.
            kind = Qt.ConnectionType.SingleShotConnection
            filler.finished.connect(self.show_again, kind)

    def save(self) -> None:
        """Keeps what stands in the editor now, on disk."""
        self._timer.stop()
        if self.editor is not None:
            self._put(open_=True)
        self._book.save()

    def let_go(self) -> None:
        """The panel goes: what stands in the editor is there when the session is shown again."""
        self.save()
        self.editor, self.editing, self._message = None, "", None

    def sent(self, message_id: str, text: str) -> None:
        """A message was sent anew with this text: if it is the edited one, nothing is kept of it.

        The editor goes in any case, for its conversation does; other text goes to the composer.
        """
        session, editor = self._session(), self.editor
        if editor is None:
            return
        own = message_id == self.editing and editor.changed_text in ("", text)
        if not own and editor.loses and editor.changed_text:
            self.given_back.emit(editor.changed_text)
        if own and session is not None:
            self._book.put(session.id, self.editing, KeptEdit())
        else:
            self._forget_open()
        # The keyboard would go to any neighbour with the editor: what comes next is written below.
        had_keyboard = _has_keyboard(editor)
        self._reading.transcript.in_place.take_back()
        self._end()
        if had_keyboard:
            self.left.emit()

    def put_aside(self) -> None:
        """Closes the editor for another one; what was written is kept with its message."""
        if self.editor is not None:
            if self.editor.loses and self.editor.edit.text().strip():
                self.editor.keep_it()
                return
            self._reading.transcript.in_place.take_back()
            self._forget_open()
            self._end()

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        if self.editor is not None:
            self.editor.set_theme(theme)

    def _submit(self, text: str) -> None:
        editor, message = self.editor, self._message
        if self._running():
            self.problem.emit("A turn runs now; save again when it has ended, or was stopped.")
        elif editor is not None and message is not None:
            pictures = [message.images[number] for number in editor.value.pictures]
            self.submitted.emit(message, text, pictures)

    def _keep(self) -> None:
        """What is written stays with the message, and the editor closes."""
        self._put(open_=False, saved=True)
        self._close()
        self._end()
        when_kept(self, self._book.save(), self.problem.emit, lambda: self.problem.emit(_KEPT))
        self.left.emit()

    def _close(self) -> None:
        """The message is there again; who was at the end before, and still is, follows it."""
        transcript = self._reading.transcript
        transcript.in_place.take_back()
        bar = transcript.verticalScrollBar()
        if self._followed and bar.maximum() - bar.value() < transcript.viewport().height() // 2:
            transcript.jump_to_bottom()

    def _left(self) -> None:
        self._close()
        self._forget_open()
        self._end()
        self.left.emit()

    def _put(self, *, open_: bool, saved: bool = False) -> None:
        session, editor = self._session(), self.editor
        if session is None or editor is None:
            return
        before = self._book.get(session.id, self.editing)
        value = editor.value
        # An editor in which nothing was changed is open too, but holds nothing to be kept.
        kept = KeptEdit(value if saved else before.saved, value if open_ and editor.loses else None)
        self._book.put(session.id, self.editing, kept)

    def _forget_open(self) -> None:
        session = self._session()
        if session is not None:
            saved = self._book.get(session.id, self.editing).saved
            self._book.put(session.id, self.editing, KeptEdit(saved))

    def _watch_place(self) -> None:
        self._reading.transcript.in_place.dropped.connect(self._place_gone)

    def _place_gone(self) -> None:
        """Other entries are shown: what was written meanwhile goes to the composer."""
        if (editor := self.editor) is not None:
            had_keyboard = _has_keyboard(editor)
            if editor.loses and (text := editor.changed_text):
                self.given_back.emit(text)
            self._forget_open()
            self._end()
            if had_keyboard:
                self.left.emit()

    def _end(self) -> None:
        editor, self.editor, self.editing = self.editor, None, ""
        self._message = None
        self._timer.stop()
        self._book.save()
        self._show_kept()
        if editor is not None:
            editor.deleteLater()

    def _show_kept(self) -> None:
        session, presenter = self._session(), self._reading.presenter
        if session is not None and presenter is not None:
            presenter.show_edits(self._book.messages(session.id).keys())

    def _found(self, message_id: str) -> Message | None:
        session = self._session()
        messages = session.conversation.messages if session is not None else []
        return next((item for item in messages if item.id == message_id), None)


def _has_keyboard(editor: BubbleEditor) -> bool:
    focused = QApplication.focusWidget()
    return focused is not None and (focused is editor or editor.isAncestorOf(focused))
