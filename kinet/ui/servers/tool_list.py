"""The tools of one server: found by words, switched one by one or all at once, each read whole."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLineEdit,
    QListView,
    QVBoxLayout,
    QWidget,
)

from kinet.ui.kit.capped_scroll import CappedScroll
from kinet.ui.kit.controls import text_label
from kinet.ui.kit.figures import tokens_words
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.visible_text import spell_out
from kinet.ui.kit.wrapping_row import WrappingRow
from kinet.ui.servers.tool_rows import ToolDelegate, ToolItem, ToolRows, row_height

_MOST_ROWS = 6
_SEARCH_FROM = 9
_HIGHEST_WORDS = 120
# Characters of a description that are shown whole.
_LONGEST = 20_000


class ToolList(QWidget):
    """Says what is wanted by signal; the owner shows what came of it with `show_tools`."""

    switched = Signal(str, bool)
    all_switched = Signal(bool)

    def __init__(self, server: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("toolList")
        self.rows = ToolRows(self)
        self.rows.switched.connect(self.switched)
        self._head = text_label("", type="meta", tone="text_2", parent=self)
        self._head.setObjectName("toolCount")
        self.every = TextButton("Turn all off", self, kind="quiet", size="row")
        self.every.setObjectName("allToolsButton")
        self.every.clicked.connect(lambda: self.all_switched.emit(not self._any_on()))
        self.search = QLineEdit(self)
        self.search.setObjectName("toolSearch")
        self.search.setPlaceholderText("Find a tool")
        self.search.setAccessibleName(f"Find a tool of {server}")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self.view = _View(f"Tools of {server}", self)
        self.view.setModel(self.rows)
        self.view.selectionModel().currentChanged.connect(self._chosen)
        self._words = text_label("", type="meta", tone="text_2")
        self._words.setObjectName("toolWords")
        self._words.setWordWrap(True)
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        holder = QWidget()
        inside = QVBoxLayout(holder)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(self._words)
        self._whole = CappedScroll(holder, _HIGHEST_WORDS, self)
        self._whole.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._whole.hide()
        head = WrappingRow(aside=self.every)
        head.addWidget(self._head)
        head.addWidget(self.every)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.search)
        column.addWidget(self.view)
        column.addWidget(self._whole)

    def show_tools(self, tools: Sequence[ToolItem]) -> None:
        """Shows these; the place in the list stays where they are the same ones."""
        self.rows.set_tools(tools)
        self._tell()

    def _tell(self) -> None:
        tools = self.rows.tools
        on = [tool for tool in tools if tool.offered]
        weight = tokens_words(sum(tool.tokens for tool in on))
        many = f"{len(tools):,} tool{'' if len(tools) == 1 else 's'}"
        if len(on) < len(tools):
            many = f"{len(on):,} of {many}"
        self._head.setText(f"{many} on, {weight} tokens in each request")
        any_on = self._any_on()
        self.every.set_text("Turn all off" if any_on else "Turn all on")
        self.every.setVisible(len(tools) > 1)
        self.search.setVisible(len(tools) >= _SEARCH_FROM)
        self.view.fit()

    def _any_on(self) -> bool:
        return any(tool.on for tool in self.rows.tools)

    def _filter(self, words: str) -> None:
        self.rows.set_filter(words)
        self.view.fit()
        self._chosen(self.view.currentIndex())

    def _chosen(self, index: QModelIndex, _before: QModelIndex | None = None) -> None:
        """What the row has no room for is read whole below the list."""
        tool = self.rows.tool(index.row()) if index.isValid() else None
        text = ""
        if tool is not None:
            said = f"{tool.problem}\n{tool.description[:_LONGEST]}"
            text = spell_out(said).text.strip()
        self._words.setText(text)
        self._whole.setVisible(bool(text))
        self._whole.verticalScrollBar().setValue(0)
        self._whole.updateGeometry()


class _View(QListView):
    """As high as its rows, up to six of them."""

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("toolRows")
        self.setAccessibleName(name)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUniformItemSizes(True)
        self.setItemDelegate(ToolDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)

    def fit(self) -> None:
        """Takes the room of what there is to show."""
        model = self.model()
        count = model.rowCount() if model is not None else 0
        self.setFixedHeight(max(1, min(_MOST_ROWS, count)) * row_height() + 2)

    def sizeHint(self) -> QSize:
        return QSize(320, self.height())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc belongs to the window above; nothing is typed to be found here."""
        if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.ignore()
            return
        super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Letters find nothing here: there is a field for that, and the space bar switches."""

    def focusInEvent(self, event: object) -> None:
        super().focusInEvent(event)  # type: ignore[arg-type]
        if not self.currentIndex().isValid() and self.model().rowCount():
            self.setCurrentIndex(self.model().index(0, 0))

    def changeEvent(self, event: QEvent) -> None:
        """Larger words want higher rows."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self.model() is not None:
            self.scheduleDelayedItemsLayout()
            self.fit()
