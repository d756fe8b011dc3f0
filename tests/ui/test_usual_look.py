"""What one test does to the look no other one sees."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from kinet.ui.look.look import Look
from kinet.ui.look.theme import current_theme, load_theme, palette
from tests.support.window import take_back_look


@pytest.mark.parametrize(("choice", "zoom"), [("light", 200), ("dark", 100), ("dark", 150)])
def test_another_look_is_taken_back_after_each_test(
    app: QApplication, request: pytest.FixtureRequest, choice: str, zoom: int
) -> None:
    assert "usual_look" in request.fixturenames
    Look(app, choice, zoom).apply()
    usual = load_theme("light")
    assert current_theme() != usual
    take_back_look(app)
    assert current_theme() == usual
    assert app.font() == usual.font("ui")
    assert app.palette() == palette(usual)
