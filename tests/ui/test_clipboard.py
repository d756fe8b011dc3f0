"""No live key reaches the clipboard, whatever is copied."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

import kinet
from kinet.net import redact
from kinet.net.secret import Secret
from kinet.ui.kit.clipboard import copy_text

KEY = "canary-71d0e5a2b94c8f36/+z=="
# These copy texts of the program's own, or the address a person asked for.
OWN = {"kit/clipboard.py", "welcome/welcome_tiles.py", "desks/link_question.py"}


@pytest.mark.parametrize(
    "text", [f"refused: {KEY}", base64.b64encode(f"me:{KEY}".encode()).decode(), f"x={KEY!r}"]
)
def test_a_copied_text_holds_no_live_key(app: QApplication, text: str) -> None:
    redact.register(Secret(KEY))
    copy_text(f"before\n{text}\nafter sk-example-0123456789abcdef")
    held = QGuiApplication.clipboard().text()
    assert KEY not in held
    assert base64.b64encode(b"me:" + KEY.encode()).decode()[8:28] not in held
    assert held.startswith("before\n")
    # What only looks like a key is the person's own text.
    assert held.endswith("after sk-example-0123456789abcdef")


def test_all_copying_goes_one_way() -> None:
    ui = Path(kinet.__file__).parent / "ui"
    found = {
        str(path.relative_to(ui)).replace("\\", "/")
        for path in ui.rglob("*.py")
        if "clipboard().set" in path.read_text("utf-8")
    }
    assert found <= OWN
