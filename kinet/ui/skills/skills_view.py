"""All skills with their switches: made, changed, deleted and taken in from here."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFileDialog, QFrame, QLineEdit, QVBoxLayout, QWidget

from kinet.core.errors import KinetError
from kinet.settings.skill_services import SkillServices
from kinet.skills.catalog import Catalog, Listed
from kinet.ui.kit.controls import Line, text_label
from kinet.ui.kit.part_buttons import TextButton, padded
from kinet.ui.kit.tasks import in_thread, spawn
from kinet.ui.kit.when_kept import when_kept
from kinet.ui.kit.wrapping_row import WrappingRow
from kinet.ui.skills.skill_editor import SkillEditor
from kinet.ui.skills.skill_row import SkillRow

if TYPE_CHECKING:
    from kinet.skills.importing import Imported

_EMPTY = (
    "There are no skills yet. A skill is a folder with a SKILL.md: instructions for a kind of task "
    "that the model loads when it is needed, or you call with /name."
)


class SkillsView(QWidget):
    """For sessions on `folder`, "" for none. `told` carries a sentence and what takes it back."""

    told = Signal(str, object)
    changed = Signal()

    def __init__(
        self, services: SkillServices, parent: QWidget | None = None, *, folder: str = ""
    ) -> None:
        super().__init__(parent)
        self.setObjectName("skillsView")
        self._services, self._folder = services, folder
        self.rows: list[SkillRow] = []
        self.search = QLineEdit(self)
        self.search.setObjectName("skillsSearch")
        self.search.setPlaceholderText("Find a skill")
        self.search.setAccessibleName("Find a skill")
        self.search.textChanged.connect(self._filter)
        self.new = TextButton("New skill…", self, icon_name="plus")
        self.new.setObjectName("newSkillButton")
        self.new.clicked.connect(lambda: self.open_editor(None))
        self.from_folder = TextButton("Import folder…", self, icon_name="folder-open")
        self.from_folder.setObjectName("importSkillFolderButton")
        self.from_folder.clicked.connect(lambda: self._choose(folder=True))
        self.from_zip = TextButton("Import zip…", self, icon_name="archive")
        self.from_zip.setObjectName("importSkillZipButton")
        self.from_zip.clicked.connect(lambda: self._choose(folder=False))
        self.error = text_label("", type="meta", tone="danger", parent=self)
        self.error.setObjectName("skillsError")
        self.error.setWordWrap(True)
        self.error.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.error.hide()
        self._card = QFrame(self)
        self._card.setProperty("surface", "card")
        self._list = QVBoxLayout(self._card)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(0)
        self._arrange()
        self.destroyed.connect(services.own.forget_deleted)

    def set_folder(self, folder: str) -> None:
        """The project whose skills are listed too; "" for none."""
        if folder != self._folder:
            self._folder = folder
            self.refresh()

    def refresh(self) -> None:
        """Reads the skills again, in a thread, and lists them; where nobody looks, later."""
        if self.isVisible():
            spawn(self._read(), "list of skills")

    def showEvent(self, event: QShowEvent) -> None:
        """Reads what there is now."""
        super().showEvent(event)
        self.refresh()

    def open_editor(self, listed: Listed | None) -> SkillEditor:
        """Opens the editor, for a new skill where none is given."""
        editor = SkillEditor(self._services.own, listed.skill if listed else None, self)
        editor.saved.connect(self._saved)
        editor.open()
        return editor

    def take_in(self, source: Path) -> None:
        """Imports what lies there, in a thread; says what came of it."""
        self._say("")
        spawn(self._import(source), "import of skills")

    def _arrange(self) -> None:
        buttons = WrappingRow()
        for button in (self.new, self.from_folder, self.from_zip):
            buttons.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 8)
        column.setSpacing(8)
        column.addLayout(buttons)
        column.addWidget(self.search)
        column.addWidget(self.error)
        column.addWidget(self._card)

    async def _read(self) -> None:
        folder = Path(self._folder) if self._folder else None
        catalog = await in_thread(lambda: self._services.catalog(folder))
        self._show(catalog)

    def _show(self, catalog: Catalog) -> None:
        while (item := self._list.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.rows = []
        for problem in catalog.problems:
            self._add(self._note(problem, "warning"))
        for listed in catalog.skills:
            row = SkillRow(listed, self._card)
            row.switched.connect(lambda on, item=listed: self._switch(item, on))
            row.edit_wanted.connect(lambda item=listed: self.open_editor(item))
            row.delete_wanted.connect(lambda item=listed: self._delete(item))
            self.rows.append(row)
            self._add(row)
        self._order_tabs()
        if not catalog.skills:
            self._add(self._note(_EMPTY, "text_3"))
        self.search.setVisible(len(self.rows) > 6)
        self._filter(self.search.text())

    def _order_tabs(self) -> None:
        """The rows come behind the search, not at the end of the window where Qt puts new parts."""
        parts = [part for row in self.rows for part in (row.edit, row.delete, row.switch)]
        for before, part in pairwise((self.from_zip, self.search, *parts)):
            self.setTabOrder(before, part)

    def _add(self, widget: QWidget) -> None:
        if self._list.count():
            self._list.addWidget(Line(self._card))
        self._list.addWidget(widget)

    def _note(self, words: str, tone: str) -> QWidget:
        label = text_label(words, tone=tone, parent=self._card)
        label.setWordWrap(True)
        return padded(label, 12, 12, 12, 12)

    def _filter(self, words: str) -> None:
        for row in self.rows:
            row.setVisible(row.matches(words))

    def _switch(self, listed: Listed, on: bool) -> None:
        try:
            kept = self._services.switch(listed.skill, on)
        except KinetError as exc:
            self._say(exc.sentence())
        else:
            self._say("")
            when_kept(self, kept, self._say)
            self.changed.emit()
        self.refresh()

    def _delete(self, listed: Listed) -> None:
        try:
            deleted = self._services.own.delete(listed.skill)
        except KinetError as exc:
            self._say(exc.sentence())
            return

        def undo() -> None:
            try:
                self._services.own.put_back(deleted)
            except KinetError as exc:
                self._say(exc.sentence())
            self.refresh()

        self.refresh()
        self.changed.emit()
        self.told.emit(f"{listed.skill.name} deleted", undo)

    def _choose(self, *, folder: bool) -> None:
        """The system's own dialog, opened without a loop of its own."""
        dialog = QFileDialog(self, "Import skills")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if folder:
            dialog.setFileMode(QFileDialog.FileMode.Directory)
            dialog.setOption(QFileDialog.Option.ShowDirsOnly, True)
        else:
            dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
            dialog.setNameFilters(["Zip files (*.zip *.skill)", "All files (*)"])
        dialog.fileSelected.connect(lambda name: self.take_in(Path(name)))
        dialog.open()

    async def _import(self, source: Path) -> None:
        try:
            done = await in_thread(lambda: self._services.import_from(source))
        except KinetError as exc:
            self._say(exc.sentence())
            return
        self._imported(done)

    def _imported(self, done: Imported) -> None:
        self._say("\n".join((*done.refused, *done.notes)))
        if done.names:
            count = len(done.names)
            told = done.names[0] if count == 1 else f"{count} skills"
            self.told.emit(f"{told} imported", None)
            self.changed.emit()
        self.refresh()

    def _saved(self, name: str) -> None:
        self.refresh()
        self.changed.emit()
        self.told.emit(f"{name} saved", None)

    def _say(self, sentence: str) -> None:
        self.error.setText(sentence)
        self.error.setVisible(bool(sentence))
