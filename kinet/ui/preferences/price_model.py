"""The table of prices as Qt asks for it: shown as words, edited as numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from kinet.core.errors import KinetError
from kinet.core.profile import Price
from kinet.ui.kit.when_kept import when_kept
from kinet.ui.look.theme import current_theme
from kinet.ui.services import ModelServices, PriceRow

if TYPE_CHECKING:
    from concurrent.futures import Future

Index = QModelIndex | QPersistentModelIndex

TITLES = ("Model", "Input", "Output", "Cache read", "Cache write", "Source")
MODEL, INPUT, OUTPUT, CACHE_READ, CACHE_WRITE, SOURCE = range(6)
_FIELDS = ("", "input", "output", "cache_read", "cache_write")
_NAMES = ("", "Input price", "Output price", "Cache read price", "Cache write price")
UNKNOWN = "—"
FREE = "free"
_HIGHEST = 1_000_000.0
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class PriceModel(QAbstractTableModel):
    """One row a model. A cell that is set becomes the person's own price at once."""

    # What was kept, and the row as it was before: (sentence, model, price or None, own).
    kept = Signal(str, str, object, bool)
    refused = Signal(str)

    def __init__(self, services: ModelServices, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._services = services
        self._rows: list[PriceRow] = list(services.price_rows())

    def refresh(self) -> None:
        """Reads the prices again."""
        self.beginResetModel()
        self._rows = list(self._services.price_rows())
        self.endResetModel()

    def row(self, number: int) -> PriceRow:
        """The row of that number."""
        return self._rows[number]

    def rowCount(self, parent: Index | None = None) -> int:
        """Number of models."""
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """Model, four prices, source."""
        return 0 if parent is not None and parent.isValid() else len(TITLES)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Titles of the columns, aligned as their figures are."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(section)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """The four prices can be edited."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if INPUT <= index.column() <= CACHE_WRITE:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Words to show, a number to edit, colour, alignment, and a sentence for screen readers."""
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        roles = Qt.ItemDataRole
        if role == roles.DisplayRole:
            return self._text(row, column)
        if role == roles.EditRole:
            value = _value(row.price, column)
            return self._text(row, column) if value is None or column == MODEL else f"{value:g}"
        if role == roles.TextAlignmentRole:
            return _alignment(column)
        if role == roles.ForegroundRole:
            return current_theme().qcolor(self._token(row, column))
        if role == roles.ToolTipRole and column == SOURCE and "://" in row.price.source:
            return row.price.source
        if role in (roles.ToolTipRole, roles.AccessibleTextRole):
            return f"{row.model}, {TITLES[column]}: {self._text(row, column)}"
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Keeps a price. "free" is 0, an empty text or "—" is unknown; others must be a number."""
        column = index.column()
        if role != Qt.ItemDataRole.EditRole or not INPUT <= column <= CACHE_WRITE:
            return False
        row = self._rows[index.row()]
        try:
            number = read_price(value)
        except ValueError as exc:
            self.refused.emit(str(exc))
            return False
        if number == _value(row.price, column):
            return True
        price = replace(row.price, **{_FIELDS[column]: number}, source="", date="", estimate=False)
        return self._keep(row, price, f"{_NAMES[column]} of {row.model} saved")

    def reset(self, number: int) -> None:
        """Back to the built-in price."""
        row = self._rows[number]
        if row.own:
            self._keep(row, None, f"Built-in price of {row.model} is back")

    def restore(self, model: str, price: Price | None, own: bool) -> None:
        """Takes a change back: the price as it was before."""
        kept = self._put(model, price if own else None)
        when_kept(self, kept, self.refused.emit)
        self.refresh()

    def _keep(self, row: PriceRow, price: Price | None, sentence: str) -> bool:
        try:
            kept = self._put(row.model, price)
        except KinetError as exc:
            self.refused.emit(exc.sentence())
            return False
        self._reread()
        told = lambda: self.kept.emit(sentence, row.model, row.price, row.own)  # noqa: E731
        when_kept(self, kept, self.refused.emit, told)
        return True

    def _put(self, model: str, price: Price | None) -> Future[None]:
        if price is None:
            return self._services.reset_price(model)
        return self._services.set_price(model, price)

    def _reread(self) -> None:
        """The rows anew without a reset, so that selection and scroll place stay."""
        rows = list(self._services.price_rows())
        if [row.model for row in rows] != [row.model for row in self._rows]:
            self.refresh()
            return
        self._rows = rows
        self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, SOURCE))

    def _text(self, row: PriceRow, column: int) -> str:
        if column == MODEL:
            return row.model
        if column == SOURCE:
            return source_text(row)
        value = _value(row.price, column)
        if value is None:
            return FREE if _is_free(row.price) else UNKNOWN
        return FREE if value == 0 and _is_free(row.price) else price_text(value)

    def _token(self, row: PriceRow, column: int) -> str:
        if column == MODEL:
            return "text"
        if row.own:
            return "accent"
        known = _value(row.price, column) if column != SOURCE else None
        return "text" if known and not _is_free(row.price) else "text_3"


def read_price(value: Any) -> float | None:
    """USD per million tokens from what was typed; ValueError with a sentence if it is no price."""
    text = str(value).strip().lstrip("$").replace(" ", "")
    if text in ("", UNKNOWN, "-"):
        return None
    if text.lower() == FREE:
        return 0.0
    try:
        number = float(text.replace(",", ".") if text.count(",") == 1 and "." not in text else text)
    except ValueError:
        raise ValueError(f"“{value}” is not a price. Type a number such as 0.80.") from None
    if not 0 <= number <= _HIGHEST:
        raise ValueError("A price lies between 0 and 1,000,000 dollars per million tokens.")
    return number


def price_text(value: float) -> str:
    """Two digits after the point; more only where they are needed: "0.80", "0.075"."""
    text = f"{value:.4f}".rstrip("0")
    whole, _, rest = text.partition(".")
    return f"{whole}.{rest:0<2}"


def source_text(row: PriceRow) -> str:
    """Where the price comes from."""
    if row.own:
        return "yours"
    price = row.price
    if price.input is None and price.output is None:
        return "unknown"
    # An address is too long for a cell; it is in the tooltip.
    name = price.source.partition(",")[0]
    source = "built in" if not name or "://" in name else name
    if price.estimate:
        source = "estimate"
    return f"{source}, {date_text(price.date)}" if price.date else source


def date_text(date: str) -> str:
    """A month as people write it: "Oct 2026" for "2026-10"."""
    year, _, month = date[:7].partition("-")
    if not month.isdigit() or not 1 <= int(month) <= 12:
        return date
    return f"{_MONTHS[int(month) - 1]} {year}"


def _value(price: Price, column: int) -> float | None:
    if not INPUT <= column <= CACHE_WRITE:
        return None
    value: float | None = getattr(price, _FIELDS[column])
    return value


def _is_free(price: Price) -> bool:
    return price.input == 0 and price.output == 0


def _alignment(column: int) -> Qt.AlignmentFlag:
    align = Qt.AlignmentFlag
    side = align.AlignRight if INPUT <= column <= CACHE_WRITE else align.AlignLeft
    return side | align.AlignVCenter
