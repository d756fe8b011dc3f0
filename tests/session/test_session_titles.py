"""A session is named after what was asked, in plain text."""

from __future__ import annotations

import pytest

from kinet.session.titles import graphemes, shorten, title_from


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Tidy up the notes", "Tidy up the notes"),
        ("\n\n  # Tidy **up** the `notes`\nand more", "Tidy up the notes"),
        ("- [ ] 1. fix _this_", "fix this"),
        ("> quoted", "quoted"),
        ("[the docs](https://example.org) are wrong", "the docs are wrong"),
        ("hello!\nPlease sort the photos", "Please sort the photos"),
        ("Hi", ""),
        ("你好！", ""),
        ("https://example.org/a?b=c", ""),
        ("https://example.org\nwhat is this?", "what is this?"),
        ("look at https://example.org", "look at https://example.org"),
        ("```python\nprint(1)\n```", "print(1)"),
        ("snake_case_name stays", "snake_case_name stays"),
        ("2 * 3 * 4 = ?", "2 * 3 * 4 = ?"),
        ("", ""),
        ("***", ""),
        ("\x1b[31mred\x07", "[31mred"),
        ("“Quoted whole”", "Quoted whole"),
        ("请整理这个文件夹", "请整理这个文件夹"),
    ],
)
def test_the_first_line_that_says_something_is_the_name(text: str, title: str):
    assert title_from(text) == title


def test_a_long_name_is_cut_between_whole_characters():
    family = "👨‍👩‍👧‍👦"
    title = title_from(family * 70)
    assert list(graphemes(title)) == [family] * 59 + ["…"]
    assert shorten("e\u0301" * 60) == "e\u0301" * 60
    assert title_from("x" * 61) == "x" * 59 + "…"


@pytest.mark.parametrize(
    ("text", "count"),
    [("🇩🇪🇫🇷", 2), ("👍🏽", 1), ("각", 1), ("1️⃣", 1), ("नि", 1), ("a\u0308b", 2), ("", 0)],
)
def test_what_looks_like_one_character_counts_as_one(text: str, count: int):
    assert len(list(graphemes(text))) == count
