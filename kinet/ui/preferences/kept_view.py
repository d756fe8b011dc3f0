"""How much room the kept things take, each share with a button that frees it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from kinet.ui.kept_shares import KeptShare, KeptThings
from kinet.ui.kit.controls import Line, text_label
from kinet.ui.kit.part_buttons import TextButton
from kinet.ui.kit.size_words import size_words
from kinet.ui.kit.tasks import in_thread, spawn


class KeptView(QWidget):
    """Measured when it is shown; a share is freed after a second press. `told` is for a toast."""

    told = Signal(str, object)

    def __init__(self, kept: KeptThings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("keptView")
        self._kept = kept
        self.buttons: dict[str, TextButton] = {}
        self.total = text_label("Measuring…", type="meta", tone="text_2", parent=self)
        self.total.setObjectName("keptTotal")
        self.bar = QProgressBar(self)
        self.bar.setObjectName("keptBar")
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(6)
        self.bar.setRange(0, 1000)
        self.bar.setAccessibleName("Room taken by kept things")
        self._card = QFrame(self)
        self._card.setProperty("surface", "card")
        self._rows = QVBoxLayout(self._card)
        self._rows.setContentsMargins(0, 0, 0, 0)
        self._rows.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 16, 0, 8)
        column.setSpacing(8)
        column.addWidget(text_label("What is kept", type="strong", parent=self))
        column.addWidget(self.total)
        column.addWidget(self.bar)
        column.addWidget(self._card)

    def refresh(self) -> None:
        """Measures again; the figures follow when they are known."""
        spawn(self._measure(), "measure kept things")

    async def _measure(self) -> None:
        shares = await in_thread(self._kept.shares)
        self._show(shares)

    def _show(self, shares: list[KeptShare]) -> None:
        limit = self._kept.limit
        used = sum(share.size for share in shares if share.counted)
        self.total.setText(f"{size_words(used)} of {size_words(limit)}, conversations not counted")
        self.bar.setValue(min(1000, round(1000 * used / limit)) if limit else 0)
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.buttons.clear()
        for share in shares:
            if self._rows.count():
                self._rows.addWidget(Line(self._card))
            self._rows.addWidget(self._row(share))

    def _row(self, share: KeptShare) -> QWidget:
        holder = QWidget(self._card)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(text_label(share.title, parent=holder))
        help_ = text_label(share.help, type="meta", tone="text_3", parent=holder)
        help_.setWordWrap(True)
        words.addWidget(help_)
        row = QHBoxLayout(holder)
        row.setContentsMargins(12, 8, 8, 8)
        row.setSpacing(12)
        row.addLayout(words, 1)
        size = text_label(size_words(share.size), type="meta", tone="text_2", parent=holder)
        row.addWidget(size, 0, Qt.AlignmentFlag.AlignVCenter)
        if share.can_free:
            button = TextButton("Free", holder, size="small", name=f"Free: {share.title}")
            button.setObjectName(f"free_{share.name}")
            button.setEnabled(share.size > 0)
            button.clicked.connect(lambda: self._pressed(share))
            self.buttons[share.name] = button
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        return holder

    def _pressed(self, share: KeptShare) -> None:
        """What is freed does not come back: the first press only asks."""
        button = self.buttons[share.name]
        if not button.property("sure"):
            button.setProperty("sure", True)
            button.set_text("Free for good?", f"Free for good: {share.title}")
            return
        button.setEnabled(False)
        spawn(self._free(share), "free kept things")

    async def _free(self, share: KeptShare) -> None:
        await in_thread(lambda: self._kept.free(share.name))
        shares = await in_thread(self._kept.shares)
        left = next((item.size for item in shares if item.name == share.name), 0)
        self._show(shares)
        self.told.emit(f"{size_words(max(0, share.size - left))} freed", None)
