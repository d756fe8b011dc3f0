"""Find looks through the words as they are read, also of what is folded or far away."""

from __future__ import annotations

import pytest

from kinet.ui.transcript.blocks.formula_objects import OBJECT
from kinet.ui.transcript.entries.steps_group import StepGroup
from kinet.ui.transcript.entries.text_entry import TextEntry
from kinet.ui.transcript.stage.finding import occurrences
from tests.ui.transcript_kit import asked, said, saved, settle, shown, turn


def test_it_goes_from_place_to_place_and_around(app: object) -> None:
    transcript = shown()
    events = [
        asked("first needle"),
        said("no\n\n" * 80),
        said("a Needle and a needle"),
        asked("end"),
    ]
    transcript.load(events)
    settle(transcript)
    assert transcript.find_next("needle") == (1, 3)
    assert not transcript.following
    assert transcript.find_next("needle") == (2, 3)
    assert transcript.find_next("needle") == (3, 3)
    assert transcript.find_next("needle") == (1, 3)
    assert transcript.find_next("needle", backwards=True) == (3, 3)
    assert transcript.find_next("nowhere") == (0, 0)


def test_the_place_comes_into_view(app: object) -> None:
    transcript = shown()
    transcript.load([said("needle here"), *(said(f"Message {n}.\n\n" * 20) for n in range(30))])
    settle(transcript)
    transcript.find_next("needle")
    settle(transcript)
    assert transcript.verticalScrollBar().value() == 0


def test_a_place_in_a_folded_step_opens_it(app: object) -> None:
    transcript = shown()
    calls: list[str] = []
    transcript.step_activated.connect(calls.append)
    transcript.load(saved(turn()))
    settle(transcript)
    assert transcript.find_next("12 lines") == (1, 1)
    assert calls == ["c1"]
    group = next(e for e in transcript.stage.flow.entries if isinstance(e, StepGroup))
    assert group.open


def test_clearing_takes_the_marks_away(app: object) -> None:
    transcript = shown()
    transcript.load([said("needle")])
    settle(transcript)
    before = transcript.grab().toImage()
    transcript.find_next("needle")
    assert transcript.grab().toImage() != before
    transcript.clear_find()
    assert transcript.grab().toImage() == before


@pytest.mark.parametrize(
    ("wanted", "answer"),
    [
        ("bold text", "Some **bo**ld text."),
        ("use call", "Please use `call()` here."),
        ("cafe", "Un café à Paris."),
        ("strasse", "In der **Straße** dort."),
        ("two words", "These are two\nwords."),
        ("السلام", "قال السَّلَامُ عليكم"),
        ("a&b", "It is a&amp;b."),
        ("cell", "| a | b |\n|---|---|\n| x | **ce**ll |"),
    ],
)
def test_words_are_found_as_they_are_read_and_marked_there(
    app: object, wanted: str, answer: str
) -> None:
    transcript = shown()
    transcript.load([asked("Go."), said(answer)])
    settle(transcript)
    assert transcript.find_next(wanted) == (1, 1)
    assert transcript.finder.current is not None
    document = transcript.stage.flow.entries[1].pieces[0].document
    assert len(occurrences(document, wanted)) == 1


@pytest.mark.parametrize(
    ("wanted", "answer", "places"),
    [
        (
            "alpha",
            "Here is alpha, $\\alpha + \\alpha_1$, and alpha 🚀 \\(\\alpha\\) again: alpha.",
            6,
        ),
        ("frac{a", "See\n\n$$\n\\frac{a}{b} = c\n+ \\frac{a}{d}\n$$\n\nand no more.", 2),
        ("x_1", "We take $x_1$ and $x_12$, but not $y$.", 2),
        ("y", "| a | b |\n|---|---|\n| $x$ | $y$ |", 1),
        ("and $z$", "First and $z$ then.", 1),
    ],
)
def test_places_in_drawn_formulas_are_marked_and_gone_to(
    app: object, wanted: str, answer: str, places: int
) -> None:
    transcript = shown()
    transcript.load([asked("Go."), said(answer)])
    settle(transcript)
    before = transcript.grab().toImage()
    entry = transcript.stage.flow.entries[1]
    assert any(OBJECT in piece.document.toRawText() for piece in entry.pieces)
    for number in range(places):
        assert transcript.find_next(wanted) == (number + 1, places)
        match = transcript.finder.current
        assert match is not None
        found = occurrences(entry.pieces[match.piece].document, wanted)
        assert match.number < len(found)
        settle(transcript)
        assert transcript.grab().toImage() != before
    marked = sum(len(occurrences(piece.document, wanted)) for piece in entry.pieces)
    assert marked == places


def test_a_marked_formula_has_the_colour_of_a_mark_behind_it(app: object) -> None:
    transcript = shown()
    transcript.load([asked("Go."), said("It is $\\sqrt{x}$ here.")])
    settle(transcript)
    style = transcript.stage.flow.style
    colour = style.color("find_current").name()
    assert transcript.find_next("sqrt") == (1, 1)
    settle(transcript)
    image = transcript.grab().toImage()
    marked = [
        x
        for x in range(image.width())
        if any(image.pixelColor(x, y).name() == colour for y in range(image.height()))
    ]
    assert 10 < len(marked) < 60


def test_a_long_message_that_nobody_has_seen_is_split_bit_by_bit_before_it_is_shown(
    app: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(f"Paragraph {number}.\n\n" for number in range(1_500)) + "The needle.\n"
    transcript = shown()
    transcript.load([asked("Go."), said(text), *[said("Short words.\n\n" * 80)] * 8])
    settle(transcript)
    entry = transcript.stage.flow.entries[1]
    assert entry.blocks is None
    asked_for: list[bool] = []
    split = TextEntry.split

    def slowly(self: TextEntry, deadline: float) -> bool:
        done = split(self, 0.0)
        if self is entry:
            asked_for.append(done)
        return done

    monkeypatch.setattr(TextEntry, "split", slowly)
    found: list[tuple[int, int]] = []
    transcript.found.connect(lambda number, of: found.append((number, of)))
    assert transcript.find_next("needle") is None
    settle(transcript)
    assert found == [(1, 1)]
    assert asked_for.count(False) > 1
    assert asked_for[-1]
    assert transcript.finder.current is not None
    assert transcript.finder.current.entry == 1
    # It is split by now: the next place is there at once.
    assert transcript.find_next("needle") == (1, 1)
