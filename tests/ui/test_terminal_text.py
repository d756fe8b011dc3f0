"""What a program printed becomes rows: colours kept, other escapes dropped, nothing hidden."""

from __future__ import annotations

import random

from kinet.ui.kit.rows import Run
from kinet.ui.kit.terminal_text import LONGEST_LINE, TerminalReader, read_all, style_after


def texts(source: str) -> list[str]:
    return [row.text for row in read_all(source)]


def test_colours_are_kept_and_the_escapes_are_gone() -> None:
    (row,) = read_all("plain \x1b[31mred\x1b[0m plain")
    assert row.text == "plain red plain"
    assert row.runs == (Run(6, 3, "danger"),)


def test_a_colour_lasts_over_lines_until_it_is_reset() -> None:
    first, second, third = read_all("\x1b[32mone\ntwo\n\x1b[mthree")
    assert first.runs == (Run(0, 3, "success"),)
    assert second.runs == (Run(0, 3, "success"),)
    assert third.runs == ()


def test_colours_of_256_and_of_16_million_become_colours_of_the_theme() -> None:
    assert style_after("", "38;5;196") == "danger"
    assert style_after("", "38;5;244") == "text_3"
    assert style_after("", "38;5;208") == "warning"
    assert style_after("", "38;2;10;220;30") == style_after("", "38:2::10:220:30") == "success"
    assert style_after("danger", "48;2;1;2;3") == "danger"
    assert style_after("danger", "38;5") == ""


def test_other_escapes_are_dropped_even_unfinished_ones() -> None:
    assert texts("\x1b]0;title\x07a\x1b[2Jb\x1b(Bc\x1bPq#1\x1b\\d") == ["abcd"]
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
