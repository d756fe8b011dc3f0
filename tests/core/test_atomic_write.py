"""Whole files are written at once or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from kinet.core import atomic_write
from kinet.core.atomic_write import write_bytes, write_pieces


def test_the_new_bytes_are_there_and_private(tmp_path: Path) -> None:
    write_bytes(tmp_path / "a", b"one")
    write_bytes(tmp_path / "a", b"two")
    assert (tmp_path / "a").read_bytes() == b"two"
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["a"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    write_bytes(tmp_path / "link", b"new", mode=0o644)
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


@pytest.mark.parametrize("name", ["write", "fsync", "replace", "fchmod"])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_bytes(tmp_path / "a", b"old")

    def fails(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(atomic_write.os, name, fails)
        with pytest.raises(OSError, match="No space left"):
            write_bytes(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a"]


def test_pieces_that_fail_leave_the_file_as_it_was(tmp_path: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"new "
        raise ValueError("no more")

    place = tmp_path / "talk.md"
    write_pieces(place, iter([b"one ", b"two"]))
    assert place.read_bytes() == b"one two"
    with pytest.raises(ValueError, match="no more"):
        write_pieces(place, pieces())
    assert place.read_bytes() == b"one two"
    assert os.listdir(tmp_path) == ["talk.md"]
