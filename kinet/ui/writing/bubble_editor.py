"""A sent message while it is edited, in the place of its bubble."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from kinet.ui.kit.controls import key_hint, repolish, text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.wrapping_row import WrappingRow
from kinet.ui.look.theme import Theme, current_theme
from kinet.ui.writing.attachments import Attachment, ChipBar, taken_apart, with_attachments
from kinet.ui.writing.composer_edit import PASTE_LINE_LENGTH, ComposerEdit, is_huge
from kinet.ui.writing.kept_edits import Edit
from kinet.ui.writing.leave_question import LeaveQuestion

_LINES = 14


def edit_of(text: str, pictures: int) -> Edit:
    """A message as it was sent: its text without what was attached, and all its pictures."""
    said, attached = taken_apart(text)
    return Edit(said, attached, tuple(range(pictures)))


def too_long_to_edit(text: str) -> int:
    """The length of a line that would stop the window for seconds, 0 where there is none."""
    longest = max(map(len, taken_apart(text)[0].split("\n")))
    return longest if longest > PASTE_LINE_LENGTH else 0


class BubbleEditor(QFrame):
    """Enter begins a new line; Ctrl+Enter saves and sends again, Ctrl+S keeps it for later.

    Esc leaves; it asks first if something would be lost. Text that an input method has not
    finished yet keeps its own Enter and Esc.
    """

    saved = Signal(str)
    kept = Signal()
    left = Signal()  # nothing is lost, or that was said
    changed = Signal()

    def __init__(self, message: Edit, sizes: Sequence[int] = (), kept: Edit | None = None) -> None:
        """`message` is what was sent, `sizes` those of its pictures in bytes, `kept` what the
        person saved of it before."""
        super().__init__()
        self.setObjectName("bubbleEditor")
        self.setAccessibleName("Editing your message")
        self._message, self._sizes = message, tuple(sizes)
        self._kept = kept
        self._attachments, self._pictures = message.attachments, message.pictures
        self._told: Edit | None = None
        self.edit = ComposerEdit(self)
        self.chips = ChipBar(self)
        self.save = TextButton("Save and resend", self, kind="primary")
        self.keep = TextButton("Save for later", self)
        self.cancel = TextButton("Cancel", self)
        self.hint = text_label("", type="meta", tone="text_3", parent=self)
        self.question = LeaveQuestion(self)
        self._acts = QWidget(self)
        self._build()
        self.show_edit(kept or message)
        self.edit.textChanged.connect(self._text_changed)
        self.set_theme(current_theme())

    @property
    def value(self) -> Edit:
        """What the message is to become."""
        caret = self.edit.textCursor().position()
        return Edit(self.edit.text(), self._attachments, self._pictures, caret)

    @property
    def changed_text(self) -> str:
        """The whole text that was written, "" if that is what was sent."""
        now, before = self.value, self._message
        if not now.text.strip() or (now.text, now.attachments) == (before.text, before.attachments):
            return ""
        return with_attachments(now.text, now.attachments)

    @property
    def loses(self) -> bool:
        """True if leaving now would lose something that is kept nowhere."""
        return not self.value.says_the_same(self._kept or self._message)

    def show_edit(self, edit: Edit) -> None:
        """Shows another state of the message; pictures that it never had are left out."""
        self._attachments = edit.attachments
        self._pictures = tuple(n for n in edit.pictures if n < len(self._sizes))
        self.edit.set_text(edit.text, edit.caret if edit.caret >= 0 else None)
        self._show_chips()
        self._text_changed()

    def ask_to_leave(self) -> None:
        """Leaves, or asks first."""
        if not self.loses:
            self.left.emit()
        elif self.question.isVisible():
            self._go_on()
        else:
            # Its buttons take the place of the others, which would say half of the same.
            self._acts.hide()
            self.question.ask(can_keep=bool(self.edit.text().strip()))

    def keep_it(self) -> None:
        """Keeps it without sending, unless it is empty."""
        if self.edit.text().strip():
            self._kept = self.value
            self.kept.emit()

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        line = theme.color("accent" if self.edit.hasFocus() else "control_border")
        self.setStyleSheet(
            f"QFrame#bubbleEditor {{ background: {theme.color('subtle')};"
            f" border: 1px solid {line}; border-radius: 12px; }}"
            # The frame is the bubble's; a second one around the text would be one too many.
            " QTextEdit#bubbleEdit { background: transparent; border: 0; padding: 0; }"
        )
        self.edit.restyle()
        self.edit.set_max_height(_LINES * theme.line_height("answer"))
        repolish(self.save)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Esc leaves, unless it closes a list of candidates."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() == Qt.Key.Key_Escape and not self.edit.composing:
                self.ask_to_leave()
                return True
            if event.key() == Qt.Key.Key_Up and self.edit.document().isEmpty():
                # An earlier message has no place here.
                return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.ask_to_leave()
            return
        super().keyPressEvent(event)

    def _build(self) -> None:
        self.edit.setObjectName("bubbleEdit")
        self.edit.setAccessibleName("Your message, being edited")
        self.edit.setPlaceholderText("An empty message is not sent")
        self.edit.enter_sends = False
        self.edit.installEventFilter(self)
        self.save.setObjectName("saveEditButton")
        self.keep.setObjectName("keepEditButton")
        self.keep.setToolTip(f"Keeps it with the message  ({key_hint('Ctrl+S')})")
        self.cancel.setObjectName("cancelEditButton")
        row = WrappingRow(self._acts, aside=self.hint)
        for widget in (self.save, self.keep, self.cancel, self.hint):
            row.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 12)
        column.setSpacing(10)
        column.addWidget(self.edit)
        column.addWidget(self.chips)
        column.addWidget(self.question)
        column.addWidget(self._acts)
        keys = QShortcut(QKeySequence("Ctrl+S"), self)
        keys.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        keys.activated.connect(self.keep_it)
        self.edit.submitted.connect(self._save)
        self.edit.height_changed.connect(self.updateGeometry)
        self.edit.focus_changed.connect(lambda: self.set_theme(current_theme()))
        self.edit.text_pasted.connect(self._attach)
        self.chips.removed.connect(self._remove)
        self.chips.opened.connect(self._unfold)
        self.save.clicked.connect(self._save)
        self.keep.clicked.connect(self.keep_it)
        self.cancel.clicked.connect(self.ask_to_leave)
        self.question.kept.connect(self.keep_it)
        self.question.discarded.connect(self.left)
        self.question.went_on.connect(self._go_on)

    def _show_chips(self) -> None:
        several = len(self._sizes) > 1
        pictures = [
            Attachment(
                f"Picture {n + 1}" if several else "Picture", "", "Sent with the message",
                max(1, self._sizes[n]),
            )
            for n in self._pictures
        ]  # fmt: skip
        self.chips.set_attachments((*pictures, *self._attachments))
        count = len(self._pictures)
        kept = {0: "", 1: "its picture stays · "}.get(count, f"its {count} pictures stay · ")
        keys = f"{key_hint('Ctrl+Enter')} resends · {key_hint('Ctrl+S')} keeps it"
        self.hint.setText(f"{kept}the old answer stays · {keys}")

    def _remove(self, place: int) -> None:
        """Takes a chip away: pictures come first."""
        pictures, attached = list(self._pictures), list(self._attachments)
        if place < len(pictures):
            del pictures[place]
        else:
            del attached[place - len(pictures)]
        self._pictures, self._attachments = tuple(pictures), tuple(attached)
        self._show_chips()
        self._text_changed()
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _unfold(self, place: int) -> None:
        """A pasted text goes into the field, where it is not too long for that."""
        item = self._attachments[place - len(self._pictures)]
        if not is_huge(item.text):
            self._remove(place)
            self.edit.textCursor().insertText(item.text)

    def _attach(self, text: str) -> None:
        """A paste that is too large for the field becomes a chip."""
        self._attachments = (*self._attachments, Attachment("Pasted text", text))
        self._show_chips()
        self._text_changed()

    def _text_changed(self) -> None:
        now = self.value
        if now.says_the_same(self._told):
            # Only its looks have changed.
            return
        self._told = now
        sendable = bool(now.text.strip())
        self.save.setEnabled(sendable)
        self.keep.setEnabled(sendable)
        self._end_question()
        self.changed.emit()

    def _end_question(self) -> None:
        self.question.hide()
        self._acts.show()

    def _go_on(self) -> None:
        self._end_question()
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _save(self) -> None:
        value = self.value
        if value.text.strip():
            self.saved.emit(with_attachments(value.text, value.attachments))
