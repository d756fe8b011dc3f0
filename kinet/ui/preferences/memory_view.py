"""The facts that are kept: searched, added to, edited, deleted, taken out and in."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from kinet.core.errors import KinetError
from kinet.ui.kept_facts import FactRow, KeptFacts
from kinet.ui.kit.choice_box import ChoiceBox
from kinet.ui.kit.controls import Line, text_label
from kinet.ui.kit.part_buttons import TextButton, padded
from kinet.ui.kit.save_text import save_text
from kinet.ui.kit.wrapping_row import WrappingRow
from kinet.ui.preferences.fact_editor import FactEditor
from kinet.ui.preferences.fact_row import FactLine

# Rows that are made at once; a longer list is found by its words.
_MOST_ROWS = 100
_LARGEST = 20 * 1024 * 1024
# Milliseconds from the last key to the search.
_PAUSE = 120


class MemoryView(QWidget):
    """All facts; adding is at once, every act can be taken back for a while.

    `folder` is the project that new facts may belong to, "" for none. `told` carries a sentence
    and what takes the act back (None if nothing can), for a toast.
    """

    told = Signal(str, object)
    session_wanted = Signal(str)

    def __init__(
        self, memory: KeptFacts, parent: QWidget | None = None, *, folder: str = ""
    ) -> None:
        super().__init__(parent)
        self.setObjectName("memoryView")
        self._memory = memory
        self.field = QLineEdit(self)
        self.field.setObjectName("memoryField")
        self.field.setPlaceholderText("Something worth knowing")
        self.field.setAccessibleName("New fact")
        self.field.returnPressed.connect(self._add)
        self.scope = ChoiceBox("Whom the fact is about", self)
        self.scope.setObjectName("memoryScope")
        self.set_folder(folder)
        self.add = TextButton("Add", self, icon_name="plus")
        self.add.setObjectName("memoryAddButton")
        self.add.clicked.connect(self._add)
        self.search = QLineEdit(self)
        self.search.setObjectName("memorySearch")
        self.search.setPlaceholderText("Search the facts")
        self.search.setAccessibleName("Search the facts")
        self.search.setClearButtonEnabled(True)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE)
        self._pause.timeout.connect(self.refresh)
        self.search.textChanged.connect(lambda: self._pause.start())
        self.take_in = TextButton("Import…", self)
        self.take_in.setObjectName("memoryImportButton")
        self.take_in.clicked.connect(self._choose_import)
        self.take_out = TextButton("Export…", self)
        self.take_out.setObjectName("memoryExportButton")
        self.take_out.clicked.connect(self._export)
        self.error = text_label("", type="meta", tone="danger", parent=self)
        self.error.setWordWrap(True)
        self.error.hide()
        self._card = QFrame(self)
        self._card.setProperty("surface", "card")
        self._list = QVBoxLayout(self._card)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(0)
        self._arrange()
        self.refresh()

    def set_folder(self, folder: str) -> None:
        """The project that new facts may belong to from now on; "" for none."""
        self.scope.clear()
        self.scope.addItem("About me", "")
        if folder:
            self.scope.addItem("About this project", folder)
        self.scope.setVisible(bool(folder))

    def refresh(self) -> None:
        """Reads the facts again and lists those that fit the search, the newest first."""
        while (item := self._list.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        words = self.search.text().strip()
        try:
            found = list(self._memory.facts(words))
        except KinetError as exc:
            self._say(exc.sentence())
            return
        facts = found if words else found[::-1]
        self.take_out.setEnabled(bool(facts) or bool(words))
        if not facts:
            self._note("No fact with these words." if words else _EMPTY)
        for number, fact in enumerate(facts[:_MOST_ROWS]):
            if number:
                self._list.addWidget(Line(self._card))
            self._list.addWidget(self._row(fact))
        if len(facts) > _MOST_ROWS:
            self._note(f"{len(facts) - _MOST_ROWS:,} more. Search for their words.")

    def import_file(self, path: Path) -> None:
        """Takes in an export."""
        try:
            if path.stat().st_size > _LARGEST:
                self._say(f"{path.name} is too large for a list of facts.")
                return
            count = self._memory.import_facts(path.read_text("utf-8", "replace"))
        except OSError as exc:
            self._say(f"{path} cannot be read: {exc.strerror}.")
            return
        except KinetError as exc:
            self._say(exc.sentence())
            return
        self._say("")
        self.refresh()
        self.told.emit(f"{count} new fact{'' if count == 1 else 's'}", None)

    def _arrange(self) -> None:
        row = WrappingRow(filling=self.field)
        for part in (self.field, self.scope, self.add):
            row.addWidget(part)
        tools = WrappingRow(filling=self.search)
        for part in (self.search, self.take_in, self.take_out):
            tools.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 8, 0, 8)
        column.setSpacing(8)
        column.addLayout(row)
        column.addLayout(tools)
        column.addWidget(self.error)
        column.addWidget(self._card)

    def _row(self, fact: FactRow) -> QWidget:
        line = FactLine(fact, self._memory, self._card)
        line.edit_requested.connect(self.edit)
        line.delete_requested.connect(self._delete)
        line.session_wanted.connect(self.session_wanted)
        return line

    def _note(self, words: str) -> None:
        label = text_label(words, tone="text_3", parent=self._card)
        label.setWordWrap(True)
        self._list.addWidget(padded(label, 12, 12, 12, 12))

    def _add(self) -> None:
        text = " ".join(self.field.text().split())
        if not text:
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        try:
            fact = self._memory.add_fact(text, self.scope.currentData() or "")
        except KinetError as exc:
            self._say(exc.sentence())
            return
        self._say("")
        self.field.clear()
        self.refresh()
        self.told.emit("Fact kept", lambda: self._remove(fact))

    def edit(self, fact: FactRow) -> None:
        """Opens the text of a fact."""
        editor = FactEditor(fact.text, self.window())
        editor.kept.connect(lambda text: self._change(fact, text))
        editor.open()

    def _change(self, fact: FactRow, text: str) -> None:
        try:
            self._memory.edit_fact(fact.id, text)
        except KinetError as exc:
            self._say(exc.sentence())
            return
        self._say("")
        self.refresh()
        self.told.emit("Fact changed", lambda: self._put_back(fact))

    def _delete(self, fact: FactRow) -> None:
        if self._remove(fact):
            self.told.emit("Fact deleted", lambda: self._put_back(fact))

    def _remove(self, fact: FactRow) -> bool:
        try:
            self._memory.delete_fact(fact.id)
        except KinetError as exc:
            self._say(exc.sentence())
            return False
        self.refresh()
        return True

    def _put_back(self, fact: FactRow) -> None:
        try:
            self._memory.put_back_fact(fact)
        except KinetError as exc:
            self._say(exc.sentence())
        self.refresh()

    def _export(self) -> None:
        save_text(self.window(), self._memory.export_facts(), "kinet-facts.json", self._say)

    def _choose_import(self) -> None:
        dialog = QFileDialog(self.window(), "Import facts", "", "Facts (*.json);;All files (*)")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(lambda name: self.import_file(Path(name)))
        dialog.open()

    def _say(self, sentence: str) -> None:
        self.error.setText(sentence)
        self.error.setVisible(bool(sentence))


_EMPTY = "Nothing is kept yet. Add a fact above, or let facts be noticed after a turn."
