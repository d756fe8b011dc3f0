"""Edits against a byte model: nothing outside the replaced span ever changes."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kinet.core.errors import ToolError
from kinet.tools.files.edit_match import Edit, apply_edits
from kinet.tools.files.text_form import read_form
from tests.support.edit_model import run_cases

ENDS = st.sampled_from(["\n", "\r\n"])
WORDS = st.text(alphabet="abcxyz éü日本\u2028\x0b\x85\t.*[](){}$\\^", max_size=12)
FORMS = st.sampled_from(
    [
        ("utf-8", b""),
        ("utf-8", codecs.BOM_UTF8),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
    ]
)


@settings(max_examples=400, deadline=None)
@given(
    before=st.lists(st.tuples(WORDS, ENDS), max_size=6),
    after=st.lists(st.tuples(WORDS, ENDS), max_size=6),
    old=WORDS.filter(bool),
    new=WORDS,
    form=FORMS,
)
def test_only_the_span_changes(
    before: list[tuple[str, str]],
    after: list[tuple[str, str]],
    old: str,
    new: str,
    form: tuple[str, bytes],
) -> None:
    encoding, mark = form
    head = "".join(word + end for word, end in before)
    tail = "".join(word + end for word, end in after)
    marker = f"<{old}>"
    data = mark + (head + marker + tail).encode(encoding)
    if (head + marker + tail).count(marker) != 1 or new == old:
        return
    edited = apply_edits(read_form(data), [Edit(marker, f"<{new}>")], path="t")
    expected = mark + (head + f"<{new}>" + tail).encode(encoding)
    assert edited.form.to_bytes() == expected


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=200).filter(lambda data: b"\x00" not in data))
def test_any_bytes_come_back_as_they_were(data: bytes) -> None:
    assert read_form(data).to_bytes() == data


def test_several_lines_keep_the_ends_they_had_each() -> None:
    form = read_form(b"a\r\nb\nc\r\n")
    edited = apply_edits(form, [Edit("a\nb\nc", "A\nB\nC")], path="t")
    assert edited.form.to_bytes() == b"A\r\nB\nC\r\n"


def test_a_line_put_into_a_span_follows_the_span() -> None:
    form = read_form(b"x\ny\nz\na\r\nb\r\n")
    edited = apply_edits(form, [Edit("a\nb\n", "a\nnew\nb\n")], path="t")
    assert edited.form.to_bytes() == b"x\ny\nz\na\r\nnew\r\nb\r\n"


def test_numbers_copied_from_a_page_are_taken_off() -> None:
    form = read_form(b"def f():\n    return 1\n")
    edit = Edit("1\tdef f():\n2\t    return 1", "1\tdef f():\n2\t    return 2")
    edited = apply_edits(form, [edit], path="t")
    assert edited.form.to_bytes() == b"def f():\n    return 2\n"
    assert edited.notes


@pytest.mark.parametrize(
    ("text", "old", "said"),
    [
        ("if x:\n\treturn 1\n", "    return 1", "a tab (U+0009)"),
        ("say “hi”\n", 'say "hi"', "LEFT DOUBLE QUOTATION MARK"),
        ("e\u0301t\u00e9\n", "\u00e9t\u00e9", "accents"),
        ("a  \nb\n", "a\nb", "a blank"),
    ],
)
def test_a_near_miss_is_named_and_never_applied(text: str, old: str, said: str) -> None:
    with pytest.raises(ToolError) as caught:
        apply_edits(read_form(text.encode()), [Edit(old, "z")], path="t")
    assert caught.value.kind == "not-found"
    assert said in caught.value.message


def test_an_ambiguous_edit_tells_where() -> None:
    with pytest.raises(ToolError) as caught:
        apply_edits(read_form(b"x\ny\nx\n"), [Edit("x", "z")], path="t")
    assert "2 times" in caught.value.message
    assert "line 1, 3" in caught.value.message


@pytest.mark.parametrize(
    ("text", "old", "which"),
    [
        ("a  \nb\n", "a\nb", "differs only in trailing blanks"),
        ("if x:\n\treturn 1\n", "if x:\n    return 1", "differs only in indentation"),
        ("one\rtwo\n", "onetwo", "differs only in line endings"),
    ],
)
def test_a_miss_by_blanks_alone_says_which(text: str, old: str, which: str) -> None:
    with pytest.raises(ToolError) as caught:
        apply_edits(read_form(text.encode()), [Edit(old, "z")], path="t")
    assert which in caught.value.message


def test_a_miss_shows_the_three_nearest_places() -> None:
    text = "alpha = one\nx\nalpha = two\ny\nalpha = three\nz\n"
    with pytest.raises(ToolError) as caught:
        apply_edits(read_form(text.encode()), [Edit("alpha = on3", "z")], path="t")
    for shown in ("line 1", "line 3: alpha = two", "line 5: alpha = three"):
        assert shown in caught.value.message


async def test_generated_files_keep_every_byte_mode_and_link(tmp_path: Path) -> None:
    assert await run_cases(tmp_path, seed=3, count=120) == []
