"""The sidebar: new session, search, all sessions by folder, and the foot with settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QModelIndex, QPoint, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from kinet.ui.kit.controls import (
    ElidedLabel,
    IconButton,
    Line,
    PaintedButton,
    draw_icon,
    key_hint,
    text_label,
)
from kinet.ui.kit.tab_order import tab_as_laid_out
from kinet.ui.look.theme import current_theme, icon, mark_pixmap
from kinet.ui.sessions.narrowing import NarrowButton
from kinet.ui.sessions.search_hits import SearchHits, TextHit
from kinet.ui.sessions.session_list import SessionDelegate, SessionItem, SessionModel

HEAD_HEIGHT = 44
MONTH = "This month "  # before the money in the foot
_NO_LIMIT = 16_777_215  # QWIDGETSIZE_MAX


class Sidebar(QFrame):
    """Shows sessions and says what was asked for; it opens and changes nothing itself."""

    session_chosen = Signal(str)
    new_requested = Signal()
    rename_requested = Signal(str, str)
    delete_requested = Signal(str)
    hide_requested = Signal()
    settings_requested = Signal()
    memory_requested = Signal()
    facts_requested = Signal(str)  # words
    keys_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("surface", "side")
        self.model = SessionModel()
        self.list = _SessionView(self.model, self)
        self.search = SearchField("Search", key_hint("Ctrl+Shift+F"), self)
        self.search.setObjectName("searchField")
        self.search.setAccessibleName("Search sessions")
        self.new_button = _NewSessionRow(self)
        self.month_label = _MonthLabel(parent=self)
        self.month_label.setProperty("type", "meta")
        self.month_label.setProperty("tone", "text_2")
        self.narrow_button = NarrowButton(self)
        self.hits = SearchHits(self)
        self._empty = text_label("", tone="text_3")
        self._pages = QStackedWidget(self)
        self._build()
        self.search.textChanged.connect(self._filter)
        self.list.chosen.connect(self.session_chosen)
        self.model.renamed.connect(self.rename_requested)
        self.list.delete_requested.connect(self.delete_requested)
        self.new_button.clicked.connect(self.new_requested)
        self.hits.facts_wanted.connect(
            lambda: self.facts_requested.emit(self.search.text().strip())
        )
        self._clock = QTimer(self)
        self._clock.setInterval(60_000)
        self._clock.timeout.connect(self.list.viewport().update)
        self._clock.start()

    def set_sessions(self, items: Iterable[SessionItem], current: str = "") -> None:
        """Shows these sessions and marks `current`."""
        self.model.set_items(items)
        self._show_page()
        self.select(current)

    def update_session(self, item: SessionItem) -> None:
        """Shows a change of one session."""
        chosen = self.list.current_id()
        self.model.update_item(item)
        self._show_page()
        if chosen:
            self.select(chosen)

    def select(self, session_id: str) -> None:
        """Marks a session as the one on screen, without choosing it anew."""
        row = self.model.row_of(session_id)
        if row < 0:
            self.list.clearSelection()
            self.list.setCurrentIndex(QModelIndex())
            return
        self.list.setCurrentIndex(self.model.index(row))

    def show_hits(
        self,
        hits: Sequence[TextHit],
        words: Sequence[str] = (),
        narrowed: str = "",
        facts: int = 0,
    ) -> None:
        """Shows places in conversations under the names that fit; none leave all to the names.

        What the search is narrowed to is said, above all where it leaves nothing.
        """
        named = self.model.rowCount()
        if hits or narrowed or facts:
            self.hits.show_hits(hits, words, narrowed)
            self.hits.show_facts(facts)
            rows = sum(self.list.sizeHintForRow(row) for row in range(min(named, 20)))
            self._pages.setMaximumHeight(min(rows + 8, self.height() * 2 // 5))
        else:
            self.hits.close_hits()
            self._pages.setMaximumHeight(_NO_LIMIT)
        self._pages.setVisible(bool(named) or not (hits or narrowed or facts))

    def set_month(self, text: str) -> None:
        """The quiet line at the right of the foot; its end, the money, is what is kept of it."""
        self.month_label.set_text(text)

    def focus_search(self) -> None:
        """Puts the caret into the search field."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def sizeHint(self) -> QSize:
        return QSize(259, 600)

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._head())
        column.addWidget(self.new_button)
        row = QHBoxLayout()
        row.setContentsMargins(8, 4, 8, 4)
        row.setSpacing(2)
        row.addWidget(self.search, 1)
        row.addWidget(self.narrow_button)
        column.addLayout(row)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self._empty.setContentsMargins(16, 48, 16, 0)
        self._empty.setWordWrap(True)
        self._pages.addWidget(self.list)
        self._pages.addWidget(self._empty)
        column.addWidget(self._pages, 1)
        column.addWidget(self.hits, 2)
        column.addWidget(Line(self))
        column.addWidget(self._foot())
        tab_as_laid_out(self)
        self._show_page()

    def _head(self) -> QWidget:
        head = QWidget(self)
        head.setFixedHeight(HEAD_HEIGHT)
        row = QHBoxLayout(head)
        row.setContentsMargins(16, 0, 10, 0)
        row.setSpacing(4)
        row.addWidget(_Mark(head))
        row.addWidget(text_label("Kinet", type="strong"))
        row.addStretch(1)
        self.hide_button = IconButton("sidebar", "Hide the sidebar", "Ctrl+B", head)
        self.hide_button.clicked.connect(self.hide_requested)
        row.addWidget(self.hide_button)
        return head

    def _foot(self) -> QWidget:
        foot = QWidget(self)
        foot.setFixedHeight(HEAD_HEIGHT - 1)
        row = QHBoxLayout(foot)
        row.setContentsMargins(10, 0, 16, 0)
        row.setSpacing(4)
        for name, label, keys, signal in (
            ("settings", "Settings", "Ctrl+,", self.settings_requested),
            ("memory", "Memory", "", self.memory_requested),
            ("keyboard", "Keyboard shortcuts", "F1", self.keys_requested),
        ):
            button = IconButton(name, label, keys, foot)
            button.clicked.connect(signal)
            row.addWidget(button)
        row.addStretch(1)
        row.addWidget(self.month_label)
        return foot

    def _filter(self, text: str) -> None:
        chosen = self.list.current_id()
        self.model.set_filter(text)
        # What was found for other words is not shown beside these names.
        self.show_hits(())
        self._show_page()
        self.select(chosen)

    def _show_page(self) -> None:
        if self.model.rowCount():
            self._pages.setCurrentIndex(0)
            return
        searching = bool(self.search.text().strip())
        if self.list.hasFocus():
            # A page of words would take the focus along and show nothing of it.
            stop = self.search if searching else self.new_button
            stop.setFocus(Qt.FocusReason.TabFocusReason)
        self._empty.setText(
            "No session with these words."
            if searching
            else "No sessions yet.\nYour first message starts one."
        )
        self._pages.setCurrentIndex(1)


class SearchField(QLineEdit):
    """A field with a lens at its left and, while it is empty, its shortcut at its right."""

    def __init__(self, placeholder: str, hint: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._hint = hint
        self.setPlaceholderText(placeholder)
        self.setTextMargins(20, 0, 0, 0)
        self.setProperty("search", True)
        if hint:
            self.setToolTip(f"{placeholder}  ({hint})")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        draw_icon(painter, "search", "text_3", QPoint(16, self.height() // 2))
        if self._hint and not self.text():
            theme = current_theme()
            painter.setFont(theme.font("meta"))
            painter.setPen(theme.qcolor("text_3"))
            area = self.rect().adjusted(0, 0, -8, 0)
            taken = 40 + self.fontMetrics().horizontalAdvance(self.placeholderText())
            if taken + painter.fontMetrics().horizontalAdvance(self._hint) > area.width():
                # No room for the keys; the tooltip tells them.
                return
            alignment = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(area, alignment, self._hint)


class _SessionView(QListView):
    """The list itself; a click or Enter chooses, F2 renames, the menu deletes."""

    chosen = Signal(str)
    delete_requested = Signal(str)

    def __init__(self, model: SessionModel, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("sessionList")
        self.setAccessibleName("Sessions")
        self.setModel(model)
        self.setItemDelegate(SessionDelegate(self))
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        # Heights differ (groups, rows): in batches, so that ten thousand rows open at once.
        self.setLayoutMode(QListView.LayoutMode.Batched)
        self.setBatchSize(200)
        self.clicked.connect(self._choose)

    def current_id(self) -> str:
        """The marked session, "" for none."""
        value = self.currentIndex().data(SessionModel.ID_ROLE)
        return value if isinstance(value, str) else ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._choose(self.currentIndex())
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        # Of the key Qt says only where the list is: it means the marked row.
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        session_id = index.data(SessionModel.ID_ROLE)
        if not isinstance(session_id, str):
            return
        spot = event.globalPos()
        if by_key:
            self.scrollTo(index)
            spot = self.viewport().mapToGlobal(self.visualRect(index).bottomLeft())
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        rename = menu.addAction(icon("edit"), "Rename")
        rename.triggered.connect(lambda: self.edit(index))
        delete = menu.addAction(icon("trash"), "Move to trash")
        delete.triggered.connect(lambda: self.delete_requested.emit(session_id))
        menu.popup(spot)

    def _choose(self, index: QModelIndex) -> None:
        session_id = index.data(SessionModel.ID_ROLE)
        if isinstance(session_id, str):
            self.chosen.emit(session_id)


class _NewSessionRow(PaintedButton):
    """ "New session" as a plain row in the icon grid."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("newSessionButton")
        self.setText("New session")
        self.setAccessibleName("New session")
        self.setToolTip(f"New session  ({key_hint('Ctrl+N')})")
        self.setFixedHeight(32)

    def sizeHint(self) -> QSize:
        return QSize(200, 32)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = self.rect().adjusted(8, 0, -8, 0)
        if token := self.surface():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.qcolor(token))
            painter.drawRoundedRect(box, 6, 6)
        if self.ring and self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.qcolor("focus"), theme.ring))
            inset = theme.ring / 2
            painter.drawRoundedRect(QRectF(box).adjusted(inset, inset, -inset, -inset), 6, 6)
        draw_icon(painter, "plus", "accent", QPoint(24, self.height() // 2))
        area = self.rect().adjusted(40, 0, -16, 0)
        painter.setFont(theme.font("ui", bold=True))
        painter.setPen(theme.qcolor("text"))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(area, middle | Qt.AlignmentFlag.AlignLeft, self.text())
        taken = painter.fontMetrics().horizontalAdvance(self.text()) + 8
        painter.setFont(theme.font("meta"))
        painter.setPen(theme.qcolor("text_3"))
        keys = key_hint("Ctrl+N")
        if taken + painter.fontMetrics().horizontalAdvance(keys) <= area.width():
            painter.drawText(area, middle | Qt.AlignmentFlag.AlignRight, keys)


class _MonthLabel(ElidedLabel):
    """The money alone where there is no room for its words too."""

    def _elide(self) -> None:
        whole, room = self.whole_text(), max(8, self.width())
        metrics = self.fontMetrics()
        shown = whole
        if metrics.horizontalAdvance(whole) > room:
            money = whole.removeprefix(MONTH)
            shown = metrics.elidedText(money, Qt.TextElideMode.ElideRight, room)
        self.setText(shown)
        self.setToolTip(whole if shown != whole else "")


class _Mark(QLabel):
    """Kinet's mark, 20 pixels, sharp at any ratio."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFixedSize(20, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.drawPixmap(0, 0, mark_pixmap(20, self.devicePixelRatioF()))
