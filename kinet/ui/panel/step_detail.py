"""The panel that shows a step whole: its output, its input, its changes, and what the model got."""

from __future__ import annotations

import time

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from kinet.markup.folding import folded
from kinet.markup.visible import without_escapes
from kinet.ui.diff.diff_view import DiffView
from kinet.ui.kit.clipboard import copy_text
from kinet.ui.kit.controls import Line, text_label
from kinet.ui.kit.find_strip import FindStrip
from kinet.ui.kit.row_view import RowView
from kinet.ui.kit.save_text import ask_file, save_text
from kinet.ui.kit.tab_order import tab_as_laid_out
from kinet.ui.look.theme import Theme, current_theme
from kinet.ui.panel.model_share import ModelShare, share_of
from kinet.ui.panel.output_view import OutputView
from kinet.ui.panel.pictures_place import PicturesPlace
from kinet.ui.panel.step_foot import ShareRow, StepFoot
from kinet.ui.panel.step_head import StepHead
from kinet.ui.panel.step_tabs import StepTabs
from kinet.ui.panel.step_text import (
    data_of,
    data_text,
    empty_text,
    input_text,
    only_pictures,
    raw_text,
    rest_of,
)
from kinet.ui.panel.whole_strip import WholeStrip
from kinet.ui.steps import StepRecord

OUTPUT, INPUT, CHANGES, MODEL, RAW, DATA, PICTURES = range(7)
_TABS = (
    ("Output", "stepDetailOutput"),
    ("Input", "stepDetailInput"),
    ("Changes", "changesTab"),
    ("Model’s view", "stepDetailModel"),
    ("Raw", "stepDetailRaw"),
    ("Data", "stepDetailData"),
    ("Pictures", "stepDetailPictures"),
)
_SHORT = {"Model’s view": "Model"}
_LIVE = ("running", "waiting")


class StepDetail(QFrame):
    """One step. The owner decides which; previous and next are asked for by signal."""

    closed = Signal()
    previous_requested = Signal()
    next_requested = Signal()
    # What the model did not get of a step's output: (the step in words, the text).
    rest_requested = Signal(str, str)
    # A part of an output that lies in a file: (the step, which part, from 0).
    part_requested = Signal(str, int)
    # A call and the file into which the whole of its output is to be written.
    whole_wanted = Signal(str, str)
    # An address in what a step printed that was clicked: http, https or mailto.
    link_chosen = Signal(str)
    # A sentence that the person should see: a file could not be written.
    problem = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("stepDetail")
        self.setAccessibleName("Step")
        self.setProperty("surface", "side")
        self.theme = current_theme()
        self._record: StepRecord | None = None
        self._share = ModelShare("none")
        self._place = ""
        self._filled: set[int] = set()
        # Characters of live output that are on show; the panel may miss some while it is closed.
        self._fed = 0
        self._build_views()
        self._build()
        self._clock = QTimer(self)
        self._clock.setInterval(1000)
        self._clock.timeout.connect(self._show_head)
        self.set_theme(self.theme)

    @property
    def record(self) -> StepRecord | None:
        """The step on show, or None."""
        return self._record

    def show_step(self, record: StepRecord, place: str = "") -> None:
        """Shows the step; `place` says where it stands ("step 4 of 6").

        Called again for the step on show, tab and scroll place stay as they are.
        """
        before = self._record
        same = before is not None and before.call_id == record.call_id
        live = record.state in _LIVE
        self._record = record
        self._place = place or (self._place if same else "")
        self._share = ModelShare("none")
        if not live:
            private = bool(record.details.get("private"))
            content, told = record.content, record.model_content
            self._share = ModelShare("kept") if private else share_of(content, told)
        if not same:
            self.tabs.setCurrentIndex(OUTPUT)
        if not same or (before is not None and before.state in _LIVE):
            kept = not live and record.details.get("kept_whole")
            total = int(record.details.get("characters", 0)) if kept else 0
            self.whole.show_record(record.call_id, total, record.content, self._share)
        if same and live and before is not None and before.state in _LIVE:
            self.append_progress(
                record.call_id, record.progress[max(0, self._fed - record.passed) :]
            )
            self._fed = record.printed
        else:
            self._filled.clear()
        self.tabs.set_visible(CHANGES, bool(record.details.get("diff")))
        self.tabs.set_visible(DATA, data_of(record) is not None)
        self.tabs.set_visible(PICTURES, bool(record.pictures))
        if not same and only_pictures(record):
            self.tabs.setCurrentIndex(PICTURES)
        self._fill(OUTPUT)
        self._fill(INPUT)
        self._fill(CHANGES)
        self._show_tab(self.tabs.currentIndex())
        self._show_head()
        if live:
            self._clock.start()
        else:
            self._clock.stop()

    def append_progress(self, call_id: str, text: str) -> None:
        """Adds output of the step while it runs; ignored for another one."""
        if self._record is None or self._record.call_id != call_id or not text:
            return
        self._fed += len(text)
        self.output.append_text(text)
        if self._stack.currentWidget() is self._empty:
            self._show_tab(OUTPUT)

    def full_text(self) -> str:
        """The whole output, exactly as the tool gave it."""
        if self._record is None:
            return ""
        return self._record.content or self._record.progress

    def set_neighbours(self, previous: bool, following: bool) -> None:
        """Whether there is a step before and after this one."""
        self._head.set_neighbours(previous, following)

    def open_find(self) -> None:
        """Opens the strip that looks for words in the tab on show."""
        self.find_strip.begin(self._view())

    def find_text(self, text: str) -> None:
        """Goes to the first place of a text, in the first tab that has it."""
        wanted = folded(text)
        order = (OUTPUT, INPUT, MODEL, CHANGES, DATA, RAW)
        tab = next(
            (one for one in order if wanted in folded(without_escapes(self._text(one)))), OUTPUT
        )
        self.tabs.setCurrentIndex(tab)
        self.find_strip.look_for(self._view(), text)

    def set_theme(self, theme: Theme) -> None:
        """Takes on another look."""
        self.theme = theme
        for view in self.views:
            view.set_theme(theme)
        self._foot.set_theme(theme)
        self.find_strip.set_theme(theme)
        self._share_row.show_share(self._share, theme)
        self._show_head()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc closes the panel; the search strip has taken its own Esc before."""
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
            return
        super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        """The usual width of the panel."""
        return QSize(400, 600)

    def _build_views(self) -> None:
        self.output, self.input = OutputView(self), OutputView(self)
        self.changes, self.model, self.raw = DiffView(self), OutputView(self), OutputView(self)
        self.data = OutputView(self)
        self.views: tuple[RowView, ...] = (
            self.output,
            self.input,
            self.changes,
            self.model,
            self.raw,
            self.data,
        )
        self._stack = QStackedWidget(self)
        self.pictures = PicturesPlace(self._stack)
        for view, (title, name) in zip(self.views, _TABS[: len(self.views)], strict=True):
            view.setObjectName(name)
            view.setAccessibleName(title)
            self._stack.addWidget(view)
        self._stack.addWidget(self.pictures)
        self.input.set_wrap(True)
        self._empty = text_label("", tone="text_3", parent=self._stack)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack.addWidget(self._empty)

    def _build(self) -> None:
        self._head = StepHead(self)
        self._head.previous_clicked.connect(self.previous_requested)
        self._head.next_clicked.connect(self.next_requested)
        self._head.close_clicked.connect(self.closed)
        self.tabs = StepTabs([(title, _SHORT.get(title, title)) for title, _name in _TABS], self)
        self.tabs.setAccessibleName("Parts of the step")
        self.tabs.currentChanged.connect(self._show_tab)
        self._share_row = ShareRow(self)
        self._share_row.cut_requested.connect(self.output.show_cut)
        self._share_row.rest_requested.connect(
            lambda: self.rest_requested.emit(
                *rest_of(self._record, self._share) if self._record else ("", "")
            )
        )
        self._share_line = Line(self)
        self.whole = WholeStrip(self.output, self)
        self.whole.part_requested.connect(self.part_requested)
        self.whole.problem.connect(self.problem)
        self.find_strip = FindStrip(self)
        self._foot = StepFoot(self)
        self._foot.copy_requested.connect(self._copy)
        self._foot.save_requested.connect(self._save)
        self._foot.find_requested.connect(self.open_find)
        for view in (self.output, self.model, self.raw, self.data):
            self._foot.wrap_toggled.connect(view.set_wrap)
            view.links.chosen.connect(self.link_chosen)
        tabs = QHBoxLayout()
        # A tab has 4 around its word, for the ring of the keyboard.
        tabs.setContentsMargins(12, 0, 0, 0)
        # All the width there is: a chosen tab is wider by its weight, and no reason for arrows.
        tabs.addWidget(self.tabs, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._head)
        column.addLayout(tabs)
        shares = (self._share_row, self._share_line, self.whole)
        for part in (Line(self), *shares, self.find_strip):
            column.addWidget(part)
        column.addWidget(self._stack, 1)
        column.addWidget(Line(self))
        column.addWidget(self._foot)
        tab_as_laid_out(self)

    def _view(self) -> RowView:
        tab = max(0, self.tabs.currentIndex())
        return self.views[tab if tab < len(self.views) else OUTPUT]

    def _text(self, tab: int) -> str:
        """The source text of a tab, for copying and saving."""
        record = self._record
        if record is None:
            return ""
        if tab == INPUT:
            return input_text(record)
        if tab == CHANGES:
            return str(record.details.get("diff", ""))
        if tab == MODEL:
            return record.model_content or record.content
        if tab == DATA:
            return data_text(record)
        return raw_text(record) if tab == RAW else self.full_text()

    def _fill(self, tab: int) -> None:
        """Puts the text of a tab on show, once per state of the step."""
        if tab in self._filled or self._record is None:
            return
        self._filled.add(tab)
        if tab == OUTPUT and self._record.state in _LIVE:
            self._fed = self._record.printed
            self.output.start_live(self._record.progress, cut=self._record.passed > 0)
        elif tab == OUTPUT:
            printed = str(self._record.details.get("printed", ""))
            self.output.show_text(self._text(OUTPUT), self._share, printed)
            self.whole.ask_colours(self._record.details.get("colours"))
        elif tab == CHANGES:
            self.changes.show_diff(self._text(CHANGES))
        elif tab == PICTURES:
            self.pictures.show_pictures(self._record.pictures)
        elif isinstance(view := self.views[tab], OutputView):
            view.show_text(self._text(tab))

    def _show_tab(self, tab: int) -> None:
        tab = max(0, tab)
        self._fill(tab)
        record = self._record
        empty = tab == OUTPUT and record is not None and not self.output.rows
        if empty and record is not None:
            self._empty.setText(empty_text(record))
        self._stack.setCurrentIndex(self._stack.count() - 1 if empty else tab)
        share = self._share if tab == OUTPUT else ModelShare("none")
        self._share_row.show_share(share, self.theme)
        self._share_line.setVisible(share.kind != "none")
        self.find_strip.look_in(self._view())

    def _show_head(self) -> None:
        record = self._record
        if record is None:
            return
        seconds = record.duration_s
        if record.state in _LIVE and record.started_at:
            seconds = time.monotonic() - record.started_at
        self._head.show_record(record, self._share, self._place, seconds, self.theme)

    def _copy(self) -> None:
        tab = self.tabs.currentIndex()
        if tab != PICTURES:
            copy_text(self._text(tab))
        elif not self.pictures.copy():
            return
        self._foot.tell_copied()

    def _save(self) -> None:
        tab = self.tabs.currentIndex()
        if tab == PICTURES:
            self.pictures.save(self.problem.emit)
            return
        names = {CHANGES: "changes.patch", RAW: "step.json", DATA: "data.json"}
        name = names.get(tab, "output.txt")
        if tab == OUTPUT and self._record is not None and not self.whole.isHidden():
            # Only its ends are at hand: the whole is copied from where it lies.
            call_id = self._record.call_id
            ask_file(self, name, lambda path: self.whole_wanted.emit(call_id, str(path)))
            return
        save_text(self, self._text(tab), name, self.problem.emit)
