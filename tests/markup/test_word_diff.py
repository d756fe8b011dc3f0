"""Texts are compared word by word, in every script, and the marks never tear a character."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinet.markup.word_diff import Comparison, compare_words
from kinet.markup.words import words


def parts(left: str, right: str) -> list[tuple[str, str]]:
    """What differs, as the two stretches of each place."""
    found = compare_words(left, right)
    return [(left[slice(*place.left)], right[slice(*place.right)]) for place in found.places]


def said(text: str) -> list[str]:
    return [word for _, _, word in words(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello, world 12.5", ["Hello", ",", "world", "12", ".", "5"]),
        ("你好 世界", ["你", "好", "世", "界"]),
        ("e\u0301t\u00e9", ["e\u0301t\u00e9"]),
        ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
        ("สวัสดี", ["ส", "วั", "ส", "ดี"]),
        ("שָׁלוֹם עולם", ["שָׁלוֹם", "עולם"]),
        ("👩‍👩‍👧‍👦👍🏽!", ["👩‍👩‍👧‍👦", "👍🏽", "!"]),
        ("x^2 + y_1", ["x", "^", "2", "+", "y_1"]),
        ("\u2060code\u2060 a\u200bb", ["code", "ab"]),
        (" \n\t ", []),
    ],
)
def test_words_are_whole_in_every_script(text: str, expected: list[str]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("", "", []),
        ("same words", "same   words\n", []),
        ("", "new", [("", "new")]),
        ("gone", "", [("gone", "")]),
        ("The quick fox.", "The slow fox.", [("quick", "slow")]),
        ("one\ntwo\nthree", "one\nthree", [("two", "")]),
        ("a b c", "a x b c y", [("", "x"), ("", "y")]),
        ("今天天气", "今天天氣", [("气", "氣")]),
        ("line\n" * 500 + "end", "line\n" * 500 + "END", [("end", "END")]),
    ],
)
def test_what_differs_is_found(left: str, right: str, expected: list[tuple[str, str]]) -> None:
    assert parts(left, right) == expected


def test_a_word_that_agrees_by_chance_between_others_parts_nothing() -> None:
    left = "Nobody ever knew where the old captain had gone that winter."
    right = "Seven cheap boxes under the table hold screws, nails and wire."
    assert len(parts(left, right)) <= 2


@given(st.text(max_size=200), st.text(max_size=200))
@settings(max_examples=150, deadline=None)
def test_without_what_differs_both_say_the_same(left: str, right: str) -> None:
    found = compare_words(left, right)
    assert said_without(left, [place.left for place in found.places]) == said_without(
        right, [place.right for place in found.places]
    )
    assert found.places == tuple(sorted(found.places, key=lambda place: place.left))
    counts = [sum(len(said(text[slice(*span)])) for span in spans) for text, spans in (
        (left, [place.left for place in found.places]),
        (right, [place.right for place in found.places]),
    )]  # fmt: skip
    assert counts == [found.left_words, found.right_words]


def said_without(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """The words that lie in none of the stretches."""
    return [
        word
        for start, stop, word in words(text)
        if not any(low <= start and stop <= high for low, high in spans)
    ]


def test_a_large_text_with_few_changes_has_few_differences() -> None:
    chance = random.Random(3)
    known = [f"word{number}" for number in range(3_000)]
    lines = [" ".join(chance.choice(known) for _ in range(15)) for _ in range(3_000)]
    changed = list(lines)
    for place in range(100, 3_000, 300):
        changed[place] = changed[place].replace("word", "other", 1)
    found = compare_words("\n".join(lines), "\n".join(changed))
    assert len(found.places) == 10
    assert (found.left_words, found.right_words) == (10, 10)


def test_texts_without_anything_in_common_are_one_difference_soon() -> None:
    found = compare_words("a b " * 100_000, "c d " * 100_000)
    assert len(found.places) == 1
    assert compare_words("x" * 500_000, "y" * 500_000).left_words == 1
    assert compare_words("a b " * 50_000, "a b " * 50_000) == Comparison()
