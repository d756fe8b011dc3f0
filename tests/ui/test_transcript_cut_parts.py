"""What was cut into parts to be drawn is copied as if it never was, wherever a selection begins."""

from __future__ import annotations

import pytest

from kinet.ui.transcript.stage.selection import Place
from kinet.ui.transcript.view import Transcript
from tests.ui.transcript_kit import asked, said, settle, shown

CODE = "".join(f"value_{number} = {number}\n" for number in range(700))
TABLE = "| a | b |\n|---|---|\n" + "".join(f"| {n} | x{n} |\n" for n in range(170))
ROWS = "\n".join(["a\tb", *(f"{n}\tx{n}" for n in range(170))])
PROSE = "".join(f"Sentence {n} of many.\n" for n in range(500))


def loaded(answer: str) -> Transcript:
    transcript = shown()
    transcript.load([asked("Go."), said(answer)])
    settle(transcript)
    assert len(transcript.stage.flow.entries[1].pieces) > 2
    return transcript


def length(transcript: Transcript, number: int) -> int:
    flow = transcript.stage.flow
    document = flow.entries[1].document_of(number, flow.style, flow.width)
    return document.characterCount() - 1


def test_a_part_of_code_that_reaches_over_its_parts_is_the_very_code(app: object) -> None:
    transcript = loaded(f"```python\n{CODE}```\n")
    selection = transcript.selection
    first = length(transcript, 0)
    # From within the first part into the second, and into the third over the whole second.
    for last in (1, 2):
        selection.set(Place(1, 0, 3), Place(1, last, 20))
        text = selection.text()
        assert text == CODE[3 : 3 + len(text)]
        assert len(text) > first
        assert selection.text(plain=True) == text
    # From the edge between two parts.
    selection.set(Place(1, 1, 0), Place(1, 2, 10))
    assert selection.text() in CODE
    selection.set(Place(1, 0, 0), Place(1, 2, 10))
    assert CODE.startswith(selection.text())


def test_the_rows_of_a_table_are_copied_once_each_and_its_head_once(app: object) -> None:
    transcript = loaded(TABLE)
    transcript.selection.all()
    assert transcript.selection.text(plain=True).removeprefix("Go.\n\n") == ROWS
    assert TABLE.strip() in transcript.selection.text()
    last = len(transcript.stage.flow.entries[1].pieces) - 1
    transcript.selection.set(Place(1, 0, 0), Place(1, last, length(transcript, last) - 2))
    assert transcript.selection.text() == ROWS
    transcript.selection.set(Place(1, 1, 0), Place(1, 1, length(transcript, 1) - 2))
    part = transcript.selection.text()
    assert part.split("\n")[0] == "40\tx40"
    assert part in ROWS


@pytest.mark.parametrize(("first", "rest"), [("", ""), ("- ", "  "), ("> ", "> ")])
def test_words_of_two_parts_do_not_run_together(app: object, first: str, rest: str) -> None:
    lines = PROSE.splitlines()
    source = "".join(f"{rest if n else first}{line}\n" for n, line in enumerate(lines))
    for text in (source, first + PROSE.replace("\n", " ") * 2):
        transcript = loaded(text)
        transcript.selection.all()
        words = transcript.selection.text(plain=True).replace("- ", "").split()
        assert words[1:] == text.removeprefix(first).replace("\n> ", "\n").split()
