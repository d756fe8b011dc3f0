"""A table that is read from the right begins there: on screen and on a page, copied and found."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextDocument

from kinet.markup.page import body_html
from kinet.ui.compare.difference_marks import DifferenceMarks
from kinet.ui.transcript.blocks.documents import is_mirrored, table_of
from kinet.ui.transcript.spoken.spoken import part_name
from kinet.ui.transcript.stage.finding import occurrences
from kinet.ui.transcript.stage.selection import Place
from kinet.ui.transcript.view import Transcript
from tests.ui.transcript_kit import asked, said, settle, shown

ARABIC = "| الاسم | العدد | `code` |\n|---|--:|---|\n| أحمد | 12 | a b |\n| ليلى | 7 | $x$ |\n"


def loaded(answer: str) -> Transcript:
    transcript = shown()
    transcript.load([asked("Go."), said(answer)])
    settle(transcript)
    return transcript


def document_of(transcript: Transcript, number: int = 0) -> QTextDocument:
    document = transcript.stage.flow.entries[1].pieces[number].document
    assert document is not None
    return document


def places_of(document: QTextDocument) -> dict[str, float]:
    """The left edge of each cell's words, by the words."""
    found, block = {}, document.begin()
    while block.isValid():
        layout = document.documentLayout()
        line = block.layout().lineAt(0)
        if block.text() and line.isValid():
            left = layout.blockBoundingRect(block).x() + line.naturalTextRect().x()
            found[block.text().strip("\u2060\u2066\u2069")] = left
        block = block.next()
    return found


def test_its_first_column_is_at_the_right_and_words_begin_there(app: object) -> None:
    document = document_of(loaded(ARABIC))
    place = places_of(document)
    assert place["الاسم"] > place["العدد"] > place["code"]
    assert place["أحمد"] > place["12"] > place["a b"]
    # A number stands where its column was told to stand; Latin words begin at the left of theirs.
    assert place["12"] < place["7"]
    assert place["a b"] < 60
    table = table_of(document)
    assert table is not None
    assert is_mirrored(table)


@pytest.mark.parametrize(
    ("answer", "turned"),
    [
        ("| 1 | 2 |\n|---|---|\n| 3 | كلمة |\n", True),
        ("| Name | שם |\n|---|---|\n| one | אחד |\n", False),
        ("| 1 | 2 |\n|---|---|\n| 3 | 4 |\n", False),
        ("| שם | Name |\n|---|---|\n| אחד | one |\n", True),
    ],
)
def test_the_first_letter_of_its_text_tells_the_direction(
    app: object, answer: str, turned: bool
) -> None:
    table = table_of(document_of(loaded(answer)))
    assert table is not None
    assert is_mirrored(table) == turned
    assert f'<table dir="{"rtl" if turned else "ltr"}">' in body_html(answer)


def test_it_is_copied_and_read_out_as_it_is_read(app: object) -> None:
    transcript = loaded(ARABIC)
    transcript.selection.all()
    assert transcript.selection.text(plain=True).endswith(
        "الاسم\tالعدد\tcode\nأحمد\t12\ta b\nليلى\t7\t$x$"
    )
    assert ARABIC.strip() in transcript.selection.text()
    end = document_of(transcript).characterCount() - 1
    transcript.selection.set(Place(1, 0, 0), Place(1, 0, end - 1))
    assert transcript.selection.text().startswith("الاسم\tالعدد\tcode\nأحمد\t12")
    entry = transcript.stage.flow.entries[1]
    assert "الاسم, العدد, code" in part_name(entry, 0, transcript.stage.flow)


def test_in_a_list_and_a_quote_it_is_turned_and_copied_row_by_row(app: object) -> None:
    for mark, inner in (("- عنصر\n\n", "  "), ("> اقتباس\n>\n", "> ")):
        rows = ARABIC.replace("| $x$", "| c").splitlines()
        transcript = loaded(mark + "".join(f"{inner}{row}\n" for row in rows))
        place = places_of(document_of(transcript))
        assert place["الاسم"] > place["العدد"] > place["code"]
        transcript.selection.all()
        words = transcript.selection.text(plain=True)
        assert "الاسم\tالعدد\tcode\nأحمد\t12\ta b\nليلى\t7\tc" in words


def test_places_are_found_in_the_order_they_are_read(app: object) -> None:
    transcript = loaded("| كلمة x1 | x2 |\n|---|---|\n| x3 | x4 |\n")
    document = document_of(transcript)
    shown_order = [
        document.toRawText()[start : stop + 1] for start, stop in occurrences(document, "x")
    ]
    assert shown_order == ["x1", "x2", "x3", "x4"]


def test_a_comparison_marks_the_cells_that_differ(app: object) -> None:
    source = "| الاسم | قديم |\n|---|---|\n| أحمد | سبعة |\n"
    transcript = loaded(source)
    marks = DifferenceMarks(transcript.stage.flow.entries)
    spans = []
    for word in ("الاسم", "سبعة"):
        start = marks.text.index(word)
        spans.append((start, start + len(word)))
    marks.set_spans(spans)
    found = marks.of_block(1, 0, document_of(transcript))
    assert [one.cursor.selectedText() for one in found] == ["الاسم", "سبعة"]


def test_all_parts_of_a_long_one_are_turned_and_stand_in_its_columns(app: object) -> None:
    rows = "".join(f"| صف {n} | {n} | w{n} |\n" for n in range(130))
    transcript = loaded("| الاسم | العدد | كلمة |\n|---|--:|---|\n" + rows)
    entry = transcript.stage.flow.entries[1]
    bar = transcript.verticalScrollBar()
    edges = []
    for part in range(len(entry.pieces)):
        document = entry.document_of(part, transcript.stage.flow.style, transcript.stage.flow.width)
        table = table_of(document)
        assert table is not None
        assert is_mirrored(table)
        edges.append(
            [
                round(
                    document.documentLayout()
                    .blockBoundingRect(table.cellAt(0, column).firstCursorPosition().block())
                    .x()
                )
                for column in range(3)
            ]
        )
    assert len(edges) > 2
    assert all(abs(a - b) <= 1 for one in edges[1:] for a, b in zip(one, edges[0], strict=True))
    assert bar.maximum() > 0


def test_on_a_page_what_has_no_letters_stands_as_the_table_does() -> None:
    page = body_html("| اسم | 1 | x |\n|---|---|---|\n")
    assert '<th dir="rtl">1</th>' in page
    assert '<th dir="ltr">x</th>' in page
