"""Searches all conversations from the sidebar, and opens one at the place that was found."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent

from kinet.core.errors import KinetError
from kinet.markup.folding import as_read
from kinet.ui.desks.session_desk import SessionDesk
from kinet.ui.desks.session_opening import SessionOpening
from kinet.ui.kit.tasks import in_thread, spawn
from kinet.ui.program import Program
from kinet.ui.sessions.search_hits import TextHit
from kinet.ui.sessions.sidebar import Sidebar

# Milliseconds from the last key to the search; titles are found at once.
_PAUSE = 150
MOST_PLACES = 200
_TERM = re.compile(r'"([^"]*)"?|(\S+)')
_HEADING = re.compile(r"^#{1,6} ")


class SessionSearch(QObject):
    """Serves the sidebar's field. What was typed meanwhile makes an older answer void."""

    def __init__(
        self, program: Program, sidebar: Sidebar, desk: SessionDesk, opening: SessionOpening
    ) -> None:
        super().__init__(desk)
        self._opening = opening
        self._program, self._sidebar, self._desk = program, sidebar, desk
        self._asked = 0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE)
        self._timer.timeout.connect(self.search)
        sidebar.search.textChanged.connect(self._typed)
        sidebar.search.installEventFilter(self)
        sidebar.hits.chosen.connect(self.open)
        sidebar.narrow_button.asked.connect(lambda: spawn(self._offer(), "what to narrow to"))
        sidebar.narrow_button.changed.connect(self.search)

    def search(self) -> None:
        """Looks for what the field holds now."""
        text = self._sidebar.search.text().strip()
        if text:
            self._asked += 1
            spawn(self._find(text, self._asked), "search in all sessions")

    def open(self, hit: TextHit) -> None:
        """Shows the session at the place that was found, the step of a tool in the panel."""
        words = needle(self._sidebar.search.text(), hit.snippet)
        self._opening.choose(hit.session_id, lambda: self._go(hit, words))

    def _go(self, hit: TextHit, words: str) -> None:
        panel = self._desk.current
        if hit.call_id:
            # A call without a step of its own may still stand in the conversation.
            find = panel.find_bar.open_at
            panel.transcript.open_call(hit.call_id, words, otherwise=lambda: find(words))
        else:
            panel.find_bar.open_at(words)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Enter in the field opens the first result, Down goes into the results."""
        if not (isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress):
            return False
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._open_first()
            return True
        if event.key() == Qt.Key.Key_Down:
            self._go_down()
            return True
        return False

    def _typed(self, text: str) -> None:
        if text.strip():
            self._timer.start()
            return
        self._asked += 1
        self._timer.stop()
        self._sidebar.show_hits(())

    async def _find(self, text: str, number: int) -> None:
        narrowing = self._sidebar.narrow_button.narrowing

        def act() -> Any:
            found = self._program.sessions.search(text, MOST_PLACES, **narrowing.values())
            return found, len(self._program.services.memory.facts(text))

        try:
            found, facts = await in_thread(act)
        except KinetError as exc:
            if number == self._asked:
                self._sidebar.hits.show_words(exc.sentence())
            return
        if number == self._asked:
            rows = per_session(found)
            self._sidebar.show_hits(rows, words_of(text), narrowing.words(), facts)

    async def _offer(self) -> None:
        """Opens the menu of what the search can be narrowed to."""
        try:
            choices = await in_thread(self._program.sessions.search_choices)
        except KinetError as exc:
            self._sidebar.hits.show_words(exc.sentence())
            return
        self._sidebar.narrow_button.open_menu(choices.folders, choices.models)

    def _open_first(self) -> None:
        shown = self._sidebar.model.shown_ids()
        if shown and self._sidebar.search.text().strip():
            self._desk.wanted.emit(shown[0])
        else:
            self._sidebar.hits.choose_first()

    def _go_down(self) -> None:
        sidebar = self._sidebar
        reason = Qt.FocusReason.TabFocusReason
        if sidebar.model.shown_ids():
            sidebar.select(sidebar.list.current_id() or sidebar.model.shown_ids()[0])
            sidebar.list.setFocus(reason)
        elif sidebar.hits.list.count():
            sidebar.hits.list.setCurrentRow(0)
            sidebar.hits.list.setFocus(reason)


def per_session(found: Iterable[Any]) -> list[TextHit]:
    """One row a session, in the order of the first place, with the number of places."""
    rows: dict[str, TextHit] = {}
    for hit in found:
        known = rows.get(hit.session_id)
        if known is None:
            # What a tool said is no Markdown.
            words = hit.snippet if hit.call_id else _plain(hit.snippet)
            rows[hit.session_id] = TextHit(
                hit.session_id, hit.title, words, hit.at, call_id=hit.call_id
            )
        else:
            rows[hit.session_id] = replace(known, count=known.count + 1)
    return list(rows.values())


def _plain(snippet: str) -> str:
    return _HEADING.sub("", as_read(snippet, ""))


def words_of(text: str) -> list[str]:
    """The words and "quoted words" of a search."""
    return [quoted or bare for quoted, bare in _TERM.findall(text) if quoted or bare]


def needle(text: str, snippet: str) -> str:
    """What to look for in the session: all of it where it stands so, else its longest word."""
    plain = text.strip().strip('"')
    folded = snippet.casefold()
    if plain.casefold() in folded:
        return plain
    there = [word for word in words_of(text) if word.casefold() in folded]
    return max(there or words_of(text) or [plain], key=len)
