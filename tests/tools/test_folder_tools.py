"""Listing a folder, moving a file to the trash, and what source files define."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tool_calls import Call

from kinet.core.errors import ToolError
from kinet.policy.gate import gather, judge
from kinet.tools.base import ToolContext
from kinet.tools.delete_file import DeleteFile, DeleteFileArguments
from kinet.tools.files import symbol_search


@pytest.fixture
def trash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    return tmp_path / "share" / "Trash"


async def test_a_folder_is_listed_as_a_tree_with_counts_and_sizes(project: Path, call: Call):
    (project / "src" / "deep").mkdir(parents=True)
    (project / "src" / "a.py").write_text("x = 1\n")
    (project / "src" / "deep" / "b.py").write_text("")
    (project / "README.md").write_text("Read.\n")
    (project / ".hidden").write_text("no")
    (project / ".env").write_text("KEY=1")
    shallow = await call("list_folder")
    assert shallow.content.splitlines() == [
        "3 files: .py 2, .md 1",
        "Says what it is: README.md",
        "",
        "src/ (2 files)",
        "README.md (6 bytes)",
    ]
    deep = await call("list_folder", path="src", depth=2)
    assert deep.content.splitlines() == [
        "deep/ (1 file)",
        "  b.py (0 bytes)",
        "a.py (6 bytes)",
    ]


async def test_an_empty_folder_and_a_long_one_say_so(project: Path, call: Call):
    assert "no files" in (await call("list_folder")).content
    for number in range(320):
        (project / f"{number:03}.txt").write_text("")
    text = (await call("list_folder")).content
    assert text.splitlines()[-1] == ("[300 of 320 lines; name a folder inside, or less depth]")
    assert "(0 bytes)" in text


async def test_a_deleted_file_lies_in_the_trash_with_where_it_came_from(
    project: Path, call: Call, trash: Path
):
    for number, words in enumerate(["one", "two"]):
        (project / "a b.txt").write_text(words)
        done = await call("delete_file", path="a b.txt")
        assert done.content == "Moved a b.txt to the trash."
        assert not (project / "a b.txt").exists()
        name = ["a b.txt", "a b 2.txt"][number]
        assert (trash / "files" / name).read_text() == words
        info = (trash / "info" / f"{name}.trashinfo").read_text().splitlines()
        assert info[0] == "[Trash Info]"
        assert info[1].endswith("/project/a%20b.txt")


async def test_what_cannot_go_to_the_trash_stays(
    project: Path, call: Call, trash: Path, monkeypatch: pytest.MonkeyPatch
):
    (project / "a.txt").write_text("keep")
    (project / "folder").mkdir()
    with pytest.raises(ToolError, match="is a folder"):
        await call("delete_file", path="folder")
    with pytest.raises(ToolError, match="no file"):
        await call("delete_file", path="none.txt")

    def refuses(*args: object, **kwargs: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "rename", refuses)
    with pytest.raises(ToolError, match="was not deleted"):
        await call("delete_file", path="a.txt")
    assert (project / "a.txt").read_text() == "keep"
    assert list((trash / "info").iterdir()) == []


def test_deleting_asks_and_a_protected_file_cannot_be_deleted(project: Path, context: ToolContext):
    (project / "a.txt").write_text("x")
    facts = gather("delete_file", "write", {"path": "a.txt"}, project)
    assert judge(facts, "ask").verdict == "ask"
    assert judge(facts, "edits").verdict == "allow"
    assert judge(facts, "plan").verdict == "deny"
    outside = gather("delete_file", "write", {"path": "/etc/hostname"}, project)
    assert judge(outside, "edits").verdict != "allow"
    question = DeleteFile().question(DeleteFileArguments(path="a.txt"), context)
    assert question is not None
    assert question.body == os.path.realpath(project / "a.txt")


async def test_definitions_are_listed_by_file_and_found_by_name(project: Path, call: Call):
    (project / "a.py").write_text(
        "LIMIT = 3\n\nclass House:\n    def door(self):\n        pass\n\n"
        "async def walk():\n    pass\n"
    )
    (project / "bad.py").write_text("def (")
    text = (await call("symbols")).content
    assert text.splitlines() == [
        "a.py",
        "  1: variable LIMIT",
        "  3: class House",
        "  4: method House.door",
        "  7: function walk",
        "[1 Python files could not be parsed]",
    ]
    found = await call("symbols", query="door")
    assert found.content.splitlines()[:2] == ["a.py", "  4: method House.door"]
    assert found.details["total"] == 1


async def test_without_ctags_other_languages_are_counted(
    project: Path, call: Call, monkeypatch: pytest.MonkeyPatch
):
    async def none(root: Path) -> None:
        return None

    monkeypatch.setattr(symbol_search, "_ctags", none)
    (project / "a.c").write_text("int main(void) { return 0; }\n")
    text = (await call("symbols")).content
    assert "no definitions found" in text
    assert "need Universal Ctags" in text


async def test_with_ctags_other_languages_are_listed_too(project: Path, call: Call):
    if await symbol_search._ctags(project) is None:
        pytest.skip("Universal Ctags is not installed")
    (project / "a.c").write_text("int twice(int a) { return 2 * a; }\n")
    # Option files of a project may define what they like; they are not read.
    (project / ".ctags.d").mkdir()
    (project / ".ctags.d" / "x.ctags").write_text("--exclude=*\n")
    assert "1: function twice" in (await call("symbols", path="a.c")).content
