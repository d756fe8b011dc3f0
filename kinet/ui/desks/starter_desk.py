"""Offers first tasks in a session that has no messages yet, for the folder it works on."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from kinet.ui.chat.chat_panel import ChatPanel
from kinet.ui.kit.tasks import in_thread, spawn
from kinet.ui.program import Program

if TYPE_CHECKING:
    from kinet.ui.chat.starters_page import StartersPage
    from kinet.workspace.starters import Starters


class StarterDesk(QObject):
    """Serves the panel on screen. A task goes into the composer and is never sent from here."""

    folder_requested = Signal()

    def __init__(self, program: Program, parent: QObject) -> None:
        super().__init__(parent)
        self._program = program
        self._began = False
        self._panel: ChatPanel | None = None
        self._page: StartersPage | None = None
        # What is looked at now, or was last.
        self._looked: tuple[ChatPanel, Path | None] | None = None

    def start(self) -> None:
        """From here on it is known whether there is a model, and which folders are trusted."""
        self._began = True
        self.look()

    def serve(self, panel: ChatPanel) -> None:
        """Watches a new panel: what is typed or sent there takes the tasks away."""
        panel.composer.changed.connect(lambda: self._changed(panel))
        panel.state_changed.connect(lambda: self._changed(panel))
        panel.reading.made.connect(lambda: self._order_tabs(panel))

    def follow(self, panel: ChatPanel) -> None:
        """The panel on screen from now on; its folder is looked at anew."""
        self._leave()
        self._panel = panel
        self.look()

    def look(self) -> None:
        """Looks at the folder anew, if tasks are wanted; those shown stay until that is done."""
        self._looked = None
        if self._panel is not None:
            self._changed(self._panel)

    def restyle(self) -> None:
        """Takes on the current look."""
        if self._page is not None:
            self._page.restyle()

    def _changed(self, panel: ChatPanel) -> None:
        if panel is not self._panel or not self._began:
            return
        if not _is_wanted(panel):
            if self._page is not None:
                panel.body.show_starters(None)
            if panel.session is not None and panel.session.conversation.turns:
                # None are wanted here any more.
                self._leave()
        elif self._looked != (panel, panel.folder):
            self._looked = (panel, panel.folder)
            spawn(self._look(panel, panel.folder), "first tasks for the folder")
        elif self._page is not None:
            panel.body.show_starters(self._page)

    async def _look(self, panel: ChatPanel, folder: Path | None) -> None:
        found = await in_thread(lambda: self._program.services.starters(folder))
        if panel is not self._panel or self._looked != (panel, folder) or panel.folder != folder:
            return
        if self._page is None or self._page.starters != found:
            self._leave()
            self._page = self._made(panel, found)
            self._order_tabs(panel)
        self._changed(panel)

    def _made(self, panel: ChatPanel, found: Starters) -> StartersPage:
        # The first frame does without.
        from kinet.ui.chat.starters_page import StartersPage

        page = StartersPage(found, panel.body)
        page.chosen.connect(lambda text: _put(panel, text))
        page.folder_requested.connect(self.folder_requested)
        return page

    def _order_tabs(self, panel: ChatPanel) -> None:
        """From the head through the tasks to what stands below, a transcript or the composer."""
        if self._page is None or panel is not self._panel:
            return
        stops: list[QWidget] = [panel.header.more_button, *self._page.buttons]
        if panel.body.transcript is None:
            stops.append(panel.composer.edit)
        for before, after in itertools.pairwise(stops):
            QWidget.setTabOrder(before, after)

    def _leave(self) -> None:
        page, self._page = self._page, None
        if page is not None and self._panel is not None:
            self._panel.body.show_starters(None)
            page.deleteLater()


def _is_wanted(panel: ChatPanel) -> bool:
    """True if nothing was said there, nothing is typed, and there is a model to say it to."""
    session = panel.session
    if panel.runner.running or (session is not None and session.conversation.turns):
        return False
    composer = panel.composer
    return panel.desk.has_model and not composer.text() and not composer.attachments()


def _put(panel: ChatPanel, text: str) -> None:
    # The focus first: a page that goes takes it along.
    panel.composer.edit.setFocus(Qt.FocusReason.OtherFocusReason)
    panel.composer.set_content(text)
