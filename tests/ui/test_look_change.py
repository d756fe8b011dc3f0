"""Another zoom or theme reaches every widget, and costs each of them little."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QLabel, QStackedWidget, QVBoxLayout, QWidget

from kinet.ui.diff.diff_view import DiffView
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
