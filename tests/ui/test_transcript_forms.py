"""Where quotes, lists, tables and code stand, in each other and written from either side."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QGuiApplication, QTextDocument

from kinet.markup.visible import ITS_END, LEFT_TO_RIGHT, unbroken
from kinet.ui.transcript.blocks.pieces import Piece
from kinet.ui.transcript.stage.selection import Place
from kinet.ui.transcript.view import Transcript
from tests.ui.transcript_kit import asked, said, settle, shown

QUOTE, LIST, BAR = 16, 24, 3


def _loaded(answer: str, question: str = "Go.") -> Transcript:
    transcript = shown()
    transcript.load([asked(question), said(answer)])
    settle(transcript)
    return transcript


def _first(answer: str) -> Piece:
    return _loaded(answer).stage.flow.entries[1].pieces[0]


def _left_of(document: QTextDocument, word: str) -> float:
    """Where the line of a word begins."""
    block = document.find(word).block()
    return document.documentLayout().blockBoundingRect(block).x() + block.layout().lineAt(0).x()


def test_the_bar_of_a_quote_stands_beside_its_words_also_in_a_list(app: object) -> None:
    piece = _first("1. one\n   - two\n     > quoted\n     > > deeper\n")
    assert [bar.x() for bar in piece.ornaments.bars] == [2 * LIST, 2 * LIST + QUOTE]
    assert _left_of(piece.document, "quoted") == 2 * LIST + QUOTE
    assert _left_of(piece.document, "deeper") == 2 * LIST + 2 * QUOTE


def test_lists_in_a_quote_are_moved_in_by_the_quote_once(app: object) -> None:
    piece = _first("> words\n> - one\n>   - two\n>\n>     more\n>     - three\n")
    assert [bar.x() for bar in piece.ornaments.bars] == [0]
    assert _left_of(piece.document, "one") == QUOTE + LIST
    assert _left_of(piece.document, "two") == QUOTE + 2 * LIST
    assert _left_of(piece.document, "more") == QUOTE + 2 * LIST
    assert _left_of(piece.document, "three") == QUOTE + 3 * LIST
    quiet, also = (piece.document.find(word).charFormat() for word in ("words", "three"))
    assert also.foreground().color() == quiet.foreground().color()


def test_an_item_that_begins_with_a_quote_shows_it_as_one(app: object) -> None:
    piece = _first("- > quoted\n- plain\n")
    assert [bar.x() for bar in piece.ornaments.bars] == [LIST]
    assert len(piece.ornaments.bullets) == 2
    assert _left_of(piece.document, "quoted") == LIST + QUOTE
    assert _left_of(piece.document, "plain") == LIST


def test_the_bullet_of_an_item_that_begins_with_a_quote_stands_before_its_bar(app: object) -> None:
    piece = _first("- > quoted\n- - > deeper\n- [x] done\n")
    first, second = (point.x() for point in piece.ornaments.bullets)
    assert (first, second) == (LIST - 10, 2 * LIST - 10)
    assert all(bar.x() >= LIST for bar in piece.ornaments.bars)
    mirrored = _first("- > ציטוט\n- פריט\n")
    first, second = (point.x() for point in mirrored.ornaments.bullets)
    assert first == pytest.approx(second, abs=1)


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("- item\n\n  {}", LIST),
        ("1. a\n   - b\n\n     {}", 2 * LIST),
        ("> quote\n>\n> {}", QUOTE),
        ("- a\n  > q\n  >\n  > {}", LIST + QUOTE),
        ("- a\n  > - b\n  >\n  >   {}", 2 * LIST + QUOTE),
        ("> - a\n>\n>   {}", LIST + QUOTE),
    ],
)
def test_a_table_begins_where_the_words_beside_it_do(app: object, answer: str, left: int) -> None:
    between = answer.rsplit("\n", 1)[1].removesuffix("{}")
    before = between.replace("- ", "  ")
    table = f"\n{before}".join(["| cell | b |", "|---|---|", "| c | d |"])
    piece = _first(answer.format(table))
    assert piece.document.find("cell").currentTable() is not None
    assert _left_of(piece.document, "cell") - 12 == pytest.approx(left, abs=3)


def test_a_task_of_a_numbered_list_shows_its_number_and_its_box(app: object) -> None:
    transcript = _loaded("3. [ ] open\n4. [x] done\n5. plain\n")
    piece = transcript.stage.flow.entries[1].pieces[0]
    assert [done for _, done in piece.ornaments.tasks] == [False, True]
    box = piece.ornaments.tasks[1][0].x() - 2
    document = piece.document
    block = document.find("done").block()
    words = block.layout().lineAt(0).cursorToX(block.text().index("done"))[0]
    assert LIST + 8 <= box <= LIST + words - 12
    transcript.selection.all()
    transcript.copy(plain=True)
    settle(transcript)
    assert QGuiApplication.clipboard().text().endswith("3. ☐ open\n4. ☑ done\n5. plain")


@pytest.mark.parametrize(
    "answer", ["- a\n- ```\n  x\n  ```\n- b", "1. a\n   ```\n   x\n   ```\n2. b"]
)
def test_the_ground_of_code_in_a_list_covers_no_line_beside_it(app: object, answer: str) -> None:
    piece = _first(answer)
    layout = piece.document.documentLayout()
    above, below = (layout.blockBoundingRect(piece.document.find(c).block()) for c in "ab")
    (panel,) = piece.ornaments.panels
    assert above.bottom() <= panel.top() - 5
    assert panel.bottom() + 7 <= below.top() + 4


def test_code_in_a_quote_of_a_list_tells_its_file_which_is_not_copied(app: object) -> None:
    transcript = _loaded(
        "- a\n  > ```py totals.py\n  > x = 1\n  > ```\n- b\n  ```sh\n  ls\n  ```\n"
    )
    piece = transcript.stage.flow.entries[1].pieces[0]
    shown_there = unbroken(piece.document.toPlainText())
    assert shown_there.split("\n") == ["a", "totals.py", "x = 1", "b", "ls"]
    (bar,) = piece.ornaments.bars
    assert bar.height() >= 40
    assert len(piece.ornaments.panels) == 2
    transcript.selection.all()
    transcript.copy(plain=True)
    settle(transcript)
    assert QGuiApplication.clipboard().text().endswith("- a\nx = 1\n- b\nls")


def test_an_underlined_heading_has_the_room_of_any_other(app: object) -> None:
    def height(answer: str) -> int:
        return int(_loaded(answer).stage.flow.entries[1].height)

    assert height("a\n\nHead\n===\n\nb\n") == height("a\n\n# Head\n\nb\n")
    assert height("a\n\nTwo\nlines\n---\n\nb\n") == height("a\n\n## Two lines\n\nb\n")
    assert height("a\n\n#none\n\nb\n") == height("a\n\nnone\n\nb\n")
    assert height("a\n\n- x\n-\n\nb\n") == height("a\n\n- x\n- y\n\nb\n")


def test_two_quotes_beside_each_other_have_a_bar_each_and_one_quote_has_one(app: object) -> None:
    piece = _first("1. one\n\n   > first\n   >\n   > more\n\n   between\n\n   > second\n")
    assert len(piece.ornaments.bars) == 2


def test_a_quote_from_the_right_has_its_bar_there(app: object) -> None:
    piece = _first("> שלום עולם\n")
    assert [bar.x() for bar in piece.ornaments.bars] == [piece.document.textWidth() - BAR]


def test_a_table_in_a_quote_stands_in_it(app: object) -> None:
    piece = _first("> | a | b |\n> |---|---|\n> | one | two |\n")
    assert _left_of(piece.document, "one") > QUOTE
    assert piece.ornaments.bars[0].height() > 40


def test_the_bracket_behind_a_number_is_kept(app: object) -> None:
    block = _first("3) three\n4) four\n").document.begin()
    assert block.textList().itemText(block) == "3)"


def test_code_within_a_line_is_read_from_the_left_in_any_paragraph(app: object) -> None:
    transcript = _loaded("עברית עם `call(x)` כאן", "שלום `f()` עולם")
    for entry in transcript.stage.flow.entries[:2]:
        document = entry.pieces[0].document
        text = document.begin().text()
        assert text.count(LEFT_TO_RIGHT) == text.count(ITS_END) == 1
        line = document.begin().layout().lineAt(0)
        place = text.index(")")
        left, right = (line.cursorToX(place - shift)[0] for shift in (1, 0))
        assert left < right
    # What keeps it so is nothing of the text.
    document = transcript.stage.flow.entries[1].pieces[0].document
    assert unbroken(document.begin().text()) == "עברית עם call(x) כאן"
    transcript.selection.set(Place(1, 0, 6), Place(1, 0, 10**6))
    assert transcript.selection.text() == "עם call(x) כאן"


def test_marks_that_reorder_are_visible_in_code_within_a_line(app: object) -> None:
    text = _first("See `a\u202eb\u2069c` here").document.toPlainText()
    assert "\u202e" not in text
    assert text.count("\u2426") == 2


def test_code_in_a_cell_has_its_ground_and_the_size_of_the_cell(app: object) -> None:
    piece = _first("| a | b |\n|---|---|\n| `x\\|y` | word |\n")
    assert len(piece.ornaments.boxes) == 1
    code = piece.document.find("x|y").charFormat().font().pixelSize()
    assert code < piece.document.find("word").charFormat().font().pixelSize()


def test_a_tab_in_a_message_of_the_person_is_four_characters_wide(app: object) -> None:
    transcript = _loaded("OK", "\tx")
    option = transcript.stage.flow.entries[0].pieces[0].document.defaultTextOption()
    assert 20 < option.tabStopDistance() < 40
