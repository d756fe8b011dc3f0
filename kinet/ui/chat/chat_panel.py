"""One session on screen: header, transcript, composer, status, and the turn's questions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from kinet.core.errors import KinetError
from kinet.core.events import (
    NOT_SAVED,
    SERVER_FAILED,
    ContextCompacted,
    Event,
    MessageCompleted,
    Notice,
    StepFinished,
    TurnFinished,
    TurnStarted,
)
from kinet.core.own_command import as_message_text
from kinet.ui.asking.approvals import Approvals
from kinet.ui.asking.question_desk import Person, QuestionDesk
from kinet.ui.chat.branch_desk import BranchDesk
from kinet.ui.chat.chat_body import ChatBody
from kinet.ui.chat.compare_desk import CompareDesk
from kinet.ui.chat.context_desk import ContextDesk
from kinet.ui.chat.edit_desk import EditDesk
from kinet.ui.chat.find_bar import FindBar
from kinet.ui.chat.header import ChatHeader
from kinet.ui.chat.reading import Reading
from kinet.ui.chat.status_row import Status, StatusRow
from kinet.ui.chat.turn_runner import TurnRunner
from kinet.ui.chat.turn_status import READY
from kinet.ui.conversation_text import recent_commands
from kinet.ui.look.theme import Theme, current_theme
from kinet.ui.open_session import Queued
from kinet.ui.program import OpenSession, Program
from kinet.ui.steps import is_own_command
from kinet.ui.writing.composer import Composer
from kinet.ui.writing.composer_desk import ComposerDesk
from kinet.ui.writing.drafts import DraftBook
from kinet.ui.writing.todo_tray import TodoTray

if TYPE_CHECKING:
    from kinet.ui.transcript.view import Transcript

MARGIN = 24
_NO_MODEL = Status("No model chosen", "info")
_CHANGES_FIGURES = (TurnStarted, MessageCompleted, StepFinished, ContextCompacted, TurnFinished)


class ChatPanel(QFrame):
    """Shows one session. Without a session it waits for the first message."""

    state_changed = Signal()
    session_started = Signal(str)
    event_shown = Signal(object)
    problem = Signal(str)

    def __init__(
        self,
        program: Program,
        drafts: DraftBook,
        session: OpenSession | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setProperty("surface", "canvas")
        self.session = session
        self._model_window = 0
        self._program = program
        self.header = ChatHeader(self)
        self.body = ChatBody(self)
        self.reading = Reading(self.body, lambda: self.session, self)
        self.composer = Composer(self)
        self.status_row = StatusRow(self)
        self.find_bar = FindBar(self.body.find_text, self)
        self.approvals = Approvals(
            self.body.add_card,
            self.body.remove_card,
            current_theme,
            self,
            recent=lambda asked: recent_commands(self.session, asked),
        )
        self.questions = QuestionDesk(
            self.body.add_card, self.body.remove_card, current_theme, self
        )
        self.runner = TurnRunner(Person(self.approvals, self.questions), self)
        self.desk = ComposerDesk(self.composer, drafts, lambda: self.session)
        self.todo = TodoTray(self)
        running = lambda: self.runner.running  # noqa: E731
        self.edits = EditDesk(lambda: self.session, running, self.reading, drafts.edits, self)
        self.branches = BranchDesk(
            lambda: self.session, self.runner, self.reading, self.edits, self
        )
        self.compare = CompareDesk(lambda: self.session, running, self.reading, self.body, self)
        self.context = ContextDesk(self.status_row.gauge, lambda: self.session, self)
        self._build()
        self._connect()
        self.refresh()

    @property
    def session_id(self) -> str:
        """The session's id, "" before the first message."""
        return self.session.id if self.session is not None else ""

    @property
    def title(self) -> str:
        """The session's title, or "New session"."""
        return (self.session.title if self.session is not None else "") or "New session"

    @property
    def folder(self) -> Path | None:
        """The folder the session works on, or a new one would."""
        return self.session.folder if self.session is not None else self._program.folder

    @property
    def state(self) -> str:
        """The word for the sidebar: running, waiting, failed, stopped or ""."""
        if self.approvals.cards() or self.questions.cards():
            return "waiting"
        return "running" if self.runner.running else self.runner.end

    @property
    def transcript(self) -> Transcript:
        """The transcript; built when it is first asked for."""
        return self.reading.transcript

    def send(self, text: str, pictures: Sequence[Any] = (), *, command: bool = False) -> None:
        """Starts a turn with `text`, or runs it as a `command` of the person's own.

        If no session can be opened the text stays.
        """
        session = self.open_session()
        if session is not None:
            self.desk.clear()
            self.reading.jump_to_bottom()
            self.runner.start(session, text, pictures, command=command)

    def _send_waiting(self, item: Queued) -> None:
        """Starts a turn with a message of the paused queue; the composer keeps what is in it."""
        if self.session is not None:
            self.reading.jump_to_bottom()
            self.runner.start_waiting(self.session, item)

    def open_session(self) -> OpenSession | None:
        """The session, opened if there is none yet; None (and `problem`) if that fails."""
        if self.session is None:
            try:
                self.session = self._program.open_session(None)
            except KinetError as exc:
                self.problem.emit(exc.sentence())
                return None
            self.session_started.emit(self.session_id)
        return self.session

    def stop(self) -> None:
        """Ends the running turn at once, if it is ours."""
        if self.runner.can_stop:
            self.status_row.show_status(Status("Stopping", "stop", "danger", strong=True))
            self.runner.stop()

    def retry(self) -> None:
        """Asks the last question again."""
        self.branches.retry()

    def refresh(self) -> None:
        """Shows title, folder, figures and queue as they are now."""
        self.header.set_title(self.title)
        self.header.set_folder(self.folder)
        if self.runner.status.status == READY:
            self.status_row.show_status(_status(self))
        begins = self.session.command_folder if self.session is not None else self.folder
        self.composer.mark.set_place(self.folder, begins, waits=self.runner.running)
        self.header.show_tools(self.session is not None)
        if self.session is not None:
            self.status_row.show_figures(self.session.conversation, self._model_window)
        self.desk.show_queue()

    def set_model(self, has_model: bool, window: int) -> None:
        """Without a model the text is kept; `window` is its context window in tokens."""
        self.desk.has_model = has_model
        self._model_window = window
        self._show_state()
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        self.composer.restyle()
        self.approvals.set_theme(theme)
        self.questions.set_theme(theme)
        self.reading.set_theme(theme)
        self.branches.set_theme(theme)
        self.compare.set_theme(theme)
        self._place_foot()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_foot()

    def _place_foot(self) -> None:
        margin = max(MARGIN, (self.width() - current_theme().column) // 2)
        self.foot.setContentsMargins(margin, 0, margin, 0)
        self.composer.edit.set_max_height(int(self.height() * 0.4) - 56)

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.find_bar)
        column.addWidget(self.body, 1)
        self.foot = QVBoxLayout()
        self.foot.setSpacing(0)
        self.foot.addWidget(self.todo)
        self.foot.addWidget(self.composer)
        self.foot.addWidget(self.status_row)
        column.addLayout(self.foot)

    def _connect(self) -> None:
        self.desk.send_now.connect(self.send)
        self.desk.waiting_chosen.connect(self._send_waiting)
        self.desk.run_now.connect(lambda typed: self.send(typed, command=True))
        self.composer.stop_requested.connect(self.stop)
        self.composer.problem.connect(self.problem)
        self.header.find_requested.connect(self.find_bar.open_bar)
        self.find_bar.closed.connect(self.body.clear_find)
        self.find_bar.closed.connect(self.composer.edit.setFocus)
        self.approvals.changed.connect(self._show_state)
        self.questions.changed.connect(self._show_state)
        self.reading.made.connect(lambda: _order_tabs(self))
        self.reading.retry_requested.connect(self.retry)
        self.reading.found.connect(self.find_bar.show_count)
        self.reading.message_chosen.connect(self.branches.act)
        self.reading.restored.connect(self.runner.restore)
        self.reading.restored.connect(lambda _: self.todo.restore(self.runner.steps.plan))
        self.reading.replayed.connect(self.refresh)
        self.reading.replayed.connect(self.branches.refresh)
        self.branches.moved.connect(lambda: self.reading.build(again=True))
        self.branches.problem.connect(self.problem)
        self.branches.compare_wanted.connect(self.compare.open)
        self.edits.began.connect(self.compare.close)
        self.edits.problem.connect(self.problem)
        self.edits.given_back.connect(
            lambda text: self.desk.give_back(as_message_text(text)),
        )
        self.edits.left.connect(self.composer.edit.setFocus)
        self.compare.moved.connect(self.branches.moved)
        self.compare.problem.connect(self.problem)
        self.compare.left.connect(self.composer.edit.setFocus)
        self.reading.replayed.connect(self.compare.close)
        self.desk.edit_last = self.branches.edit_last
        self.context.problem.connect(self.problem)
        self.runner.event_came.connect(self._show)
        self.runner.status_changed.connect(self._show_state)
        self.runner.running_changed.connect(self._show_state)
        self.runner.queue_changed.connect(self.desk.show_queue)
        self.runner.failed.connect(self.problem)
        self.runner.refused.connect(self.desk.give_back)
        self._show_state()

    def _show(self, event: Event) -> None:
        self.reading.show(event)
        self.todo.take(event)
        # Of these the banner tells: with the way to the server's row, and until it is saved.
        by_banner = isinstance(event, Notice) and event.about in (SERVER_FAILED, NOT_SAVED)
        if isinstance(event, Notice) and not event.keep and not by_banner:
            self.problem.emit(event.text)
        # A command of the person's own may be what the session is called after.
        if isinstance(event, _CHANGES_FIGURES) or is_own_command(event):
            self.refresh()
        self.event_shown.emit(event)

    def _show_state(self) -> None:
        """Brings composer and status row in line with what goes on."""
        running = self.runner.running
        self.desk.asked = bool(self.approvals.cards() or self.questions.cards())
        if self.desk.running != running:
            self.desk.running = running
            self.composer.set_running(running)
            self.refresh()
            if running:
                self.compare.close()
            else:
                self.branches.refresh()
                self.edits.show_again()
        self.status_row.show_status(_status(self))
        self.composer.set_placeholder(_placeholder(self))
        self.state_changed.emit()


def begins_anew(panel: ChatPanel) -> bool:
    """True if nothing of its session is stored, nor about to be."""
    session = panel.session
    return session is None or (session.is_new and not panel.runner.running)


def _status(panel: ChatPanel) -> Status:
    """Before the first message: who will answer, about what, and what it may do."""
    status = panel.runner.status.status
    if not panel.runner.running and not panel.desk.has_model:
        return _NO_MODEL
    if status != READY:
        return status
    menus, folder = panel.composer.menus, panel.folder
    where = (folder.name or str(folder)) if folder else "No folder"
    return Status(f"{menus.model} · {where} · {menus.mode_word}" if menus.model else "")


def _order_tabs(panel: ChatPanel) -> None:
    """From the head through what is read to where the answer is written."""
    panel.setTabOrder(panel.header.more_button, panel.transcript)
    panel.setTabOrder(panel.transcript, panel.transcript.jump)
    panel.setTabOrder(panel.transcript.jump, panel.composer.edit)


def _placeholder(panel: ChatPanel) -> str:
    if not panel.desk.has_model:
        return "Type your first task; it is kept until a model is chosen"
    if panel.desk.asked:
        return "Answer above; what you type here steers the turn"
    if panel.runner.running:
        return "Enter adds to the queue"
    return "Ask for anything in this folder" if panel.folder else "Ask for anything"
