"""The window of the rules: its parts and how they stand."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from kinet.ui.kit.choice_box import ChoiceBox
from kinet.ui.kit.controls import text_label
from kinet.ui.kit.over_window import fit_over
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.segments import Segments
from kinet.ui.kit.text_field import TextField
from kinet.ui.look.theme import current_theme
from kinet.ui.rules.rules_form import RulesForm
from kinet.ui.rules.rules_preview import RulesPreview

_SIZE = QSize(1040, 680)


class RulesFrame(QDialog):
    """Knows no rules. Ctrl+S and Ctrl+Enter press Save."""

    def __init__(self, kinds: Sequence[tuple[str, str]], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("rulesDialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Rules")
        self.kinds = Segments(kinds, "Which rules", self)
        self.place = ChoiceBox("Which file", self)
        self.place.setObjectName("rulesPlace")
        self.views = Segments([("text", "Text"), ("form", "Form")], "How it is shown", self)
        self.about = text_label("", type="meta", tone="text_2", parent=self)
        self.about.setWordWrap(True)
        self.edit = TextField("Text of the rules", self, code=True)
        self.edit.setObjectName("rulesText")
        self.form = RulesForm(self)
        self.preview = RulesPreview(self)
        self.message = text_label("", type="meta", parent=self)
        self.message.setObjectName("rulesMessage")
        self.message.setWordWrap(True)
        self.cancel = TextButton("Close", self)
        self.save_button = TextButton("Save", self, kind="primary")
        self.save_button.setObjectName("saveRulesButton")
        self.stack = QStackedWidget(self)
        self._arrange()
        self._dress()

    def say(self, sentence: str, tone: str) -> None:
        self.message.setProperty("tone", tone)
        self.message.style().unpolish(self.message)
        self.message.style().polish(self.message)
        self.message.setText(sentence)

    def showEvent(self, event: QShowEvent) -> None:
        """Never larger than the window below."""
        super().showEvent(event)
        parent = self.parentWidget()
        fit_over(self, parent.window() if parent is not None else None, _SIZE)
        self.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+S and Ctrl+Enter save."""
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        if control and event.key() in (Qt.Key.Key_S, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.save_button.isEnabled():
                self.save_button.click()
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "preview"):
            self._dress()

    def _arrange(self) -> None:
        self.stack.addWidget(self.edit)
        self.stack.addWidget(self.form)
        left = QWidget(self)
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.place, 1)
        row.addWidget(self.views)
        column.addLayout(row)
        column.addWidget(self.stack, 1)
        halves = QSplitter(Qt.Orientation.Horizontal, self)
        halves.setChildrenCollapsible(False)
        halves.setHandleWidth(16)
        halves.setStyleSheet("QSplitter::handle { background: transparent; }")
        halves.addWidget(left)
        halves.addWidget(self.preview)
        halves.setSizes([500, 500])
        head = QHBoxLayout()
        head.addWidget(text_label("Rules", type="h2", parent=self))
        head.addStretch(1)
        head.addWidget(self.kinds)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.message, 1)
        foot.addWidget(self.cancel)
        foot.addWidget(self.save_button)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(24, 20, 24, 20)
        whole.setSpacing(12)
        whole.addLayout(head)
        whole.addWidget(self.about)
        whole.addWidget(halves, 1)
        whole.addLayout(foot)

    def _dress(self) -> None:
        theme = current_theme()
        self.kinds.set_theme(theme)
        self.views.set_theme(theme)
