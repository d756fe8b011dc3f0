"""How a sign-in goes: where the person has to go, the button that goes there, why it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QWidget

from kinet.ui.kit.announce import announce
from kinet.ui.kit.clipboard import copy_text
from kinet.ui.kit.controls import repolish
from kinet.ui.kit.open_link import open_link
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.tab_order import tab_as_laid_out
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.kit.wrapping_row import WrappingRow
from kinet.ui.servers.toned_strip import TonedStrip

if TYPE_CHECKING:
    from kinet.mcp.sign_ins import Signing

_NO_BROWSER = "No browser could be opened. Copy the link, and open it yourself."
_BACK = "Kinet waits for you to come back, for five minutes."


class SignInStrip(TonedStrip):
    """Hidden while there is none. A browser opens only when its own button is pressed."""

    again_wanted = Signal()
    give_up_wanted = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__("signIn", parent)
        self._name = name
        self._signing: Signing | None = None
        self._opened = ""
        self.visit = self._button("Open the page", "openSignInButton", "external")
        self.visit.clicked.connect(self._open)
        self.copy = self._button("Copy the link", "copySignInButton", "copy")
        self.copy.clicked.connect(self._copy)
        self.again = self._button("Try again", "againSignInButton", "retry")
        self.again.clicked.connect(self.again_wanted)
        self.give_up = self._button("Cancel", "cancelSignInButton", "close")
        self.give_up.clicked.connect(self.give_up_wanted)
        buttons = WrappingRow()
        for button in (self.visit, self.copy, self.again, self.give_up):
            buttons.addWidget(button)
        self.column.addSpacing(4)
        self.column.addLayout(buttons)
        tab_as_laid_out(self)
        self.hide()

    def show_signing(self, signing: Signing | None) -> None:
        """Shows how it goes now."""
        if signing == self._signing:
            return
        before, self._signing = self._signing, signing
        if signing is None:
            self._opened = ""
            self.hide()
            return
        if before is None or before.visit != signing.visit:
            self._opened = ""
        self.copy.set_text("Copy the link", f"Copy the link for {self._name}")
        self._show()
        announce(self, f"{self.word.text()}. {self.detail.text()}", urgent=bool(signing.problem))

    def changeEvent(self, event: QEvent) -> None:
        """Another look: what is drawn and not styled is drawn anew."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "give_up"):
            for button in (self.visit, self.copy, self.again, self.give_up):
                button.refresh_icon()

    def _show(self) -> None:
        signing = self._signing
        assert signing is not None
        visit = signing.visit
        self.visit.setVisible(visit is not None)
        self.copy.setVisible(visit is not None)
        self.again.setVisible(bool(signing.problem))
        self.give_up.set_text("Close" if signing.problem else "Cancel")
        if signing.problem:
            self.say("danger", "Not signed in", f"{signing.problem} {signing.hint}".strip())
        elif visit is None:
            self.say("accent", f"{spell_out(signing.doing).text}…", "")
        else:
            self._show_visit()

    def _show_visit(self) -> None:
        assert self._signing is not None
        assert self._signing.visit is not None
        visit = self._signing.visit
        host = spell_out(visit.host).text
        told = [f"It asks for: {visit.scope}."] if visit.scope else []
        if visit.issuer != visit.host:
            told.insert(0, f"The sign-in belongs to {visit.issuer}.")
        self.visit.set_text("Open it again" if self._opened else "Open the page")
        self.visit.setProperty("kind", "" if self._opened else "primary")
        repolish(self.visit)
        self.visit.refresh_icon()
        if self._opened == _NO_BROWSER:
            self.say("accent", f"Sign in at {host}", f"{_NO_BROWSER} {_BACK}")
        elif self._opened:
            self.say("accent", f"Waiting for you at {host}…", " ".join([*told, _BACK]))
        else:
            words = f"The page of {host} opens in your browser. {_BACK}"
            self.say("accent", f"Sign in at {host}", " ".join([*told, words]))

    def _open(self) -> None:
        if self._signing is not None and self._signing.visit is not None:
            self._opened = "opened" if open_link(self._signing.visit.url) else _NO_BROWSER
            self._show()

    def _copy(self) -> None:
        if self._signing is not None and self._signing.visit is not None:
            copy_text(self._signing.visit.url)
            self.copy.set_text("Copied", f"The link for {self._name} is copied")

    def _button(self, word: str, object_name: str, icon: str) -> TextButton:
        button = TextButton(
            word, self, size="small", icon_name=icon, name=f"{word}: sign-in to {self._name}"
        )
        button.setObjectName(object_name)
        return button
