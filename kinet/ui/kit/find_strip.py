"""A strip to look for words in a view of rows: field, count, previous, next."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QWidget

from kinet.ui.kit.controls import IconButton, text_label
from kinet.ui.kit.part_buttons import name_buttons_in
from kinet.ui.kit.row_hits import MOST
from kinet.ui.kit.row_view import RowView
from kinet.ui.look.theme import Theme, icon


class FindStrip(QFrame):
    """Looks in one view at a time. Hidden until `begin`."""

    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stepFindBar")
        self.setProperty("strip", "find")
        self._view: RowView | None = None
        self.field = QLineEdit(self)
        self.field.setAccessibleName("Find in this step")
        self.field.setPlaceholderText("Find")
        self._glass = QAction(icon("search", "text_3"), "", self.field)
        self.field.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        name_buttons_in(self.field)
        self.count = text_label("", type="meta", tone="text_3", parent=self.field)
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._up = IconButton("chevron-up", "Previous hit", "Shift+F3", self)
        self._down = IconButton("chevron-down", "Next hit", "F3", self)
        self._close = IconButton("close", "Close the search", "Esc", self)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 6, 10, 6)
        row.setSpacing(4)
        row.addWidget(self.field, 1)
        row.addSpacing(4)
        for button in (self._up, self._down, self._close):
            row.addWidget(button)
        self._wait = QTimer(self)
        self._wait.setSingleShot(True)
        self._wait.setInterval(80)
        self._wait.timeout.connect(self.search_now)
        self.field.textChanged.connect(lambda _text: self._wait.start())
        self.field.installEventFilter(self)
        self._up.clicked.connect(lambda: self.step(-1))
        self._down.clicked.connect(lambda: self.step(1))
        self._close.clicked.connect(self.end)
        self.setFixedHeight(44)
        self.hide()

    def begin(self, view: RowView) -> None:
        """Shows the strip over `view` and takes the focus."""
        self.look_in(view)
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def look_for(self, view: RowView, text: str) -> None:
        """Shows the strip with these words and their first hit; the focus stays where it is."""
        self.show()
        self.field.setText(text)
        self._turn_to(view)
        self.search_now()

    def look_in(self, view: RowView) -> None:
        """Turns to another view, with the same words."""
        if self._view is not None and self._view is not view:
            self._view.find("")
        self._turn_to(view)
        if not self.isHidden():
            self.search_now()

    def _turn_to(self, view: RowView) -> None:
        if self._view is not None:
            self._view.hits.changed.disconnect(self._show_count)
        self._view = view
        view.hits.changed.connect(self._show_count)

    def end(self) -> None:
        """Takes the marks away and hides."""
        self._wait.stop()
        if self._view is not None:
            self._view.find("")
            self._view.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()
        self.closed.emit()

    def step(self, by: int) -> None:
        """To the next hit (1) or the one before (-1)."""
        if self._wait.isActive():
            self.search_now()
        elif self._view is not None:
            self._view.go_to_hit(self._view.hit + by)
        self._show_count()

    def search_now(self) -> None:
        """Looks for what the field holds."""
        self._wait.stop()
        if self._view is not None:
            self._view.find(self.field.text())
        self._show_count()

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        self._glass.setIcon(icon("search", "text_3"))
        self.count.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter and Shift+Enter step through the hits, Esc closes."""
        if watched is self.field and event.type() == QEvent.Type.Resize:
            self._place_count()
        if watched is self.field and isinstance(event, QKeyEvent):
            if event.type() != QEvent.Type.KeyPress:
                return False
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F3):
                back = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
                self.step(-1 if back else 1)
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.end()
                return True
        return False

    def _show_count(self) -> None:
        text = ""
        if self.field.text() and self._view is not None:
            hits = self._view.hits
            found, more = len(hits.places), "" if hits.is_done else "…"
            most = "+" if found >= MOST else more
            text = f"{hits.current + 1:,} of {found:,}{most}" if found else more or "No hits"
        self.count.setText(text)
        self._place_count()

    def _place_count(self) -> None:
        label: QLabel = self.count
        width = label.sizeHint().width()
        label.setGeometry(self.field.width() - width - 10, 0, width, self.field.height())
        self.field.setTextMargins(-6, 0, width + 6 if label.text() else 0, 0)
