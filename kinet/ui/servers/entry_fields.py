"""The fields of one server: a program with what it is given, or an address with its headers."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import (
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from kinet.ui.kit.choice_box import ChoiceBox
from kinet.ui.kit.controls import IconButton, text_label
from kinet.ui.kit.text_field import TextField
from kinet.ui.look.theme import current_theme
from kinet.ui.servers.client_fields import ClientFields
from kinet.ui.servers.value_rows import ValueRows

PROGRAM, ADDRESS = "stdio", "http"
_SECONDS = 120
# What a form has fields for; anything else of an entry stays as it is.
_OWN = ("type", "command", "args", "env", "cwd", "url", "headers", "oauth", "timeout")

# (env or header, name, value) → whether it is a secret by its looks.
Judge = Callable[[str, str, str], bool]


class EntryFields(QWidget):
    """`entry` is what they say now. Which of the two kinds is shown, the owner decides."""

    changed = Signal()

    def __init__(self, judge: Judge, parent: QWidget) -> None:
        super().__init__(parent)
        self._before: Mapping[str, Any] = {}
        self._kind = PROGRAM
        self.command = self._line("Program", "npx", "serverCommand")
        self.command.editingFinished.connect(self._split)
        self.arguments = TextField("Arguments, one on each line", self, code=True)
        self.arguments.setObjectName("serverArguments")
        self.arguments.setPlaceholderText("One on each line")
        self.arguments.setFixedHeight(112)
        self.variables = ValueRows("variable", lambda *pair: judge("env", *pair), self)
        self.folder = self._line("Working folder", "As the session", "serverFolder")
        self.address = self._line("Address", "https://host/mcp", "serverAddress")
        self.protocol = ChoiceBox("Protocol", self)
        self.protocol.addItem("Streamable HTTP", "http")
        self.protocol.addItem("Server-sent events (older servers)", "sse")
        self.headers = ValueRows("header", lambda *pair: judge("header", *pair), self)
        self.client = ClientFields(self)
        self.seconds = QSpinBox(self)
        self.seconds.setAccessibleName("Longest call in seconds")
        self.seconds.setRange(1, 3_600)
        self.seconds.setSuffix(" seconds")
        self.seconds.lineEdit().setTextMargins(8, 0, 0, 0)
        self._program, self._address = self._program_page(), self._address_page()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._program)
        column.addWidget(self._address)
        column.addLayout(self._form((("Longest call", self.seconds),)))
        self.arguments.textChanged.connect(self.changed)
        self.variables.changed.connect(self.changed)
        self.headers.changed.connect(self.changed)
        self.client.changed.connect(self.changed)
        self.protocol.activated.connect(lambda _place: self.changed.emit())
        self.seconds.valueChanged.connect(lambda _value: self.changed.emit())

    @property
    def kind(self) -> str:
        """Which fields are on show: PROGRAM or ADDRESS."""
        return self._kind

    def show_kind(self, kind: str) -> None:
        """Turns to the fields of a program or of an address."""
        self._kind = PROGRAM if kind == PROGRAM else ADDRESS
        self._program.setVisible(self._kind == PROGRAM)
        self._address.setVisible(self._kind == ADDRESS)

    def show_entry(self, entry: Mapping[str, Any]) -> None:
        """Fills the fields from an entry; what has no field stays as it is."""
        self._before = entry
        self.command.setText(str(entry.get("command", "")))
        words = entry.get("args")
        listed = words if isinstance(words, list | tuple) else ()
        self.arguments.set_text("\n".join(_as_line(str(word)) for word in listed))
        self.variables.show_values(_values(entry.get("env")))
        self.folder.setText(str(entry.get("cwd") or ""))
        self.address.setText(str(entry.get("url", "")))
        self.headers.show_values(_values(entry.get("headers")))
        self.client.show_values(_values(entry.get("oauth")))
        kind = "sse" if entry.get("type") == "sse" else "http"
        self.protocol.setCurrentIndex(self.protocol.findData(kind))
        seconds = entry.get("timeout")
        self.seconds.setValue(int(seconds) if isinstance(seconds, int | float) else _SECONDS)
        self.show_kind(ADDRESS if "url" in entry else PROGRAM)

    def entry(self) -> dict[str, Any]:
        """The entry as it is filled in."""
        entry = {key: value for key, value in self._before.items() if key not in _OWN}
        if self.kind == PROGRAM:
            lines = self.arguments.text().split("\n")
            words = [_as_word(line) for line in lines if line.strip()]
            entry["command"] = self.command.text().strip()
            values = {"args": words, "env": self.variables.values()}
            values["cwd"] = self.folder.text().strip()
        else:
            entry["type"] = self.protocol.currentData()
            entry["url"] = self.address.text().strip()
            values = {"headers": self.headers.values(), "oauth": self.client.values()}
        entry |= {key: value for key, value in values.items() if value}
        if self.seconds.value() != _SECONDS or "timeout" in self._before:
            entry["timeout"] = self.seconds.value()
        return entry

    def secrets(self) -> set[str]:
        """The names of what was marked as a secret."""
        return (self.variables if self.kind == PROGRAM else self.headers).secrets()

    def problem(self) -> str:
        """What is missing, in one sentence; "" if nothing."""
        if self.kind == PROGRAM:
            if not self.command.text().strip():
                return "Which program is it? Its command line is missing."
            return self.variables.problem()
        if not self.address.text().strip():
            return "Where is it? Its address is missing."
        return self.headers.problem()

    def focus_first(self) -> None:
        """Puts the focus into the first field of what is on show."""
        (self.command if self.kind == PROGRAM else self.address).setFocus()

    def _split(self) -> None:
        """A whole command line that was pasted becomes a program and its arguments."""
        line = self.command.text().strip()
        if " " not in line or self.arguments.text().strip() or Path(line).expanduser().exists():
            return
        try:
            words = shlex.split(line)
        except ValueError:
            return
        if len(words) > 1:
            self.command.setText(words[0])
            self.arguments.setPlainText("\n".join(map(_as_line, words[1:])))

    def _line(self, name: str, hint: str, object_name: str) -> QLineEdit:
        line = QLineEdit(self)
        line.setObjectName(object_name)
        line.setAccessibleName(name)
        line.setPlaceholderText(hint)
        line.textChanged.connect(lambda _text: self.changed.emit())
        return line

    def _program_page(self) -> QWidget:
        folder = QWidget(self)
        button = IconButton("folder-open", "Choose the working folder", parent=folder, size=32)
        button.clicked.connect(self._choose_folder)
        row = QHBoxLayout(folder)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.folder, 1)
        row.addWidget(button)
        page = QWidget(self)
        page.setLayout(
            self._form(
                (
                    ("Program", self.command),
                    ("Arguments", self.arguments),
                    ("Environment", self.variables),
                    ("Working folder", folder),
                )
            )
        )
        return page

    def _address_page(self) -> QWidget:
        page = QWidget(self)
        page.setLayout(
            self._form(
                (
                    ("Address", self.address),
                    ("Protocol", self.protocol),
                    ("Headers", self.headers),
                    ("Sign-in", self.client),
                )
            )
        )
        return page

    def _form(self, rows: tuple[tuple[str, QWidget], ...]) -> QFormLayout:
        form = QFormLayout()
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(8)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        widest = label_width()
        for title, field in rows:
            word = text_label(title, tone="text_2", parent=self)
            # Beside the first line of its field, however high that is.
            word.setMinimumSize(widest, 32)
            word.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
            word.setBuddy(field)
            form.addRow(word, field)
        return form

    def _choose_folder(self) -> None:
        dialog = QFileDialog(self.window(), "Working folder", self.folder.text())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self.folder.setText)
        dialog.open()


def label_width() -> int:
    """How wide the words beside the fields are, so that all fields begin in one line."""
    metrics = QFontMetrics(current_theme().font("ui"))
    words = ("Working folder", "Environment", "Longest call")
    return max(metrics.horizontalAdvance(word) for word in words) + 8


def _values(written: object) -> Mapping[str, str]:
    """The names and values of an entry, whatever was written by hand into the file."""
    return written if isinstance(written, Mapping) else {}


def _as_line(word: str) -> str:
    """An argument as its line: as it is, or quoted where a line could not hold it."""
    plain = word.strip() == word != "" and "\n" not in word and not word.startswith('"')
    return word if plain else json.dumps(word, ensure_ascii=False)


def _as_word(line: str) -> str:
    """The argument in a line; one in quotes is read as JSON writes it."""
    text = line.strip()
    if text.startswith('"'):
        try:
            word = json.loads(text)
        except ValueError:
            return text
        return word if isinstance(word, str) else text
    return text
