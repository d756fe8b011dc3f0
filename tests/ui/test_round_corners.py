"""A window with round corners has none that are black where nothing can be seen through."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QWidget

from kinet.ui.kit.round_corners import cut_corners

WIDTH, HEIGHT, RADIUS = 60, 40, 12


def test_all_four_corners_are_cut_alike_and_nothing_else(app: QApplication) -> None:
    window = QWidget()
    window.resize(WIDTH, HEIGHT)
    cut_corners(window, RADIUS, "xcb")
    mask = window.mask()
    assert mask.boundingRect() == window.rect()
    out = {(x, y) for x in range(WIDTH) for y in range(HEIGHT) if not mask.contains(QPoint(x, y))}
    assert out == {(WIDTH - 1 - x, y) for x, y in out} == {(x, HEIGHT - 1 - y) for x, y in out}
    assert (0, 0) in out
    # A quarter of a square without its circle, four times: about 31 pixels each.
    assert 100 < len(out) < 160
    assert all(min(x, WIDTH - 1 - x) < RADIUS and min(y, HEIGHT - 1 - y) < RADIUS for x, y in out)
    window.deleteLater()


def test_a_desktop_that_composes_draws_them_itself(app: QApplication) -> None:
    window = QWidget()
    window.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
    window.resize(WIDTH, HEIGHT)
    cut_corners(window, RADIUS, "wayland")
    assert window.mask().isEmpty()
    window.deleteLater()
