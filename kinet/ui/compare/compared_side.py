"""One side of a comparison: which answer it shows, what that took, and the answer itself."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QActionGroup, QTextCharFormat
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from kinet.core.alternatives import Alternative
from kinet.markup.copied import copied
from kinet.markup.word_diff import Span
from kinet.ui.compare.answer_facts import AnswerFacts, entries_of
from kinet.ui.compare.difference_marks import DifferenceMarks
from kinet.ui.kit.clipboard import copy_text
from kinet.ui.kit.controls import IconButton, Line, MenuButton, text_label
from kinet.ui.kit.letting_go import let_go
from kinet.ui.kit.long_words import breakable
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.wrapping_row import WrappingRow
from kinet.ui.look.theme import Theme, current_theme
from kinet.ui.steps import StepBook
from kinet.ui.transcript.entries.text_entry import TextEntry
from kinet.ui.transcript.view import Transcript

_COPIED_MS = 1500
# Characters of a line in the list of answers.
_LONGEST = 120


class ComparedSide(QFrame):
    """`place` is "Left" or "Right"; marked words stand on the ground of `token`."""

    chosen = Signal(int)  # the number of an alternative, to be shown here
    taken = Signal(int)  # the conversation is to go on with this one

    def __init__(self, place: str, token: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("surface", "canvas")
        self._place, self._token = place, token
        self._alternatives: Sequence[Alternative] = ()
        self._facts: dict[int, AnswerFacts] = {}
        self.number = 0
        self.steps = StepBook()
        self.marks = DifferenceMarks(())
        self.choice = MenuButton("branch", "", f"{place} answer", self)
        self.current = text_label("In the conversation", type="meta", tone="success", parent=self)
        self.use = TextButton("Use this one", self, size="small")
        self.copy = IconButton("copy", "Copy this answer", parent=self)
        self.line = text_label("", type="meta", tone="text_3", parent=self)
        self.transcript = Transcript(current_theme(), self)
        self.menu: QMenu | None = None
        self._copied = QTimer(self)
        self._build()

    def show_alternative(
        self, alternatives: Sequence[Alternative], facts: dict[int, AnswerFacts], number: int
    ) -> None:
        """Shows this one of them, from its beginning."""
        self._alternatives, self._facts = alternatives, facts
        chosen = alternatives[number - 1]
        self.number = number
        entries, found = entries_of(chosen)
        facts[number] = found
        count = len(alternatives)
        self.choice.set_text(f"{found.name} of {count}")
        self.setAccessibleName(f"{self._place}: {found.name} of {count}, {found.line}")
        self.transcript.setAccessibleName(f"{self._place}: {found.name} of {count}")
        # A server names its models as it likes.
        self.line.setText(breakable(found.line))
        self.line.setAccessibleName(found.line)
        self.current.setVisible(chosen.is_current)
        # As high as the button beside it would be: both texts begin on one level.
        self.current.setMinimumHeight(self.use.sizeHint().height())
        self.use.setVisible(not chosen.is_current)
        self.use.setAccessibleName(f"Use answer {number}")
        self.copy.setEnabled(bool(found.answer))
        self.copy.set_name(f"Copy answer {number}")
        self.steps = StepBook(chosen.events)
        self.marks = DifferenceMarks(entries)
        self._restyle_marks()
        self.transcript.artist.marker = self.marks.of_block
        stage = self.transcript.stage
        stage.set_entries(entries)
        stage.follower.hold()
        self.transcript.verticalScrollBar().setValue(0)

    def mark(self, spans: Sequence[Span]) -> None:
        """Marks these stretches of the text; none takes the marks away."""
        self.marks.current = (-1, -1)
        self.marks.set_spans(spans)
        self.transcript.viewport().update()

    def go_to(self, span: Span) -> None:
        """Brings a stretch into view, marked more strongly than the others."""
        self.marks.current = span
        number, piece = self.marks.block_with(span[0])
        stage = self.transcript.stage
        flow = stage.flow
        entry = flow.entries[number] if number >= 0 else None
        if not isinstance(entry, TextEntry):
            return
        if not entry.is_folded and entry.piece(piece).is_folded:
            run = entry.piece(piece).run
            if run is not None and entry.blocks is not None:
                entry.blocks.fold(run, flow.style, entry.text_width(flow.style, flow.width))
        document = entry.document_of(piece, flow.style, flow.width)
        entry.measure()
        flow.changed(entry)
        block = document.findBlock(self.marks.offset_in(number, piece, document, span[0]))
        box = document.documentLayout().blockBoundingRect(block)
        top = flow.top_of(number) + entry.piece_top(piece) + int(box.y())
        stage.scroll_to(top, top + min(max(24, int(box.height())), 120))
        self.transcript.viewport().update()

    def let_go(self) -> None:
        """Shows nothing any more."""
        self._alternatives = ()
        self.steps, self.marks = StepBook(), DifferenceMarks(())
        self.transcript.artist.marker = None
        shown = self.transcript.stage.flow.entries
        self.transcript.stage.set_entries(())
        let_go(shown)

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        self.transcript.set_theme(theme)
        self._restyle_marks()

    def _build(self) -> None:
        self.setObjectName(f"compare{self._place}")
        self.transcript.setObjectName(f"compared{self._place}")
        self.line.setWordWrap(True)
        self.use.setObjectName(f"useAnswer{self._place}")
        self.copy.setObjectName(f"copyAnswer{self._place}")
        self.choice.setObjectName(f"chooseAnswer{self._place}")
        row = WrappingRow()
        for part in (self.choice, self.current, self.use):
            row.addWidget(part)
        head = QHBoxLayout()
        head.setContentsMargins(16, 8, 12, 0)
        head.addLayout(row, 1)
        head.addWidget(self.copy)
        figures = QHBoxLayout()
        figures.setContentsMargins(24, 2, 16, 8)
        figures.addWidget(self.line, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addLayout(figures)
        column.addWidget(Line(self))
        column.addWidget(self.transcript, 1)
        self._copied.setSingleShot(True)
        self._copied.setInterval(_COPIED_MS)
        self._copied.timeout.connect(lambda: self.copy.set_icon("copy"))
        self.choice.clicked.connect(self._offer)
        self.use.clicked.connect(lambda: self.taken.emit(self.number))
        self.copy.clicked.connect(self._copy)
        self.transcript.stage.follower.mode = "off"
        self.transcript.jump.offered = False

    def _restyle_marks(self) -> None:
        """Marked words have a ground of their own, and a line below them: colour is not enough."""
        theme = current_theme()
        form, strong = QTextCharFormat(), QTextCharFormat()
        form.setBackground(theme.qcolor(self._token))
        form.setForeground(theme.qcolor("text"))
        strong.setBackground(theme.qcolor("find_current"))
        strong.setForeground(theme.qcolor("on_accent" if theme.is_dark else "text"))
        for made in (form, strong):
            made.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
        self.marks.form, self.marks.strong = form, strong
        self.transcript.viewport().update()

    def _offer(self) -> None:
        """Opens the list of answers under its button; no loop waits for a choice."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.destroyed.connect(self._forget_menu)
        group = QActionGroup(menu)
        for item in self._alternatives:
            if item.number not in self._facts:
                self._facts[item.number] = entries_of(item)[1]
            facts = self._facts[item.number]
            mark = " (in the conversation)" if item.is_current else ""
            words = f"{facts.name}{mark}: {facts.line}"[:_LONGEST]
            action = menu.addAction(words.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(item.number == self.number)
            group.addAction(action)
            action.triggered.connect(lambda _=False, n=item.number: self.chosen.emit(n))
        self.menu = menu
        menu.popup(self.choice.mapToGlobal(QPoint(0, self.choice.height() + 2)))

    def _forget_menu(self) -> None:
        self.menu = None

    def _copy(self) -> None:
        copy_text(copied(self._facts[self.number].answer))
        self.copy.set_icon("check", "success")
        self._copied.start()
