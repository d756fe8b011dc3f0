"""A search finds what a person means, where it stands on screen."""

from __future__ import annotations

import pytest

from kinet.markup.folding import folded, places_of, searchable


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("cafe", "Un CAFÉ"),
        ("café", "un cafe\u0301"),
        ("strasse", "Straße"),
        ("STRAẞE", "strasse"),
        ("istanbul", "İstanbul"),
        ("السلام", "السَّلَامُ عليكم"),
        ("שלום", "שָׁלוֹם"),
        ("don't", "don\u2019t"),
        ("a b", "a\u00a0b"),
        ("hyphen", "hy\u00adphen"),
        ("code after", "\u2060\u2066code\u2069\u2060 after"),
        ("世界", "你好世界"),
        ("👩‍💻", "an 👩‍💻 here"),
        ("한국", "한국어"),
    ],
)
def test_what_differs_for_the_machine_alone_is_found(wanted: str, said: str) -> None:
    ((start, end),) = places_of(said, folded(wanted))
    assert folded(said[start:end]) == folded(wanted)


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("か", "が"),
        ("क", "ख"),
        ("한", "하"),
        ("น", "ม"),
        ("a  b", "a b"),
        ("", "a"),
        ("\u0301", "é"),
    ],
)
def test_letters_of_their_own_are_not_confused(wanted: str, said: str) -> None:
    assert places_of(said, folded(wanted)) == []


def test_an_accent_belongs_to_its_letter() -> None:
    assert places_of("e\u0301a", folded("e")) == [(0, 2)]
    assert places_of("xÉ", folded("e")) == [(1, 2)]


@pytest.mark.parametrize(
    ("wanted", "source"),
    [
        ("bold text", "Some **bo**ld *text* here"),
        ("see the page", "see [the page](https://a.test/x)"),
        ("the page a.test", "see [the page](https://a.test/x)"),
        ("a&b", "a&amp;b"),
        ("two words", "two\nwords"),
        ("two words", "> two\n> words"),
        ("a*b", "code `a*b`"),
        ("snake_case", "the snake_case stays"),
        ("2 * 3", "that is 2 * 3"),
        ("**kwargs", "```py\ndef f(**kwargs): ...\n```"),
        ("x y", "```\nx y\n```"),
        ("*", "a star: \\*"),
    ],
)
def test_words_are_found_as_they_are_read(wanted: str, source: str) -> None:
    needle = folded(wanted)
    assert needle in searchable(source, needle)


def test_lines_that_are_apart_are_not_one() -> None:
    for source in ("one\n\ntwo", "- one\n- two", "| one |\n|---|\n| two |"):
        assert "one two" not in searchable(source, "one two")


def test_what_a_person_typed_keeps_its_signs() -> None:
    assert "**not bold** code" in searchable("**not bold** `code`", "x", typed=True)
