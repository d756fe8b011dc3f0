"""Servers as other programs write them down: JSON is pasted, and what it names is shown whole."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QFrame, QHBoxLayout, QTextEdit, QVBoxLayout, QWidget

from kinet.core.errors import KinetError
from kinet.ui.kit.code_box import CodeBox
from kinet.ui.kit.controls import ElidedLabel, Line, repolish, text_label
from kinet.ui.kit.tasks import breathe, spawn
from kinet.ui.kit.text_field import TextField
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.look.theme import current_theme
from kinet.ui.servers.server_naming import suggested_name

if TYPE_CHECKING:
    from kinet.settings.server_services import ServerServices

_HINT = '{\n  "mcpServers": {\n    "time": {"command": "uvx", "args": ["mcp-server-time"]}\n  }\n}'
# Milliseconds from the last key to a look at the text.
_PAUSE = 250
_LARGEST = 1_000_000
_MADE_AT_ONCE = 3
# Servers that are taken from one text: each is shown whole before it can be saved.
_MOST = 60
_LINE = re.compile(r"^Line (\d+): ")


class PastedRow(QWidget):
    """One server of the text: its name, its whole line, and whether it can be added."""

    def __init__(self, name: str, line: str, problem: str, kept: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.name, self.problem = name, problem
        head = ElidedLabel(spell_out(name).text or "(no name)", self)
        head.setProperty("type", "strong")
        self.result = text_label("", type="meta", parent=self)
        self.result.setWordWrap(True)
        whole = CodeBox(line, "", self)
        whole.view.setAccessibleName(f"What {name} is")
        whole.setVisible(bool(line))
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(6)
        top = QHBoxLayout()
        top.addWidget(head)
        top.addStretch(1)
        column.addLayout(top)
        column.addWidget(whole)
        if kept:
            column.addWidget(text_label(kept, type="meta", tone="text_3", parent=self))
        column.addWidget(self.result)
        self.say(problem, "danger")

    def say(self, sentence: str, tone: str) -> None:
        """A sentence under it; "" for none."""
        self.result.setText(spell_out(sentence).text)
        self.result.setProperty("tone", tone)
        repolish(self.result)
        self.result.setVisible(bool(sentence))


class PastedServers(QWidget):
    """`entries` are those that can be added; `changed` comes when that may be another answer."""

    changed = Signal()

    def __init__(self, services: ServerServices, parent: QWidget) -> None:
        super().__init__(parent)
        self._services = services
        self.rows: list[PastedRow] = []
        self._read: Mapping[str, Mapping[str, Any]] = {}
        # Why one cannot be added, "" where it can.
        self._problems: dict[str, str] = {}
        self.text = TextField("Servers as JSON", self, code=True)
        self.text.setObjectName("pastedServers")
        self.text.setPlaceholderText(_HINT)
        self.text.setMinimumHeight(168)
        self.verdict = text_label("", type="meta", tone="danger", parent=self)
        self.verdict.setObjectName("pastedVerdict")
        self.verdict.setWordWrap(True)
        self._card = QFrame(self)
        self._card.setProperty("surface", "card")
        self._list = QVBoxLayout(self._card)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(0)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE)
        self._pause.timeout.connect(self.look)
        self.text.textChanged.connect(self._typed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for part in (self.text, self.verdict, self._card):
            column.addWidget(part)
        self.verdict.hide()
        self._card.hide()

    @property
    def entries(self) -> dict[str, Mapping[str, Any]]:
        """Name and entry of what can be added."""
        return {name: entry for name, entry in self._read.items() if not self._problems.get(name)}

    def row(self, name: str) -> PastedRow | None:
        """The row of this server, None while it is not made yet."""
        return next((row for row in self.rows if row.name == name), None)

    def settle(self) -> None:
        """Reads what was typed since it was read last."""
        if self._pause.isActive():
            self.look()

    def close_list(self) -> None:
        """Makes no rows any more."""
        self._pause.stop()
        self._read = {}

    def look(self) -> None:
        """Reads the text now, and says at its line what is wrong."""
        self._pause.stop()
        self._clear()
        text = self.text.text()
        if len(text) > _LARGEST:
            self._complain("This is too long for a list of servers.")
        elif text.strip():
            try:
                found = _named(self._services.parse(text))
                self._read = dict(list(found.items())[:_MOST])
                if len(found) > _MOST:
                    words = f"These are {len(found):,} servers; the first {_MOST} are taken. "
                    self._complain(f"{words}Paste the others when these are saved.")
            except KinetError as exc:
                self._complain(exc.sentence(), getattr(exc, "line", 0))
            else:
                self._show()
        self.changed.emit()

    def _typed(self) -> None:
        self._clear()
        self._pause.start()
        self.changed.emit()

    def _clear(self) -> None:
        self._read = {}
        self._problems = {}
        self.rows = []
        self.text.setExtraSelections([])
        self.verdict.hide()
        self._card.hide()
        while (item := self._list.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()

    def _show(self) -> None:
        self._problems = {name: self._problem(name, entry) for name, entry in self._read.items()}
        if self._read:
            self._card.show()
            spawn(self._make(self._read), "rows of pasted servers")
        else:
            self._complain("There is no server in this text.")

    async def _make(self, read: Mapping[str, Mapping[str, Any]]) -> None:
        """A row for each, a few at a time: somebody may paste hundreds."""
        for number, (name, entry) in enumerate(read.items()):
            if number and number % _MADE_AT_ONCE == 0:
                await breathe()
            if read is not self._read:
                return
            line, kept = self._services.line_of(entry), self._kept(entry)
            row = PastedRow(name, line, self._problems[name], kept, self._card)
            if self.rows:
                self._list.addWidget(Line(self._card))
            self.rows.append(row)
            self._list.addWidget(row)

    def _problem(self, name: str, entry: Mapping[str, Any]) -> str:
        if not name:
            return 'It has no name: write it as {"name": {…}}.'
        if self._services.entry(name):
            return "There is a server of this name already; it stays as it is."
        return self._services.check(name, entry)

    def _kept(self, entry: Mapping[str, Any]) -> str:
        """Which of its values go to the keychain."""
        found = [
            str(name)
            for kind, place in (("env", "env"), ("header", "headers"))
            for name, value in _pairs(entry.get(place))
            if self._services.is_secret(kind, name, value)
        ]
        names = spell_out(", ".join(found)).text
        return f"Kept in the keychain: {names}" if found else ""

    def _complain(self, sentence: str, line: int = 0) -> None:
        said = _LINE.match(sentence)
        line = line or (int(said.group(1)) if said else 0)
        words = sentence if said or not line else f"Line {line}: {sentence}"
        self.verdict.setText(spell_out(words).text)
        self.verdict.show()
        block = self.text.document().findBlockByNumber(line - 1)
        if line < 1 or not block.isValid():
            return
        mark = QTextEdit.ExtraSelection()
        look = QTextCharFormat()
        look.setBackground(QColor(current_theme().color("danger_tint")))
        look.setProperty(QTextFormat.Property.FullWidthSelection, True)
        mark.format = look
        mark.cursor = QTextCursor(block)
        self.text.setExtraSelections([mark])
        place = QTextCursor(block)
        if not self.text.hasFocus():
            self.text.setTextCursor(place)
        self.text.setAccessibleDescription(self.verdict.text())


def _named(read: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """With a name for the one that was pasted without."""
    return {name or suggested_name(entry): entry for name, entry in read.items()}


def _pairs(values: object) -> list[tuple[str, str]]:
    if not isinstance(values, Mapping):
        return []
    return [(str(name), str(value)) for name, value in values.items()]
