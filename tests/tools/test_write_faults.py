"""Every system call of a write may fail: the file is then the old one, and nothing lies about."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kinet.core.errors import ToolError
from kinet.tools.base import ToolContext
from kinet.tools.files.file_access import held
from kinet.tools.files.file_change import Change, carry_out
from kinet.tools.files.file_write import replace_file
from kinet.tools.files.text_form import TextForm
from kinet.tools.write_file import WriteFileArguments

CALLS = (
    "open", "write", "fsync", "replace", "fchmod", "fchown", "lseek", "ftruncate", "stat", "fstat",
    "close", "mkdir", "read",
)  # fmt: skip
CLOSE = os.close


class Faults:
    """Lets the n-th of the watched calls fail, and counts them."""

    def __init__(self, number: int, error: int) -> None:
        self.count = 0
        self._number = number
        self._error = error

    def wrapped(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.count += 1
            fails = self.count == self._number
            # A descriptor is closed also where closing it fails.
            given = real(*arguments, **options) if real is CLOSE or not fails else None
            if fails:
                raise OSError(self._error, os.strerror(self._error))
            return given

        return call


@contextmanager
def failing(number: int, error: int) -> Iterator[Faults]:
    faults = Faults(number, error)
    with pytest.MonkeyPatch.context() as patched:
        for name in CALLS:
            patched.setattr(os, name, faults.wrapped(getattr(os, name)))
        yield faults


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES])
@pytest.mark.parametrize("linked", [False, True], ids=["plain", "hard link"])
def test_a_failing_call_damages_nothing(error: int, linked: bool, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    target = folder / "a.txt"
    names = ["a.txt", "b.txt"] if linked else ["a.txt"]
    for number in range(1, 60):
        target.write_bytes(b"old bytes")
        if linked and number == 1:
            os.link(target, folder / "b.txt")
        with held(target, folder) as place, failing(number, error) as faults:
            try:
                replace_file(place, b"new", b"old bytes", tmp_path / "saved")
            except ToolError:
                assert target.read_bytes() == b"old bytes"
            else:
                assert target.read_bytes() == b"new"
        assert sorted(os.listdir(folder)) == names
        assert list((tmp_path / "saved").glob("*")) == []
        if faults.count < number:
            return
    pytest.fail("the write never came to its end")


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
@pytest.mark.parametrize("name", ["a.txt", "new/deep/a.txt"], ids=["edit", "new file"])
def test_a_call_that_fails_is_a_tool_error_and_leaves_all_as_it_was(
    error: int, name: str, tmp_path: Path
) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    target = folder / name
    context = ToolContext(folder=folder, data_dir=tmp_path / "data", require_read=False)
    arguments = WriteFileArguments(path=name, content="new\n")

    def plan(path: Path, shown: str, old: bytes | None) -> Change:
        text = None if old is None else old.decode()
        return Change(path, shown, old, text, TextForm("new\n"))

    for number in range(1, 200):
        if name == "a.txt":
            target.write_bytes(b"old\n")
        before = sorted(folder.rglob("*"))
        with failing(number, error) as faults:
            try:
                carry_out("write_file", arguments, name, context, plan, "Wrote")
            except ToolError:
                assert sorted(folder.rglob("*")) == before
                assert name != "a.txt" or target.read_bytes() == b"old\n"
            else:
                assert target.read_bytes() == b"new\n"
        if faults.count < number:
            return
        if name != "a.txt":
            shutil.rmtree(folder / "new", ignore_errors=True)
    pytest.fail("the write never came to its end")


def test_bytes_that_cannot_be_put_back_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, target = tmp_path / "project", tmp_path / "project" / "a.txt"
    folder.mkdir()
    target.write_bytes(b"old bytes")
    os.link(target, folder / "b.txt")

    def gone(*_: object) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with held(target, folder) as place:
        monkeypatch.setattr(os, "ftruncate", gone)
        with pytest.raises(ToolError, match="old bytes could not be put back") as caught:
            replace_file(place, b"new", b"old bytes", tmp_path / "saved")
    (copy,) = (tmp_path / "saved").iterdir()
    assert copy.read_bytes() == b"old bytes"
    assert copy.name in str(caught.value)
