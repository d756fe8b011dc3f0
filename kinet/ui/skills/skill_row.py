"""One skill in the list: name, line, where it is from, what became of it, and a switch."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from kinet.skills.catalog import Listed
from kinet.ui.asking.approval_words import home_short
from kinet.ui.kit.controls import ElidedLabel, IconButton, text_label
from kinet.ui.kit.switch import Switch
from kinet.ui.kit.visible_text import spell_out

_OWNERS = {
    "project": "This project",
    "kinet": "Kinet",
    "agents": "Shared",
    "claude": "Claude Code",
    "codex": "Codex",
}
# state: word, tone
_STATES = {
    "used": ("", ""),
    "off": ("Off", "text_3"),
    "broken": ("Not usable", "danger"),
    "hidden": ("Another is used", "warning"),
    "untrusted": ("Folder not trusted", "warning"),
}


class SkillRow(QWidget):
    """Says what is wanted by signal; `listed` is what it shows."""

    switched = Signal(bool)
    edit_wanted = Signal()
    delete_wanted = Signal()

    def __init__(self, listed: Listed, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("skillRow")
        self.listed = listed
        skill = listed.skill
        own = skill.owner == "kinet"
        verb = "Edit" if own else "Look at"
        self.edit = IconButton("edit" if own else "eye", f"{verb} {skill.name}", parent=self)
        self.edit.setObjectName("editSkillButton")
        self.edit.clicked.connect(self.edit_wanted)
        self.edit.setEnabled(bool(skill.text))
        self.delete = IconButton("trash", f"Delete {skill.name}", parent=self)
        self.delete.setObjectName("deleteSkillButton")
        self.delete.clicked.connect(self.delete_wanted)
        self.delete.setVisible(own)
        # Made last: Tab goes from left to right.
        self.switch = Switch(f"Use the skill {skill.name}", self)
        self.switch.setChecked(listed.state in ("used", "hidden"))
        self.switch.setEnabled(listed.state in ("used", "off", "hidden"))
        self.switch.toggled.connect(self.switched)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 10, 8, 10)
        row.setSpacing(4)
        row.addLayout(self._words(), 1)
        top = Qt.AlignmentFlag.AlignTop
        row.addWidget(self.edit, 0, top)
        row.addWidget(self.delete, 0, top)
        row.addSpacing(4)
        row.addWidget(self.switch, 0, top)

    def matches(self, words: str) -> bool:
        """True if name, line and source together hold all these words."""
        skill = self.listed.skill
        text = f"{skill.name} {skill.description} {_OWNERS[skill.owner]} {skill.folder}".casefold()
        return all(word in text for word in words.casefold().split())

    def _words(self) -> QVBoxLayout:
        skill, state = self.listed.skill, self.listed.state
        head = QHBoxLayout()
        head.setSpacing(8)
        name = ElidedLabel(
            spell_out(f"/{skill.name}" if skill.by_person else skill.name).text, self
        )
        name.setProperty("type", "strong")
        head.addWidget(name)
        word, tone = _STATES[state]
        if word:
            head.addWidget(_meta(word, tone, self))
        if not skill.by_model and not skill.problem:
            head.addWidget(_meta("Only you call it", "text_3", self))
        if not skill.by_person and not skill.problem:
            head.addWidget(_meta("Only the model loads it", "text_3", self))
        head.addStretch(1)
        column = QVBoxLayout()
        column.setSpacing(2)
        column.addLayout(head)
        if skill.description:
            line = ElidedLabel(spell_out(skill.description).text, self)
            line.setProperty("tone", "text_2")
            column.addWidget(line)
        place = f"{_OWNERS[skill.owner]} · {home_short(str(skill.folder))}"
        if skill.files:
            count = len(skill.files)
            place += f" · {count} file{'' if count == 1 else 's'} beside it"
        where = ElidedLabel(spell_out(place).text, self, mode=Qt.TextElideMode.ElideMiddle)
        where.setProperty("type", "meta")
        where.setProperty("tone", "text_3")
        column.addWidget(where)
        why = (self.listed.why,) if self.listed.why and state != "off" else ()
        for sentence in (*why, *skill.notes):
            tone = "danger" if state == "broken" and sentence == self.listed.why else "text_3"
            note = text_label(spell_out(sentence).text, type="meta", tone=tone, parent=self)
            note.setWordWrap(True)
            column.addWidget(note)
        return column


def _meta(words: str, tone: str, parent: QWidget) -> ElidedLabel:
    """A quiet word beside the name, which gives way where there is no room."""
    label = ElidedLabel(words, parent)
    label.setProperty("type", "meta")
    label.setProperty("tone", tone)
    return label


def owner_words(owner: str, folder: Path) -> str:
    """Whose skill it is and where it lies."""
    return f"{_OWNERS[owner]} · {home_short(str(folder))}"
