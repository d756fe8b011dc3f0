"""A question about one call, with everything needed to answer it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from kinet.core.approval import ApprovalRequest, Decision
from kinet.ui.asking.approval_answers import AnsweredRow, Answers
from kinet.ui.asking.approval_parts import ApprovalHead, Body
from kinet.ui.asking.approval_words import asked_text, shared_text, waiting_text
from kinet.ui.asking.choice_answers import ChoiceAnswers
from kinet.ui.asking.equal_questions import DEAD_SECONDS
from kinet.ui.kit.fitted_frame import FittedFrame
from kinet.ui.kit.in_sight import hand_up
from kinet.ui.kit.tab_order import tab_as_laid_out
from kinet.ui.look.theme import Theme, current_theme

_LONG_WAIT = 60.0


class ApprovalCard(FittedFrame):
    """Asks once. `answered` comes at most once, with the decision.

    Nothing is chosen beforehand and Enter alone answers nothing, except in the field of a rule or
    of a new limit, which it takes. With the focus on the card Ctrl+Enter allows once and
    Ctrl+Backspace denies, both not before 0.3 s after it appeared.
    A new card never takes the focus by itself.
    """

    answered = Signal(Decision)

    def __init__(
        self,
        request: ApprovalRequest,
        theme: Theme | None = None,
        parent: QWidget | None = None,
        *,
        position: str = "",
        recent: Sequence[str] = (),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("approvalCard")
        self.request = request
        self.theme = theme or current_theme()
        self._clock = clock
        self._born = clock()
        self._appeared: float | None = None
        self._open = True
        self._position = position
        self._others = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(asked_text(request))
        self.setAccessibleDescription(request.body[:2000])
        self.head = ApprovalHead(request, self)
        self.body = Body(request, self)
        self.answers: Answers | ChoiceAnswers = (
            ChoiceAnswers(request, self) if request.choices else Answers(request, recent, self)
        )
        self.answers.allowed.connect(self.answer)
        self.answers.denied.connect(self._deny)
        self.answers.unfolded.connect(self._watch_keys)
        if self.body.hunks is not None:
            self.body.hunks.changed.connect(self._hunks_changed)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(1, 1, 1, 1)
        self._column.setSpacing(0)
        self._parts = (self.head, self.body, self.answers)
        for part in self._parts:
            self._column.addWidget(part)
        self._watch_keys()
        self._tick = QTimer(self)
        self._tick.setInterval(1000)
        self._tick.timeout.connect(self._show_wait)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._focus_moved)
        self.set_theme(self.theme)

    @property
    def is_open(self) -> bool:
        """True until it is answered or closed."""
        return self._open

    @property
    def age(self) -> float:
        """Seconds since the question came up."""
        return self._clock() - self._born

    @property
    def takes_keys(self) -> bool:
        """True once it was seen long enough that a key is meant for it."""
        return self._appeared is not None and self._clock() - self._appeared >= DEAD_SECONDS

    def set_shared(self, others: int) -> None:
        """Says how many equal questions that stand elsewhere this answer is given to as well."""
        self._others = others
        self._show_wait()

    def close_question(self, decision: Decision | None) -> None:
        """Folds the card without an answer of its own: stopped, or answered elsewhere."""
        if self._open:
            self._fold(decision)

    def set_position(self, position: str) -> None:
        """Says where it stands among several ("1 of 2")."""
        self._position = position
        self._show_wait()

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        self.theme = theme
        line = theme.color("warning_line" if self._open else "border")
        ground = theme.color("raised" if self._open else "canvas")
        tint = theme.color("warning_tint")
        self.setStyleSheet(
            f"QFrame#approvalCard {{ background: {ground}; border: 1px solid {line};"
            f" border-radius: 8px; }}"
            f" QFrame#approvalHead {{ background: {tint}; border: 0;"
            f" border-bottom: 1px solid {line}; border-top-left-radius: 7px;"
            f" border-top-right-radius: 7px; }}"
        )
        for part in self._parts:
            part.set_theme(theme)
        self._show_wait()

    def showEvent(self, event: QShowEvent) -> None:
        """From now on it can be seen."""
        super().showEvent(event)
        if self._appeared is None and self._open:
            self._appeared = self._clock()
            self._tick.start()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The two keys that answer; any other one goes on to the window."""
        if not self._answer_by_key(event):
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The same two keys with the focus on a part; Enter never presses a button."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if event.key() == Qt.Key.Key_Escape and isinstance(self.answers, Answers):
            return self.answers.fold_back()
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if self.answers.reason is not None and watched is self.answers.reason:
            # An ignored key would climb to the card and answer there.
            return enter
        if self._answer_by_key(event):
            return True
        if enter and not event.isAutoRepeat() and self.takes_keys:
            self.answers.enter(watched)
        return enter or (event.key() == Qt.Key.Key_Space and not self.takes_keys)

    def _answer_by_key(self, event: QKeyEvent) -> bool:
        if not self._open or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier != (
            Qt.KeyboardModifier.ControlModifier
        ):
            return False
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self.takes_keys and not event.isAutoRepeat():
                self.answers.confirm()
            return True
        if event.key() == Qt.Key.Key_Backspace:
            if self.takes_keys and not event.isAutoRepeat():
                self._deny("")
            return True
        return False

    def _watch_keys(self) -> None:
        """Sees the keys of all parts, also of those that were added since; Tab reaches them."""
        tab_as_laid_out(self)
        for child in self.findChildren(QWidget):
            child.removeEventFilter(self)
            child.installEventFilter(self)

    def _hunks_changed(self) -> None:
        if self.body.hunks is not None and isinstance(self.answers, Answers):
            self.answers.set_hunks(self.body.hunks.accepted, len(self.body.hunks.hunks))

    def _deny(self, reason: str) -> None:
        self.answer(Decision(False, reason=reason.strip()))

    def answer(self, decision: Decision) -> None:
        """Takes the answer, once: from a button, a key, or an equal question elsewhere."""
        if not self._open:
            return
        self._fold(decision)
        self.answered.emit(decision)

    def _fold(self, decision: Decision | None) -> None:
        """From a card to one line; the focus goes to what is read, not to a hidden button."""
        self._open = False
        self._tick.stop()
        had_focus = self._has_focus_inside()
        for part in self._parts:
            part.hide()
        self._column.addWidget(AnsweredRow(self.request, decision, self.theme, self))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        if had_focus:
            hand_up(self)
        self.set_theme(self.theme)
        self.updateGeometry()

    def _show_wait(self) -> None:
        seconds = self._clock() - self._born
        parts = (shared_text(self._others), self._position, waiting_text(seconds))
        words = [word for word in parts if word]
        self.head.show_wait(" · ".join(words), late=seconds > _LONG_WAIT)

    def _has_focus_inside(self) -> bool:
        focused = QApplication.focusWidget()
        return focused is not None and (focused is self or self.isAncestorOf(focused))

    def _focus_moved(self, _old: QWidget | None, _new: QWidget | None) -> None:
        if self._open:
            self.answers.show_focus(self._has_focus_inside())
