"""Formulas are drawn for what is seen, once; what is seen comes to rest, however many it holds."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication

from kinet.core.events import Event, TextDelta
from kinet.markup.formulas import Drawing
from kinet.ui.transcript.blocks import formula_shelf
from tests.ui.transcript_kit import asked, live, said, settle, shown

_SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>'


@pytest.fixture
def drawings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was drawn, in order; nothing is drawn really."""
    drawn: list[str] = []

    def draw(tex: str, **_looks: object) -> Drawing:
        drawn.append(tex)
        return Drawing(_SVG, 8, 8, 6)

    monkeypatch.setattr(formula_shelf, "draw_formula", draw)
    return drawn


def test_copying_the_words_of_a_conversation_draws_none_of_its_formulas(
    app: object, drawings: list[str]
) -> None:
    events: list[Event] = []
    for number in range(200):
        events += [asked(f"Ask {number}"), said(f"It is $x_{{{number}}}$ here.")]
    transcript = shown()
    transcript.load(events)
    settle(transcript)
    seen = len(drawings)
    assert 0 < seen < 40
    transcript.selection.all()
    transcript.copy(plain=True)
    settle(transcript)
    copied = QGuiApplication.clipboard().text()
    assert all(f"It is $x_{{{number}}}$ here." in copied for number in range(200))
    assert len(drawings) == seen


def test_a_block_of_many_formulas_comes_to_rest(app: object, drawings: list[str]) -> None:
    transcript = shown()
    source = " ".join(f"${chr(97 + n % 26)}_{{{n}}}$" for n in range(560))
    transcript.load([asked("All of them."), said(source)])
    settle(transcript)
    assert len(drawings) == len(set(drawings)) == 560


def test_what_is_drawn_together_is_told_together(app: object, drawings: list[str]) -> None:
    transcript = shown()
    told: list[int] = []
    transcript._formulas.drawn.connect(lambda: told.append(len(drawings)))
    transcript.load([asked("Some."), said(" ".join(f"$x_{{{n}}}$" for n in range(100)))])
    settle(transcript)
    assert len(drawings) == 100
    assert len(told) < 50


def test_a_formula_is_made_a_picture_once_while_its_answer_comes(
    app: object, drawings: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Drawing] = []
    room_of = formula_shelf.room_of

    def make(drawing: Drawing, *looks: Any) -> Any:
        made.append(drawing)
        return room_of(drawing, *looks)

    monkeypatch.setattr(formula_shelf, "room_of", make)
    transcript = shown()
    transcript.load([asked("Some.")])
    presenter = live(transcript, [TextDelta("Here $x$ and $y$ are")])
    for _ in range(10):
        presenter.show(TextDelta(" and more"))
        settle(transcript)
    assert len(made) == 2


@pytest.mark.parametrize("tex", ["x", "z^2", "n", r"\alpha", "m+n", r"\hat z"])
@pytest.mark.parametrize("before", ["", "# ", "## ", "- ", "> "])
def test_a_formula_stands_on_the_line_of_its_words(app: object, tex: str, before: str) -> None:
    transcript = shown()
    transcript.load([asked("Some."), said(f"{before}x ${tex}$")])
    settle(transcript)
    entry = transcript.stage.flow.entries[1]
    top = transcript.stage.flow.top_of(1) - transcript.verticalScrollBar().value()
    image = transcript.grab().toImage()
    left = transcript.stage.column[0] + {"- ": 22, "> ": 14}.get(before, 0)
    rows = range(top - 4, top + entry.height + 2)

    def lowest(first: int, last: int) -> int:
        """The lowest row with something dark between two columns."""
        return max(
            y
            for y in rows
            if any(image.pixelColor(x, y).lightness() < 140 for x in range(first, last))
        )

    wide = 16 if before == "# " else 13
    assert abs(lowest(left, left + wide - 3) - lowest(left + wide + 3, left + 90)) <= 1


def _rows(answer: str) -> list[tuple[int, ...]]:
    """What is dark in the first columns of an answer that has streamed, row by row."""
    transcript = shown()
    transcript.load([asked("Some.")])
    settle(transcript)
    pieces = [answer[place : place + 5] for place in range(0, len(answer), 5)]
    live(transcript, [*(TextDelta(piece) for piece in pieces), said(answer)])
    entry = transcript.stage.flow.entries[1]
    top = transcript.stage.flow.top_of(1) - transcript.verticalScrollBar().value()
    image, left = transcript.grab().toImage(), transcript.stage.column[0]
    return [
        tuple(x for x in range(left, left + 40) if image.pixelColor(x, y).lightness() < 140)
        for y in range(top, top + entry.height)
    ]


@pytest.mark.parametrize(
    "tex", ["y", "g_j", "f(x)", "x_i^2", r"\frac{a}{b}", r"O(n \log n)", r"\vec p", "[a, b]"]
)
def test_a_formula_moves_neither_its_words_nor_what_stands_below(app: object, tex: str) -> None:
    below = "\n\nWords that follow"
    assert _rows(f"Words ${tex}$ and x{below}") == _rows(f"Words x and x{below}")


@pytest.mark.parametrize("tex", [r"\sqrt{y}", r"\frac{a_{i_j}}{b_{i_j}}"])
def test_what_is_deeper_makes_room_below_and_leaves_its_words_in_place(
    app: object, tex: str
) -> None:
    deep, flat = _rows(f"Words ${tex}$ and\n\nWords"), _rows("Words x and\n\nWords")
    assert deep[:28] == flat[:28]
    assert 0 < len(deep) - len(flat) < 12


def test_formulas_one_above_the_other_never_meet(app: object) -> None:
    tex = r"$\sum_{i=1}^n \frac{a}{b}$"
    rows = _rows(f"{tex}  \n{tex}  \n{tex}")
    dark = [bool(row) for row in rows]
    assert sum(now and not before for before, now in pairwise([False, *dark])) == 3
