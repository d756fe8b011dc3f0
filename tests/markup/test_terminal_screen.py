"""A program's bars, colours and erased lines end where a terminal has them."""

from __future__ import annotations

import random
import unicodedata

import pyte
import pytest

from kinet.markup.terminal_codes import PLAIN, Pen, pen_after, split_open
from kinet.markup.terminal_screen import LONGEST_LINE, Line, Screen, joined, plain_text

HEIGHT, WIDTH = 12, 200
# Left out where the other emulator errs: half of a wide character, M below the last line, a place
# that is restored twice; and clearing, which keeps here what was there.
_PIECES = [
    "ab", "hello ", "\n", "\n", "\n", "\r", "\b", "\x1b[31m", "\x1b[0m", "\x1b[44;97m", "\x1b[7m",
    "\x1b[1;4m", "\x1b[38;5;208m", "\x1b[48;2;1;2;3m", "\x1b[K", "\x1b[1K", "\x1b[2K", "\x1b[A",
    "\x1b[2A", "\x1b[B", "\x1b[3C", "\x1b[2D", "\x1b[5G", "\x1b[0J", "\x1b[1J", "\x1b[3P",
    "\x1b[2@", "\x1b[4X", "\x1b[L", "\x1b[2d", "\x1b[E", "\x1b[F", "\x1b7\x1b[2A\x1b[31mup\x1b8",
    "e\u0301", "\t", "100 %", "█▌", "\x1b[3;4H", "\x1b[10;1H",
]  # fmt: skip
_NAMES = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")

Seen = list[tuple[str, list[tuple[object, ...]]]]


def _of_terminal(text: str) -> Seen:
    screen = pyte.HistoryScreen(WIDTH, HEIGHT, history=10_000, ratio=1)
    screen.set_mode(pyte.modes.LNM)
    pyte.Stream(screen).feed(text)
    rows = [*screen.history.top, *(screen.buffer[y] for y in range(HEIGHT))]
    seen: Seen = []
    for row in rows:
        cells = [row[x] for x in range(WIDTH)]
        pens = [
            (c.data, c.fg, c.bg, c.bold, c.underscore, c.reverse) for c in cells if c.data.strip()
        ]
        seen.append(("".join(c.data for c in cells).rstrip(), pens))
    return _without_blank_end(seen)


def _of_ours(text: str, chance: random.Random) -> Seen:
    screen, done, place = Screen(HEIGHT), [], 0
    while place < len(text):
        size = chance.choice([1, 2, 7, 50])
        done += screen.feed(text[place : place + size])
        place += size
    return _without_blank_end([_seen(line) for line in [*done, *screen.lines]])


def _seen(line: Line) -> tuple[str, list[tuple[object, ...]]]:
    shown, pens, in_tab = [], [], False
    for character, pen in line.cells():
        in_tab = character == "\t" or (in_tab and not character)
        shown.append(" " if in_tab else unicodedata.normalize("NFC", character))
        if shown[-1].strip():
            forms = ("b" in pen.marks, "u" in pen.marks, "r" in pen.marks)
            pens.append((shown[-1], _named(pen.ink), _named(pen.ground), *forms))
    return "".join(shown).rstrip(), pens


def _named(colour: str) -> str:
    if colour[:1] != "c":
        return colour.removeprefix("#") or "default"
    number = int(colour[1:])
    return _NAMES[number] if number < 8 else f"bright{_NAMES[number - 8]}"


def _without_blank_end(seen: Seen) -> Seen:
    while seen and not seen[-1][0]:
        seen.pop()
    return seen


@pytest.mark.parametrize("seed", range(300))
def test_it_ends_as_on_a_terminal_whatever_the_pieces(seed: int) -> None:
    chance = random.Random(seed)
    text = "".join(chance.choice(_PIECES) for _ in range(chance.randint(3, 60)))
    assert _of_ours(text, chance) == _of_terminal(text)


@pytest.mark.parametrize(
    ("printed", "shown"),
    [
        ("A: 1%\nB: 1%\x1b[A\rA: 9%\n\rB: 5%\n", "A: 9%\nB: 5%\n"),
        ("one\ntwo\n\x1b[2A\x1b[2Kone!\n\x1b[2Ktwo!\n", "one!\ntwo!\n"),
        ("one\ntwo\nthree\n\x1b[3A\x1b[0Jdone\n", "done\n"),
        ("字字x\r\x1b[1Cab", " ab x"),
        ("字x\bab", "字ab"),
        ("a字\x1b[2D\x1b[K", "a"),
        ("x\x1b[5b", "xxxxxx"),
        ("a\tb\rcd", "cd      b"),
        ("a\tb\rc", "c\tb"),
        ("one\ntwo\x1b[A\x1b[M", "two"),
        ("one\r\n\r\ntwo\r\n", "one\n\ntwo\n"),
        ("👩\u200d👧 family\r\n", "👩\u200d👧 family\n"),
    ],
)
def test_what_is_left_of_lines_that_were_printed_over(printed: str, shown: str) -> None:
    assert plain_text(printed) == shown


@pytest.mark.parametrize(
    "clear", ["\x1b[2J\x1b[H", "\x1b[H\x1b[2J\x1b[3J", "\x1bc", "\x1b[?1049h", "\x1b[H\x1b[J"]
)
def test_what_is_cleared_away_stays_above(clear: str) -> None:
    assert plain_text(f"built\nfailed\n{clear}watching\n") == "built\nfailed\nwatching\n"


def test_an_escape_code_may_come_in_pieces() -> None:
    whole = "a\x1b[31mred\x1b]8;;https://a.test/\x1b\\link\x1b]8;;\x07\x1b[0m\x1bPx\x1b\\b\x9b32mc"
    pens = [(text, pen) for text, pen in _fed([whole])[0].spans]
    assert pens == [
        ("a", PLAIN),
        ("red", Pen("c1")),
        ("link", Pen("c1", link="https://a.test/")),
        ("b", PLAIN),
        ("c", Pen("c2")),
    ]
    for cut in range(len(whole)):
        assert _fed([whole[:cut], whole[cut:]])[0].spans == pens
    assert _fed(list(whole))[0].spans == pens
    assert split_open("x" * 9 + "\x1b]0;" + "y" * 9_000)[1] == ""


def test_pens_know_what_is_on_and_what_is_off() -> None:
    assert pen_after(PLAIN, "1;2;3;4;7;9;91;104") == Pen("c9", "c12", "bdirsu")
    assert pen_after(Pen("c1", "c2", "bdirsu"), "22;23;24;27;29;39;49") == PLAIN
    assert pen_after(Pen("c1"), "") == PLAIN
    assert pen_after(PLAIN, "4:3;58;2;1;2;3;31") == Pen("c1", "", "u")
    assert pen_after(Pen(marks="u"), "4:0") == PLAIN
    assert pen_after(PLAIN, "38;5;999;2;1") == Pen("", "", "bd")


def test_a_flood_stays_bounded() -> None:
    screen = Screen()
    for _ in range(50):
        assert not screen.feed("\x1b[9999999G\x1b[1K\x1b[9999999Lx\x1b[9999999b\x1b[9999999B")
    assert len(screen.lines) <= 100
    assert max(len(line.text) for line in screen.lines) <= LONGEST_LINE
    done = screen.feed("y" * 200_000)
    assert max(len(line.text) for line in [*done, *screen.lines]) <= 200_000 + LONGEST_LINE
    reader, count = Screen(), 0
    for number in range(20_000):
        count += len(reader.feed(f"\r{number} of 20000"))
    assert (count, joined(reader.lines)) == (0, "19999 of 20000")


def test_lines_know_their_place_in_what_was_printed() -> None:
    text = "one\n\x1b[31mtwo\x1b[0m\n\n\x1b[A\x1b[Aup\n\n\nfour"
    for size in (1, 3, 100):
        lines = _fed([text[place : place + size] for place in range(0, len(text), size)])
        assert [line.start for line in lines[1:]] == [line.end for line in lines[:-1]]
        assert (lines[0].start, lines[-1].end) == (0, len(text))


def _fed(pieces: list[str]) -> list[Line]:
    screen = Screen(HEIGHT)
    return [*(line for piece in pieces for line in screen.feed(piece)), *screen.lines]
