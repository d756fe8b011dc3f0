"""The facts that are kept, as a list that can be added to and taken from."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from kinet.ui.services import Services


class MemoryView(QWidget):
    """All facts; adding is at once, deleting can be taken back for a while."""

    def __init__(self, services: Services, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("memoryView")
