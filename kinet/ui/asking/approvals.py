"""Puts questions of a turn on screen as cards and waits for their answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from kinet.core.approval import ApprovalRequest, Decision
from kinet.ui.asking.approval_words import spoken_question
from kinet.ui.kit.announce import announce

if TYPE_CHECKING:
    import asyncio

    from PySide6.QtWidgets import QWidget

    from kinet.ui.asking.approval_card import ApprovalCard
    from kinet.ui.look.theme import Theme


class Approvals(QObject):
    """The open questions of one session, the oldest first."""

    changed = Signal(int)  # how many are open
    answered = Signal(object, object)  # ApprovalRequest, Decision: by the person, here

    def __init__(
        self,
        add_card: Callable[[QWidget], object],
        remove_card: Callable[[QWidget], object],
        theme: Callable[[], Theme],
        parent: QObject | None = None,
        *,
        recent: Callable[[ApprovalRequest], Sequence[str]] = lambda asked: (),
    ) -> None:
        super().__init__(parent)
        self._recent = recent
        self._add_card, self._remove_card, self._theme = add_card, remove_card, theme
        self._open: list[tuple[ApprovalCard, asyncio.Future[Decision]]] = []

    async def ask(self, request: ApprovalRequest) -> Decision:
        """Shows a card and waits, as long as it takes. A cancelled wait closes the card."""
        # Imported here: the first frame of the window does without both.
        import asyncio

        from kinet.ui.asking.approval_card import ApprovalCard

        answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        card = ApprovalCard(request, self._theme(), recent=self._recent(request))
        card.answered.connect(lambda decision: _answer(answer, decision))
        card.answered.connect(lambda decision: self.answered.emit(request, decision))
        self._open.append((card, answer))
        self._add_card(card)
        self._number()
        announce(card, spoken_question(request), urgent=True)
        decision: Decision | None = None
        try:
            decision = await answer
            return decision
        finally:
            self._close(card, decision)

    def cards(self) -> tuple[ApprovalCard, ...]:
        """The cards that wait, the oldest first."""
        return tuple(card for card, _ in self._open)

    def set_theme(self, theme: Theme) -> None:
        """Gives all open cards another look."""
        for card in self.cards():
            card.set_theme(theme)

    def _close(self, card: ApprovalCard, decision: Decision | None) -> None:
        self._open = [pair for pair in self._open if pair[0] is not card]
        if decision is None:
            card.close_question(None)
        self._remove_card(card)
        card.deleteLater()
        self._number()

    def _number(self) -> None:
        cards = self.cards()
        for place, card in enumerate(cards, start=1):
            card.set_position(f"{place} of {len(cards)}" if len(cards) > 1 else "")
        self.changed.emit(len(cards))


def _answer(future: asyncio.Future[Decision], decision: Decision) -> None:
    if not future.done():
        future.set_result(decision)
