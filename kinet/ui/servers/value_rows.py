"""Names with values, as an environment or headers are made of: what is secret is masked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from kinet.ui.kit.controls import IconButton
from kinet.ui.kit.masked_field import MaskedField
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.tab_order import tab_as_laid_out

# What stands in the settings for a value that the keychain holds.
KEPT = "${keychain}"
HELD, _HOW = "•••••  Kept", "Kept in the keychain; what is typed here replaces it"

# (name, value) → whether it would be kept in the keychain unasked.
IsSecret = Callable[[str, str], bool]


class ValueRow(QWidget):
    """One name with its value. The lock says whether the value is a secret."""

    changed = Signal()
    removed = Signal()

    def __init__(self, word: str, is_secret: IsSecret, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("valueRow")
        self._word, self._is_secret = word, is_secret
        self._is_kept = False
        # The person said so: what the name looks like counts no longer.
        self._said = False
        self.name = QLineEdit(self)
        self.name.setObjectName("valueName")
        self.name.setPlaceholderText("Name")
        self.name.setAccessibleName(f"Name of the {word}")
        self.value = MaskedField("Value", self)
        self.value.setObjectName("valueText")
        self.lock = IconButton("lock", "", parent=self)
        self.lock.setObjectName("valueLock")
        self.lock.setCheckable(True)
        self.remove = IconButton("close", "", parent=self, icon_size=12)
        self.remove.setObjectName("valueRemove")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        row.addWidget(self.name, 2)
        row.addWidget(self.value, 3)
        row.addWidget(self.lock)
        row.addWidget(self.remove)
        self.name.textChanged.connect(lambda _text: self._typed())
        # A long name is read from its beginning.
        self.name.editingFinished.connect(lambda: self.name.setCursorPosition(0))
        self.value.textChanged.connect(lambda _text: self._typed())
        self.lock.clicked.connect(self._locked)
        self.remove.clicked.connect(self.removed)
        self._show_lock(False)

    @property
    def secret(self) -> bool:
        """True where the value goes to the keychain."""
        return self.lock.isChecked()

    @property
    def is_empty(self) -> bool:
        """True where nothing stands in it."""
        return not (self.name.text().strip() or self.value.text() or self._is_kept)

    def show_value(self, name: str, text: str) -> None:
        """Fills it; what the keychain holds is never shown."""
        self._is_kept = text == KEPT
        self.name.setText(name)
        self.name.setCursorPosition(0)
        self.value.setText("" if self._is_kept else text)
        self._said = self._is_kept
        self._show_lock(self._is_kept or self._is_secret(name, text))

    def text(self) -> str:
        """The value as it goes into an entry."""
        typed = self.value.text()
        return KEPT if self._is_kept and not typed and self.secret else typed

    def refresh_icons(self) -> None:
        """Draws what is drawn in the colours of the current look."""
        self.value.refresh_icons()

    def _typed(self) -> None:
        if not self._said:
            self._show_lock(self._is_secret(self.name.text().strip(), self.value.text()))
        self._name_parts()
        self.changed.emit()

    def _locked(self) -> None:
        self._said = True
        self._show_lock(self.lock.isChecked())
        self.changed.emit()

    def _show_lock(self, secret: bool) -> None:
        self.lock.setChecked(secret)
        self.lock.set_icon("lock", "text_2" if secret else "text_3")
        self.value.set_masked(secret)
        held = self._is_kept and secret
        self.value.setPlaceholderText(HELD if held else "Value")
        self.value.setToolTip(_HOW if held else "")
        self._name_parts()

    def _name_parts(self) -> None:
        name = self.name.text().strip() or f"the {self._word}"
        self.value.setAccessibleName(f"Value of {name}")
        where = "is kept in the keychain" if self.secret else "stands in the settings file"
        self.lock.set_name(f"Secret: {name} {where}")
        self.remove.set_name(f"Remove {name}")


class ValueRows(QWidget):
    """Any number of them, and a button for one more."""

    changed = Signal()

    def __init__(self, word: str, is_secret: IsSecret, parent: QWidget) -> None:
        super().__init__(parent)
        self._word, self._is_secret = word, is_secret
        self.rows: list[ValueRow] = []
        self.add = TextButton(f"Add a {word}", self, kind="quiet", size="small", icon_name="plus")
        self.add.clicked.connect(self._add_by_hand)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self._column.addWidget(self.add, 0, Qt.AlignmentFlag.AlignLeft)

    def show_values(self, values: Mapping[str, str]) -> None:
        """Shows these in place of what was there."""
        for row in list(self.rows):
            self._drop(row)
        for name, text in values.items():
            self._make().show_value(str(name), str(text))

    def values(self) -> dict[str, str]:
        """Names and values as they are filled in."""
        return {row.name.text().strip(): row.text() for row in self.rows if not row.is_empty}

    def secrets(self) -> set[str]:
        """The names whose values are secret."""
        return {row.name.text().strip() for row in self.rows if row.secret and not row.is_empty}

    def problem(self) -> str:
        """What is missing, in one sentence; "" if nothing."""
        names = [row.name.text().strip() for row in self.rows if not row.is_empty]
        if "" in names:
            return f"A {self._word} has a value and no name."
        twice = next((name for name in names if names.count(name) > 1), "")
        return f"The {self._word} {twice} stands here twice." if twice else ""

    def changeEvent(self, event: QEvent) -> None:
        """Another look."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_column"):
            self.add.refresh_icon()
            for row in self.rows:
                row.refresh_icons()

    def _add_by_hand(self) -> None:
        self._make().name.setFocus(Qt.FocusReason.TabFocusReason)
        self.changed.emit()

    def _make(self) -> ValueRow:
        row = ValueRow(self._word, self._is_secret, self)
        row.changed.connect(self.changed)
        row.removed.connect(lambda: self._remove(row))
        self.rows.append(row)
        self._column.insertWidget(self._column.count() - 1, row)
        # Its fields come where they stand among all others, not at the end.
        tab_as_laid_out(self.window())
        return row

    def _remove(self, row: ValueRow) -> None:
        self._drop(row)
        self.add.setFocus(Qt.FocusReason.TabFocusReason)
        self.changed.emit()

    def _drop(self, row: ValueRow) -> None:
        self.rows.remove(row)
        self._column.removeWidget(row)
        row.hide()
        row.deleteLater()
