"""Edits in the encodings and line ends of the world: the span changes, every other byte stays."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tool_calls import Call

from kinet.core.errors import ToolError
from kinet.tools.base import ToolContext

JAPANESE = "変数 = 1\n日本語のコメント\nこれはテストです。\n"
CHINESE = "变量 = 1\n这是一个测试文件，里面有中文。\n"


@pytest.fixture
def context(project: Path, tmp_path: Path) -> ToolContext:
    return ToolContext(folder=project, require_read=False, data_dir=tmp_path / "data")


@pytest.mark.parametrize(
    ("encoding", "text", "old", "new"),
    [
        ("utf-8", "größe = 1\n", "größe", "maß"), ("utf-8-sig", "größe = 1\n", "größe", "maß"),
        ("utf-16-le", "\ufeffgröße = 1\n", "größe", "maß"),
        ("utf-16-be", "\ufeffgröße = 1\n", "größe", "maß"),
        ("utf-32-le", "\ufeffgröße = 1\n", "größe", "maß"),
        ("shift_jis", JAPANESE, "変数", "定数"), ("euc_jp", JAPANESE, "変数", "定数"),
        ("gb18030", CHINESE, "变量", "常量"), ("gbk", CHINESE, "变量 = 1", "变量 = 2"),
        ("big5", "變數 = 1\n這是一個測試檔案。\n", "變數", "常數"),
        ("euc_kr", "변수 = 1\n이것은 시험 파일입니다.\n", "변수", "상수"),
        # Not known for certain: text in plain letters can still be named.
        ("latin-1", "größe = 1\nnaïve café\n", "= 1", "= 2"),
        ("cp1252", "“größe” = 1 €\n", "= 1", "= 2"),
        ("cp1251", "Переменная = 1\nЭто проверка.\n", "= 1", "= 2"),
        ("koi8-r", "Переменная = 1\nЭто проверка.\n", "= 1", "= 2"),
    ],
)  # fmt: skip
async def test_the_encoding_stays(
    encoding: str, text: str, old: str, new: str, call: Call, project: Path
) -> None:
    (project / "t.txt").write_bytes(text.encode(encoding))
    await call("edit_file", path="t.txt", old_string=old, new_string=new)
    assert (project / "t.txt").read_bytes() == text.replace(old, new).encode(encoding)


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc\r\n", "a\nb", "x\ny", b"x\r\ny\r\nc\r\n"),
        (b"a\r\nb\r\n", "a\r\nb", "x\ny", b"x\r\ny\r\n"),
        (b"a\rb\rc\r", "b", "x", b"a\rx\rc\r"),
        (b"a\r\nb\nc\r\nd\n", "b\nc", "x\ny", b"a\r\nx\ny\r\nd\n"),
        (b"a\nb", "b", "c", b"a\nc"), (b"a\r\nb", "b", "c\nd", b"a\r\nc\r\nd"),
        (b"a", "a", "", b""),
        (b"\xef\xbb\xbfa\nb\n", "a", "c", b"\xef\xbb\xbfc\nb\n"),
        (b"\xef\xbb\xbfa\n", "\ufeffa", "c", b"\xef\xbb\xbfc\n"),
        (b"a\x0cb\x0bc\x1cd\n", "a\x0cb", "x", b"x\x0bc\x1cd\n"),
        ("a\u0085b\u2028c\n".encode(), "b", "x", "a\u0085x\u2028c\n".encode()),
        (b"a\r\r\nb\r\r\n", "b", "c", b"a\r\r\nc\r\r\n"),
        (b"ok\n\xff\xfe\xfd bad\n", "ok", "no", b"no\n\xff\xfe\xfd bad\n"),
        (b"ok\n\xff\xfe\xfd bad\n", "bad", "no", b"ok\n\xff\xfe\xfd no\n"),
        ("a👩‍👩‍👧b\n".encode(), "👩‍👩‍👧", "x", b"axb\n"),
        (b"a.*b(c)[d]\\1$\n", "a.*b(c)[d]\\1$", "x\\1$0\\g<0>", b"x\\1$0\\g<0>\n"),
        (b"x" * 100_000 + b"needle" + b"y" * 9, "needle", "N", b"x" * 100_000 + b"N" + b"y" * 9),
        (b"a\n1\tabc\n", "1\tabc", "x", b"a\nx\n"),
    ],
)  # fmt: skip
async def test_only_the_span_changes(
    before: bytes, old: str, new: str, after: bytes, call: Call, project: Path
) -> None:
    (project / "t.txt").write_bytes(before)
    await call("edit_file", path="t.txt", old_string=old, new_string=new)
    assert (project / "t.txt").read_bytes() == after


@pytest.mark.parametrize(
    ("before", "old", "kind", "words"),
    [
        ("say “hi”\n".encode(), 'say "hi"', "not-found", "U+201C"),
        ("a – b\n".encode(), "a - b", "not-found", "U+2013"),
        ("a\u00a0b\n".encode(), "a b", "not-found", "U+00A0"),
        ("cafe\u0301 x\n".encode(), "café x", "not-found", "accents"),
        ("аbcdef\n".encode(), "abcdef", "not-found", "U+0430"),
        ("a\u200bbcd\n".encode(), "abcd", "not-found", "U+200B"),
        (b"a\tb\n", "a b", "not-found", "a tab"),
        (b"def f():   \n    pass\n", "def f():\n    pass", "not-found", "trailing blanks"),
        (b"\tif x:\n\t\ty\n", "if x:\n\ty", "not-found", "indentation"),
        (b"aaa\n", "aa", "ambiguous", "2 times"), (b"abab ab\n", "ab", "ambiguous", "3 times"),
        (b"aXaXa\n", "aXa", "ambiguous", "2 times"),
        (b"a\0b", "a", "binary", "binary"), (b"a\n", "", "empty-old", "empty"),
        (b"a\n", "x", "no-change", "equal"),
        (b"gr\xf6\xdfe na\xefve\n", "größe", "not-found", "ASCII"),
        (b"\xef\xbb\xbf", "a", "not-found", "does not occur"), (b"", "a", "not-found", "not occur"),
        ("a👩‍👩‍👧b\n".encode(), "👩", "ambiguous", "2 times"),
    ],
)  # fmt: skip
async def test_nothing_is_guessed_and_the_difference_is_named(
    before: bytes, old: str, kind: str, words: str, call: Call, project: Path
) -> None:
    (project / "t.txt").write_bytes(before)
    with pytest.raises(ToolError) as caught:
        await call("edit_file", path="t.txt", old_string=old, new_string="x")
    assert caught.value.kind == kind
    assert words in caught.value.sentence()
    assert (project / "t.txt").read_bytes() == before
    assert os.listdir(project) == ["t.txt"]


async def test_overlapping_places_are_all_changed_only_one_after_the_other(
    call: Call, project: Path
) -> None:
    (project / "t.txt").write_bytes(b"aaaa")
    await call("edit_file", path="t.txt", old_string="aa", new_string="b", replace_all=True)
    assert (project / "t.txt").read_bytes() == b"bb"


async def test_a_miss_names_the_three_nearest_places(call: Call, project: Path) -> None:
    lines = [f"def step_{number}(value):\n    return value + {number}\n" for number in range(6)]
    (project / "t.py").write_text("\n".join(lines))
    with pytest.raises(ToolError) as caught:
        await call("edit_file", path="t.py", old_string="def step_7(value):", new_string="x")
    said = caught.value.sentence()
    assert "The nearest text is at line" in said
    assert said.split("Further places")[1].count("line ") == 2


async def test_a_letter_that_the_encoding_lacks_changes_nothing(call: Call, project: Path) -> None:
    before = "größe = 1\nnaïve café\n".encode("latin-1")
    (project / "t.txt").write_bytes(before)
    for new in ("= 日本", "= \ud800"):
        with pytest.raises(ToolError) as caught:
            await call("edit_file", path="t.txt", old_string="= 1", new_string=new)
        assert caught.value.kind == "encoding"
    assert (project / "t.txt").read_bytes() == before


async def test_of_several_edits_all_or_none_are_made(call: Call, project: Path) -> None:
    (project / "t.txt").write_bytes(b"one two three\n")
    good = [{"old_string": "one", "new_string": "1"}, {"old_string": "1 two", "new_string": "2"}]
    with pytest.raises(ToolError, match="Edit 3 of 3") as caught:
        await call("edit_file", path="t.txt", edits=[*good, {"old_string": "x", "new_string": "y"}])
    assert "No edit of this call was applied" in caught.value.sentence()
    assert (project / "t.txt").read_bytes() == b"one two three\n"
    await call("edit_file", path="t.txt", edits=good)
    assert (project / "t.txt").read_bytes() == b"2 three\n"


@pytest.mark.parametrize("name", ["ü ñ.txt", "a\nb.txt", "-dash", "$HOME", "%41", "..x", "a'\"b"])
async def test_odd_names_are_only_names(name: str, call: Call, project: Path) -> None:
    (project / name).write_bytes(b"old\n")
    await call("edit_file", path=name, old_string="old", new_string="new")
    assert (project / name).read_bytes() == b"new\n"
    assert os.listdir(project) == [name]


async def test_links_modes_and_attributes_stay(call: Call, project: Path) -> None:
    real = project / "real.txt"
    real.write_bytes(b"old\n")
    real.chmod(0o751)
    (project / "link.txt").symlink_to("real.txt")
    os.link(real, project / "hard.txt")
    await call("edit_file", path="link.txt", old_string="old", new_string="new")
    assert (project / "link.txt").is_symlink()
    assert (project / "hard.txt").read_bytes() == real.read_bytes() == b"new\n"
    assert real.stat().st_mode & 0o777 == 0o751
    assert real.stat().st_nlink == 2
