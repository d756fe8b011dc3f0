"""A conversation on paper: letters of a size that can be read, nothing cut, nothing hidden."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QSizeF, Qt
from PySide6.QtGui import QImage, QPainter, QTextDocument
from PySide6.QtPrintSupport import QPrinter

from kinet.core.messages import Message, ToolCall
from kinet.core.own_command import OwnCommand
from kinet.markup.formulas import Drawing
from kinet.ui.look.theme import load_theme
from kinet.ui.window import printing
from kinet.ui.window.export_desk import pdf_steps
from kinet.ui.window.paper import Paper
from kinet.ui.window.printing import do_all, print_steps
from tests.ui.transcript_kit import asked, said, settle, shown

pypdf = pytest.importorskip("pypdf")

_LONG = "```python\n" + "".join(f"line_{n} = {n}\n" for n in range(150)) + "```\n"


def _written(path: Path, answer: str) -> list[list[tuple[str, float]]]:
    """The pieces of text of each page, with the size of their letters in points."""
    do_all(pdf_steps(path, "Talk", (Message("user", "Go."), Message("assistant", answer))))
    pages = []
    for page in pypdf.PdfReader(path).pages:
        pieces: list[tuple[str, float]] = []

        def see(text: str, cm: list[float], tm: list[float], _font: object, size: float) -> None:
            if text.strip():
                pieces.append((_spaced(text), abs(size * tm[3] * cm[3])))  # noqa: B023

        page.extract_text(visitor_text=see)
        pages.append(pieces)
    return pages


def documents(messages: tuple[Message, ...]) -> list[QTextDocument]:
    """What is laid out, one after the other."""
    paper = Paper("Talk", messages)
    return [paper.document(part, 0) for part in paper.portions() if isinstance(part, str)]


def _spaced(text: str) -> str:
    # A space and a tab are one drawing in the font, so that a reader may find either.
    return " ".join(text.split())


def _text(pages: list[list[tuple[str, float]]]) -> str:
    return " ".join(text for page in pages for text, _ in page)


def test_letters_have_the_size_they_are_read_at(app: object, tmp_path: Path) -> None:
    (page,) = _written(tmp_path / "a.pdf", "# Title\n\nSome words.\n\n```\ncode\n```\n")
    sizes = [size for _, size in page]
    assert min(sizes) > 7
    assert max(sizes) < 30


def test_a_long_answer_goes_on_over_pages_that_tell_their_number(
    app: object, tmp_path: Path
) -> None:
    pages = _written(tmp_path / "a.pdf", _LONG)
    said = _text(pages)
    assert len(pages) in (3, 4)
    assert all(f"line_{n} = {n}" in said for n in range(150))
    assert pages[1][-1][0] == f"2 / {len(pages)}"


def test_only_the_pages_that_were_asked_for_are_printed(app: object, tmp_path: Path) -> None:
    printer = QPrinter()
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "a.pdf"))
    do_all(print_steps(printer, "Talk", (Message("assistant", _LONG),), 2, 2))
    (page,) = pypdf.PdfReader(tmp_path / "a.pdf").pages
    assert "2 / 3" in _spaced(page.extract_text())


def test_what_is_written_is_what_stands_there(app: object, tmp_path: Path) -> None:
    pages = _written(tmp_path / "a.pdf", "`a != b -> c || d` and --> and <b>x</b> 4x4\n")
    assert "a != b -> c || d" in _text(pages)
    assert "--> and <b>x</b> 4x4" in _text(pages)


def test_a_page_is_filled_before_the_next_one_begins(app: object, tmp_path: Path) -> None:
    told = "\n\n".join(f"Paragraph {n} " + "of many words " * 40 for n in range(60))
    pages = _written(tmp_path / "a.pdf", told)
    assert len(documents((Message("assistant", told),))) > 5
    places = [_text([page]).count("Paragraph") for page in pages]
    # Qt writes a line at the edge of a page for both, unseen on one of them.
    assert 60 <= sum(places) < 60 + len(pages)
    assert max(places[1:-1]) - min(places[1:-1]) <= 2
    said = _text(pages)
    assert [said.index(f"Paragraph {n} ") for n in range(60)] == sorted(
        said.index(f"Paragraph {n} ") for n in range(60)
    )


def test_a_long_session_is_laid_out_again_page_by_page_and_reads_the_same(
    app: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = _written(tmp_path / "a.pdf", _LONG * 3)
    monkeypatch.setattr(printing, "_KEPT", 0)
    assert _written(tmp_path / "b.pdf", _LONG * 3) == kept


def test_a_formula_on_paper_is_drawn_as_work_of_its_own(
    app: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[str] = []

    def draw(tex: str, **_looks: object) -> Drawing | None:
        drawn.append(tex)
        svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>'
        return None if "bad" in tex else Drawing(svg, 8, 8, 6)

    monkeypatch.setattr("kinet.ui.window.paper.draw_formula", draw)
    told = Message("assistant", "It is $x^2$ and $x^2$ and $\\bad$.")
    work = [step for step in Paper("Talk", (told,)).portions() if callable(step)]
    assert len(work) == 2
    assert drawn == []
    pages = _written(tmp_path / "a.pdf", told.text)
    assert drawn == ["x^2", "\\bad"]
    assert "$x^2$" not in _text(pages)
    assert "\\bad" in _text(pages)


def test_what_is_given_up_leaves_the_older_file_and_nothing_else(
    app: object, tmp_path: Path
) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(b"older")
    steps = pdf_steps(path, "Talk", (Message("assistant", _LONG),))
    while not str(next(steps)).startswith("Page 1 of"):
        assert path.read_bytes() == b"older"
    steps.close()
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("a.pdf", b"older")]


_FORMS = """> quoted `code` words
>
> > deeper
>
> - item of a quote
>
>   ```py
>   x = 1
>   ```

- bullet
- [ ] open
  - [x] done

---

1. number with `code`

   > quoted in an item

| a | b |
|---|---|
| `c` | d |

> שלום
"""


def test_what_stands_around_words_on_screen_stands_there_on_paper(app: object) -> None:
    transcript = shown()
    transcript.load([asked("Go."), said(_FORMS)])
    settle(transcript)
    pieces = transcript.stage.flow.entries[1].pieces
    paper = Paper("Talk", (Message("assistant", _FORMS),))
    made = [paper.document(part, 0) for part in paper.portions() if isinstance(part, str)]
    around = [paper.around(document) for document in made]
    for kind in ("bars", "bullets", "tasks", "boxes", "panels", "rules"):
        on_screen = sum(len(getattr(piece.ornaments, kind)) for piece in pieces)
        assert on_screen > 0
        assert sum(len(getattr(one, kind)) for one in around) == on_screen, kind
    assert sorted(done for one in around for _, done in one.tasks) == [False, True]


def test_each_block_of_code_has_a_ground_of_its_own_that_covers_no_other_line(app: object) -> None:
    source = "> quoted\n\n```\na\n\nb\n```\n\n```\nc\n```\n\nwords\n"
    paper = Paper("Talk", (Message("assistant", source),))
    made = [paper.document(part, 0) for part in paper.portions() if isinstance(part, str)]
    (document,) = (one for one in made if "quoted" in one.toPlainText())
    first, second = paper.around(document).panels
    layout = document.documentLayout()
    above, below = (
        layout.blockBoundingRect(document.find(word).block()) for word in ("quoted", "words")
    )
    assert above.bottom() <= first.top() - 5
    assert first.bottom() + 7 < second.top() - 5
    assert second.bottom() + 7 <= below.top() + 4


def test_code_that_begins_on_the_next_page_leaves_no_ground_on_this_one(app: object) -> None:
    for lines in range(18, 24):
        source = "  \n".join(["word"] * lines) + "\n\n```\ncode\n```\n"
        paper = Paper("Talk", (Message("assistant", source),))
        pages = printing._Pages(paper, QSizeF(600, 600))
        do_all(pages.lay_out())
        portion = pages._portions[-1]
        (panel,) = paper.around(portion.document).panels
        assert panel.height() < 40
        assert int(panel.top() // 600) == int(panel.bottom() // 600)


def test_a_quote_has_its_bar_over_the_edge_of_a_page(app: object, tmp_path: Path) -> None:
    paper = Paper("Talk", (Message("assistant", "\n".join(f"> line {n}  " for n in range(60))),))
    pages = printing._Pages(paper, QSizeF(600, 800))
    do_all(pages.lay_out())
    assert pages.count == 2
    image = QImage(600, 1_600, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    for page in range(2):
        do_all(pages.draw(painter, page))
        painter.translate(0, 800)
    painter.end()
    dark = [y for y in range(1_600) if image.pixelColor(1, y).lightness() < 230]
    bar = [y for y in dark if y > 140]
    assert (bar[0], bar[-1] > 1_400) == (141, True)
    assert len(bar) > bar[-1] - bar[0] - 40


def test_code_on_paper_has_its_colours_its_file_and_its_language(app: object) -> None:
    source = (
        "```python totals.py\ndef total(): ...\n\nreturn 1\n```\n\n- item\n  ```js\n  let x\n  ```"
    )
    made = documents((Message("assistant", source),))
    told = "\n".join(one.toPlainText() for one in made)
    told = told.replace("\u200b", "").replace("\u2060", "")
    assert "totals.py  Python\ndef total(): ...\n\nreturn 1" in told.replace("\u00a0", " ")
    assert "item\nJavaScript\nlet x" in told
    keyword = load_theme("light").syntax["keyword"].lower()
    assert made[0].find("def").charFormat().foreground().color().name() == keyword


def test_a_table_tells_its_head_again_on_each_page(app: object, tmp_path: Path) -> None:
    table = "| Name | Sum |\n|---|---|\n" + "".join(f"| n{n} | {n} |\n" for n in range(70))
    pages = _written(tmp_path / "a.pdf", table)
    assert len(pages) > 1
    assert all("Name" in _text([page]) for page in pages)


def test_a_link_can_be_followed_and_open_tasks_are_told_from_done_ones(
    app: object, tmp_path: Path
) -> None:
    pages = _written(tmp_path / "a.pdf", "[the page](https://a.test/x)\n\n- [ ] one\n- [x] two\n")
    (page,) = pypdf.PdfReader(tmp_path / "a.pdf").pages
    addresses = [note.get_object()["/A"]["/URI"] for note in page["/Annots"]]
    assert addresses[0] == "https://a.test/x"
    said_there = _text(pages)
    assert said_there.index("☐") < said_there.index("one") < said_there.index("two")
    assert said_there.count("☐") == 1


def test_code_is_written_from_the_left_and_a_long_call_says_that_it_was_cut(app: object) -> None:
    call = Message("assistant", "```\n# שלום\n```", (ToolCall("c1", "shell", "x" * 400),))
    (document,) = documents((call,))
    assert document.find("שלום").block().textDirection().value == 0
    assert "x…" in document.toPlainText()


def test_a_command_of_the_person_stands_there_with_what_it_printed(app: object) -> None:
    ran = Message("user", "42 files", kind="command", command=OwnCommand("ls | wc", "exit 0"))
    (document,) = documents((ran, Message("user", "Not yours.", kind="note")))
    said = document.toPlainText()
    assert said.index("You ran a command") < said.index("ls | wc") < said.index("42 files")
    assert "Not yours." not in said


def test_a_printer_that_takes_nothing_is_told(app: object, tmp_path: Path) -> None:
    printer = QPrinter()
    printer.setOutputFormat(QPrinter.OutputFormat.PdfFormat)
    printer.setOutputFileName(str(tmp_path / "no" / "a.pdf"))
    with pytest.raises(OSError, match="nothing can be written"):
        do_all(print_steps(printer, "Talk", (Message("user", "Go."),)))
