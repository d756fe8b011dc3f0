"""Serves the receipts of one panel: keeps, edits, moves and forgets the facts that were noticed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from kinet.core.errors import KinetError
from kinet.core.events import Event, FactsNoticed
from kinet.ui.chat.chat_panel import ChatPanel

if TYPE_CHECKING:
    from kinet.ui.desks.window_parts import WindowParts
    from kinet.ui.kept_facts import KeptFacts
    from kinet.ui.program import Program


class MemoryDesk(QObject):
    """What is done by a click can be taken back from the toast for a while."""

    def __init__(self, program: Program, panel: ChatPanel, parts: WindowParts) -> None:
        super().__init__(panel)
        self._program, self._panel, self._parts = program, panel, parts
        # Facts forgotten here, to be put back.
        self._forgotten: dict[str, Any] = {}
        self._end: Callable[[], object] | None = None
        panel.reading.made.connect(self._serve)
        panel.reading.fact_chosen.connect(self._act)
        panel.event_shown.connect(self._event_came)
        panel.destroyed.connect(lambda: self._end() if self._end is not None else None)

    @property
    def _memory(self) -> KeptFacts:
        memory: KeptFacts = self._program.services.memory
        return memory

    def _serve(self) -> None:
        if self._end is None:
            self._end = self._memory.on_change(self._show)
        self._show()

    def _event_came(self, event: Event) -> None:
        if isinstance(event, FactsNoticed):
            self._show()

    def _show(self) -> None:
        """Tells the receipts how their facts stand now."""
        from kinet.ui.transcript.entries.receipt import FactState

        known = {
            fact.id: FactState(fact.text, bool(fact.folder), fact.confirmed)
            for fact in self._memory.facts()
        }
        self._panel.reading.show_facts(known, self._panel.folder is not None)

    def _act(self, action: str, fact_id: str, was: str) -> None:
        try:
            self._do(action, fact_id, was)
        except KinetError as exc:
            self._panel.problem.emit(exc.sentence())

    def _do(self, action: str, fact_id: str, was: str) -> None:
        memory, fact = self._memory, self._fact(fact_id)
        if action == "fact-restore":
            kept = self._forgotten.pop(fact_id, None)
            if kept is None:
                # It was forgotten on the memory page, or in another run: its text is all there is.
                memory.add_fact(was)
            else:
                memory.put_back_fact(kept)
        elif fact is None:
            self._show()
        elif action == "fact-keep":
            memory.keep_fact(fact_id)
        elif action == "fact-project":
            memory.move_fact(fact_id, str(self._panel.folder or ""))
            self._tell("Kept for this project alone", fact)
        elif action == "fact-edit":
            from kinet.ui.preferences.fact_editor import FactEditor

            editor = FactEditor(fact.text, self._parts.window)
            editor.kept.connect(lambda text: self._edit(fact, text))
            editor.open()
        elif was and fact.earlier and fact.earlier[-1].text == was:
            memory.take_back_fact(fact_id)
            self._tell("It says again what it said before", fact)
        else:
            self._forgotten[fact_id] = fact
            memory.delete_fact(fact_id)
            self._tell("Forgotten", fact)

    def _edit(self, fact: Any, text: str) -> None:
        try:
            self._memory.edit_fact(fact.id, text)
        except KinetError as exc:
            self._panel.problem.emit(exc.sentence())
            return
        self._tell("Fact changed", fact)

    def _tell(self, words: str, before: Any) -> None:
        self._parts.toast.tell(words, "Undo", lambda: self._put_back(before))

    def _put_back(self, fact: Any) -> None:
        try:
            self._memory.put_back_fact(fact)
        except KinetError as exc:
            self._panel.problem.emit(exc.sentence())

    def _fact(self, fact_id: str) -> Any:
        return next((item for item in self._memory.facts() if item.id == fact_id), None)
