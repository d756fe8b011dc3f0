"""The facts that are kept, as a list that can be added to and taken from."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from kinet.core.errors import KinetError
from kinet.ui.asking.approval_words import home_short
from kinet.ui.kit.controls import ElidedLabel, IconButton, Line, text_label
from kinet.ui.kit.part_buttons import TextButton, padded
from kinet.ui.services import FactRow, Services


class MemoryView(QWidget):
    """All facts; adding is at once, deleting can be taken back for a while.

    `folder` is the project that new facts may belong to, "" for none. `told` carries a sentence
    and what takes the act back (None if nothing can), for a toast.
    """

    told = Signal(str, object)

    def __init__(
        self, services: Services, parent: QWidget | None = None, *, folder: str = ""
    ) -> None:
        super().__init__(parent)
        self.setObjectName("memoryView")
        self._services = services
        self.field = QLineEdit(self)
        self.field.setObjectName("memoryField")
        self.field.setPlaceholderText("Something worth knowing in every session")
        self.field.setAccessibleName("New fact")
        self.field.returnPressed.connect(self._add)
        self.scope = QComboBox(self)
        self.scope.setObjectName("memoryScope")
        self.scope.setAccessibleName("Whom the fact is about")
        self.set_folder(folder)
        self.add = TextButton("Add", self, icon_name="plus")
        self.add.setObjectName("memoryAddButton")
        self.add.clicked.connect(self._add)
        self.error = text_label("", type="meta", tone="danger", parent=self)
        self.error.hide()
        self._card = QFrame(self)
        self._card.setProperty("surface", "card")
        self._list = QVBoxLayout(self._card)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(0)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.field, 1)
        row.addWidget(self.scope)
        row.addWidget(self.add)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 8)
        column.setSpacing(8)
        column.addLayout(row)
        column.addWidget(self.error)
        column.addWidget(self._card)
        self.refresh()

    def set_folder(self, folder: str) -> None:
        """The project that new facts may belong to from now on; "" for none."""
        self.scope.clear()
        self.scope.addItem("About me", "")
        if folder:
            self.scope.addItem("About this project", folder)
        self.scope.setVisible(bool(folder))

    def refresh(self) -> None:
        """Reads the facts again and lists them."""
        while (item := self._list.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        try:
            facts = list(self._services.facts())
        except KinetError as exc:
            self._say(exc.sentence())
            return
        if not facts:
            empty = text_label(
                "Nothing is kept yet. Add a fact above.", tone="text_3", parent=self._card
            )
            self._list.addWidget(padded(empty, 12, 12, 12, 12))
        for number, fact in enumerate(facts):
            if number:
                self._list.addWidget(Line(self._card))
            self._list.addWidget(self._row(fact))

    def _row(self, fact: FactRow) -> QWidget:
        holder = QWidget(self._card)
        holder.setProperty("fact", fact.id)
        text = text_label(fact.text, parent=holder)
        text.setWordWrap(True)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        where = home_short(fact.folder) if fact.folder else "About you"
        place = ElidedLabel(where, holder, mode=Qt.TextElideMode.ElideMiddle)
        place.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        place.setProperty("type", "meta")
        place.setProperty("tone", "text_3")
        delete = IconButton("trash", f"Delete: {fact.text[:60]}", parent=holder)
        delete.clicked.connect(lambda: self._delete(fact))
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(text)
        words.addWidget(place)
        row = QHBoxLayout(holder)
        row.setContentsMargins(12, 8, 8, 8)
        row.addLayout(words, 1)
        row.addWidget(delete, 0, Qt.AlignmentFlag.AlignTop)
        return holder

    def _add(self) -> None:
        text = " ".join(self.field.text().split())
        if not text:
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        try:
            fact = self._services.add_fact(text, self.scope.currentData() or "")
        except KinetError as exc:
            self._say(exc.sentence())
            return
        self._say("")
        self.field.clear()
        self.refresh()
        self.told.emit("Fact kept", lambda: self._remove(fact))

    def _delete(self, fact: FactRow) -> None:
        if self._remove(fact):
            self.told.emit("Fact deleted", lambda: self._put_back(fact))

    def _remove(self, fact: FactRow) -> bool:
        try:
            self._services.delete_fact(fact.id)
        except KinetError as exc:
            self._say(exc.sentence())
            return False
        self.refresh()
        return True

    def _put_back(self, fact: FactRow) -> None:
        try:
            self._services.add_fact(fact.text, fact.folder)
        except KinetError as exc:
            self._say(exc.sentence())
        self.refresh()

    def _say(self, sentence: str) -> None:
        self.error.setText(sentence)
        self.error.setVisible(bool(sentence))
