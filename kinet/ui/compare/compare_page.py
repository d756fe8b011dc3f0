"""Two answers to one message, side by side: as they are, or with the words that differ marked."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from kinet.core.alternatives import Alternative
from kinet.markup.word_diff import Comparison, compare_words
from kinet.ui.compare.answer_facts import AnswerFacts
from kinet.ui.compare.compare_head import CompareHead
from kinet.ui.compare.compared_side import ComparedSide
from kinet.ui.compare.scroll_link import ScrollLink
from kinet.ui.kit.announce import announce
from kinet.ui.kit.controls import Line
from kinet.ui.kit.tasks import in_thread, spawn
from kinet.ui.look.theme import Theme, current_theme
from kinet.ui.steps import StepBook
from kinet.ui.transcript.view import Transcript

# Below this there is room for one answer only, and tabs for both.
TABS_BELOW = 760
_SAME = "Word by word the same"
# Characters of a difference that are read aloud.
_SPOKEN = 200


class ComparePage(QFrame):
    """Stands in the place of the conversation. Esc, or its cross, closes it."""

    closed = Signal()
    taken = Signal(int)  # the number of the answer the conversation is to go on with
    step_chosen = Signal(str)
    link_chosen = Signal(str)
    message_chosen = Signal(str, str)
    found = Signal(int, int)

    def __init__(self, alternatives: Sequence[Alternative], parent: QWidget | None = None) -> None:
        """At least two alternatives; the one of the conversation is shown beside its neighbour."""
        super().__init__(parent)
        self.setObjectName("comparePage")
        self.setAccessibleName("Compare answers")
        self.setProperty("surface", "canvas")
        self._alternatives = tuple(alternatives)
        self._facts: dict[int, AnswerFacts] = {}
        self.head = CompareHead(self)
        self.left = ComparedSide("Left", "diff_del_word", self)
        self.right = ComparedSide("Right", "diff_add_word", self)
        self._line = Line(self, vertical=True)
        self._link = ScrollLink(self.left.transcript, self.right.transcript, self)
        self._seen = "left"
        self._read = self.left.transcript
        self.comparison: Comparison | None = None
        self._at = -1
        # Counts the pairs that were asked for: an older comparison comes too late.
        self._asked = 0
        self._build()
        current = next((item.number for item in alternatives if item.is_current), 1)
        first = current - 1 if current > 1 else current
        self._show(first, first + 1)

    @property
    def reader(self) -> Transcript:
        """The side that had the keyboard last, else the one that is seen: there words are found."""
        sides = [side.transcript for side in (self.left, self.right) if side.isVisible()]
        if self._read in sides or not sides:
            return self._read
        return sides[0]

    def steps_of(self, call_id: str) -> StepBook | None:
        """The steps of the side that has this call."""
        sides = (self.left, self.right)
        return next((side.steps for side in sides if side.steps.record(call_id) is not None), None)

    def begin(self) -> None:
        """Takes the keyboard; to be called when it is on screen."""
        self.reader.setFocus(Qt.FocusReason.OtherFocusReason)

    def let_go(self) -> None:
        """Goes, and what it showed with it: that must not wait for the collector of garbage."""
        self.hide()
        # What is still compared in a thread comes too late.
        self._asked += 1
        self._alternatives, self.comparison = (), None
        self.left.let_go()
        self.right.let_go()
        self.deleteLater()

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        self.head.set_theme(theme)
        for side in (self.left, self.right):
            side.set_theme(theme)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Notices which side is read."""
        if event.type() == QEvent.Type.FocusIn and isinstance(watched, Transcript):
            self._read = watched
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        column.addWidget(Line(self))
        row = QHBoxLayout()
        row.setSpacing(0)
        row.addWidget(self.left, 1)
        row.addWidget(self._line)
        row.addWidget(self.right, 1)
        column.addLayout(row, 1)
        self.head.closed.connect(self.closed)
        self.head.mode_chosen.connect(self._mode_chosen)
        self.head.side_chosen.connect(self._side_chosen)
        self.head.linked.connect(self._set_linked)
        self.head.moved.connect(self.step)
        for keys, places in (("F7", 1), ("Shift+F7", -1)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(lambda places=places: self.step(places))
        self.left.chosen.connect(lambda number: self._choose(number, self.right.number))
        self.right.chosen.connect(lambda number: self._choose(self.left.number, number))
        for side in (self.left, self.right):
            side.transcript.installEventFilter(self)
            side.taken.connect(self.taken)
            side.transcript.step_activated.connect(self.step_chosen)
            side.transcript.link_activated.connect(self.link_chosen)
            side.transcript.message_requested.connect(self.message_chosen)
            side.transcript.found.connect(self.found)
        self.set_theme(current_theme())

    def _choose(self, left: int, right: int) -> None:
        """Shows this pair; who asks for what the other side has gets both exchanged."""
        if left == right:
            left, right = self.right.number, self.left.number
        self._show(left, right)

    def _show(self, left: int, right: int) -> None:
        for side, number in ((self.left, left), (self.right, right)):
            if side.number != number:
                side.show_alternative(self._alternatives, self._facts, number)
        self.head.name_sides(self._facts[left].name, self._facts[right].name)
        self.comparison, self._at = None, -1
        self._asked += 1
        self._mode_chosen(self.head.mode)

    def _mode_chosen(self, mode: str) -> None:
        if mode != "differences":
            self.left.mark(())
            self.right.mark(())
            self.head.tell("", 0)
        elif self.comparison is None:
            self.head.tell("Comparing…", 0)
            spawn(self._compare(self._asked), "comparing answers")
        else:
            self._mark(self.comparison)

    async def _compare(self, asked: int) -> None:
        left, right = self.left.marks.text, self.right.marks.text
        found = await in_thread(lambda: compare_words(left, right))
        if asked == self._asked:
            self.comparison = found
            self._mode_chosen(self.head.mode)

    def _mark(self, found: Comparison) -> None:
        self.left.mark([place.left for place in found.places])
        self.right.mark([place.right for place in found.places])
        self._tell()

    def step(self, places: int) -> None:
        """Goes to the next difference, or the one before; around the end to the other."""
        found = self.comparison
        if found is None or not found.places or self.head.mode != "differences":
            return
        first = 0 if places > 0 else len(found.places) - 1
        self._at = first if self._at < 0 else (self._at + places) % len(found.places)
        place = found.places[self._at]
        self.left.go_to(place.left)
        self.right.go_to(place.right)
        self._tell()
        left = self.left.marks.text[slice(*place.left)][:_SPOKEN] or "nothing"
        right = self.right.marks.text[slice(*place.right)][:_SPOKEN] or "nothing"
        announce(self, f"{self._at + 1} of {len(found.places)}. Left: {left}. Right: {right}.")

    def _tell(self) -> None:
        found = self.comparison
        if found is None:
            return
        count = len(found.places)
        if not count:
            self.head.tell(_SAME, 0)
            return
        where = f"{self._at + 1:,} of {count:,}" if self._at >= 0 else f"{count:,}"
        words = f"{where} difference{'' if count == 1 else 's'}"
        sides = f"{found.left_words:,} words only left, {found.right_words:,} only right"
        self.head.tell(f"{words} · {sides}", count)

    def _set_linked(self, linked: bool) -> None:
        self._link.linked = linked

    def _side_chosen(self, side: str) -> None:
        self._seen = side
        self._arrange()
        self.reader.setFocus(Qt.FocusReason.OtherFocusReason)

    def _arrange(self) -> None:
        narrow = self.width() < TABS_BELOW
        self.head.show_tabs(narrow)
        self._line.setVisible(not narrow)
        self.left.setVisible(not narrow or self._seen == "left")
        self.right.setVisible(not narrow or self._seen == "right")
