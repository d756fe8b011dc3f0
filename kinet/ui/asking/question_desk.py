"""Puts the model's own questions on screen, and is the person whom a turn asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from kinet.core.approval import ApprovalRequest, Decision
from kinet.ui.asking.approvals import Approvals
from kinet.ui.kit.announce import announce

if TYPE_CHECKING:
    import asyncio

    from PySide6.QtWidgets import QWidget

    from kinet.ui.asking.answer_card import AnswerCard
    from kinet.ui.look.theme import Theme


class QuestionDesk(QObject):
    """The questions of one session that are answered in words, the oldest first."""

    changed = Signal(int)  # how many are open

    def __init__(
        self,
        add_card: Callable[[QWidget], object],
        remove_card: Callable[[QWidget], object],
        theme: Callable[[], Theme],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._add_card, self._remove_card, self._theme = add_card, remove_card, theme
        self._open: list[AnswerCard] = []

    async def answer(self, question: str, choices: tuple[str, ...]) -> str:
        """Shows a card and waits, as long as it takes. A cancelled wait takes the card away."""
        # Imported here: the first frame of the window does without both.
        import asyncio

        from kinet.ui.asking.answer_card import AnswerCard

        answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        card = AnswerCard(question, choices, self._theme())
        card.answered.connect(lambda text: None if answer.done() else answer.set_result(text))
        self._open.append(card)
        self._add_card(card)
        announce(card, card.spoken(), urgent=True)
        self.changed.emit(len(self._open))
        try:
            return await answer
        finally:
            self._open.remove(card)
            self._remove_card(card)
            card.deleteLater()
            self.changed.emit(len(self._open))

    def cards(self) -> tuple[AnswerCard, ...]:
        """The cards that wait, the oldest first."""
        return tuple(self._open)

    def set_theme(self, theme: Theme) -> None:
        """Gives all open cards another look."""
        for card in self._open:
            card.set_theme(theme)


class Person:
    """Who is asked by the turns of one session: permission by cards, and questions in words."""

    def __init__(self, approvals: Approvals, questions: QuestionDesk) -> None:
        self._approvals, self._questions = approvals, questions

    async def ask(self, request: ApprovalRequest) -> Decision:
        """The person's decision."""
        return await self._approvals.ask(request)

    async def answer(self, question: str, choices: tuple[str, ...]) -> str:
        """What the person says, "" for nothing."""
        return await self._questions.answer(question, choices)
