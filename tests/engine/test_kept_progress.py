"""What a stopped call has printed is told as a terminal would show it, and never without bound."""

from __future__ import annotations

from kinet.engine.kept_progress import KeptProgress


def told(*pieces: str) -> str:
    kept = KeptProgress()
    for piece in pieces:
        kept.add(piece)
    return kept.ended_with("[stopped]")


def test_bars_and_colours_are_told_as_they_stood_last() -> None:
    bars = [f"\r\x1b[32mA: {n}%\x1b[0m\n\rB: {n}%\x1b[A" for n in range(50)]
    assert told("start\n", *bars) == "start\nA: 49%\nB: 49%\n[stopped]"
    assert told() == "[stopped]"


def test_no_half_of_a_colour_is_left_where_the_oldest_was_left_out() -> None:
    text = told(*["\x1b[38;2;100;100;100mword\x1b[0m\n" * 1_000] * 128)
    assert text.startswith("[earlier output left out]\nword\n")
    assert set(text.split("\n")[1:-1]) == {"word"}
