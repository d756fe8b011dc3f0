"""Finds what a window does not show whole: cut words, texts over each other, pages wider than seen.

What is cut on purpose ends in "…" and says itself as a tooltip: that is no fault.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QStyle,
    QStyleOptionComboBox,
    QWidget,
)

from kinet.ui.kit.controls import ElidedLabel, MenuButton

# Rounding of widths by fonts and fractional scales.
_SLACK = 2
# Letters that a cut text must still show to tell anything.
_LEAST = 5


def cut_texts(window: QWidget) -> list[str]:
    """What is wrong now on what is visible of `window`, one line each; empty if all is well."""
    shown = [widget for widget in window.findChildren(QWidget) if _is_seen(widget, window)]
    found = [fault for widget in shown for fault in _faults(widget)]
    return sorted({*found, *_covered(shown), *_outside(shown, window)})


def _is_seen(widget: QWidget, window: QWidget) -> bool:
    return (
        widget.window() is window
        and widget.isVisible()
        and not isinstance(widget, QMenu)
        and widget.width() > 1
    )


def _faults(widget: QWidget) -> Iterator[str]:
    if isinstance(widget, ElidedLabel):
        cut = widget.fontMetrics().horizontalAdvance(widget.whole_text()) > widget.width() + _SLACK
        if cut and not widget.toolTip():
            yield f"{_named(widget)} is cut and has no tooltip"
        if cut and widget.width() < _LEAST * widget.fontMetrics().averageCharWidth():
            yield f"{_named(widget)} shows next to nothing: {widget.whole_text()[:40]}"
        if widget.fontMetrics().height() > widget.height() + _SLACK:
            yield f"{_named(widget)} is too low: {widget.height()}"
        return
    if isinstance(widget, QLabel):
        yield from _label(widget)
    elif isinstance(widget, QComboBox):
        yield from _combo(widget)
    elif isinstance(widget, QLineEdit):
        words = widget.placeholderText()
        # The border and the padding of the style sheet.
        room = widget.contentsRect().width() - 20
        if not widget.text() and _advance(widget, words) > room and words not in widget.toolTip():
            yield f"{_named(widget)}: its hint is cut"
    elif isinstance(widget, MenuButton):
        if widget.text() not in widget.toolTip():
            yield f"{_named(widget)} may be cut and has no tooltip"
    elif isinstance(widget, QAbstractButton):
        words = widget.text()
        wanted = widget.sizeHint().width()
        # A path that is shown short is told whole.
        if (
            words
            # Such a button has as many lines as it needs.
            and not widget.hasHeightForWidth()
            and wanted > widget.width() + _SLACK
            and words.lstrip("…/~") not in widget.toolTip()
        ):
            yield f"{_named(widget)} is cut: {widget.width()} of {wanted}"
        high = widget.sizeHint().height()
        if widget.hasHeightForWidth():
            high = widget.heightForWidth(widget.width())
        if isinstance(widget, QPushButton) and high > widget.height() + 4:
            yield f"{_named(widget)} is too low: {widget.height()}"
    elif isinstance(widget, QPlainTextEdit):
        return
    elif isinstance(widget, QScrollArea) and widget.horizontalScrollBar().maximum() > 0:
        yield f"{_named(widget)} is {widget.horizontalScrollBar().maximum()} wider than it is shown"


def _label(label: QLabel) -> Iterator[str]:
    words = label.text()
    if not words or label.textFormat() == Qt.TextFormat.RichText:
        return
    room = label.contentsRect()
    if label.wordWrap():
        wanted = label.heightForWidth(label.width())
        if wanted > label.height() + _SLACK:
            yield f"{_named(label)} is {wanted} high and has {label.height()}"
        widest = max((_advance(label, word) for word in words.split()), default=0)
        if widest > room.width() + _SLACK and not any(letter > "\u2e80" for letter in words):
            yield f"{_named(label)} has a word that is wider than itself"
        return
    if max(_advance(label, line) for line in words.splitlines()) > room.width() + _SLACK:
        yield f"{_named(label)} is cut"
    if label.fontMetrics().height() > label.height() + _SLACK:
        yield f"{_named(label)} is too low: {label.height()}"


def _combo(combo: QComboBox) -> Iterator[str]:
    option = QStyleOptionComboBox()
    combo.initStyleOption(option)
    part = QStyle.SubControl.SC_ComboBoxEditField
    field = combo.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, combo)
    words = combo.currentText()
    if _advance(combo, words) > field.width() + _SLACK and words not in combo.toolTip():
        yield f"{_named(combo)} cuts “{words}” and has no tooltip"


def _covered(shown: list[QWidget]) -> Iterator[str]:
    """Texts that lie over each other in one parent."""
    texts = [w for w in shown if isinstance(w, QLabel | QAbstractButton | QLineEdit | QComboBox)]
    for one, other in itertools.combinations(texts, 2):
        if one.parentWidget() is other.parentWidget():
            both = one.geometry().intersected(other.geometry())
            if both.width() > _SLACK and both.height() > _SLACK and _has_words(one, other):
                yield f"{_named(one)} and {_named(other)} lie over each other"


def _outside(shown: list[QWidget], window: QWidget) -> Iterator[str]:
    """Controls that reach out of what is above them, where nothing scrolls."""
    for widget in shown:
        if not isinstance(widget, QLabel | QAbstractButton | QLineEdit | QComboBox):
            continue
        above, place = widget.parentWidget(), QRect(QPoint(), widget.size())
        below: QWidget = widget
        while above is not None:
            place.translate(below.pos())
            scrolls = above.parentWidget()
            if isinstance(scrolls, QAbstractScrollArea) and scrolls.viewport() is above:
                break
            if place.left() < -_SLACK or place.right() > above.width() + _SLACK:
                yield f"{_named(widget)} reaches out of {type(above).__name__} sideways"
                break
            if place.top() < -_SLACK or place.bottom() > above.height() + _SLACK:
                yield f"{_named(widget)} reaches out of {type(above).__name__} up or down"
                break
            if above is window:
                break
            below, above = above, above.parentWidget()


def _has_words(*widgets: QWidget) -> bool:
    return all(
        not isinstance(widget, QLabel | QAbstractButton)
        or bool(widget.text() or widget.accessibleName())
        for widget in widgets
    )


def _advance(widget: QWidget, words: str) -> int:
    return widget.fontMetrics().horizontalAdvance(words)


def _named(widget: QWidget) -> str:
    words = ""
    if isinstance(widget, QLabel | QAbstractButton):
        words = widget.text()
    elif isinstance(widget, QLineEdit):
        words = widget.placeholderText()
    name = words or widget.accessibleName() or widget.objectName()
    return f"{type(widget).__name__} “{name[:60]}”"
