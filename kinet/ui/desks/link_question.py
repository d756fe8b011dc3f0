"""Shows where a link leads, whole, before anything is opened."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from kinet.markup.links import openable, target
from kinet.markup.visible import shown
from kinet.ui.kit.controls import text_label
from kinet.ui.kit.over_window import whole_words
from kinet.ui.kit.part_buttons import TextButton


class LinkQuestion(QDialog):
    """Opened with `open()`; only its own button opens the address."""

    confirmed = Signal(str)

    def __init__(self, url: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("linkQuestion")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Open this link?")
        whole_words(self, 480)
        self._url = url
        whole = text_label(shown(url)[:4_000], type="code")
        whole.setWordWrap(True)
        whole.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        host = text_label(f"It leads to {target(url)}.", tone="text_2")
        visit = TextButton("Write a mail" if url.lower().startswith("mailto:") else "Open", self)
        visit.setObjectName("openLinkButton")
        visit.setEnabled(openable(url))
        copy = TextButton("Copy address", self)
        stay = TextButton("Cancel", self)
        stay.setDefault(True)
        buttons = QDialogButtonBox(self)
        buttons.addButton(stay, QDialogButtonBox.ButtonRole.RejectRole)
        buttons.addButton(copy, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(visit, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        copy.clicked.connect(self._copy)
        self.accepted.connect(lambda: self.confirmed.emit(url))
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(12)
        column.addWidget(text_label("Open this link?", type="h2"))
        column.addWidget(host)
        column.addWidget(whole)
        column.addSpacing(8)
        column.addWidget(buttons)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._url)
        self.reject()
