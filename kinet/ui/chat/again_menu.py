"""The menu that asks a question again: by which model, and how long that is to think."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu, QWidget

# effort: word in the menu
EFFORTS = {
    "": "Effort as usual",
    "off": "Without thinking",
    "low": "Effort low",
    "medium": "Effort medium",
    "high": "Effort high",
}


def open_again_menu(
    parent: QWidget,
    at: QPoint,
    models: Sequence[str],
    current: str,
    chosen: Callable[[str, str], object],
) -> QMenu:
    """Opens it at a place of the screen; no loop waits. `chosen` gets the model and the effort."""
    menu = QMenu(parent)
    menu.setObjectName("againMenu")
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.setAccessibleName("Ask again with")
    ordered = sorted(models, key=lambda name: name != current)
    for name in ordered:
        words = f"{name} (in use)" if name == current else name
        efforts = menu.addMenu(words.replace("&", "&&"))
        for effort, word in EFFORTS.items():
            action = efforts.addAction(word)
            action.triggered.connect(lambda _=False, n=name, e=effort: chosen(n, e))
    menu.popup(at)
    return menu
