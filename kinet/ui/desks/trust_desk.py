"""Asks about the folder of the session on screen before anything of it is used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from kinet.core.errors import KinetError
from kinet.ui.chat.chat_panel import ChatPanel, begins_anew
from kinet.ui.kit.tasks import in_thread, spawn
from kinet.ui.kit.warm_up import import_slowly
from kinet.ui.look.theme import Theme
from kinet.ui.program import Program

if TYPE_CHECKING:
    import asyncio

    from kinet.ui.asking.trust_page import TrustPage, TrustQuestion

_PAGE = ("kinet.ui.diff.diff_view", "kinet.ui.asking.trust_page")


class TrustDesk(QObject):
    """Shows the page in the panel it is about. A message sent before the answer goes without."""

    problem = Signal(str)
    answered = Signal()
    # A question about the folder of a conversation (panel, question), which stays on screen.
    waits = Signal(object, object)
    folder_requested = Signal()

    def __init__(self, program: Program, parent: QObject) -> None:
        super().__init__(parent)
        self._program = program
        self._panel: ChatPanel | None = None
        self._page: TrustPage | None = None
        self._began = False
        self._asking: asyncio.Task[None] | None = None

    def start(self) -> None:
        """From here on settings can be read: folders are asked about before they are used."""
        self._began = True
        self._program.trust.asks = True
        if self._panel is not None:
            self.follow(self._panel)

    async def asked(self) -> None:
        """Returns when it is known whether the folder on screen has to be asked about."""
        if self._asking is not None:
            await self._asking

    def serve(self, panel: ChatPanel) -> None:
        """Watches a new panel: an answer is not waited for once a turn runs."""
        panel.runner.running_changed.connect(lambda running: self._turned(panel, running))

    def follow(self, panel: ChatPanel) -> None:
        """The panel on screen from now on."""
        self._close()
        self._panel = panel
        if self._began and not panel.runner.running:
            self._asking = spawn(self._ask(panel, panel.folder), "ask about the folder")

    def ask_again(self) -> None:
        """Shows the question about the folder on screen, also where it was answered before."""
        panel = self._panel
        if panel is not None and self._began and not panel.runner.running:
            self._close()
            self._asking = spawn(self._ask(panel, panel.folder, again=True), "ask again")

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        if self._page is not None:
            self._page.set_theme(theme)

    async def _ask(self, panel: ChatPanel, folder: Path | None, *, again: bool = False) -> None:
        trust = self._program.trust
        look = trust.reconsider if again else trust.pending
        question = await in_thread(lambda: look(folder))
        if question is not None:
            # Few folders are asked about, and the page brings much with it.
            await in_thread(_import_ground)
            await import_slowly(_PAGE)
        stale = panel is not self._panel or panel.folder != folder or panel.runner.running
        if question is None or stale:
            return
        if again or begins_anew(panel):
            self.show(panel, question)
        else:
            # A page over an answer that has just come would hide it.
            self.waits.emit(panel, question)

    def show(self, panel: ChatPanel, question: TrustQuestion) -> None:
        """Shows the page in place of what is read."""
        from kinet.ui.asking.trust_page import TrustPage

        page = TrustPage(question)
        page.answered.connect(lambda trusted: self._answer(question, trusted))
        page.other_folder_requested.connect(self.folder_requested)
        self._page = page
        panel.body.show_trust(page)

    def _answer(self, question: TrustQuestion, trusted: bool) -> None:
        try:
            self._program.trust.answer(question, trusted)
        except KinetError as exc:
            self.problem.emit(exc.sentence())
            return
        self._close()
        self.answered.emit()
        if self._panel is not None:
            self._panel.composer.edit.setFocus()

    def _turned(self, panel: ChatPanel, running: bool) -> None:
        if panel is not self._panel:
            return
        if running:
            self._close()
        else:
            # A turn may have changed what the folder brings along.
            self.follow(panel)

    def _close(self) -> None:
        if self._page is not None and self._panel is not None:
            self._panel.body.show_trust(None)
        self._page = None


def _import_ground() -> None:
    """In a thread: what the page stands on. Nothing of Qt."""
    import kinet.markup.folding
    import kinet.markup.highlight  # noqa: F401
