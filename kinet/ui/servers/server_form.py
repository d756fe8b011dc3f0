"""The form of one server, new or old; new ones may also be pasted as JSON, several at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from kinet.core.errors import KinetError
from kinet.ui.kit.controls import text_label
from kinet.ui.kit.input_filters import guard_wheel
from kinet.ui.kit.over_window import fit_over
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.segments import Segments
from kinet.ui.kit.tab_order import tab_as_laid_out
from kinet.ui.kit.tasks import spawn
from kinet.ui.look.theme import current_theme
from kinet.ui.servers.entry_fields import ADDRESS, PROGRAM, EntryFields, label_width
from kinet.ui.servers.pasted_servers import PastedServers
from kinet.ui.servers.server_naming import suggested_name
from kinet.ui.servers.server_trial import ServerTrial
from kinet.ui.servers.try_strip import TryStrip

if TYPE_CHECKING:
    from kinet.settings.server_services import ServerServices

JSON = "json"
_SIZE = QSize(680, 620)


class ServerForm(QDialog):
    """Opened with `open()`. `saved` carries the names and where their secrets are kept.

    Closing with changes asks once, in the foot of the dialog; a trial that runs ends with it.
    """

    saved = Signal(object, str)

    def __init__(
        self, services: ServerServices, name: str, parent: QWidget, *, folder: str = ""
    ) -> None:
        super().__init__(parent)
        self.setObjectName("serverForm")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._services, self._old = services, name
        self._changed = self._discarding = self._saving = False
        title = f"Edit {name}" if name else "Add a server"
        self.setWindowTitle(title)
        kinds = [(PROGRAM, "Program"), (ADDRESS, "Address")]
        self.kind = Segments(kinds if name else [*kinds, (JSON, "JSON")], "What it is", self)
        self.kind.setObjectName("serverKind")
        self.name = QLineEdit(self)
        self.name.setObjectName("serverName")
        self.name.setAccessibleName("Name of the server")
        self.fields = EntryFields(services.is_secret, self)
        self.pasted = PastedServers(services, self)
        self.strip = TryStrip(self)
        place = Path(folder) if folder else None
        self.trial = ServerTrial(services, self.strip, self.pasted, place, self)
        self.verdict = text_label("", type="meta", tone="warning", parent=self)
        self.verdict.setObjectName("serverVerdict")
        self.verdict.setWordWrap(True)
        self.save_button = TextButton("Save", self, kind="primary")
        self.save_button.setObjectName("saveServerButton")
        self.save_button.clicked.connect(self.save)
        self.test = TextButton("Test", self)
        self.test.setObjectName("testServerButton")
        self.test.clicked.connect(self.try_out)
        self.cancel = TextButton("Cancel", self, kind="quiet")
        self.cancel.clicked.connect(self.reject)
        self._arrange(title)
        self.fields.show_entry(services.entry(name) if name else {})
        self.name.setText(name)
        self._show_kind(self.fields.kind)
        self._connect()
        guard_wheel(self)

    def save(self) -> None:
        """Keeps what is filled in; says why it cannot be."""
        spawn(self._save(), "save a server")

    def try_out(self) -> None:
        """Tries what is filled in; pressed again, it ends the trial."""
        if self.trial.is_running:
            self.trial.end()
        elif self.kind.value == JSON:
            self.pasted.settle()
            self.trial.try_pasted()
        elif problem := self._problem():
            self.strip.show_problem("Not tested", problem)
        else:
            self.trial.try_one(self._old or self._chosen_name(), self.fields.entry())

    def reject(self) -> None:
        """Closes; with changes that are not saved only when asked a second time."""
        if self._saving:
            return
        if self._changed and not self._discarding:
            self._discarding = True
            self.cancel.set_text("Discard")
            self.verdict.setText("What you filled in is not saved. Save it, or discard it.")
            self.verdict.show()
            return
        super().reject()

    def done(self, result: int) -> None:
        """Nothing is left running."""
        self.trial.close()
        self.pasted.close_list()
        super().done(result)

    def showEvent(self, event: QShowEvent) -> None:
        """Never larger than the window below."""
        super().showEvent(event)
        parent = self.parentWidget()
        wanted = _SIZE * max(1.0, current_theme().zoom / 100)
        fit_over(self, parent.window() if parent is not None else None, wanted)
        self.fields.focus_first()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+S and Ctrl+Enter save."""
        control = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        keys = (Qt.Key.Key_S, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if control and event.key() in keys and self.save_button.isEnabled():
            self.save()
            return
        super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Another look."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "cancel"):
            self.kind.set_theme(current_theme())

    def _arrange(self, title: str) -> None:
        self.kind.set_theme(current_theme())
        self._named = QWidget(self)
        word = text_label("Name", tone="text_2", parent=self)
        word.setBuddy(self.name)
        form = QFormLayout(self._named)
        form.setContentsMargins(0, 0, 0, 0)
        form.setHorizontalSpacing(12)
        word.setMinimumSize(label_width(), 32)
        form.addRow(word, self.name)
        inside = QWidget(self)
        inside.setObjectName("serverFormInside")
        column = QVBoxLayout(inside)
        column.setContentsMargins(24, 4, 24, 12)
        column.setSpacing(8)
        for part in (self._named, self.fields, self.pasted, self.strip):
            column.addWidget(part)
        column.addStretch(1)
        self.area = QScrollArea(self)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidgetResizable(True)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(inside)
        self.area.setStyleSheet("QScrollArea, #serverFormInside { background: transparent; }")
        head = QVBoxLayout()
        head.setContentsMargins(24, 20, 24, 8)
        head.setSpacing(10)
        head.addWidget(text_label(title, type="h2", parent=self))
        head.addWidget(self.kind, 0, Qt.AlignmentFlag.AlignLeft)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(self.test)
        buttons.addStretch(1)
        buttons.addWidget(self.cancel)
        buttons.addWidget(self.save_button)
        foot = QVBoxLayout()
        foot.setContentsMargins(24, 8, 24, 20)
        foot.addWidget(self.verdict)
        foot.addLayout(buttons)
        self.verdict.hide()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(head)
        outer.addWidget(self.area, 1)
        outer.addLayout(foot)
        tab_as_laid_out(self)

    def _connect(self) -> None:
        self.kind.chosen.connect(self._kind_chosen)
        self.name.textChanged.connect(lambda _text: self._edited())
        self.fields.changed.connect(self._edited)
        self.pasted.text.textChanged.connect(self._edited)
        self.pasted.changed.connect(self._count)
        self.trial.changed.connect(self._count)
        self.strip.told.connect(lambda: self.area.ensureWidgetVisible(self.strip, 0, 8))

    def _kind_chosen(self, kind: str) -> None:
        self._show_kind(kind)
        if kind == JSON:
            self.pasted.text.setFocus()
        else:
            self.fields.focus_first()

    def _show_kind(self, kind: str) -> None:
        self.kind.choose(kind)
        for part in (self._named, self.fields):
            part.setVisible(kind != JSON)
        self.pasted.setVisible(kind == JSON)
        if kind != JSON:
            self.fields.show_kind(kind)
        self.strip.clear()
        self._suggest()
        self._count()

    def _edited(self) -> None:
        self._changed = True
        self._discarding = False
        self.cancel.set_text("Cancel")
        self.verdict.hide()
        self._suggest()

    def _suggest(self) -> None:
        word = suggested_name(self.fields.entry())
        self.name.setPlaceholderText(word or "Letters, digits, - and _")

    def _count(self) -> None:
        """The buttons say what they would do now."""
        count = len(self.pasted.entries) if self.kind.value == JSON else 1
        testing = self.trial.is_running
        self.save_button.set_text("Save" if count < 2 else f"Save {count} servers")
        self.save_button.setEnabled(count > 0 and not testing and not self._saving)
        self.test.set_text("End the test" if testing else "Test")
        self.test.setEnabled((count > 0 or testing) and not self._saving)

    def _chosen_name(self) -> str:
        return self.name.text().strip() or suggested_name(self.fields.entry())

    def _problem(self) -> str:
        found = self.fields.problem()
        if not found and not self._chosen_name():
            found = "It needs a name."
        checked = self._services.check(self._chosen_name(), self.fields.entry(), old_name=self._old)
        return found or checked

    def _wanted(self) -> dict[str, Mapping[str, Any]]:
        """Names and entries that a press on Save keeps."""
        if self.kind.value == JSON:
            return self.pasted.entries
        return {self._chosen_name(): self.fields.entry()}

    async def _save(self) -> None:
        if self.kind.value == JSON:
            self.pasted.settle()
        elif problem := self._problem():
            self.strip.show_problem("Not saved", problem)
            return
        wanted, places = self._wanted(), set()
        secrets = self.fields.secrets() if self.kind.value != JSON else ()
        self._saving = True
        self._count()
        try:
            for name, entry in wanted.items():
                places.add(
                    await self._services.save(name, entry, old_name=self._old, secrets=secrets)
                )
        except KinetError as exc:
            self.strip.show_problem("Not saved", exc.sentence())
            return
        finally:
            self._saving = False
            self._count()
        if wanted:
            self._changed = False
            self.accept()
            self.saved.emit(list(wanted), "session" if "session" in places else "")
