"""The widget under the transcript: its rooms, and which event goes to which of them."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from kinet.ui.look.theme import Theme, current_theme, is_changing
from kinet.ui.transcript.blocks.formula_shelf import FormulaShelf
from kinet.ui.transcript.blocks.style import Style
from kinet.ui.transcript.entries.entry import Entry, Hit
from kinet.ui.transcript.hand.acting import Actor
from kinet.ui.transcript.hand.copying import Copier
from kinet.ui.transcript.hand.drag_out import DraggedText, drag_out
from kinet.ui.transcript.hand.in_place import InPlace
from kinet.ui.transcript.hand.jump_button import JumpButton
from kinet.ui.transcript.hand.keys import Keys
from kinet.ui.transcript.hand.pointer import Pointer
from kinet.ui.transcript.spoken.accessible import install
from kinet.ui.transcript.stage.finding import Finder
from kinet.ui.transcript.stage.painting import Artist
from kinet.ui.transcript.stage.selection import Place, Selection
from kinet.ui.transcript.stage.stage import Stage


class TranscriptArea(QAbstractScrollArea):
    """A scroll area whose contents are painted from a stage."""

    step_activated = Signal(str)  # call_id
    step_found = Signal(str, str)  # call_id, the text that was found in it
    link_activated = Signal(str)  # address: http, https or mailto
    link_hovered = Signal(str)  # address, "" for none
    retry_requested = Signal()
    message_requested = Signal(str, str)  # edit-message, branch-previous or -next; message id
    fact_requested = Signal(str, str, str)  # fact-keep and so on; fact; text that comes back
    files_requested = Signal(str, str)  # changes, undo or redo; turn_id
    following_changed = Signal(bool)
    new_text_below = Signal(bool)
    found = Signal(int, int)  # number of the place that was searched for, number of all

    def __init__(self, theme: Theme | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        install()
        self.setObjectName("transcript")
        self.setAccessibleName("Conversation")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumHeight(80)
        self._theme = theme or current_theme()
        self._formulas = FormulaShelf(self)
        self.stage = Stage(self, self._style())
        self.in_place = InPlace(self.stage)
        self.selection = Selection(self.stage.flow)
        self.copier = Copier(self.selection, self.stage.filler, self)
        self.finder = Finder(self.stage.flow, self)
        self.artist = Artist(self.stage, self.selection, self.finder)
        viewport = self.viewport()
        self._pointer = Pointer(self.stage, self.selection, self.artist, viewport)
        self._keys = Keys(self.stage, self.selection, self.artist, viewport)
        self._actor = Actor(self.stage, self.selection, self.finder, self.artist, viewport)
        self._carried: DraggedText | None = None
        self.jump = JumpButton(self, self.stage)
        self._actor.step_activated.connect(self.step_activated)
        self._actor.step_found.connect(self.step_found)
        self._actor.link_activated.connect(self.link_activated)
        self._actor.retry_requested.connect(self.retry_requested)
        self._actor.files_requested.connect(self.files_requested)
        self._actor.message_requested.connect(self.message_requested)
        self._actor.fact_requested.connect(self.fact_requested)
        self._actor.copy_wanted.connect(self.copy)
        self.stage.replaced.connect(self._forget_marks)
        self.stage.filler.prepended.connect(self._move_marks)
        self.stage.filler.finished.connect(self.finder.renew)
        self.finder.arrived.connect(lambda: self._actor.show_match(self.finder.current))
        self.finder.found.connect(self.found)
        # What still shows the source of a formula that is drawn by now is laid out anew.
        self._formulas.drawn.connect(lambda: self.stage.flow.drop_formulas())
        self._formulas.drawn.connect(lambda: self.stage.refresh())
        self._pointer.clicked.connect(self._actor.act)
        self._pointer.hovered.connect(self.link_hovered)
        self._pointer.selecting.connect(self.stage.follower.hold)
        self._pointer.held.connect(self._make_ready)
        self._pointer.lifted.connect(self._drag_out)
        self._keys.clicked.connect(self._actor.act)
        self._keys.copy_wanted.connect(self.copy)
        self.stage.follower.changed.connect(self.following_changed)
        self.stage.follower.below_changed.connect(self.new_text_below)

    def copy(self, plain: bool = False) -> None:
        """Puts what is selected on the clipboard; nothing happens without a selection.

        It is the Markdown of whole blocks, or with `plain` the words as they are on screen. What
        takes longer is there when `copier` says so.
        """
        self.copier.copy(plain=plain)

    def _make_ready(self, held: bool) -> None:
        """What may be dragged away is gathered from the press on, so that a drop need not wait."""
        if self._carried is not None:
            self._carried.deleteLater()
        self._carried = DraggedText(self.selection.parts()) if held else None

    def _drag_out(self) -> None:
        """Carries what is selected to where it is dropped."""
        carried, self._carried = self._carried, None
        if carried is not None:
            drag_out(self, carried)

    def select_step(self, call_id: str) -> None:
        """Marks the row of the step that the panel shows; "" for none. Its group opens."""
        self._actor.select_step(call_id)

    def act(self, entry: Entry, hit: Hit) -> None:
        """Does what a click on something of an entry does."""
        self._actor.act(entry, hit)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Notices when a card wants another height."""
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show):
            for entry in self.stage.cards.all():
                if entry.widget is watched:
                    self.stage.touch(entry)
        return super().eventFilter(watched, event)

    def viewportEvent(self, event: QEvent) -> bool:
        """Hands each event of the viewport to the room that knows it."""
        kind = event.type()
        match kind:
            case QEvent.Type.Paint:
                self.artist.paint(self.viewport(), cast(QPaintEvent, event).rect())
                self.stage.painted()
                return True
            case QEvent.Type.MouseButtonPress | QEvent.Type.MouseButtonDblClick:
                double = kind == QEvent.Type.MouseButtonDblClick
                self._pointer.press(cast(QMouseEvent, event), double=double)
                return True
            case QEvent.Type.MouseMove:
                self._pointer.move(cast(QMouseEvent, event))
                return True
            case QEvent.Type.MouseButtonRelease:
                self._pointer.release(cast(QMouseEvent, event))
                return True
            case QEvent.Type.Leave:
                self._pointer.leave()
            case QEvent.Type.ToolTip:
                found = cast(QHelpEvent, event)
                self._pointer.tooltip(found.pos(), found.globalPos())
                return True
            case QEvent.Type.ContextMenu:
                asked = cast(QContextMenuEvent, event)
                place = self._pointer.place_at(asked.pos())
                self._actor.menu(self._pointer.hit(asked.pos()), place, asked.globalPos())
                return True
            case QEvent.Type.Wheel if self._actor.wheel(cast(QWheelEvent, event)):
                return True
        return super().viewportEvent(event)

    def _menu_by_key(self) -> None:
        """The menu of the button that has the keyboard, else of where the selection ends."""
        found = self.artist.highlights.focus
        place = Place(found[0], 0, 0) if found is not None else self._keys.place()
        if place is not None:
            spot = self._keys.spot(found)
            self._actor.menu(found, place, self.viewport().mapToGlobal(spot))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys that are not used here go on to the parent: letters belong to the composer."""
        if not self._keys.press(event):
            event.ignore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The column has another width or place."""
        if is_changing():
            # The new look comes at once and lays out for the size of then. Else it is made good.
            QTimer.singleShot(0, self, self._take_size)
        else:
            self._take_size()

    def _take_size(self) -> None:
        self.stage.restyle(self.stage.flow.style)
        self.jump.place()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Nothing is moved here: the stage paints anew."""

    def event(self, event: QEvent) -> bool:
        """Tab visits the buttons that are seen before it leaves the transcript."""
        if event.type() == QEvent.Type.KeyPress:
            pressed = cast(QKeyEvent, event)
            tabs = (Qt.Key.Key_Tab, Qt.Key.Key_Backtab)
            if pressed.key() in tabs and self._keys.press(pressed):
                return True
        if event.type() == QEvent.Type.ContextMenu:
            # Of the mouse the viewport is told; here the key for menus arrives.
            self._menu_by_key()
            return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Focus that came by keyboard is shown."""
        reasons = Qt.FocusReason
        by_key = event.reason() in (reasons.TabFocusReason, reasons.BacktabFocusReason)
        self._keys.take_focus(by_key=by_key)
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The keyboard is elsewhere."""
        self._keys.lose_focus()
        super().focusOutEvent(event)

    def _style(self) -> Style:
        return Style(self._theme, None, self.devicePixelRatioF(), self._formulas)

    def _forget_marks(self) -> None:
        self.selection.clear()
        self.finder.clear()
        self.artist.highlights.hover = self.artist.highlights.focus = None

    def _move_marks(self, count: int) -> None:
        self.selection.move(count)
        self.finder.move(count)
        self.artist.highlights.move(count)
        self._pointer.move_marks(count)
