"""The text field of the composer: grows with its text, knows input methods, refuses huge pastes."""

from __future__ import annotations

import time
from pathlib import Path

from PySide6.QtCore import QMimeData, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QInputMethodEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextBlockFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from kinet.ui.look.theme import current_theme
from kinet.ui.writing.given_pictures import has_picture, picture_in

LINE = 24
# Above these a paste becomes a chip: a very long line would stop the field for seconds.
PASTE_CHARACTERS = 8_000
PASTE_LINES = 200
PASTE_LINE_LENGTH = 20_000
# Some input methods send the Enter that chose a candidate a moment after its text.
COMMIT_GRACE = 0.1


class ComposerEdit(QTextEdit):
    """Plain text of any number of lines. Enter sends, Shift+Enter starts a new line."""

    submitted = Signal()
    text_pasted = Signal(str)  # a text too large for the field
    files_given = Signal(list)  # list[Path], dropped or pasted
    picture_given = Signal(object)  # a picture without a file, dropped or pasted
    height_changed = Signal()
    focus_changed = Signal()
    recall_requested = Signal(int)  # -1 older, +1 newer, 0 the last one into an empty field

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composer")
        self.setAccessibleName("Message")
        self.setAcceptRichText(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.enter_sends = True
        self.keyboard_focus = False
        self._preedit = ""
        self._placeholder = ""
        self._committed_at = -1.0
        self._max_height = 10 * LINE
        self.restyle()
        self.document().contentsChanged.connect(self._fit)
        self.setFixedHeight(LINE)

    def text(self) -> str:
        """What was typed, character by character, lines parted by a newline."""
        # Not toPlainText(): that turns a no-break space into a plain one.
        lines = []
        block = self.document().begin()
        while block.isValid():
            lines.append(block.text().replace("\u2028", "\n"))
            block = block.next()
        return "\n".join(lines)

    def set_text(self, text: str, caret: int | None = None) -> None:
        """Replaces the text; the caret goes to `caret`, else to the end. Undo starts anew."""
        self.setPlainText(text)
        self._space_lines()
        cursor = self.textCursor()
        end = self.document().characterCount() - 1
        cursor.setPosition(end if caret is None else max(0, min(caret, end)))
        self.setTextCursor(cursor)

    def setPlaceholderText(self, text: str) -> None:
        """The quiet words in the empty field: one line, whatever their length."""
        self._placeholder = text
        self.setAccessibleDescription(text)
        self.viewport().update()

    def placeholderText(self) -> str:
        """The quiet words in the empty field."""
        return self._placeholder

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._preedit or not self.document().isEmpty():
            return
        theme = current_theme()
        font = theme.font("answer")
        painter = QPainter(self.viewport())
        painter.setFont(font)
        painter.setPen(theme.qcolor("text_3"))
        words = QFontMetrics(font).elidedText(
            self._placeholder, Qt.TextElideMode.ElideRight, self.viewport().width()
        )
        # On the line of the text: the words do not jump when the first letter takes their place.
        block = self.document().begin()
        line = block.layout().lineAt(0)
        top = self.document().documentLayout().blockBoundingRect(block).top()
        painter.drawText(QPointF(0, top + line.y() + line.ascent()), words)

    def restyle(self) -> None:
        """Takes font and colours from the current look."""
        take_font(self)
        self._space_lines()

    def set_max_height(self, height: int) -> None:
        """The field grows up to this and scrolls then."""
        self._max_height = max(LINE, height)
        self._fit()

    @property
    def composing(self) -> bool:
        """True while an input method holds unfinished text, and just after it let go."""
        return bool(self._preedit) or time.monotonic() - self._committed_at < COMMIT_GRACE

    def sizeHint(self) -> QSize:
        return QSize(200, LINE)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        had = bool(self._preedit)
        self._preedit = event.preeditString()
        if had and (event.commitString() or not self._preedit):
            self._committed_at = time.monotonic()
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._enter(event)
            return
        if event.key() == Qt.Key.Key_Escape and self.composing:
            # It closes the list of candidates, and nothing behind it.
            return
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down) and not self.composing:
            up = event.key() == Qt.Key.Key_Up
            if control:
                self.recall_requested.emit(-1 if up else 1)
                return
            if up and self.document().isEmpty():
                self.recall_requested.emit(0)
                return
        super().keyPressEvent(event)

    def _enter(self, event: QKeyEvent) -> None:
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        control = modifiers == Qt.KeyboardModifier.ControlModifier
        plain = modifiers == Qt.KeyboardModifier.NoModifier
        if self.composing and not modifiers:
            return
        if control or (plain and self.enter_sends):
            self.submitted.emit()
            return
        self.textCursor().insertBlock()
        self.ensureCursorVisible()

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        return source.hasText() or source.hasUrls() or has_picture(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        files = [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile()]
        if files:
            self.files_given.emit(files)
            return
        picture = picture_in(source) if has_picture(source) else None
        if picture is not None:
            self.picture_given.emit(picture)
            return
        text = clean_text(source.text())
        if is_huge(text):
            self.text_pasted.emit(text)
            return
        self.textCursor().insertText(text)
        self.ensureCursorVisible()

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.keyboard_focus = event.reason() in (
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
            Qt.FocusReason.ShortcutFocusReason,
        )
        super().focusInEvent(event)
        self.focus_changed.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _space_lines(self) -> None:
        line = max(LINE, current_theme().line_height("answer"))
        form = QTextBlockFormat()
        form.setLineHeight(line, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(form)

    def _fit(self) -> None:
        wanted = max(LINE, int(self.document().size().height()))
        height = min(wanted, self._max_height)
        scrolls = wanted > self._max_height
        self.setVerticalScrollBarPolicy(
            Qt.ScrollBarPolicy.ScrollBarAsNeeded
            if scrolls
            else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        if height != self.height():
            self.setFixedHeight(height)
            self.height_changed.emit()


def take_font(edit: QTextEdit) -> None:
    """The font of the current look; a command stands in letters of equal width."""
    font = current_theme().font("answer", mono=bool(edit.property("command")))
    edit.document().setDefaultFont(font)
    edit.setFont(font)


def is_huge(text: str) -> bool:
    """True if `text` should become a chip instead of going into the field."""
    if len(text) > PASTE_CHARACTERS or text.count("\n") >= PASTE_LINES:
        return True
    return any(len(line) > PASTE_LINE_LENGTH for line in text.splitlines())


def clean_text(text: str) -> str:
    """`text` without lone surrogates, which no server takes, and with plain line ends."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u2029", "\n")
    return text.encode("utf-8", "replace").decode("utf-8", "replace")
