"""Another zoom or theme reaches every widget, and costs each of them little."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from kinet.core.approval import ApprovalRequest
from kinet.ui.asking.approval_card import ApprovalCard
from kinet.ui.diff.diff_view import DiffView
from kinet.ui.kit.controls import ElidedLabel
from kinet.ui.look.look import Look
from kinet.ui.look.theme import current_theme, load_theme
from kinet.ui.panel.output_view import OutputView
from kinet.ui.transcript.view import Transcript
from tests.support.fake_program import FakeProgram, Row
from tests.support.shell_window import shell_window
from tests.support.window import until
from tests.ui import test_pictures as scenes
from tests.ui.transcript_kit import asked, on_screen, said, saved, settle, shown, turn


class Changes(QObject):
    """Counts how often each widget is given a style."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: dict[int, int] = {}

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.StyleChange:
            self.counts[id(watched)] = self.counts.get(id(watched), 0) + 1
        return False


def _nested(depth: int) -> tuple[QWidget, QLabel]:
    window = place = QWidget()
    for _ in range(depth):
        column = QVBoxLayout(place)
        inner = QWidget(place)
        column.addWidget(inner)
        place = inner
    label = QLabel("deep", place)
    return window, label


def test_a_widget_is_styled_no_oftener_for_standing_deep(app: QApplication) -> None:
    window, label = _nested(8)
    look = Look(app, "light")
    look.apply()
    window.show()
    changes = Changes()
    label.installEventFilter(changes)
    look.set_zoom(150)
    assert 1 <= changes.counts[id(label)] <= 2
    assert label.font().pixelSize() == load_theme("light", 150).pixels("ui")
    window.close()
    look.set_zoom(100)


def test_a_hidden_conversation_takes_on_the_look_when_it_is_shown(app: QApplication) -> None:
    transcript = shown()
    transcript.load([asked("Hello."), said("Some `words` to lay out.")])
    settle(transcript)
    stack = QStackedWidget()
    stack.addWidget(transcript)
    stack.addWidget(QWidget())
    stack.show()
    stack.setCurrentIndex(1)
    style = transcript.stage.flow.style
    transcript.set_theme(load_theme("dark", 150))
    assert transcript.stage.flow.style is style
    stack.setCurrentIndex(0)
    settle(transcript)
    assert transcript.stage.flow.style.theme == load_theme("dark", 150)
    stack.close()


def test_the_same_look_again_lays_nothing_out(app: QApplication) -> None:
    transcript = shown()
    transcript.load([asked("Hello."), said("Words.")])
    settle(transcript)
    transcript.set_theme(load_theme("dark"))
    style = transcript.stage.flow.style
    transcript.set_theme(load_theme("dark"))
    transcript.set_zoom(100)
    assert transcript.stage.flow.style is style


def test_a_hidden_conversation_keeps_only_the_documents_of_a_screen(app: QApplication) -> None:
    transcript = shown()
    transcript.load([asked("Hello."), said("Some words.\n\n" * 300)])
    for place in range(0, 3000, 300):
        transcript.verticalScrollBar().setValue(place)
        settle(transcript)
    pieces = transcript.stage.flow.entries[1].pieces
    assert sum(piece.document is not None for piece in pieces) > 60
    transcript.hide()
    assert sum(piece.document is not None for piece in pieces) <= 40
    transcript.show()
    settle(transcript)
    first = transcript.stage.flow.at(transcript.verticalScrollBar().value() + 100)
    assert first == 1
    assert any(piece.document is not None for piece in pieces)


def test_what_was_copied_keeps_no_documents(app: QApplication) -> None:
    transcript = shown()
    transcript.load([asked("Hello."), said("Some *words*.\n\n" * 300)])
    settle(transcript)
    pieces = transcript.stage.flow.entries[1].pieces
    before = sum(piece.document is not None for piece in pieces)
    transcript.selection.all()
    assert transcript.selection.text(plain=True).count("Some words.") == 300
    assert sum(piece.document is not None for piece in pieces) == before


def test_a_hidden_diff_knows_its_height_in_the_new_look_at_once(app: QApplication) -> None:
    view = DiffView()
    view.show_diff("--- a\n+++ b\n@@ -1 +1 @@\n-one\n+two\n")
    before = view.content_height()
    view.set_theme(load_theme("light", 200))
    assert view.content_height() > before


def test_a_hidden_output_takes_on_the_look_when_it_is_shown(app: QApplication) -> None:
    view = OutputView()
    look = view.styleSheet()
    view.set_theme(load_theme("light", 200))
    assert view.styleSheet() == look
    view.show()
    assert view.styleSheet() != look
    assert view.row_layout.row_height == load_theme("light", 200).line_height("output")
    view.close()


def test_one_line_is_cut_anew_when_its_words_grow_without_another_width(
    app: QApplication,
) -> None:
    window = QWidget()
    row = QHBoxLayout(window)
    row.setContentsMargins(0, 0, 0, 0)
    label = ElidedLabel("This month about $0.024", window, mode=Qt.TextElideMode.ElideLeft)
    row.addWidget(label)
    look = Look(app, "light")
    look.apply()
    window.show()
    # Measured in the letters of the look: a label that was not shown yet has others.
    window.setFixedWidth(label.sizeHint().width())
    assert label.text() == label.whole_text()
    look.set_zoom(150)
    assert label.text().startswith("…")
    assert label.text().endswith("$0.024")
    assert label.toolTip() == label.whole_text()
    look.set_zoom(100)
    assert label.text() == label.whole_text()
    window.close()


@pytest.mark.parametrize("hunks", [1, 2])
def test_a_diff_that_is_asked_about_stays_whole_when_its_words_grow(
    app: QApplication, hunks: int
) -> None:
    diff = "".join(f"@@ -0,0 +{n * 9 + 1},3 @@\n+one\n+two\n+three\n" for n in range(hunks))
    window = QWidget()
    column = QVBoxLayout(window)
    request = ApprovalRequest("1", "c", "write_file", "edit", "Create this file?", body=diff)
    card = ApprovalCard(request, load_theme("light"), window)
    column.addWidget(card)
    window.resize(700, 600)
    window.show()
    for view in card.findChildren(DiffView):
        # Nothing is wider than seen before and after: no bar comes that would tell of it.
        view.horizontalScrollBar().blockSignals(True)
    card.set_theme(load_theme("light", 150))
    views = card.findChildren(DiffView)
    assert len(views) == hunks
    for view in views:
        assert view.height() >= view.content_height()
        assert view.content_height() > 3 * load_theme("light", 150).pixels("output")
    window.close()


def test_another_theme_looks_as_if_it_had_always_been_there(app: QApplication) -> None:
    """Heights stay as they were, so only colours may change: not one is left of the look before."""
    events = [
        *scenes._answer(scenes._CODE + "```\n\n" + scenes._WIDE),
        *scenes._answer(scenes._LISTS + scenes._QUOTE + scenes._TABLE),
        *scenes._steps(),
        *scenes._failed(),
        *scenes._long_question(),
        *saved(turn()),
    ]
    pages: list[list[QImage]] = []
    for changes in (True, False):
        transcript = shown(height=700, mode="light" if changes else "dark")
        transcript.load(events)
        _leaf_through(transcript)
        heights = [entry.height for entry in transcript.stage.flow.entries]
        transcript.set_theme(load_theme("dark"))
        assert not transcript.stage.flow.stale
        # Formulas are drawn anew, and until then their blocks are higher or lower.
        _leaf_through(transcript)
        pages.append(_leaf_through(transcript))
        assert [entry.height for entry in transcript.stage.flow.entries] == heights
    assert len(pages[0]) > 3
    assert pages[0] == pages[1]


def _leaf_through(transcript: Transcript) -> list[QImage]:
    """All there is, page by page."""
    bar, pages = transcript.verticalScrollBar(), []
    bar.setValue(0)
    while True:
        settle(transcript)
        pages.append(on_screen(transcript))
        if bar.value() >= bar.maximum():
            return pages
        bar.setValue(bar.value() + 600)


async def test_a_zoom_lays_a_conversation_out_once(tmp_path: Path) -> None:
    """The sidebar grows with the words, so the conversation gets another size on the way."""
    program = FakeProgram(tmp_path, [Row("one", "The first")])
    program.with_events("one", saved(turn("Some words.\n\n" * 40)))
    async with shell_window(program) as window:
        window.open_session("one")
        await until(window.panel.transcript.is_idle)
        flow, laid_out = window.panel.transcript.stage.flow, []
        restyle = flow.restyle
        flow.restyle = lambda style, width: (laid_out.append(width), restyle(style, width))
        _ = window.parts.steps.detail
        window.parts.frame.show_panel(True)
        await until(window.panel.transcript.is_idle)
        for zoom in (200, 100):
            laid_out.clear()
            window.look.set_zoom(zoom)
            assert len(laid_out) == 1
            await until(window.panel.transcript.is_idle)
            assert flow.width == window.panel.transcript.stage.column[1]
            assert flow.style.theme == current_theme()


async def test_a_step_panel_that_is_closed_takes_on_the_look_when_it_is_opened(
    tmp_path: Path,
) -> None:
    async with shell_window(FakeProgram(tmp_path)) as window:
        parts = window.parts
        detail = parts.steps.detail
        styled = Changes()
        detail.installEventFilter(styled)
        parts.look.set_zoom(150)
        seldom = styled.counts.get(id(detail), 0)
        for zoom in (120, 200):
            parts.look.set_zoom(zoom)
        assert styled.counts.get(id(detail), 0) == seldom
        assert detail.window() is not window
        assert parts.steps.detail is detail
        parts.frame.show_panel(True)
        assert detail.isVisible()
        assert detail.window() is window
        assert detail.theme == current_theme()
        assert detail.tabs.font().pixelSize() == current_theme().pixels("ui")
        # What is open changes with all the rest.
        parts.look.set_zoom(100)
        assert detail.window() is window
        assert detail.theme == current_theme()
