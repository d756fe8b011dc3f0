"""Serves the transcript of a session: its links, and what is found in steps."""

from __future__ import annotations

from PySide6.QtCore import QObject

from kinet.core.errors import KinetError
from kinet.ui.chat.chat_panel import ChatPanel
from kinet.ui.desks.link_question import LinkQuestion
from kinet.ui.desks.window_parts import WindowParts
from kinet.ui.kit.open_link import open_link
from kinet.ui.kit.save_text import save_text
from kinet.ui.kit.tasks import spawn


class TranscriptDesk(QObject):
    """One for each panel of the window."""

    def __init__(self, panel: ChatPanel, parts: WindowParts) -> None:
        super().__init__(panel)
        self._panel, self._parts = panel, parts
        panel.reading.link_chosen.connect(self._ask)
        panel.reading.message_chosen.connect(self._act)
        panel.reading.made.connect(self._serve)

    def _serve(self) -> None:
        transcript = self._panel.transcript
        transcript.step_found.connect(self._show_found)
        tell = self._parts.toast.tell
        transcript.copier.began.connect(lambda: tell("Copying…", seconds=0))
        transcript.copier.ended.connect(
            lambda lines: tell(f"{lines:,} lines are on the clipboard", seconds=3.0)
        )

    def _act(self, action: str, turn_id: str) -> None:
        if action == "report":
            spawn(self._report(turn_id), "failure report")
        elif action == "models":
            self._parts.models.open_settings("models")

    async def _report(self, turn_id: str) -> None:
        session = self._panel.session
        if session is None:
            return
        try:
            text = await session.report(turn_id)
        except KinetError as exc:
            self._panel.problem.emit(exc.sentence())
            return
        name = f"kinet-report-{turn_id or 'turn'}.json"
        save_text(self._parts.window, text, name, self._panel.problem.emit)

    def _ask(self, url: str) -> None:
        """Nothing is opened before the whole address was seen."""
        question = LinkQuestion(url, self._parts.window)
        question.confirmed.connect(open_link)
        question.open()

    def _show_found(self, call_id: str, text: str) -> None:
        detail = self._parts.steps.detail
        if detail.record is not None and detail.record.call_id == call_id:
            detail.find_text(text)
