"""Undo, Redo and Review for the turns of the session on screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from kinet.core.errors import KinetError
from kinet.core.events import FilesChanged, TurnFinished
from kinet.ui.desks.step_desk import StepDesk
from kinet.ui.kit.tasks import spawn
from kinet.ui.kit.toast import Toast
from kinet.ui.look.theme import Theme

if TYPE_CHECKING:
    from kinet.ui.chat.chat_panel import ChatPanel
    from kinet.ui.panel.changes_view import ChangesView

_BUSY = "A turn is running; its changes can be taken back when it has ended"


class ChangesDesk(QObject):
    """Serves all panels; the view of changes in the step panel belongs to the one on screen."""

    def __init__(self, steps: StepDesk, toast: Toast, window: QWidget) -> None:
        super().__init__(window)
        self._steps, self._toast, self._window = steps, toast, window
        self._view: ChangesView | None = None
        self._panel: ChatPanel | None = None
        self._turn_id = ""

    @property
    def view(self) -> ChangesView:
        """The list of files with their diffs; made when it is first asked for."""
        if self._view is None:
            from kinet.ui.panel.changes_view import ChangesView

            view = ChangesView()
            view.closed.connect(self._steps.close)
            view.undo_requested.connect(lambda paths: self._act("undo", self._turn_id, paths))
            view.redo_requested.connect(lambda paths: self._act("redo", self._turn_id, paths))
            view.hunks_requested.connect(self._hunks_chosen)
            self._view = view
        return self._view

    def serve(self, panel: ChatPanel) -> None:
        """Listens to a panel."""
        panel.reading.files_chosen.connect(lambda act, turn: self._chosen(panel, act, turn))
        panel.event_shown.connect(lambda event: self._event_came(panel, event))
        panel.reading.made.connect(lambda: self.refresh(panel))

    def refresh(self, panel: ChatPanel) -> None:
        """Brings the cards of changed files in line with what is on disk."""
        if _changes_of(panel) is not None:
            spawn(self._refresh(panel), "what can be undone")

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        if self._view is not None:
            self._view.set_theme(theme)

    def _event_came(self, panel: ChatPanel, event: object) -> None:
        if isinstance(event, FilesChanged) and event.turn_id:
            # Found when its turn had ended.
            self.refresh(panel)
        elif isinstance(event, FilesChanged):
            panel.setProperty("changed", True)
        elif isinstance(event, TurnFinished) and panel.property("changed"):
            panel.setProperty("changed", False)
            self.refresh(panel)

    def _chosen(self, panel: ChatPanel, act: str, turn_id: str) -> None:
        self._panel = panel
        if act == "changes":
            self._turn_id = turn_id
            spawn(self._review(panel, turn_id), "review changes")
        else:
            self._act(act, turn_id, None)

    def _act(
        self,
        act: str,
        turn_id: str,
        paths: list[str] | None,
        answers: Mapping[str, str] | None = None,
    ) -> None:
        panel = self._panel
        if panel is None:
            return
        if panel.runner.running:
            self._toast.tell(_BUSY)
            return
        spawn(self._carry_out(panel, act, turn_id, paths, answers), act)

    def _hunks_chosen(self, path: str, diff: str, numbers: Sequence[int]) -> None:
        if (panel := self._panel) is None:
            return
        if panel.runner.running:
            self._toast.tell(_BUSY)
            return
        spawn(self._undo_hunks(panel, self._turn_id, path, diff, numbers), "undo of hunks")

    async def _undo_hunks(
        self, panel: ChatPanel, turn_id: str, path: str, diff: str, numbers: Sequence[int]
    ) -> None:
        if (changes := _changes_of(panel)) is None:
            return
        try:
            outcome = await changes.undo_hunks(turn_id, path, diff, numbers)
        except KinetError as exc:
            self._toast.tell(exc.sentence(), seconds=0)
            await self._refresh(panel)
            return
        await self._refresh(panel)
        count = len(numbers) - len(outcome.failed)
        words = f"{count:,} hunk{'' if count == 1 else 's'} put back"
        if outcome.failed:
            self._toast.tell(f"{words}; not {_first_of(outcome.failed)}", seconds=0)
            return

        def redo() -> None:
            self._panel = panel
            self._act("redo", turn_id, [path])

        self._toast.tell(words, "Redo", redo, seconds=10.0)

    async def _carry_out(
        self,
        panel: ChatPanel,
        act: str,
        turn_id: str,
        paths: list[str] | None,
        answers: Mapping[str, str] | None,
    ) -> None:
        changes = _changes_of(panel)
        if changes is None:
            return
        do = changes.redo if act == "redo" else changes.undo
        try:
            outcome = await do(turn_id, paths, answers)
        except KinetError as exc:
            self._toast.tell(exc.sentence(), seconds=0)
            return
        if outcome.questions:
            self._ask(panel, act, turn_id, paths, outcome.questions)
            return
        await self._refresh(panel)
        self._tell(panel, act, turn_id, outcome)

    def _ask(
        self, panel: ChatPanel, act: str, turn_id: str, paths: list[str] | None, files: Any
    ) -> None:
        from kinet.ui.desks.undo_question import UndoQuestion

        question = UndoQuestion(files, self._window)

        def go_on(answers: dict[str, str]) -> None:
            self._panel = panel
            self._act(act, turn_id, paths, answers)

        question.answered.connect(go_on)
        question.open()

    def _tell(self, panel: ChatPanel, act: str, turn_id: str, outcome: Any) -> None:
        count = len(outcome.done)
        files = f"{count:,} file{'' if count == 1 else 's'}"
        words = f"{files} {'put back' if act == 'undo' else 'changed again'}"
        if outcome.kept:
            words += f", {len(outcome.kept):,} kept"
        if outcome.failed:
            self._toast.tell(f"{words}; not {_first_of(outcome.failed)}", seconds=0)
            return
        other = "redo" if act == "undo" else "undo"
        self._toast.tell(
            words, other.capitalize(), lambda: self._chosen(panel, other, turn_id), seconds=10.0
        )

    async def _review(self, panel: ChatPanel, turn_id: str) -> None:
        if await self._fill(panel, turn_id):
            self._steps.show_aside(self.view)
            self.view.list.setFocus()

    async def _fill(self, panel: ChatPanel, turn_id: str) -> bool:
        changes = _changes_of(panel)
        if changes is None:
            return False
        try:
            files = await changes.files(turn_id)
        except KinetError as exc:
            self._toast.tell(exc.sentence(), seconds=0)
            return False
        self.view.show_files(files)
        return True

    async def _refresh(self, panel: ChatPanel) -> None:
        changes = _changes_of(panel)
        if changes is None:
            return
        try:
            standing = await changes.standing()
        except KinetError as exc:
            self._toast.tell(exc.sentence(), seconds=0)
            return
        panel.reading.show_undo(standing)
        if self._view is not None and self._view.isVisible() and self._panel is panel:
            await self._fill(panel, self._turn_id)


def _first_of(failed: Sequence[tuple[str, str]]) -> str:
    """What was not done, and why."""
    name, why = failed[0]
    more = f" and {len(failed) - 1:,} more" if len(failed) > 1 else ""
    return f"{name}{more}: {why}"


def _changes_of(panel: ChatPanel) -> Any:
    """What the session of a panel changed; None where nothing is noted."""
    changes = panel.session.changes if panel.session is not None else None
    return changes if changes is not None and changes.possible else None
