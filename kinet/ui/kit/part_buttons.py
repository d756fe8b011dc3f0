"""Small parts made in one line: buttons as the style sheet knows them, a margin around a part."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLineEdit, QPushButton, QToolButton, QVBoxLayout, QWidget

from kinet.ui.kit.controls import pressed_by_enter
from kinet.ui.look.theme import current_theme, icon

# What is drawn on the buttons that are filled.
_FILLED = {"primary": "on_accent", "danger": "on_danger"}


class TextButton(QPushButton):
    """A push button with a word and perhaps an icon; never the default of a dialog by chance."""

    # False for what Enter alone must not do, even with the keyboard on it; Space does.
    by_enter = True

    def __init__(
        self,
        text: str,
        parent: QWidget | None = None,
        *,
        kind: str = "",
        size: str = "",
        icon_name: str = "",
        token: str = "text_2",
        name: str = "",
    ) -> None:
        super().__init__(parent)
        self._icon_name, self._token = icon_name, token
        if kind:
            self.setProperty("kind", kind)
        if size:
            self.setProperty("size", size)
        self.setAutoDefault(False)
        self.set_text(text, name)
        self.refresh_icon()

    def set_text(self, text: str, name: str = "") -> None:
        """The word on the button; `name` is what is read aloud where it says more."""
        self._word = text
        self.setAccessibleName(name or text)
        self.show_word(True)

    def show_word(self, shown: bool) -> None:
        """With its word, or where there is no room as an icon that tells it as a tooltip."""
        # The style leaves 4 pixels between icon and word; the grid wants 8.
        word = f"\u2009\u2009{self._word}" if self._icon_name else self._word
        self.setText(word if shown else "")
        if not shown:
            self.setToolTip(self._word)
        elif self.toolTip() == self._word:
            self.setToolTip("")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not pressed_by_enter(self, event, presses=self.by_enter):
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        kind = self.property("kind")
        if kind in _FILLED and self.hasFocus():
            # On its own colour a ring around the button would not be seen.
            theme = current_theme()
            painter = QPainter(self)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(theme.qcolor(_FILLED[kind]), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(3, 3, -3, -3), 4, 4)

    def set_icon(self, icon_name: str, token: str = "text_2") -> None:
        """Another icon."""
        self._icon_name, self._token = icon_name, token
        self.refresh_icon()

    def refresh_icon(self) -> None:
        """Draws the icon in the colours of the current look, on a filled button in its own."""
        if self._icon_name:
            token = _FILLED.get(self.property("kind") or "", self._token)
            self.setIcon(icon(self._icon_name, token))


def name_buttons_in(field: QLineEdit) -> None:
    """Gives the icons inside a field a name for those who do not see them."""
    for button in field.findChildren(QToolButton):
        action = button.defaultAction()
        button.setAccessibleName((action.text() if action else "") or field.accessibleName())


def padded(part: QWidget, left: int, top: int, right: int, bottom: int) -> QWidget:
    """The part with room around it. A label's own margins are lost when its style is read."""
    holder = QWidget(part.parentWidget())
    column = QVBoxLayout(holder)
    column.setContentsMargins(left, top, right, bottom)
    column.addWidget(part)
    return holder
