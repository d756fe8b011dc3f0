"""Long code folds, wide code scrolls in its own card, and a table's columns stand in line."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from kinet.core.events import TextDelta, TurnStarted
from kinet.markup.copied import copied
from kinet.ui.transcript.blocks import documents
from kinet.ui.transcript.entries import piece_paint
from kinet.ui.transcript.stage.selection import Place
from kinet.ui.transcript.view import Transcript
from tests.ui.transcript_kit import asked, click, live, point_of, said, settle, shown

LONG = "".join(f"value_{number} = {number}\n" for number in range(400))


def _loaded(answer: str, height: int = 900) -> Transcript:
    transcript = shown(height=height)
    transcript.load([asked("Go."), said(answer)])
    settle(transcript)
    return transcript


def test_long_code_is_folded_at_480_and_opens_with_a_click(app: object) -> None:
    transcript = _loaded(f"```python\n{LONG}```\n\nThe end.")
    entry = transcript.stage.flow.entries[1]
    assert entry.piece(0).is_folded
    assert entry.piece(0).height < 580
    assert sum(piece.height for piece in entry.pieces[1:-1]) == 0
    hit = next(
        hit for hit in entry.hits(transcript.stage.flow.style, 720) if hit.action == "unfold"
    )
    assert hit.tip == "Show all 400 lines"
    click(transcript, 1, "unfold")
    assert entry.height > 400 * 20
    transcript.verticalScrollBar().setValue(transcript.verticalScrollBar().maximum())
    settle(transcript)
    click(transcript, 1, "unfold")
    assert entry.height < 700


def test_folded_code_is_copied_whole(app: object) -> None:
    transcript = _loaded(f"```python\n{LONG}```\n")
    click(transcript, 1, "copy-code")
    assert QGuiApplication.clipboard().text() == LONG.removesuffix("\n")
    transcript.selection.all()
    assert f"```python\n{LONG}```" in transcript.selection.text()


ODD = "a\x0cb\x0bc\x1b[31md\x07e\x7ff\u202eg\u00a0h\u200bi\tj\U000e0041k  \n\x0c\n\x1c\x85l"


@pytest.mark.parametrize(
    "answer",
    [
        f"```text\n{ODD}\n```\n",
        f"Before.\n\n~~~~ text\n{ODD}\n~~~~\nAfter.",
        "    " + ODD.replace("\n", "\n    "),
    ],
)
def test_copied_code_is_the_source_character_by_character(app: object, answer: str) -> None:
    transcript = _loaded(answer)
    entry = transcript.stage.flow.entries[1]
    number = next(n for n, piece in enumerate(entry.pieces) if piece.kind == "code")
    hit = next(h for h in entry.hits(transcript.stage.flow.style, 720) if h.action == "copy-code")
    transcript._actor.act(entry, hit)
    assert QGuiApplication.clipboard().text() == ODD
    # Selected it is the same: a part of it, from its first character to its last, and the whole.
    end = len(ODD.encode("utf-16-le")) // 2
    transcript.selection.set(Place(1, number, 0), Place(1, number, end))
    assert transcript.selection.text() == ODD
    transcript.selection.set(Place(1, number, 2), Place(1, number, 8))
    assert transcript.selection.text() == ODD[2:8]
    transcript.selection.all()
    assert answer.strip("\n") in transcript.selection.text()


def test_code_in_lists_and_quotes_is_copied_exactly_and_words_beside_it_are_cleaned(
    app: object,
) -> None:
    lines = ODD.split("\n")
    code = "".join(f"  {line}\n" for line in lines)
    answer = f"- wo\x1b[31mrds\x1b[0m\x07\n\n  ```\n{code}  ```\n\n> ```\n> {lines[0]}\n> ```\n"
    transcript = _loaded(answer)
    transcript.selection.all()
    shown_part = transcript.selection.text()
    assert answer.replace("wo\x1b[31mrds\x1b[0m\x07", "words").strip("\n") in shown_part
    assert copied(answer).strip("\n") in shown_part


def test_a_hit_in_folded_code_unfolds_it(app: object) -> None:
    transcript = _loaded(f"```python\n{LONG}```\n")
    assert transcript.find_next("value_390") == (1, 1)
    settle(transcript)
    assert not transcript.stage.flow.entries[1].piece(0).is_folded
    top = transcript.verticalScrollBar().value()
    assert 7000 < top < 8200


def test_code_that_is_seen_growing_stays_open(app: object) -> None:
    transcript = shown()
    events = [TurnStarted("s"), asked("Go.")]
    text = f"```python\n{LONG}```\n"
    events += [TextDelta(text[start : start + 500]) for start in range(0, len(text), 500)]
    live(transcript, [*events, said(text)])
    assert not any(piece.is_folded for piece in transcript.stage.flow.entries[1].pieces)


def test_the_thumb_of_wide_code_can_be_dragged(app: object) -> None:
    transcript = _loaded("```\n" + "x" * 300 + "\nshort\n```\n")
    entry = transcript.stage.flow.entries[1]
    piece = entry.piece(0)
    box = piece_paint.thumb(piece, QRect(0, 0, 720, piece.height))
    assert box is not None
    start = point_of(transcript, 1, box.center().x(), entry.piece_top(0) + box.center().y())
    view = transcript.viewport()
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(view, start + QPoint(60, 3))
    QApplication.processEvents()
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=start + QPoint(60, 3))
    assert piece.run.scroll > 60
    assert transcript.selection.is_empty
    # The conversation as a whole never scrolls sideways.
    assert transcript.horizontalScrollBar().maximum() == 0


def test_the_parts_of_a_long_table_share_their_columns(app: object) -> None:
    rows = [f"| {number} | word |\n" for number in range(60)]
    rows += [f"| {number} | {'many words here ' * 4} |\n" for number in range(60)]
    transcript = _loaded("| a | b |\n|---|---|\n" + "".join(rows), height=6000)
    tables = [p for p in transcript.stage.flow.entries[1].pieces if p.document is not None]
    assert len(tables) > 2
    edges = set()
    for piece in tables:
        table = documents.table_of(piece.document)
        assert table is not None
        cell = table.cellAt(0, 1).firstCursorPosition().block()
        edges.add(round(piece.document.documentLayout().blockBoundingRect(cell).x()))
    assert len(edges) == 1
