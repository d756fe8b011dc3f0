"""Goes round a window by Tab and finds what shows nothing when it has the focus."""

from __future__ import annotations

import asyncio
import functools

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

# A ring around the smallest button has twice as many; the caret of a field has fewer.
_LEAST_PIXELS = 80
_CONTRAST = 3.0
# How far beside itself something may show its focus: a field inside a frame.
_AROUND = 18
_MOST_STOPS = 150
_MOST_INSIDE = 30


async def walk(window: QWidget) -> tuple[list[str], list[str]]:
    """What Tab stopped at, in order, and what is wrong there; empty if all is well."""
    first = window.focusWidget()
    if first is None:
        window.setFocus(Qt.FocusReason.TabFocusReason)
        QTest.keyClick(window, Qt.Key.Key_Tab)
        first = QApplication.focusWidget()
    assert first is not None, "nothing takes the focus"
    seen: list[str] = []
    faults: list[str] = []
    focused, inside = first, 0
    for _ in range(_MOST_STOPS):
        QTest.keyClick(focused, Qt.Key.Key_Tab)
        await asyncio.sleep(0)
        now = QApplication.focusWidget()
        if now is None or now.window() is not window:
            faults.append(f"the focus is lost after {_named(focused)}")
            break
        if now is focused:
            # One that has stops of its own, like the buttons of a conversation.
            inside += 1
            if inside > _MOST_INSIDE:
                faults.append(f"Tab does not leave {_named(focused)}")
                break
            continue
        focused, inside = now, 0
        seen.append(_named(focused))
        faults += _look(window, focused)
        if focused is first:
            break
    else:
        faults.append("Tab never comes back to where it began")
    return seen, faults


def _look(window: QWidget, focused: QWidget) -> list[str]:
    if not focused.accessibleName() and not getattr(focused, "text", str)():
        return [f"{_named(focused)} has no name"]
    if not _is_seen(focused):
        return [f"{_named(focused)} has the focus out of sight"]
    place = QRect(focused.mapTo(window, QPoint()), focused.size())
    place = place.adjusted(-_AROUND, -_AROUND, _AROUND, _AROUND).intersected(window.rect())
    with_focus = _picture(window, place)
    focused.clearFocus()
    without = _picture(window, place)
    focused.setFocus(Qt.FocusReason.TabFocusReason)
    changed = _changed(with_focus, without)
    if changed < _LEAST_PIXELS:
        return [f"{_named(focused)} does not show that it has the focus: {changed} pixels"]
    return []


def _picture(window: QWidget, place: QRect) -> QImage:
    return window.grab(place).toImage().convertToFormat(QImage.Format.Format_RGB32)


def _is_seen(widget: QWidget) -> bool:
    """True if some of it lies inside all that is above it."""
    place, above = widget.rect(), widget
    while not above.isWindow() and (parent := above.parentWidget()) is not None:
        place = place.translated(above.pos()).intersected(parent.rect())
        above = parent
    return widget.isVisible() and not place.isEmpty()


def _changed(one: QImage, other: QImage) -> int:
    """How many pixels are clearly another colour."""
    number, line = 0, one.bytesPerLine()
    first, second = bytes(one.constBits()), bytes(other.constBits())
    for start in range(0, min(len(first), len(second)), line):
        row, beside = first[start : start + line], second[start : start + line]
        if row != beside:
            for x in range(0, line, 4):
                a, b = row[x : x + 3], beside[x : x + 3]
                number += a != b and _contrast(a, b) >= _CONTRAST
    return number


@functools.cache
def _contrast(one: bytes, other: bytes) -> float:
    light, dark = sorted((_luminance(QColor(*one)), _luminance(QColor(*other))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(color: QColor) -> float:
    parts = (color.redF(), color.greenF(), color.blueF())
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _named(widget: QWidget) -> str:
    name = widget.accessibleName() or widget.objectName()
    return f"{type(widget).__name__} “{name[:60]}”"
