"""Searching: what ripgrep finds, minus what may hold secrets, a page at a time."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from tool_calls import Call

from kinet.core.errors import ToolError
from kinet.tools.files import file_search
from kinet.tools.files.glob_pattern import GlobPattern


@pytest.fixture
def tree(project: Path) -> Path:
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    files = {
        ".gitignore": "ignored/\n*.log\n",
        "a.py": "needle one\nother\nneedle two\n",
        "src/b.py": "x\nneedle three\ny\n",
        "src/deep/c.txt": "Needle four\n",
        "ignored/d.py": "needle hidden\n",
        "e.log": "needle log\n",
        "keys/server.pem": "needle key\n",
        "secrets.json": "needle secret\n",
    }
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    return project


def bare_hits(tree: Path) -> list[str]:
    """What ripgrep itself finds, without the two secret files."""
    program = file_search.find_ripgrep()
    assert program is not None
    bare = subprocess.run(
        [program, "--no-config", "--no-heading", "-n", "needle", "."],
        cwd=tree, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return sorted(
        line.removeprefix("./")
        for line in bare.stdout.splitlines()
        if not line.startswith(("./keys", "./secrets"))
    )


async def test_hits_are_those_of_ripgrep_without_secret_files(tree: Path, call: Call) -> None:
    wanted = bare_hits(tree)
    output = await call("grep", pattern="needle")
    hits = [f"{hit['path']}:{hit['line']}:{hit['text']}" for hit in output.details["hits"]]
    assert sorted(hits) == wanted
    assert output.details["left_out"] == 2
    assert "2 files that may hold secrets were left out" in output.content


async def test_hits_come_in_pages_that_meet(tree: Path, call: Call) -> None:
    whole = await call("grep", pattern="needle")
    pages = [await call("grep", pattern="needle", limit=1, offset=at) for at in range(3)]
    assert [page.details["hits"][0] for page in pages] == list(whole.details["hits"])
    assert "go on with offset=1" in pages[0].content
    assert "go on" not in pages[2].content


async def test_context_case_and_file_patterns(tree: Path, call: Call) -> None:
    output = await call("grep", pattern="needle three", context=1)
    assert output.content == "src/b.py-1- x\nsrc/b.py:2: needle three\nsrc/b.py-3- y"
    output = await call("grep", pattern="NEEDLE", ignore_case=True, glob="*.txt")
    assert [hit["path"] for hit in output.details["hits"]] == ["src/deep/c.txt"]
    output = await call("grep", pattern="needle", glob="src/**/*.py")
    assert [hit["path"] for hit in output.details["hits"]] == ["src/b.py"]
    ignored = await call("grep", pattern="needle", glob="*.log")
    assert ignored.details["total"] == 0


async def test_a_pattern_that_is_none_is_explained(tree: Path, call: Call) -> None:
    with pytest.raises(ToolError, match="unclosed group"):
        await call("grep", pattern="(open")


async def test_names_are_found_at_any_depth(tree: Path, call: Call) -> None:
    output = await call("glob", pattern="*.py")
    assert output.details["files"] == ["a.py", "src/b.py"]
    output = await call("glob", pattern="**/*.txt")
    assert output.details["files"] == ["src/deep/c.txt"]
    output = await call("glob", pattern="*.py", path="src")
    assert output.details["files"] == ["src/b.py"]


@pytest.mark.parametrize(
    "pattern",
    ["*.py", "**/*.py", "src/*.py", "src/**/*", "*b*", "a.py", "**", "*.{py,txt}", "?.py"],
)
async def test_leaving_names_out_early_loses_no_file(
    pattern: str, tree: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree / "node").mkdir()
    (tree / "node" / "b.PY").write_text("")
    (tree / "node" / "-b.py").write_text("")
    quick = await call("glob", pattern=pattern)
    monkeypatch.setattr(GlobPattern, "name_filter", "")
    assert (await call("glob", pattern=pattern)).details == quick.details


async def test_without_ripgrep_a_worker_finds_the_same(
    tree: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_it = await call("grep", pattern="needle", path="src", context=1)
    monkeypatch.setattr(file_search, "find_ripgrep", lambda: None)
    without = await call("grep", pattern="needle", path="src", context=1)
    assert without.details["hits"] == with_it.details["hits"]
    assert "ripgrep is missing" in without.content
    names = await call("glob", pattern="*.py", path="src")
    assert names.details["files"] == ["src/b.py"]
    with pytest.raises(ToolError, match="unterminated"):
        await call("grep", pattern="(open")


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("**/*.ts", "root.ts", True),
        ("**/*.ts", "a/b/c.ts", True),
        ("a/**/z.py", "a/z.py", True),
        ("a/**/z.py", "a/b/c/z.py", True),
        ("a/**/m/**/z", "a/1/m/2/3/z", True),
        ("a/**/m/**/z", "a/1/2/3/z", False),
        ("src/*.py", "src/x/y.py", False),
        ("*.{py,ts}", "deep/x.ts", True),
        ("a/**", "a/b", True),
        ("a/**", "a", False),
        ("[!a]b", "cb", True),
        ("[!a]b", "ab", False),
        ("f?.txt", "f1.txt", True),
        ("*a*a*a*a*a*a*a*a*b", "a" * 250, False),
        ("**/a/**/a/**/a/**/a/**/b", "/".join("a" * 100), False),
    ],
)
def test_patterns_match_as_they_should(pattern: str, path: str, fits: bool) -> None:
    assert GlobPattern(pattern).matches(path) is fits
