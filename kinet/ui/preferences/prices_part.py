"""The prices on the page of models: the table, its errors, and what its signs mean."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from kinet.core.profile import Price
from kinet.ui.kit.controls import text_label
from kinet.ui.preferences.price_model import PriceModel
from kinet.ui.preferences.price_table import PriceTable
from kinet.ui.services import ModelServices


class PricesPart(QWidget):
    """Own prices are kept at once and can be taken back."""

    told = Signal(str, object)

    def __init__(self, services: ModelServices, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.prices = PriceModel(services, self)
        self.table = PriceTable(self.prices, self)
        self.error = text_label("", type="meta", tone="danger", parent=self)
        self.error.setWordWrap(True)
        self.error.hide()
        note = text_label(
            "An unknown price shows “—” and never counts as zero. Your own prices win over"
            " built-in ones.",
            type="meta",
            tone="text_3",
            parent=self,
        )
        note.setWordWrap(True)
        unit = "US dollars per million tokens"
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(text_label("Prices", type="strong", parent=self))
        head.addWidget(text_label(unit, type="meta", tone="text_3", parent=self), 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 16, 0, 8)
        column.setSpacing(8)
        column.addLayout(head)
        for part in (self.table, self.error, note):
            column.addWidget(part)
        self.prices.kept.connect(self._kept)
        self.prices.refused.connect(self._refused)

    def _kept(self, sentence: str, model: str, price: Price, own: bool) -> None:
        self.error.hide()
        self.told.emit(sentence, lambda: self.prices.restore(model, price, own))

    def _refused(self, sentence: str) -> None:
        self.error.setText(sentence)
        self.error.show()
