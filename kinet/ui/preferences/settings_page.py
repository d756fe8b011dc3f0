"""One page of the settings window: a title and the rows of a section."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from kinet.settings.fields import SettingField
from kinet.ui.kit.controls import Line, text_label
from kinet.ui.kit.part_buttons import padded
from kinet.ui.preferences.setting_fields import FieldRow

MARGIN = 32


class SearchedPart(Protocol):
    """A part of a page that is searched with it."""

    def matches(self, words: str) -> bool:
        """True if something in it holds all these words; it shows what does."""
        ...


class SettingsPage(QWidget):
    """Rows below each other; parts of a page's own stand among them. The title does not scroll."""

    changed = Signal(str, object)

    def __init__(self, section: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.section, self.title = section, title
        self.setObjectName(f"settingsPage_{section}")
        self.setAccessibleName(title)
        self.rows: dict[str, FieldRow] = {}
        # Parts that tell themselves whether words fit them.
        self._searched: list[SearchedPart] = []
        self._lines: dict[str, Line] = {}
        # Made first: a screen reader takes the parts in the order in which they were made.
        head = padded(text_label(title, type="page", parent=self), MARGIN, 20, 64, 8)
        self.area = QScrollArea(self)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside = QWidget(self)
        inside.setObjectName("settingsPageInside")
        column = QVBoxLayout(inside)
        column.setContentsMargins(MARGIN, 4, MARGIN, 72)
        column.setSpacing(0)
        self._rest = QVBoxLayout()
        column.addLayout(self._rest)
        column.addStretch(1)
        self.area.setWidget(inside)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(head)
        outer.addWidget(self.area, 1)

    def add_fields(self, fields: Iterable[tuple[SettingField, object]]) -> None:
        """Adds a row for each field with its value."""
        for field, value in fields:
            if self.rows:
                line = Line(self)
                self._lines[field.key] = line
                self._rest.addWidget(line)
            row = FieldRow(field, value, self)
            row.changed.connect(self.changed)
            self.rows[field.key] = row
            self._rest.addWidget(row)

    def add_part(self, part: QWidget, searched: SearchedPart | None = None) -> None:
        """Adds a part of the page's own below what is there; `searched` looks for words in it."""
        self._rest.addWidget(part)
        if searched is not None:
            self._searched.append(searched)

    def filter(self, words: str) -> bool:
        """Shows the rows that hold the words, all if the title does; False if nothing fits."""
        whole = not words or all(word in self.title.lower() for word in words.lower().split())
        found = whole
        for key, row in self.rows.items():
            fits = whole or row.matches(words)
            row.setVisible(fits)
            found = found or fits
            if key in self._lines:
                self._lines[key].setVisible(whole)
        for part in self._searched:
            # All of them are asked: each shows what it found.
            found = part.matches("" if whole else words) or found
        return found
