"""Shows steps of the session on screen in the step panel, and keeps the panel up to date."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from kinet.core.events import (
    Event,
    StepFinished,
    ToolFinished,
    ToolProgress,
    ToolStarted,
    TurnFinished,
)
from kinet.ui.frame.window_frame import WindowFrame
from kinet.ui.look.theme import Theme, current_theme

if TYPE_CHECKING:
    from kinet.ui.chat.chat_panel import ChatPanel
    from kinet.ui.panel.step_detail import StepDetail
    from kinet.ui.program import OpenSession
    from kinet.ui.steps import StepBook


# Milliseconds after the first step of the window: what it brought to the screen is done by then.
SOON = 250


class StepPanel(QFrame):
    """The room at the right; what fills it is made when there is a step to show."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("surface", "side")
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)


class StepDesk(QObject):
    """Which step of which session the panel shows."""

    def __init__(self, frame: WindowFrame, room: StepPanel) -> None:
        super().__init__(frame)
        self._frame, self._room = frame, room
        self._detail: StepDetail | None = None
        # True while it is out of the window, for it is not shown and the look has changed.
        self._is_away = False
        self._panel: ChatPanel | None = None
        self._call_id = ""
        # Something else that has the room while no step is shown.
        self._aside: QWidget | None = None
        # Where there are steps one will be opened: to make all for it then would be felt.
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SOON)
        self._soon.timeout.connect(lambda: self.detail)
        frame.panel_closed.connect(self.close)

    @property
    def detail(self) -> StepDetail:
        """The step panel's content; built soon after the first step, or when it is asked for."""
        if self._detail is None:
            from kinet.ui.desks.step_outputs import StepOutputs
            from kinet.ui.panel.step_detail import StepDetail

            detail = StepDetail(self._room)
            detail.closed.connect(self.close)
            detail.previous_requested.connect(lambda: self._go(-1))
            detail.next_requested.connect(lambda: self._go(1))
            detail.problem.connect(self._tell)
            detail.link_chosen.connect(lambda url: _ask_for_link(self._panel, url))
            detail.rest_requested.connect(self._send_rest)
            StepOutputs(detail, self._session, self._tell)
            self._room.column.addWidget(detail)
            self._detail = detail
        if self._is_away:
            self._is_away = False
            self._room.column.addWidget(self._detail)
            self._detail.set_theme(current_theme())
        return self._detail

    def put_away(self, room: QWidget) -> None:
        """Another look is about to be applied: what is not shown waits in `room`, out of the
        window, and takes it on when it is."""
        if self._detail is not None and not (self._frame.panel_shown or self._is_away):
            self._is_away = True
            self._room.column.removeWidget(self._detail)
            self._detail.setParent(room)

    def _session(self) -> OpenSession | None:
        return self._panel.session if self._panel is not None else None

    def _tell(self, sentence: str) -> None:
        if self._panel is not None:
            self._panel.problem.emit(sentence)

    def follow(self, panel: ChatPanel) -> None:
        """Serves another session from now on; the panel closes with the session it belongs to."""
        if self._panel is panel:
            return
        if self._panel is not None:
            with contextlib.suppress(RuntimeError):
                self._panel.reading.step_chosen.disconnect(self.show_step)
                self._panel.event_shown.disconnect(self._event_came)
                self._panel.compare.closed.disconnect(self._forget_compared)
        self._panel = panel
        panel.reading.step_chosen.connect(self.show_step)
        panel.event_shown.connect(self._event_came)
        panel.compare.closed.connect(self._forget_compared)
        self._call_id = ""
        self._show(False)
        if panel.runner.steps.records():
            self._expect()

    def _expect(self) -> None:
        if self._detail is None and not self._soon.isActive():
            self._soon.start()

    def show_step(self, call_id: str) -> None:
        """Shows a step of the session, and the panel with it."""
        if self._panel is None:
            return
        steps = _steps(self._panel, call_id)
        record = steps.record(call_id)
        if record is None:
            return
        self._call_id = call_id
        if self._aside is not None:
            self._aside.hide()
        self.detail.show()
        self.detail.show_step(record, self._place(call_id))
        self.detail.set_neighbours(
            steps.neighbour(call_id, -1) is not None, steps.neighbour(call_id, 1) is not None
        )
        self._show(True)

    def show_aside(self, widget: QWidget) -> None:
        """Shows something about the session in place of a step."""
        if self._aside is not widget:
            self._room.column.addWidget(widget)
            self._aside = widget
        if self._detail is not None:
            self._detail.hide()
        widget.show()
        self._call_id = ""
        self._show(True)

    def toggle(self) -> None:
        """Opens the panel on the newest step, or closes it."""
        if self._frame.panel_shown:
            self.close()
            return
        records = self._panel.runner.steps.records() if self._panel is not None else ()
        if self._call_id and self._panel is not None:
            self.show_step(self._call_id)
        elif records:
            self.show_step(records[-1].call_id)
        elif self._panel is not None:
            self._panel.header.set_panel_open(False)
            self._panel.problem.emit("No steps yet: they come with the first task")

    def close(self) -> None:
        """Closes the panel; the caret goes back to the composer."""
        self._show(False)
        if self._panel is not None:
            self._panel.composer.edit.setFocus(Qt.FocusReason.OtherFocusReason)

    def _send_rest(self, title: str, rest: str) -> None:
        from kinet.ui.desks.send_rest import send_rest

        if self._panel is not None and rest:
            self._tell(send_rest(self._panel, title, rest))

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        if self._detail is not None and not self._is_away:
            self._detail.set_theme(theme)

    def _show(self, shown: bool) -> None:
        if self._frame.panel_shown != shown:
            self._frame.show_panel(shown)
        if self._panel is not None:
            self._panel.header.set_panel_open(shown)

    def _go(self, places: int) -> None:
        if self._panel is not None:
            record = _steps(self._panel, self._call_id).neighbour(self._call_id, places)
            if record is not None:
                self.show_step(record.call_id)

    def _forget_compared(self) -> None:
        """A step of an answer that is not in the conversation goes with the comparison."""
        if not self._call_id or self._panel is None:
            return
        if self._panel.runner.steps.record(self._call_id) is None:
            self._call_id = ""
            self._show(False)

    def _event_came(self, event: Event) -> None:
        if isinstance(event, ToolStarted):
            self._expect()
        if not self._frame.panel_shown or self._detail is None or not self._call_id:
            return
        match event:
            case ToolProgress(call_id=call_id, text=text):
                self._detail.append_progress(call_id, text)
            case ToolStarted(call_id=call_id) | ToolFinished(call_id=call_id):
                if call_id == self._call_id:
                    self.show_step(call_id)
            case StepFinished() | TurnFinished():
                self.show_step(self._call_id)
            case _:
                pass

    def _place(self, call_id: str) -> str:
        if self._panel is None:
            return ""
        ids = [record.call_id for record in _steps(self._panel, call_id).records()]
        return f"step {ids.index(call_id) + 1} of {len(ids)}" if call_id in ids else ""


def _steps(panel: ChatPanel, call_id: str) -> StepBook:
    """The steps among which this call is: of an answer that is compared, or of the conversation."""
    return panel.compare.steps_of(call_id) or panel.runner.steps


def _ask_for_link(panel: ChatPanel | None, url: str) -> None:
    """As for a link of the conversation: it is shown whole, and opened only then."""
    if panel is not None:
        panel.reading.link_chosen.emit(url)
