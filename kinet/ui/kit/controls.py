"""The small controls every room uses: icon button, text button with a menu, line, elided label."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QEnterEvent,
    QFocusEvent,
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractButton, QFrame, QLabel, QSizePolicy, QWidget

from kinet.ui.look.theme import current_theme

BUTTON = 28
ICON = 16
_LETTERS = 6
_MENU_WIDTH = 220  # what is longer ends in "…"

_KEYBOARD_REASONS = (
    Qt.FocusReason.TabFocusReason,
    Qt.FocusReason.BacktabFocusReason,
    Qt.FocusReason.ShortcutFocusReason,
)


class PaintedButton(QAbstractButton):
    """What painted buttons share: hover, and a focus ring only when focus came by keyboard."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.ring = False

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.ring = event.reason() in _KEYBOARD_REASONS
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.ring = False
        super().focusOutEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not pressed_by_enter(self, event):
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        """Larger words want more room."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def surface(self) -> str:
        """The token of the button's background now, "" for none."""
        if not self.isEnabled():
            return ""
        if self.isChecked() or self.isDown():
            return "selected"
        return "hover" if self.underMouse() else ""

    def paint_surface(
        self, painter: QPainter, token: str, radius: float = 6, *, filled: bool = False
    ) -> None:
        """Fills the background and draws the focus ring.

        A button `filled` with the accent becomes smaller inside its ring, which has its colour.
        """
        theme = current_theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ringed = self.ring and self.hasFocus()
        if token:
            gap = theme.ring + 2 if filled and ringed else 0
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.qcolor(token))
            inside = self.rect().adjusted(gap, gap, -gap, -gap)
            painter.drawRoundedRect(inside, max(2, radius - gap), max(2, radius - gap))
        if ringed:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.qcolor("focus"), theme.ring))
            inset = theme.ring / 2
            inner = QRectF(self.rect()).adjusted(inset, inset, -inset, -inset)
            painter.drawRoundedRect(inner, radius, radius)


class IconButton(PaintedButton):
    """A button that is one icon, with a name for those who do not see it."""

    def __init__(
        self,
        icon: str,
        name: str,
        shortcut: str = "",
        parent: QWidget | None = None,
        *,
        size: int = BUTTON,
        token: str = "text_2",
        icon_size: int = ICON,
    ) -> None:
        super().__init__(parent)
        self._icon, self._token, self._icon_size = icon, token, icon_size
        self.setFixedSize(size, size)
        self.set_name(name, shortcut)

    def set_name(self, name: str, shortcut: str = "") -> None:
        """What the button does, for tooltip and screen readers."""
        self.setAccessibleName(name)
        # Else the tooltip would be read too, and with it the name again.
        self.setAccessibleDescription(native_keys(shortcut) if shortcut else "")
        self.setToolTip(f"{name}  ({native_keys(shortcut)})" if shortcut else name)

    def set_icon(self, icon: str, token: str = "text_2") -> None:
        """Shows another icon."""
        self._icon, self._token = icon, token
        self.update()

    def sizeHint(self) -> QSize:
        return self.minimumSize()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.paint_surface(painter, self.surface())
        token = self._token
        if not self.isEnabled():
            token = "disabled"
        elif self.isChecked():
            token = "accent"
        middle = QPoint(self.width() // 2, self.height() // 2)
        draw_icon(painter, self._icon, token, middle, self._icon_size)


class MenuButton(PaintedButton):
    """An icon, a word and a chevron: opens a menu."""

    def __init__(self, icon: str, text: str, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = icon
        self._name = name
        self._tone = ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """The word shown: what is chosen now."""
        self.setText(text)
        self.setAccessibleName(f"{self._name}: {text}")
        self.setToolTip(f"{self._name}: {text}")
        self.updateGeometry()
        self.update()

    def set_tone(self, token: str) -> None:
        """The colour of icon and word; "" for the usual one."""
        self._tone = token
        self.update()

    def sizeHint(self) -> QSize:
        theme = current_theme()
        words = QFontMetrics(theme.font("meta")).horizontalAdvance(self.text())
        most = round(_MENU_WIDTH * max(1.0, theme.zoom / 100))
        return QSize(min(most, 8 + ICON + 6 + words + 28), line_room("meta", BUTTON))

    def minimumSizeHint(self) -> QSize:
        return QSize(8 + ICON + 30, line_room("meta", BUTTON))

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        self.paint_surface(painter, self.surface())
        middle = self.height() // 2
        token = (self._tone or "text_2") if self.isEnabled() else "disabled"
        draw_icon(painter, self._icon, token, QPoint(8 + ICON // 2, middle))
        font = theme.font("meta")
        painter.setFont(font)
        painter.setPen(theme.qcolor(token))
        area = QRect(8 + ICON + 6, 0, self.width() - 8 - ICON - 6 - 26, self.height())
        text = QFontMetrics(font).elidedText(
            self.text(), Qt.TextElideMode.ElideRight, max(0, area.width())
        )
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
        draw_icon(painter, "chevron-down", token, QPoint(self.width() - 14, middle), 12)


class Line(QFrame):
    """A hairline of one logical pixel."""

    def __init__(self, parent: QWidget | None = None, *, vertical: bool = False) -> None:
        super().__init__(parent)
        self.setProperty("line", True)
        if vertical:
            self.setFixedWidth(1)
        else:
            self.setFixedHeight(1)


class ElidedLabel(QLabel):
    """One line that ends in "…" where it does not fit, and then shows itself as a tooltip."""

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        *,
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:
        super().__init__(parent)
        self._whole = text
        self._mode = mode
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """The whole text; shown as much of it as fits."""
        self._whole = " ".join(text.split())
        self.setAccessibleName(self._whole)
        self.updateGeometry()
        self._elide()

    def whole_text(self) -> str:
        """The text without the cut."""
        return self._whole

    def sizeHint(self) -> QSize:
        margins = self.contentsMargins()
        width = self.fontMetrics().horizontalAdvance(self._whole) + 2
        return QSize(width + margins.left() + margins.right(), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """A few letters: less tells nothing."""
        metrics = self.fontMetrics()
        least = min(metrics.horizontalAdvance(self._whole), _LETTERS * metrics.averageCharWidth())
        return QSize(max(24, least), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def changeEvent(self, event: QEvent) -> None:
        """Larger words may come without another width."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()
            self._elide()

    def _elide(self) -> None:
        room = max(8, self.contentsRect().width())
        shown = self.fontMetrics().elidedText(self._whole, self._mode, room)
        self.setText(shown)
        self.setToolTip(self._whole if shown != self._whole else "")


def text_label(
    text: str, *, type: str = "", tone: str = "", parent: QWidget | None = None
) -> QLabel:
    """A label in one of the style sheet's types (meta, strong, h1, page, …) and tones."""
    label = QLabel(text, parent)
    label.setTextFormat(Qt.TextFormat.PlainText)
    if type:
        label.setProperty("type", type)
    if tone:
        label.setProperty("tone", tone)
    return label


def draw_icon(painter: QPainter, name: str, token: str, center: QPoint, size: int = ICON) -> None:
    """Draws an icon around `center`, sharp at the ratio of what is painted on."""
    device = painter.device()
    ratio = device.devicePixelRatioF() if device is not None else 1.0
    pixmap = current_theme().pixmap(name, token, size, ratio)
    painter.drawPixmap(QPoint(center.x() - size // 2, center.y() - size // 2), pixmap)


def pressed_by_enter(button: QAbstractButton, event: QKeyEvent, *, presses: bool = True) -> bool:
    """Presses a button that has the focus by Enter, as Space does; True if that was the key.

    Qt takes Enter only for the default button of a dialog. Held down it presses once; without
    `presses` it does nothing at all.
    """
    if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        return False
    if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
        return False
    if presses and not event.isAutoRepeat():
        button.click()
    return True


def line_room(size: str, least: int) -> int:
    """How high a control of one line is: larger letters keep what hangs below the line."""
    return max(least, QFontMetrics(current_theme().font(size)).height())


def native_keys(keys: str) -> str:
    """A shortcut in the platform's own words: "Ctrl+B"."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


def key_hint(keys: str) -> str:
    """A shortcut as a quiet hint beside a control: "Ctrl B"."""
    return native_keys(keys).replace("+", " ")


def repolish(widget: QWidget) -> None:
    """Makes the style sheet look at a widget's properties again."""
    style = widget.style()
    style.unpolish(widget)
    style.polish(widget)
    widget.update()
