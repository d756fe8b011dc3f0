"""What a row unfolds: the whole command line, why it failed, the tools, what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from kinet.markup.visible import without_escapes
from kinet.ui.kit.code_box import CodeBox
from kinet.ui.kit.controls import repolish, text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.tab_order import tab_as_laid_out
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.kit.wrapping_row import WrappingRow
from kinet.ui.look.theme import current_theme
from kinet.ui.servers.server_words import (
    items_of,
    may_sign_in,
    prompts_words,
    wants_sign_in,
    wrote_words,
)
from kinet.ui.servers.sign_in_strip import SignInStrip
from kinet.ui.servers.tool_list import ToolList

if TYPE_CHECKING:
    from kinet.settings.server_services import ServerRow


class ServerDetails(QWidget):
    """Made when a row is first unfolded; everything is asked for by signal."""

    restart_wanted = Signal()
    edit_wanted = Signal()
    remove_wanted = Signal()
    trust_wanted = Signal()
    sign_in_wanted = Signal()
    give_up_wanted = Signal()
    sign_out_wanted = Signal()
    tool_switched = Signal(str, bool)
    all_switched = Signal(bool)

    def __init__(self, row: ServerRow, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("serverDetails")
        name = row.name
        self.line = CodeBox(row.line, "", self)
        self.line.view.setAccessibleName(
            f"Command line of {name}" if row.kind == "stdio" else f"Address of {name}"
        )
        self.reason = self._label("serverReason", tone="danger")
        self.hint = self._label("serverHint", tone="text_2")
        self.wants = self._label("serverWants", tone="warning")
        self.account = self._label("serverAccount", tone="text_2")
        self.prompts = self._label("serverPrompts", tone="text_2")
        self.signing = SignInStrip(name, self)
        self.signing.again_wanted.connect(self.sign_in_wanted)
        self.signing.give_up_wanted.connect(self.give_up_wanted)
        self.wrote = self._label("serverWrote", tone="text_2")
        self._stderr: CodeBox | None = None
        self._stderr_text = ""
        self.tools = ToolList(name, self)
        self.tools.switched.connect(self.tool_switched)
        self.tools.all_switched.connect(self.all_switched)
        self.notes = self._label("serverNotes", tone="warning")
        self.sign_in = self._button("Sign in…", "signInButton", f"Sign in to {name}", "key")
        self.sign_in.clicked.connect(self.sign_in_wanted)
        self.sign_out = self._button("Sign out", "signOutButton", f"Sign out of {name}", "key")
        self.sign_out.clicked.connect(self.sign_out_wanted)
        self.restart = self._button("Restart", "restartServerButton", f"Restart {name}", "retry")
        self.restart.clicked.connect(self.restart_wanted)
        self.edit = self._button("Edit…", "editServerButton", f"Edit {name}", "edit")
        self.edit.clicked.connect(self.edit_wanted)
        self.remove = self._button("Remove", "removeServerButton", f"Remove {name}", "trash")
        self.remove.clicked.connect(self.remove_wanted)
        self.trust = self._button(
            "Look at the folder…", "serverTrustButton", f"Look at the folder of {name}", "shield"
        )
        self.trust.clicked.connect(self.trust_wanted)
        self._column = QVBoxLayout(self)
        self._arrange()
        self.show_row(row)

    def show_row(self, row: ServerRow) -> None:
        """Shows how it stands now; what is chosen in the list of tools stays so."""
        if self.line.text != spell_out(row.line).text:
            self.line.set_text(row.line)
        self._say(self.reason, row.reason)
        tone = "danger" if row.state == "failed" else "warning"
        if self.reason.property("tone") != tone:
            self.reason.setProperty("tone", tone)
            repolish(self.reason)
        self._say(self.hint, row.hint if row.signing is None else "")
        self._show_account(row)
        self._show_stderr(row)
        self._say(self.notes, "\n".join(row.notes))
        self.tools.show_tools(items_of(row))
        self.tools.setVisible(bool(row.tools))
        own = row.place == "own"
        self.restart.set_text(
            "Start" if row.state == "idle" else "Restart",
            f"Start {row.name}" if row.state == "idle" else f"Restart {row.name}",
        )
        self.restart.setVisible(row.state in ("idle", "ready", "failed", "sign_in"))
        self.edit.setVisible(own)
        self.remove.setVisible(own)
        self.trust.setVisible(row.state == "trust")

    def changeEvent(self, event: QEvent) -> None:
        """Another look: what is drawn and not styled is drawn anew."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_column"):
            theme = current_theme()
            for box in (self.line, self._stderr):
                if box is not None:
                    box.set_theme(theme)
            for button in self._buttons():
                button.refresh_icon()

    def _arrange(self) -> None:
        buttons = WrappingRow()
        for button in self._buttons():
            buttons.addWidget(button)
        self._column.setContentsMargins(36, 2, 12, 14)
        self._column.setSpacing(8)
        parts = (self.reason, self.hint, self.wants, self.signing, self.wrote, self.line)
        below = (self.account, self.notes, self.prompts, self.tools)
        for part in (*parts, *below):
            self._column.addWidget(part)
        self._column.addLayout(buttons)
        # A screen reader takes them in the order in which they lie above each other.
        for above in (*parts, *below, *self._buttons()):
            above.raise_()
        tab_as_laid_out(self)

    def _buttons(self) -> tuple[TextButton, ...]:
        return self.sign_in, self.restart, self.trust, self.edit, self.sign_out, self.remove

    def _show_account(self, row: ServerRow) -> None:
        """Where the person is signed in, and what is going on about that."""
        kept = ", for this session only: no keychain answers here" if row.kept == "session" else ""
        self._say(self.account, f"Signed in at {row.signed_in}{kept}." if row.signed_in else "")
        self._say(self.wants, row.wants)
        self._say(self.prompts, prompts_words(row))
        self.signing.show_signing(row.signing)
        self.sign_in.setVisible(row.signing is None and may_sign_in(row))
        kind = "primary" if wants_sign_in(row) else ""
        if self.sign_in.property("kind") != kind:
            self.sign_in.setProperty("kind", kind)
            repolish(self.sign_in)
            self.sign_in.refresh_icon()
        self.sign_out.setVisible(bool(row.signed_in))

    def _show_stderr(self, row: ServerRow) -> None:
        shown = row.state in ("failed", "starting")
        text = without_escapes(row.stderr).strip("\n") if shown else ""
        failed = row.state == "failed"
        self._say(
            self.wrote, wrote_words(text, row.exit_code, row.reason) if failed or text else ""
        )
        if text == self._stderr_text:
            return
        self._stderr_text = text
        if self._stderr is None:
            self._stderr = CodeBox(text, "", self)
            self._stderr.view.setAccessibleName(f"The last {row.name} wrote")
            self._column.insertWidget(self._column.indexOf(self.wrote) + 1, self._stderr)
            self._stderr.stackUnder(self.line)
            tab_as_laid_out(self)
        else:
            self._stderr.set_text(text)
        self._stderr.setVisible(bool(text))
        self._stderr.view.verticalScrollBar().setValue(
            self._stderr.view.verticalScrollBar().maximum()
        )

    def _label(self, object_name: str, *, tone: str) -> QLabel:
        label = text_label("", type="meta", tone=tone, parent=self)
        label.setObjectName(object_name)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    def _button(self, word: str, object_name: str, name: str, icon: str) -> TextButton:
        button = TextButton(word, self, size="small", icon_name=icon, name=name)
        button.setObjectName(object_name)
        return button

    def _say(self, label: QLabel, words: str) -> None:
        shown = spell_out(words).text
        if label.text() != shown:
            label.setText(shown)
        label.setVisible(bool(shown))
