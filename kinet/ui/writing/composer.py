"""The composer: text, attachments, model and approval mode, Send beside Stop, the queue above."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QFontMetrics,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from kinet.core.own_command import typed_command
from kinet.ui.kit.controls import (
    BUTTON,
    IconButton,
    MenuButton,
    PaintedButton,
    draw_icon,
    key_hint,
    line_room,
)
from kinet.ui.look.theme import current_theme
from kinet.ui.writing.attachments import Attachment, ChipBar, read_attachment
from kinet.ui.writing.command_mark import CommandMark, make_message, mark_field
from kinet.ui.writing.composer_edit import ComposerEdit
from kinet.ui.writing.composer_menus import ComposerMenus
from kinet.ui.writing.given_pictures import Picture
from kinet.ui.writing.pasted_pictures import PastedPictures
from kinet.ui.writing.queue_tray import QueueTray
from kinet.ui.writing.skill_chips import SkillChips

RADIUS = 12


class Composer(QWidget):
    """Says what the person wants; sends nothing itself."""

    submitted = Signal()
    stop_requested = Signal()
    changed = Signal()
    attach_requested = Signal()
    mention_requested = Signal()
    command_requested = Signal()
    problem = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.queue = QueueTray(self)
        self.box = _Box(self)
        self._attachments: tuple[Attachment, ...] = ()
        self.pictures = PastedPictures(self)
        # Enter was pressed while a pasted picture was still being packed.
        self._submits_later = False
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.queue)
        column.addWidget(self.box)
        self.edit = self.box.edit
        self.skills = self.box.skills
        self.mark = self.box.mark
        self.menus = ComposerMenus(self.box.model, self.box.mode, self.box.preset)
        self._connect()
        self.set_running(False)

    def text(self) -> str:
        """What was typed."""
        return self.edit.text()

    def attachments(self) -> tuple[Attachment, ...]:
        """What is attached."""
        return self._attachments

    def set_content(
        self, text: str, attachments: tuple[Attachment, ...] = (), caret: int | None = None
    ) -> None:
        """Replaces text and attachments."""
        self.edit.set_text(text, caret)
        self._attachments = attachments
        self.box.chips.set_attachments(attachments)
        self._refresh()

    def attach(self, path: Path) -> None:
        """Attaches a text file or a picture; `problem` says why it cannot be."""
        found = read_attachment(path)
        if isinstance(found, str):
            self.problem.emit(found)
            return
        self._set_attachments((*self._attachments, found))

    def attach_all(self, paths: Sequence[Path]) -> None:
        """Attaches several files, in order."""
        for path in paths:
            self.attach(path)

    def take_picture(self, picture: Picture) -> None:
        """Attaches a picture that has no file, as soon as it is kept in one."""
        self.pictures.take(picture)
        self._refresh()

    def set_running(self, running: bool) -> None:
        """Shows Stop while a turn runs; Send stays, and queues then."""
        if not running and self.box.stop.hasFocus():
            # Else Qt would hand it to whatever comes next.
            self.edit.setFocus(Qt.FocusReason.OtherFocusReason)
        self.box.stop.setVisible(running)
        self._refresh()

    def set_enter_sends(self, sends: bool) -> None:
        """Enter sends, or (else) starts a new line and Ctrl+Enter sends."""
        self.edit.enter_sends = sends
        self.set_running(self.box.stop.isVisibleTo(self))

    def set_placeholder(self, text: str) -> None:
        """The quiet words in the empty field."""
        self.edit.setPlaceholderText(text)

    def restyle(self) -> None:
        """Takes on the current look."""
        self.edit.restyle()
        self.skills.restyle()
        self.mark.restyle()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws the tray behind the box, so that it seems to come out from under it."""
        if not self.queue.isVisible():
            return
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.qcolor("border"))
        painter.setBrush(theme.qcolor("subtle"))
        tray = QRectF(0.5, 0.5, self.width() - 1, self.queue.height() + 2 * RADIUS)
        painter.drawRoundedRect(tray, RADIUS, RADIUS)

    def _connect(self) -> None:
        self.edit.submitted.connect(self._submit)
        self.edit.textChanged.connect(self._refresh)
        self.edit.text_pasted.connect(self._add_paste)
        self.edit.files_given.connect(self.attach_all)
        self.edit.picture_given.connect(self.take_picture)
        self.pictures.ready.connect(self._take_ready)
        self.edit.focus_changed.connect(self.box.update)
        self.mark.as_text.connect(lambda: make_message(self.edit))
        self.edit.height_changed.connect(self.updateGeometry)
        self.box.chips.removed.connect(self._remove_attachment)
        self.box.chips.opened.connect(self._unfold_attachment)
        self.box.send.clicked.connect(self._submit)
        # The next words go into the field, however the last ones were sent.
        self.box.send.clicked.connect(lambda: self.edit.setFocus(Qt.FocusReason.OtherFocusReason))
        self.box.stop.clicked.connect(self.stop_requested)
        self.box.plus.clicked.connect(self.attach_requested)
        self.box.mention.clicked.connect(self.mention_requested)
        self.box.command.clicked.connect(self.command_requested)

    def _submit(self) -> None:
        if self.pictures.waiting:
            self._submits_later = True
            return
        if self.text().strip() or self._attachments:
            self.submitted.emit()

    def _take_ready(self, made: Attachment | str) -> None:
        self.pictures.waiting -= 1
        submits = self._submits_later and not self.pictures.waiting
        self._submits_later = self._submits_later and not submits
        if isinstance(made, str):
            # Nothing is sent without the picture that was meant.
            self._submits_later = submits = False
            self.problem.emit(made)
            self._refresh()
        else:
            self._set_attachments((*self._attachments, made))
        if submits:
            self._submit()

    def _refresh(self) -> None:
        text = self.text()
        command = typed_command(text)
        self.mark.set_command(command)
        mark_field(self.edit, command is not None)
        self.box.name_send(is_command=command is not None)
        is_anything = text.strip() or self._attachments or self.pictures.waiting
        self.box.send.setEnabled(bool(is_anything))
        # A command is a message of its own.
        self.box.command.setEnabled(not text)
        self.changed.emit()

    def _set_attachments(self, attachments: tuple[Attachment, ...]) -> None:
        self._attachments = attachments
        self.box.chips.set_attachments(attachments)
        self._refresh()

    def _add_paste(self, text: str) -> None:
        lines = text.count("\n") + 1
        name = f"Pasted text, {lines:,} lines" if lines > 1 else "Pasted text"
        self._set_attachments((*self._attachments, Attachment(name, text)))

    def _remove_attachment(self, number: int) -> None:
        kept = [item for place, item in enumerate(self._attachments) if place != number]
        self._set_attachments(tuple(kept))

    def _unfold_attachment(self, number: int) -> None:
        """Puts a pasted text into the field after all, broken where a line would stop it."""
        text = self._attachments[number].text
        if any(len(line) > 20_000 for line in text.splitlines()):
            self.problem.emit("This text has a line too long for the field; it stays attached.")
            return
        self._remove_attachment(number)
        self.edit.textCursor().insertText(text)


class _Box(QFrame):
    """The raised frame: chips, text, and the bar with all buttons."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.skills = SkillChips(self)
        self.chips = ChipBar(self)
        self.mark = CommandMark(self)
        self.edit = ComposerEdit(self)
        self.skills.follows = self.edit
        self.plus = IconButton("plus", "Attach text files and pictures", parent=self)
        self.mention = IconButton("at", "Name a file of the folder", parent=self)
        self.command = IconButton("slash", "Commands", parent=self)
        self.model = MenuButton("model", "", "Model", self)
        self.mode = MenuButton("shield", "", "Approvals", self)
        self.preset = MenuButton("clock", "", "Preset", self)
        self.preset.setObjectName("presetButton")
        self.stop = StopButton(self)
        self.send = SendButton(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 8)
        column.setSpacing(8)
        self._inset(column, self.skills)
        self._inset(column, self.chips)
        self._inset(column, self.mark)
        self._inset(column, self.edit)
        column.addLayout(self._bar())

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        focused = self.edit.hasFocus()
        thick = theme.ring if focused and (self.edit.keyboard_focus or theme.contrast) else 1
        painter.setPen(QPen(theme.qcolor("accent" if focused else "control_border"), thick))
        painter.setBrush(theme.qcolor("raised"))
        inner = QRectF(self.rect()).adjusted(thick / 2, thick / 2, -thick / 2, -thick / 2)
        painter.drawRoundedRect(inner, RADIUS, RADIUS)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.edit.setFocus(Qt.FocusReason.MouseFocusReason)

    def name_send(self, *, is_command: bool) -> None:
        """What pressing it does now."""
        running = self.stop.isVisibleTo(self)
        what = "Add to the queue" if running else "Run the command" if is_command else "Send"
        self.send.set_name(what, "Return" if self.edit.enter_sends else "Ctrl+Return")

    @staticmethod
    def _inset(column: QVBoxLayout, widget: QWidget) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(16, 0, 16, 0)
        row.addWidget(widget)
        column.addLayout(row)

    def _bar(self) -> QHBoxLayout:
        bar = QHBoxLayout()
        bar.setContentsMargins(10, 0, 8, 0)
        bar.setSpacing(4)
        for button in (self.plus, self.mention, self.command):
            bar.addWidget(button)
        bar.addWidget(_Divider(self))
        bar.addWidget(self.model)
        bar.addWidget(self.mode)
        bar.addWidget(self.preset)
        bar.addStretch(1)
        bar.addWidget(self.stop)
        bar.addSpacing(8)
        bar.addWidget(self.send)
        return bar


class SendButton(IconButton):
    """The one filled button of the window."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("send", "Send", "Return", parent)
        self.setObjectName("sendButton")

    def paintEvent(self, event: QPaintEvent) -> None:
        token = "accent"
        if not self.isEnabled():
            token = "hover"
        elif self.isDown():
            token = "accent_pressed"
        elif self.underMouse():
            token = "accent_hover"
        painter = QPainter(self)
        self.paint_surface(painter, token, filled=self.isEnabled())
        glyph = "on_accent" if self.isEnabled() else "disabled"
        draw_icon(painter, "send", glyph, QPoint(self.width() // 2, self.height() // 2))


class StopButton(PaintedButton):
    """Outlined, with a red square, its word and its key."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("stopButton")
        self.setText("Stop")
        self.setAccessibleName("Stop")
        self.setToolTip(f"Stop this turn  ({key_hint('Ctrl+.')})")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def minimumSizeHint(self) -> QSize:
        word = QFontMetrics(current_theme().font("ui")).horizontalAdvance("Stop")
        return QSize(10 + 16 + 6 + word + 12, line_room("ui", BUTTON))

    def sizeHint(self) -> QSize:
        theme = current_theme()
        word = QFontMetrics(theme.font("ui")).horizontalAdvance("Stop")
        keys = QFontMetrics(theme.font("meta")).horizontalAdvance(key_hint("Ctrl+."))
        return QSize(10 + 16 + 6 + word + 6 + keys + 12, line_room("ui", BUTTON))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        self.paint_surface(painter, self.surface())
        if not (self.ring and self.hasFocus()):
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(theme.qcolor("control_border"))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        draw_icon(painter, "stop", "danger", QPoint(18, self.height() // 2))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(theme.font("ui"))
        painter.setPen(theme.qcolor("text"))
        area = self.rect().adjusted(32, 0, -12, 0)
        painter.drawText(area, middle | Qt.AlignmentFlag.AlignLeft, "Stop")
        if self.width() < self.sizeHint().width():
            # No room for the key; the tooltip tells it.
            return
        painter.setFont(theme.font("meta"))
        painter.setPen(theme.qcolor("text_3"))
        painter.drawText(area, middle | Qt.AlignmentFlag.AlignRight, key_hint("Ctrl+."))


class _Divider(QWidget):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(9, BUTTON)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(4, 6, 1, 16, current_theme().qcolor("border"))
