"""Reading, writing and editing on a real disk."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tool_calls import Call

from kinet.core.errors import ToolError
from kinet.tools.base import ToolContext
from kinet.tools.edit_file import EditFile, EditFileArguments
from kinet.tools.write_file import WriteFile, WriteFileArguments


async def test_a_long_file_is_paged_and_says_how_to_go_on(project: Path, call: Call) -> None:
    (project / "long.txt").write_text("".join(f"line {n}\n" for n in range(1, 5_001)))
    first = await call("read_file", path="long.txt")
    assert first.content.startswith("1\tline 1\n2\tline 2\n")
    assert first.content.endswith("[Lines 1 to 2,000 of 5,000. Go on with offset=2001.]")
    last = await call("read_file", path="long.txt", offset=4_999)
    assert last.content == "4999\tline 4999\n5000\tline 5000"


async def test_a_page_ends_at_fifty_kilobytes(project: Path, call: Call) -> None:
    (project / "wide.txt").write_text(("x" * 999 + "\n") * 200)
    page = await call("read_file", path="wide.txt")
    assert len(page.content) < 60_000
    assert "Go on with offset=52." in page.content


async def test_an_offset_past_the_end_names_the_number_of_lines(project: Path, call: Call) -> None:
    (project / "a.txt").write_text("x\n" * 100)
    with pytest.raises(ToolError, match="has 100 lines"):
        await call("read_file", path="a.txt", offset=200)


async def test_a_missing_file_is_answered_with_names_like_it(project: Path, call: Call) -> None:
    (project / "settings.py").write_text("")
    with pytest.raises(ToolError) as caught:
        await call("read_file", path="setings.py")
    assert "settings.py" in caught.value.hint


async def test_text_in_an_older_encoding_is_read_and_kept(project: Path, call: Call) -> None:
    text = "これは日本語のテキストです。設定を確認してください。\n"
    (project / "a.txt").write_bytes(text.encode("shift_jis"))
    page = await call("read_file", path="a.txt")
    assert text.strip() in page.content
    await call("edit_file", path="a.txt", old_string="設定", new_string="表示")
    assert (project / "a.txt").read_bytes() == text.replace("設定", "表示").encode("shift_jis")


async def test_an_existing_file_has_to_be_read_before_it_is_changed(
    project: Path, call: Call
) -> None:
    (project / "a.txt").write_text("a\n")
    for name, arguments in (
        ("edit_file", {"old_string": "a", "new_string": "b"}),
        ("write_file", {"content": "b"}),
    ):
        with pytest.raises(ToolError) as caught:
            await call(name, path="a.txt", **arguments)
        assert caught.value.kind == "unread"
    await call("read_file", path="a.txt")
    await call("edit_file", path="a.txt", old_string="a", new_string="b")
    await call("edit_file", path="a.txt", old_string="b", new_string="c")
    assert (project / "a.txt").read_text() == "c\n"


async def test_a_file_changed_by_someone_else_is_not_overwritten(project: Path, call: Call) -> None:
    (project / "a.txt").write_text("a\n")
    await call("read_file", path="a.txt")
    (project / "a.txt").write_text("a\nmine\n")
    with pytest.raises(ToolError) as caught:
        await call("write_file", path="a.txt", content="b\n")
    assert caught.value.kind == "stale"
    assert (project / "a.txt").read_text() == "a\nmine\n"


async def test_folders_are_made_and_taken_away_again_on_failure(
    project: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kinet.tools.files import file_write

    def fails(descriptor: int, data: bytes) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(file_write, "write_all", fails)
        with pytest.raises(ToolError, match="No space left"):
            await call("write_file", path="x/y/z.txt", content="a")
    assert os.listdir(project) == []
    await call("write_file", path="x/y/z.txt", content="a")
    assert (project / "x/y/z.txt").read_text() == "a"


def test_the_question_shows_the_whole_diff_and_hidden_characters(
    project: Path, context: ToolContext
) -> None:
    (project / "a.txt").write_text("one\ntwo\n")
    asking = replace(context, require_read=False)
    request = EditFile().question(
        EditFileArguments(path="a.txt", old_string="two", new_string="t\u202ewo"), asking
    )
    assert request.kind == "edit"
    assert "-two\n+t<U+202E>wo\n" in request.body
    assert "U+202E" in request.risk
    assert request.targets == (str(project.resolve() / "a.txt"),)
    assert request.scopes == ("once", "session")
    assert (project / "a.txt").read_text() == "one\ntwo\n"


def test_a_file_that_gives_orders_is_never_offered_for_remembering(
    project: Path, context: ToolContext
) -> None:
    request = WriteFile().question(WriteFileArguments(path="AGENTS.md", content="x"), context)
    assert request is not None
    assert request.scopes == ("once",)


async def test_without_a_grant_nothing_outside_is_touched(
    tmp_path: Path, context: ToolContext
) -> None:
    (tmp_path / "outside.txt").write_text("secret")
    with pytest.raises(ToolError) as caught:
        await WriteFile().run(WriteFileArguments(path="../outside.txt", content="x"), context)
    assert caught.value.kind == "permission"
    assert (tmp_path / "outside.txt").read_text() == "secret"


async def test_a_session_without_a_folder_has_no_files(call: Call) -> None:
    with pytest.raises(ToolError, match="has no folder"):
        await call("read_file", ToolContext(folder=None), path="a.txt")


async def test_a_read_only_file_is_not_replaced(project: Path, call: Call) -> None:
    (project / "a.txt").write_text("a\n")
    await call("read_file", path="a.txt")
    (project / "a.txt").chmod(0o444)
    with pytest.raises(ToolError) as caught:
        await call("edit_file", path="a.txt", old_string="a", new_string="b")
    assert caught.value.kind == "read-only"
