"""Every system call of a write may fail: the file is then the old one, and nothing lies about."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kinet.core.errors import ToolError
from kinet.tools.files.file_access import held
from kinet.tools.files.file_write import replace_file

CALLS = ("open", "write", "fsync", "replace", "fchmod", "fchown", "lseek", "ftruncate", "stat")


class Faults:
    """Lets the n-th of the watched calls fail, and counts them."""

    def __init__(self, number: int, error: int) -> None:
        self.count = 0
        self._number = number
        self._error = error

    def wrapped(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **options: Any) -> Any:
            self.count += 1
            if self.count == self._number:
                raise OSError(self._error, os.strerror(self._error))
            return real(*arguments, **options)

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
        if faults.count < number:
            return
    pytest.fail("the write never came to its end")
