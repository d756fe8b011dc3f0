"""Every edit of the corpus leaves exactly the bytes that it should."""

from __future__ import annotations

import asyncio
import base64
import errno
import os
import stat
import sys
from pathlib import Path
from typing import Any

import corpus
import pytest

from kinet.core.errors import ToolError
from kinet.tools.base import ToolContext
from kinet.tools.catalog import builtin_tools
from kinet.tools.files import file_write
from kinet.tools.toolbox import Toolbox

CASES = list(corpus.load("edit", corpus.HERE))
BOX = Toolbox(builtin_tools())
SYSTEM = {"linux": "linux", "darwin": "macos", "win32": "windows"}[sys.platform]


class Seen:
    """The hashes a session keeps, in memory."""

    def __init__(self) -> None:
        self.known: dict[Path, str] = {}

    def seen(self, path: Path) -> str | None:
        return self.known.get(path)

    def remember(self, path: Path, digest: str) -> None:
        self.known[path] = digest


def prepare(entry: dict[str, Any], folder: Path) -> None:
    names = {**entry.get("link", {}), **entry.get("hard_link", {})}
    real = folder / entry.get("link", {}).get("t.txt", "t.txt")
    if entry.get("before") is not None:
        real.write_bytes(base64.b64decode(entry["before"]))
    for name, other in names.items():
        if "link" in entry:
            (folder / name).symlink_to(other)
        else:
            os.link(folder / name, folder / other)
    for name, value in entry.get("xattr", {}).items():
        os.setxattr(real, name, value.encode())
    if "mode" in entry:
        real.chmod(int(entry["mode"], 8))


async def call(entry: dict[str, Any], values: dict[str, Any], context: ToolContext) -> str:
    try:
        tool, arguments = BOX.prepare(entry["tool"], values)
        tool.question(arguments, context)
        await tool.run(arguments, context)
    except ToolError as exc:
        return exc.kind
    return ""


def runnable(entry: dict[str, Any]) -> bool:
    return SYSTEM in entry.get("platform", [SYSTEM])


@pytest.mark.parametrize(
    "entry",
    [entry for entry in CASES if runnable(entry)],
    ids=lambda entry: f"{entry['technique']}-{entry['id']}",
)
async def test_an_edit_leaves_exactly_the_right_bytes(
    entry: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    prepare(entry, folder)
    files = Seen()
    context = ToolContext(
        folder=folder, files=files, require_read=False, data_dir=tmp_path / "data"
    )
    target = folder / "t.txt"
    before = target.read_bytes() if target.exists() else None
    if entry.get("read_first"):
        await call({"tool": "read_file"}, {"path": "t.txt"}, context)
        target.write_bytes(base64.b64decode(entry["changed_after_read"]))
        before = target.read_bytes()
    if "fault" in entry:
        monkeypatch.setattr(file_write, "write_all", no_space)
    old_umask = os.umask(int(entry.get("umask", "022"), 8))
    try:
        calls = [call(entry, entry["input"], context)]
        if "concurrently" in entry:
            calls.append(call(entry, entry["concurrently"], context))
        kinds = await asyncio.gather(*calls)
    finally:
        os.umask(old_umask)
    check_bytes(entry, kinds, before, target)
    check_surroundings(entry, folder)


def no_space(descriptor: int, data: bytes) -> None:
    os.write(descriptor, data[:3])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def check_bytes(
    entry: dict[str, Any], kinds: list[str], before: bytes | None, target: Path
) -> None:
    after = target.read_bytes() if target.exists() else None
    also = [
        before if other == "before" else base64.b64decode(other)
        for other in entry.get("also_ok", [])
    ]
    if after in also and after is not None:
        return
    wanted = entry["expected"]
    if "error" in wanted:
        assert kinds[0] == wanted["error"]
        assert after == before
    else:
        assert kinds[0] == ""
        assert after == base64.b64decode(wanted["after"])


def check_surroundings(entry: dict[str, Any], folder: Path) -> None:
    target = folder / "t.txt"
    if "after_mode" in entry:
        assert stat.S_IMODE(target.stat().st_mode) == int(entry["after_mode"], 8)
    for name in entry.get("after_is_link", []):
        assert (folder / name).is_symlink()
    if "after_same" in entry:
        assert len({(folder / name).read_bytes() for name in entry["after_same"]}) == 1
    for name, value in entry.get("after_xattr", {}).items():
        assert os.getxattr(target, name) == value.encode()
    if "after_listing" in entry:
        assert sorted(os.listdir(folder)) == sorted(entry["after_listing"])
    assert not [name for name in os.listdir(folder) if name.endswith(".new")]
