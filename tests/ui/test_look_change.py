"""Another zoom or theme reaches every widget, and costs each of them little."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, Qt
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
from kinet.ui.look.theme import load_theme
from kinet.ui.panel.output_view import OutputView
from tests.ui.transcript_kit import asked, said, settle, shown


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
