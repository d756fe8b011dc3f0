"""What the model got of an output is told exactly."""

from __future__ import annotations

from kinet.ui.panel.model_share import share_of


def cut(whole: str) -> str:
    """What the model gets of a long output: both ends, and how much is missing between them."""
    note = f"\n\n[{len(whole) - 6000:,} characters omitted here.]\n\n"
    return whole[:3000] + note + whole[-3000:]


def test_an_output_sent_whole() -> None:
    assert share_of("abc", "").sentence() == "Model got all 3 characters"
    assert share_of("abc", "abc").kind == "all"


def test_an_output_cut_in_the_middle() -> None:
    whole = "".join(chr(97 + number % 26) for number in range(48_212))
    share = share_of(whole, cut(whole))
    assert (share.head, share.tail, share.missing) == (3000, 3000, 42_212)
    assert share.sentence() == "Model got first and last 3,000 of 48,212 characters"


def test_a_note_that_begins_like_the_text_is_not_counted() -> None:
    whole = "x" * 3000 + "\n\n" + "y" * 44_000 + "\n" + "z" * 3000
    share = share_of(whole, cut(whole))
    assert (share.head, share.tail) == (3000, 3000)


def test_a_page_of_the_tools_own() -> None:
    share = share_of("line one\nline two\n" * 100, "     1\tline one\n     2\tline two\n")
    assert share.kind == "own"
    assert "view of its own" in share.sentence()


def test_an_output_of_one_repeated_character() -> None:
    whole = "a" * 50_000
    share = share_of(whole, cut(whole))
    assert (share.head, share.tail) == (3000, 3000)
