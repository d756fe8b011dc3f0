"""Where the focus is: scrolled to where it cannot be seen, and kept when its place goes away."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QScrollArea, QWidget


def bring_into_sight(widget: QWidget) -> None:
    """Scrolls every page around `widget` on which nothing of it is seen."""
    above = widget.parentWidget()
    while above is not None and not above.isWindow():
        if isinstance(above, QScrollArea) and above.viewport().isAncestorOf(widget):
            place = QRect(widget.mapTo(above.viewport(), QPoint()), widget.size())
            if not place.intersects(above.viewport().rect()):
                above.ensureWidgetVisible(widget)
        above = above.parentWidget()


def hand_up(part: QWidget) -> None:
    """Gives the focus of a part that goes away to what is around it, from where Tab goes on.

    It is shown there if keys were used last.
    """
    above = part.parentWidget()
    while above is not None and not above.isWindow():
        if above.focusPolicy() == Qt.FocusPolicy.StrongFocus and above.isEnabled():
            by_key = above.window().testAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
            reasons = Qt.FocusReason
            above.setFocus(reasons.TabFocusReason if by_key else reasons.OtherFocusReason)
            return
        above = above.parentWidget()
    (part.focusWidget() or part).clearFocus()


def open_menu_of_focus() -> None:
    """Asks what has the focus for its menu, as the key for menus does."""
    focused = QApplication.focusWidget()
    if focused is None:
        return
    spot = focused.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle).center()
    reason = QContextMenuEvent.Reason.Keyboard
    asked = QContextMenuEvent(reason, spot, focused.mapToGlobal(spot))
    QApplication.sendEvent(focused, asked)
