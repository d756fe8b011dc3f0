"""The editor of one skill: its text, and beside it what would come of it."""

from __future__ import annotations

from contextlib import suppress

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from kinet.core.errors import KinetError
from kinet.policy.hidden import without_hidden
from kinet.skills.editing import NEW_TEXT, OwnSkills
from kinet.skills.skill import Skill
from kinet.ui.kit.controls import text_label
from kinet.ui.kit.over_window import fit_over
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.text_field import TextField
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.skills.skill_row import owner_words

_SIZE = QSize(720, 600)


class SkillEditor(QDialog):
    """Opened with `open()`. A skill of another program can only be looked at.

    Closing with changes asks once, in the foot of the dialog. `saved` carries the name.
    """

    saved = Signal(str)

    def __init__(self, own: OwnSkills, skill: Skill | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("skillEditor")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._own, self._skill = own, skill
        self._read_only = skill is not None and skill.owner != "kinet"
        title = "New skill" if skill is None else skill.name
        self.setWindowTitle(title)
        self.name = QLineEdit(self)
        self.name.setObjectName("skillName")
        self.name.setPlaceholderText("write-tests")
        self.name.setAccessibleName("Name of the skill")
        self.name.setVisible(skill is None)
        self.text = TextField("Text of the skill", self, code=True, quiet=self._read_only)
        self.text.setObjectName("skillText")
        self.verdict = text_label("", type="meta", parent=self)
        self.verdict.setObjectName("skillVerdict")
        self.verdict.setWordWrap(True)
        self.save_button = TextButton("Save", self, kind="primary")
        self.save_button.setObjectName("saveSkillButton")
        self.save_button.clicked.connect(self.save)
        self.cancel = TextButton("Close" if self._read_only else "Cancel", self)
        self.cancel.clicked.connect(self.reject)
        self._raw = ""
        begun = self._first_text()
        self._arrange(title)
        self.text.set_text(begun)
        self.name.textChanged.connect(self._named)
        self.text.textChanged.connect(self._check)
        self._discarding = False
        self._check()

    def save(self) -> None:
        """Writes it; says under the text why it cannot be."""
        text = self.text.text()
        try:
            if self._skill is None:
                name = self.name.text().strip()
                self._own.create(name, text)
            else:
                name = self._skill.name
                self._own.save(self._skill.file, text, self._raw)
        except KinetError as exc:
            self._say(exc.sentence(), "danger")
            return
        self.accept()
        self.saved.emit(name)

    def reject(self) -> None:
        """Closes; with changes that are not saved only when asked a second time."""
        if self.text.is_changed and not self._discarding and not self._read_only:
            self._discarding = True
            self.cancel.set_text("Discard")
            self._say("What you wrote is not saved. Save it, or discard it.", "warning")
            return
        super().reject()

    def showEvent(self, event: QShowEvent) -> None:
        """Never larger than the window below."""
        super().showEvent(event)
        parent = self.parentWidget()
        fit_over(self, parent.window() if parent is not None else None, _SIZE)
        (self.name if self._skill is None else self.text).setFocus(Qt.FocusReason.OtherFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+S and Ctrl+Enter save."""
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        keys = (Qt.Key.Key_S, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if control and event.key() in keys and self.save_button.isEnabled():
            self.save()
            return
        super().keyPressEvent(event)

    def _first_text(self) -> str:
        """What is edited: without what cannot be seen, which is told and goes with a save."""
        if self._skill is None:
            return NEW_TEXT.format(name="write-tests", title="Write tests")
        self._raw = self._skill.text.replace("\r\n", "\n")
        with suppress(KinetError):
            self._raw = self._own.raw(self._skill)
        return without_hidden(self._raw)[0]

    def _arrange(self, title: str) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 20)
        column.setSpacing(8)
        column.addWidget(text_label(title, type="h2", parent=self))
        if self._skill is not None:
            words = owner_words(self._skill.owner, self._skill.folder)
            if self._read_only:
                words += " · it can only be looked at here"
            where = text_label(spell_out(words).text, type="meta", tone="text_3", parent=self)
            where.setWordWrap(True)
            column.addWidget(where)
        column.addWidget(self.name)
        column.addWidget(self.text, 1)
        column.addWidget(self.verdict)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.save_button)
        self.save_button.setVisible(not self._read_only)
        self.verdict.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        column.addLayout(buttons)

    def _named(self, name: str) -> None:
        """The head follows the name as long as nobody wrote another one."""
        plain = name.strip()
        lines = self.text.text().split("\n")
        place = next((n for n, line in enumerate(lines[:20]) if line.startswith("name:")), -1)
        if place > 0:
            lines[place] = f"name: {plain}"
            changed = "\n".join(lines)
            untouched = not self.text.is_changed
            self.text.setPlainText(changed)
            self.text.is_changed = not untouched
        self._check()

    def _check(self) -> None:
        """Says at once what the text would be as a skill."""
        self._discarding = False
        self.cancel.set_text("Close" if self._read_only else "Cancel")
        folder = self.name.text().strip() if self._skill is None else self._skill.folder.name
        try:
            found = self._own.check(self.text.text(), folder or "new")
            if self._skill is None and folder:
                self._own.free_folder(folder)
        except KinetError as exc:
            self._say(exc.sentence(), "danger")
            self.save_button.setEnabled(False)
            return
        self.save_button.setEnabled(bool(folder))
        hidden = len(without_hidden(self._raw)[1])
        notes = list(found.notes)
        if hidden:
            notes.append(f"{hidden} hidden characters of the file are not shown and not used.")
        if found.problem:
            self._say(found.problem, "danger")
        elif notes:
            self._say("\n".join(notes), "warning")
        else:
            self._say(f"/{found.name}: {spell_out(found.description).text[:200]}", "text_3")

    def _say(self, sentence: str, tone: str) -> None:
        self.verdict.setProperty("tone", tone)
        self.verdict.style().unpolish(self.verdict)
        self.verdict.style().polish(self.verdict)
        self.verdict.setText(sentence)
