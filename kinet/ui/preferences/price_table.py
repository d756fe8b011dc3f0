"""The table of prices on screen: cells to type in, and the way back to the built-in price."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from kinet.ui.kit.row_ground import draw_ring
from kinet.ui.look.theme import current_theme
from kinet.ui.preferences.price_model import (
    CACHE_READ,
    CACHE_WRITE,
    INPUT,
    MODEL,
    OUTPUT,
    SOURCE,
    PriceModel,
)

ROW_HEIGHT = 32
HEAD_HEIGHT = 28
MOST_ROWS = 8
_BAR = 12
_PRICES = (INPUT, OUTPUT, CACHE_READ, CACHE_WRITE)
_WIDTHS = {INPUT: 68, OUTPUT: 72, CACHE_READ: 92, CACHE_WRITE: 96, SOURCE: 126}

Index = QModelIndex | QPersistentModelIndex


class PriceTable(QTableView):
    """A double click, Enter or a digit begins to edit; Delete takes an own price back."""

    def __init__(self, model: PriceModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pricingTable")
        self.setAccessibleName("Prices in US dollars per million tokens")
        self.prices = model
        self.setModel(model)
        self.setItemDelegate(_Cells(self))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setFixedHeight(HEAD_HEIGHT)
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        header.setMinimumSectionSize(60)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(
            triggers.DoubleClicked | triggers.EditKeyPressed | triggers.AnyKeyPressed
        )
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.horizontalScrollBar().rangeChanged.connect(lambda *_: self._fit())
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.viewport().setMouseTracking(True)
        model.modelReset.connect(self._fit)
        self.set_theme()
        self._fit()

    def set_theme(self) -> None:
        """A card around the rows, and titles that stand over the figures."""
        theme = current_theme()
        self.setStyleSheet(
            f"QTableView {{ border: 1px solid {theme.color('border')}; border-radius: 8px;"
            f" background: {theme.color('raised')}; }}"
            "QHeaderView { border-top-left-radius: 7px; border-top-right-radius: 7px; }"
            "QTableView::item { padding: 0 8px; }"
            "QHeaderView::section { padding: 0 11px; background: transparent; }"
        )
        self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Figures get what they need; the model's name and the source share the rest."""
        super().resizeEvent(event)
        # Larger figures want more room; what is too wide then scrolls in the table's own frame.
        zoom = max(1.0, current_theme().zoom / 100)
        widths = {column: round(wanted * zoom) for column, wanted in _WIDTHS.items()}
        for column, wanted in widths.items():
            self.setColumnWidth(column, wanted)
        left = self.viewport().width() - sum(widths.values())
        self.setColumnWidth(MODEL, max(round(96 * zoom), left))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter edits, Delete goes back to the built-in price."""
        index = self.currentIndex()
        editing = self.state() == QAbstractItemView.State.EditingState
        if index.isValid() and not editing:
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                if index.column() in _PRICES:
                    self.edit(index)
                return
            if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
                self.prices.reset(index.row())
                return
        super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click on the arrow takes an own price back."""
        if self._over_undo(event):
            self.prices.reset(self.indexAt(event.position().toPoint()).row())
            return
        super().mouseReleaseEvent(event)

    def viewportEvent(self, event: QEvent) -> bool:
        """The arrow says what it does."""
        if event.type() == QEvent.Type.MouseMove and isinstance(event, QMouseEvent):
            over = self._over_undo(event)
            shape = Qt.CursorShape
            self.viewport().setCursor(shape.PointingHandCursor if over else shape.ArrowCursor)
            self.viewport().setToolTip("Back to the built-in price" if over else "")
        return super().viewportEvent(event)

    def _over_undo(self, event: QMouseEvent) -> bool:
        point = event.position().toPoint()
        index = self.indexAt(point)
        if not index.isValid() or index.column() != SOURCE or not self.prices.row(index.row()).own:
            return False
        return undo_place(self.visualRect(index)).contains(point)

    def _fit(self) -> None:
        rows = min(MOST_ROWS, max(1, self.model().rowCount()))
        bar = _BAR if self.horizontalScrollBar().maximum() > 0 else 0
        self.setFixedHeight(HEAD_HEIGHT + rows * ROW_HEIGHT + bar + 2)


def undo_place(cell: QRect) -> QRect:
    """Where the arrow back stands in a cell of the source column."""
    return QRect(cell.right() - 30, cell.top() + (cell.height() - 24) // 2, 24, 24)


class _Cells(QStyledItemDelegate):
    """Draws tabular digits, the arrow back, and the field that is typed in."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if index.column() in _PRICES:
            option.font = current_theme().font("ui", digits=True)
        elif index.column() == SOURCE:
            option.font = current_theme().font("meta", digits=True)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        draw_ring(painter, option.state, option.rect.adjusted(1, 0, -1, -1))
        model = index.model()
        if (
            index.column() == SOURCE
            and isinstance(model, PriceModel)
            and model.row(index.row()).own
        ):
            rect: QRect = undo_place(option.rect)
            device = painter.device()
            ratio = device.devicePixelRatioF() if device is not None else 1.0
            pixmap = current_theme().pixmap("undo", "accent", 16, ratio)
            painter.drawPixmap(rect.left() + 4, rect.top() + 4, pixmap)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        field = QLineEdit(parent)
        field.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        field.setAccessibleName(str(index.data(Qt.ItemDataRole.AccessibleTextRole)))
        field.setStyleSheet("QLineEdit { min-height: 0; padding: 0 8px; }")
        return field

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: Index
    ) -> None:
        rect: QRect = option.rect
        editor.setGeometry(rect.adjusted(2, 2, -2, -2))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, QLineEdit):
            model.setData(index, editor.text(), Qt.ItemDataRole.EditRole)
