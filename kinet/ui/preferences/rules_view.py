"""The saved rules, a form for a new one, and a simulator that says what the gate would say."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from kinet.core.errors import KinetError
from kinet.ui.kit.choice_box import ChoiceBox
from kinet.ui.kit.controls import IconButton, Line, text_label
from kinet.ui.kit.part_buttons import TextButton, padded
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.kit.wrapping_row import WrappingRow
from kinet.ui.services import JudgedPart, RuleRow, RuleServices

_WORDS = {"allow": "runs without a question", "ask": "is asked about", "deny": "is refused"}
_TONES = {"allow": "success", "ask": "warning", "deny": "danger"}
_MARKS = {"allow": "✓", "ask": "!", "deny": "✕"}


class RulesView(QWidget):
    """Lists and revokes rules. `folder` is the project they are made and tried for, "" for none.

    `told` carries a sentence and None, for a toast.
    """

    told = Signal(str, object)

    def __init__(
        self, services: RuleServices, parent: QWidget | None = None, *, folder: str = ""
    ) -> None:
        super().__init__(parent)
        self.setObjectName("rulesView")
        self._services, self._folder = services, folder
        self.field = QLineEdit(self)
        self.field.setObjectName("simulatorField")
        self.field.setPlaceholderText("Paste a command to judge it")
        self.field.setAccessibleName("A command to be judged; it is not run")
        self.field.textChanged.connect(self._simulate)
        self._result = _Rows(self)
        self._result.setObjectName("simulatorResult")
        self.answer = ChoiceBox("What the new rule says", self)
        self.answer.setObjectName("newRuleAnswer")
        self.words = QLineEdit(self)
        self.words.setObjectName("newRuleWords")
        self.words.setPlaceholderText("first words of a command")
        self.words.setAccessibleName("First words of the commands")
        self.words.returnPressed.connect(self._add)
        self.add = TextButton("Add rule", self, icon_name="plus")
        self.add.setObjectName("newRuleButton")
        self.add.clicked.connect(self._add)
        self.error = text_label("", type="meta", tone="danger", parent=self)
        self.error.setWordWrap(True)
        self.error.hide()
        self._rules = _Rows(self)
        self._rules.setObjectName("rulesList")
        self._arrange()
        self.set_folder(folder)

    def set_folder(self, folder: str) -> None:
        """The project that new rules belong to and commands are tried in; "" for none."""
        self._folder = folder
        self.answer.clear()
        self.answer.addItem("Never allow, anywhere", "always")
        if folder:
            self.answer.addItem("Never allow in this folder", "never")
            self.answer.addItem("Allow in this folder", "folder")
        self.refresh()

    def refresh(self) -> None:
        """Reads the rules again and lists them."""
        self._rules.clear()
        try:
            rules = list(self._services.rules())
        except KinetError as exc:
            self._say(exc.sentence())
            return
        for rule in rules:
            self._rules.add(self._row(rule))
        if not rules:
            empty = text_label("No rule is saved yet.", tone="text_3", parent=self._rules)
            self._rules.add(padded(empty, 12, 12, 12, 12))
        self._simulate()

    def _arrange(self) -> None:
        form = WrappingRow(filling=self.words)
        for part in (self.answer, self.words, self.add):
            form.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 16, 0, 8)
        column.setSpacing(8)
        column.addWidget(text_label("Rule simulator", type="strong", parent=self))
        column.addWidget(self.field)
        column.addWidget(self._result)
        column.addSpacing(12)
        column.addWidget(text_label("Rules", type="strong", parent=self))
        column.addLayout(form)
        column.addWidget(self.error)
        column.addWidget(self._rules)

    def _row(self, rule: RuleRow) -> QWidget:
        holder = QWidget(self._rules)
        holder.setProperty("rule", rule.id)
        words = spell_out(rule.text).text
        label = text_label(words, parent=holder)
        label.setWordWrap(True)
        label.setTextFormat(Qt.TextFormat.PlainText)
        revoke = IconButton("trash", f"Revoke: {words[:80]}", parent=holder)
        revoke.setObjectName("revokeRuleButton")
        revoke.clicked.connect(lambda: self._revoke(rule))
        row = QHBoxLayout(holder)
        row.setContentsMargins(12, 8, 8, 8)
        row.addWidget(label, 1)
        row.addWidget(revoke, 0, Qt.AlignmentFlag.AlignTop)
        return holder

    def _revoke(self, rule: RuleRow) -> None:
        try:
            self._services.revoke_rule(rule.id)
        except KinetError as exc:
            self._say(exc.sentence())
            return
        self._say("")
        self.refresh()
        self.told.emit("Rule revoked", None)

    def _add(self) -> None:
        words = self.words.text().strip()
        if not words:
            self.words.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        scope = self.answer.currentData()
        folder = "" if scope == "always" else self._folder
        try:
            self._services.add_rule(words, folder, allowed=scope == "folder")
        except KinetError as exc:
            self._say(exc.sentence())
            return
        self._say("")
        self.words.clear()
        self.refresh()
        self.told.emit("Rule saved", None)

    def _simulate(self) -> None:
        """Judges what stands in the field; nothing is run."""
        self._result.clear()
        command = self.field.text()
        self._result.setVisible(bool(command.strip()))
        if not command.strip():
            return
        found = self._services.simulate(command, self._folder)
        whole = f"{_MARKS[found.verdict]} This {_WORDS[found.verdict]}: {found.reason}."
        self._result.add(self._line(whole, tone=_TONES[found.verdict]))
        for part in found.parts:
            self._result.add(self._part(part))
        if found.rule:
            self._result.add(self._line(f"Saved rule: {found.rule}", type="meta", tone="text_2"))

    def _part(self, part: JudgedPart) -> QWidget:
        """One command with its mark, and below it what decided."""
        holder = QWidget(self._result)
        mark = text_label(_MARKS[part.verdict], tone=_TONES[part.verdict], parent=holder)
        mark.setFixedWidth(16)
        mark.setAccessibleName(f"This part {_WORDS[part.verdict]}")
        grid = QGridLayout(holder)
        grid.setContentsMargins(12, 6, 12, 6)
        grid.setHorizontalSpacing(4)
        grid.setVerticalSpacing(0)
        grid.setColumnStretch(1, 1)
        grid.addWidget(mark, 0, 0)
        for row, words, kind, tone in (
            (0, part.text, "code", ""),
            (1, part.rule, "meta", "text_3"),
        ):
            label = text_label(spell_out(words).text, type=kind, tone=tone, parent=holder)
            label.setWordWrap(True)
            grid.addWidget(label, row, 1)
        return holder

    def _line(self, words: str, *, type: str = "", tone: str = "") -> QWidget:
        label = text_label(spell_out(words).text, type=type, tone=tone, parent=self._result)
        label.setWordWrap(True)
        return padded(label, 12, 6, 12, 6)

    def _say(self, sentence: str) -> None:
        self.error.setText(sentence)
        self.error.setVisible(bool(sentence))


class _Rows(QFrame):
    """Rows in a card."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("surface", "card")
        self._list = QVBoxLayout(self)
        self._list.setContentsMargins(0, 4, 0, 4)
        self._list.setSpacing(0)

    def add(self, row: QWidget) -> None:
        """One more row below."""
        if self._list.count():
            self._list.addWidget(Line(self))
        self._list.addWidget(row)

    def clear(self) -> None:
        """Takes all rows out."""
        while (item := self._list.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
