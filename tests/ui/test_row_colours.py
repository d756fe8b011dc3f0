"""Colours of rows: each as it was printed, however fast the rows go by."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from kinet.ui.look.theme import Theme, load_theme
from kinet.ui.panel.output_view import OutputView

LOG = "".join(
    "".join(f"\x1b[3{1 + place % 6}mword{place}\x1b[0m " for place in range(12)) + f"{number}\n"
    for number in range(400)
)


@pytest.fixture
def view(app: QApplication, qtbot: QtBot) -> OutputView:
    made = OutputView()
    qtbot.addWidget(made)
    made.resize(900, 800)
    made.show()
    return made


def _colours(view: OutputView, number: int) -> list[tuple[int, int, str]]:
    layout = view.document().findBlockByNumber(number).layout()
    return [
        (piece.start, piece.length, piece.format.foreground().color().name())
        for piece in layout.formats()
    ]


def _name(theme: Theme, token: str) -> str:
    return QColor(theme.color(token)).name()


def test_what_comes_into_view_has_the_colours_it_was_printed_in(view: OutputView) -> None:
    view.show_text("plain\n\x1b[31m😀 red\x1b[0m and \x1b[32mgreen\x1b[0m\n")
    light = load_theme("light")
    assert _colours(view, 0) == []
    assert _colours(view, 1) == [
        (0, 6, _name(light, "danger")),
        (11, 5, _name(light, "success")),
    ]
    dark = load_theme("dark")
    view.set_theme(dark)
    assert _colours(view, 1)[0] == (0, 6, _name(dark, "danger"))


def test_scrolling_through_a_colourful_log_lays_no_marks(
    view: OutputView, monkeypatch: pytest.MonkeyPatch
) -> None:
    view.show_text(LOG)
    laid: list[int] = []
    monkeypatch.setattr(view, "setExtraSelections", lambda marks: laid.append(len(marks)))
    for place in (45, 90, 300, 0):
        view.verticalScrollBar().setValue(place)
        first = view.firstVisibleBlock().blockNumber()
        assert len(_colours(view, first)) == 12
    assert not any(laid)
    # Looking for a word does, where it is seen.
    assert view.find("word3") == 400
    assert any(laid)


def test_a_line_that_is_printed_over_keeps_no_colour_of_the_old_one(view: OutputView) -> None:
    view.start_live("\x1b[31m10 %")
    assert len(_colours(view, 0)) == 1
    view.append_text("\x1b[0m\r20 %\n")
    view.flush()
    assert view.toPlainText().startswith("20 %")
    assert _colours(view, 0) == []
