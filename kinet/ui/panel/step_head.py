"""The head of the step panel: state, verb, argument, and the facts below."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from kinet.ui.kit.controls import ElidedLabel, IconButton, repolish, text_label
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.look.theme import Theme
from kinet.ui.panel.model_share import ModelShare
from kinet.ui.panel.step_text import (
    call_fact,
    call_line,
    duration_text,
    size_text,
    state_fact,
    state_look,
)
from kinet.ui.steps import StepRecord

# Letters of the word at the beginning; only names of servers may be longer.
_LONGEST_VERB, _LEAST_VERB = 18, 11
_BESIDE = 168


class StepHead(QWidget):
    """Two rows: what the step is and how to leave it; how it went."""

    previous_clicked = Signal()
    next_clicked = Signal()
    close_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mark = QLabel(self)
        self._mark.setFixedSize(16, 16)
        self._verb = text_label("", type="strong", parent=self)
        self._argument = ElidedLabel(parent=self)
        policy = QSizePolicy.Policy
        self._argument.setSizePolicy(policy.Ignored, policy.Preferred)
        self._argument.setProperty("type", "code")
        self._argument.setProperty("tone", "text_2")
        self.previous = IconButton("chevron-up", "Previous step", parent=self)
        self.next = IconButton("chevron-down", "Next step", parent=self)
        self._close = IconButton("close", "Close the step panel", "Ctrl+J", self)
        self.previous.clicked.connect(self.previous_clicked)
        self.next.clicked.connect(self.next_clicked)
        self._close.clicked.connect(self.close_clicked)
        head = QHBoxLayout()
        head.setContentsMargins(16, 0, 10, 0)
        head.setSpacing(8)
        head.addWidget(self._mark)
        head.addWidget(self._verb)
        head.addWidget(self._argument, 1)
        for button in (self.previous, self.next, self._close):
            head.addWidget(button)
        self._facts = [text_label("", type="meta", parent=self) for _ in range(4)]
        self._said = [False] * 4
        self._said_verb = ""
        facts = QHBoxLayout()
        facts.setContentsMargins(16, 0, 16, 8)
        facts.setSpacing(12)
        for label in self._facts:
            facts.addWidget(label)
        self.miss = text_label("", type="meta", tone="warning", parent=self)
        facts.addWidget(self.miss)
        facts.addStretch(1)
        top, self._below = QWidget(self), QWidget(self)
        top.setFixedHeight(44)
        below = self._below
        top.setLayout(head)
        below.setLayout(facts)
        below.setSizePolicy(policy.Ignored, policy.Fixed)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(top)
        column.addWidget(below)
        # What the model call took that asked for this step.
        self.call = ElidedLabel(parent=self)
        self.call.setProperty("type", "meta")
        self.call.setProperty("tone", "text_3")
        self.call.setSizePolicy(policy.Ignored, policy.Fixed)
        self._line = QWidget(self)
        line = QHBoxLayout(self._line)
        line.setContentsMargins(16, 0, 16, 4)
        line.addWidget(self.call)
        column.addWidget(self._line)

    def show_record(
        self, record: StepRecord, share: ModelShare, place: str, seconds: float, theme: Theme
    ) -> None:
        """Shows the step's head; `seconds` is how long it took or has taken so far."""
        _word, token, icon = state_look(record.state)
        ratio = self.devicePixelRatioF()
        self._mark.setPixmap(theme.pixmap(icon, token, 16, ratio))
        self._mark.setAccessibleName(state_look(record.state)[0])
        self._name(spell_out(record.verb).text)
        self._argument.set_text(spell_out(record.argument).text)
        running = record.state in ("running", "waiting")
        size = record.printed if running else share.total
        self.setToolTip(call_fact(record))
        self.call.set_text(call_line(record))
        self._line.setVisible(bool(self.call.whole_text()))
        facts = [state_fact(record), "", size_text(size) if size else "", place]
        if seconds > 0 or not running:
            facts[1] = duration_text(seconds)
        for label, text, tone in zip(
            self._facts, facts, (token, "text_3", "text_3", "text_3"), strict=True
        ):
            label.setText(text)
            label.setVisible(bool(text))
            if label.property("tone") != tone:
                label.setProperty("tone", tone)
                repolish(label)

        # 24 at 100 %; larger words want a higher row.
        self._below.setFixedHeight(max(24, self._facts[0].fontMetrics().height() + 8))
        self._said = [bool(text) for text in facts]
        self.miss.setText("Cache missed" if record.cache_note else "")
        note = record.cache_note
        self.miss.setToolTip(note[:1].upper() + note[1:])
        self.miss.setAccessibleName(f"Cache missed: {note}" if note else "")
        self.miss.setVisible(bool(note))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._name(self._said_verb)
        self._fit()

    def _name(self, verb: str) -> None:
        """The verb; a server's name leaves room for what it was asked, and tells itself whole."""
        self._verb.ensurePolished()
        letter = self._verb.fontMetrics().averageCharWidth()
        # Half of what mark and buttons leave, but never less than a word of Kinet's own.
        half = (self.width() - _BESIDE) // 2
        most = max(letter * _LEAST_VERB, min(letter * _LONGEST_VERB, half))
        shown = self._verb.fontMetrics().elidedText(verb, Qt.TextElideMode.ElideRight, most)
        self._verb.setText(shown)
        self._verb.setToolTip(verb if shown != verb else "")
        self._verb.setAccessibleName(verb)
        self._said_verb = verb

    def _fit(self) -> None:
        """Leaves out facts that have no room whole: the size, then the place among the steps."""
        room = self.width() - 32
        hints = [label.sizeHint().width() + 12 for label in self._facts]
        room -= self.miss.sizeHint().width() + 12 if self.miss.text() else 0
        shown = list(self._said)
        for place in (2, 3, 1):
            if sum(hint for hint, is_shown in zip(hints, shown, strict=True) if is_shown) > room:
                shown[place] = False
        for label, is_shown in zip(self._facts, shown, strict=True):
            label.setVisible(is_shown)

    def set_neighbours(self, previous: bool, following: bool) -> None:
        """Whether there is a step before and after."""
        self.previous.setEnabled(previous)
        self.next.setEnabled(following)

    def focus_close(self) -> None:
        """Puts the focus on the close button."""
        self._close.setFocus(Qt.FocusReason.OtherFocusReason)
