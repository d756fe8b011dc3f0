"""What a program printed becomes rows: colours kept, other escapes dropped, nothing hidden."""

from __future__ import annotations

import random

import pytest
from PySide6.QtGui import QTextFormat

from kinet.ui.kit.readable import contrast
from kinet.ui.kit.row_view import RowView
from kinet.ui.kit.rows import Run, said
from kinet.ui.kit.terminal_text import LONGEST_LINE, TerminalReader, coloured, read_all
from kinet.ui.look.theme import Mode, load_theme


def texts(source: str) -> list[str]:
    return [row.text for row in read_all(source)]


def token(source: str) -> str:
    """The colour that words have after an escape code."""
    return read_all(f"{source}x")[0].runs[0].token


def test_colours_are_kept_and_the_escapes_are_gone() -> None:
    (row,) = read_all("plain \x1b[31mred\x1b[0m plain")
    assert row.text == "plain red plain"
    assert row.runs == (Run(6, 3, "danger"),)


def test_a_colour_lasts_over_lines_until_it_is_reset() -> None:
    first, second, third = read_all("\x1b[32mone\ntwo\n\x1b[mthree")
    assert first.runs == (Run(0, 3, "success"),)
    assert second.runs == (Run(0, 3, "success"),)
    assert third.runs == ()


def test_colours_of_256_and_of_16_million_stay_what_they_are() -> None:
    assert token("\x1b[38;5;196m") == "#ff0000"
    assert token("\x1b[38;5;9m") == token("\x1b[91m") == token("\x1b[31m") == "danger"
    assert token("\x1b[38;2;10;220;30m") == token("\x1b[38:2::10:220:30m") == "#0adc1e"
    assert token("\x1b[31m\x1b[38;5m") == "danger"
    assert read_all("\x1b[48;2;1;2;3mx")[0].runs == (Run(0, 1, "@text", "#010203"),)


def test_grounds_forms_and_reversed_colours_are_kept() -> None:
    (row,) = read_all("\x1b[1;41mFAIL\x1b[0m \x1b[3;4;9mx\x1b[0m\x1b[7my\x1b[0;7;32mz\x1b[27mw")
    assert [run[2:5] for run in row.runs] == [
        ("@text", "#b3261e", "b"),
        ("", "", "isu"),
        ("@surface", "@text", ""),
        ("@surface", "#187042", ""),
        ("success", "", ""),
    ]


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_colour_can_be_read_on_its_ground(app: object, mode: Mode) -> None:
    theme = load_theme(mode)
    for surface in ("side", "code"):
        view = RowView(surface=surface)
        view.set_theme(theme)
        inks = ["", *(f"38;5;{number}" for number in range(256)), "38;2;127;127;127"]
        grounds = ["", "41", "43", "107", "40", "48;5;244", "48;2;255;255;0", "48;2;120;120;120"]
        view.show_rows(
            [row for ink in inks for g in grounds for row in read_all(f"\x1b[{ink};{g}mword")]
        )
        view.resize(200, 60_000)
        view.show()
        view.decorate()
        block = view.document().begin()
        looked = 0
        while block.isValid():
            for piece in block.layout().formats():
                form = piece.format
                ground = form.background().color().name() if form.hasProperty(
                    QTextFormat.Property.BackgroundBrush.value
                ) else theme.color(surface)  # fmt: skip
                assert contrast(form.foreground().color().name(), ground) >= 4.5
                looked += 1
            block = block.next()
        assert looked > 1_000
        view.close()


def test_other_escapes_are_dropped_even_unfinished_ones() -> None:
    assert texts("\x1b]0;title\x07a\x1b[?25lb\x1b(Bc\x1bPq#1\x1b\\d") == ["abcd"]
    assert texts("end\x1b[3") == ["end"]
    assert texts("end\x1b]8;;http://example.org") == ["end"]


def test_a_carriage_return_overwrites_the_line() -> None:
    assert texts("10 %\r100 %\n") == ["100 %"]
    assert texts("long line\rshort\x1b[K") == ["short"]
    assert texts("windows\r\nline\r\n") == ["windows", "line"]


def test_the_cursor_moves_within_its_line() -> None:
    assert texts("abcdef\x1b[3Dxyz") == ["abcxyz"]
    assert texts("A\x1b[5CB") == ["A     B"]
    assert texts("[#   ]\x1b[1G[##  ]\x1b[5G#") == ["[## #]"]
    assert texts("half\x1b[0G\x1b[Kwhole") == ["whole"]
    assert texts("a\x1b[99Db\x1b[C\x1b[Dc") == ["bc"]
    assert len(texts("a\x1b[999999999Cb")[0]) < 2_000


def test_control_and_reordering_characters_are_shown() -> None:
    assert texts("a\x00b\x7f") == ["a␀b␡"]
    assert texts("x\u202ey\u2028z") == ["x⟨U+202E⟩y⟨U+2028⟩z"]


def test_a_very_long_line_is_broken_for_display_and_marked_as_one() -> None:
    rows = read_all("a" * (LONGEST_LINE + 1))
    assert len(rows) > 1
    assert "".join(row.text for row in rows) == "a" * (LONGEST_LINE + 1)
    assert [row.joined for row in rows] == [False] + [True] * (len(rows) - 1)


def test_rows_know_their_place_in_the_source() -> None:
    source = "one\n\x1b[31mtwo\x1b[0m\n\nfour"
    rows = read_all(source)
    assert [(row.start, row.end) for row in rows] == [(0, 4), (4, 17), (17, 18), (18, 22)]
    assert source[rows[1].start : rows[1].end] == "\x1b[31mtwo\x1b[0m\n"


def test_pieces_give_the_same_rows_as_the_whole() -> None:
    source = "".join(
        random.Random(7).choices(
            ["ab", "\n", "\r", "\x1b[31m", "\x1b[0m", "é", "\x1b[K", "字"], k=4000
        )
    )
    reader, rows, place = TerminalReader(), [], 0
    cuts = random.Random(8)
    while place < len(source):
        size = cuts.randint(1, 9)
        rows += reader.feed(source[place : place + size])
        place += size
    assert rows + reader.rest() == read_all(source)


def test_a_spinner_without_line_feeds_keeps_only_its_newest_state() -> None:
    reader = TerminalReader()
    for number in range(20_000):
        assert reader.feed(f"\r{number} of 20000") == []
    assert reader.rest()[-1].text == "19999 of 20000"


def link(address: str, words: str) -> str:
    return f"\x1b]8;;{address}\x1b\\{words}\x1b]8;;\x1b\\"


def test_a_link_tells_where_it_leads_unless_its_words_do() -> None:
    (row,) = read_all(f"see {link('https://a.test/x', 'the page')} and more")
    assert row.text == "see the page a.test and more"
    assert said(row) == "see the page and more"
    assert said(row, 4, 15) == "the page"
    assert row.runs[0] == Run(4, 8, "link", "", "u", "https://a.test/x")
    assert texts(link("https://a.test/x", "https://a.test/x")) == ["https://a.test/x"]
    (lie,) = read_all(link("https://evil.test/", "https://bank.test/"))
    assert lie.text == "https://bank.test/ evil.test"
    # What may not be opened is no link, and its address is told whole.
    (file,) = read_all(link("file:///etc/passwd", "notes"))
    assert file.text == "notes file:///etc/passwd"
    assert file.runs[0].token == file.runs[0].form == ""


def test_colours_lie_over_the_text_line_by_line() -> None:
    printed = "\x1b[31mone\x1b[0m\n\x1b[32mtwo\x1b[0m\nthr\0ee\n\x1b[33mfour"
    rows = list(coloured("one\nanother\nthree\nfour\n[exit 1]", printed))
    assert [row.text for row in rows] == ["one", "another", "three", "four", "[exit 1]"]
    assert [bool(row.runs) for row in rows] == [True, False, False, True, False]
    assert [(row.start, row.end) for row in rows][:2] == [(0, 4), (4, 12)]


def test_bars_of_several_rows_are_drawn_in_place_as_they_come() -> None:
    reader, finished = TerminalReader(), []
    for number in range(101):
        finished += reader.feed(f"\rA: {number}%\n\rB: {number // 2}%\x1b[A")
    assert not finished
    assert [row.text for row in reader.rest()] == ["A: 100%", "B: 50%"]
