"""A data folder that cannot be used is named, with the reason and what helps."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from kinet import paths
from kinet.core.data_folder import unusable
from kinet.paths import ensure_private_dir

HOME = Path("/data/kinet")


@pytest.mark.parametrize(
    ("number", "at", "why"),
    [
        (errno.EROFS, HOME, "it lies on a disk that can only be read"),
        (errno.EACCES, HOME, "this account may not write there"),
        (errno.EPERM, HOME / "kinet.lock", "this account may not write to /data/kinet/kinet.lock"),
        (errno.ENOSPC, HOME / "kinet.lock", "its disk is full"),
        (errno.ENOENT, HOME, "it cannot be made there"),
        (errno.EIO, HOME, "Input/output error (/data/kinet)"),
    ],
)
def test_the_folder_the_reason_and_a_way_out_are_said(number: int, at: Path, why: str) -> None:
    told = unusable(HOME, OSError(number, os.strerror(number), str(at)))
    assert told.message == f"The data folder {HOME} cannot be used: {why}."
    assert told.hint.endswith("or name another folder in KINET_HOME.")


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "notes"
    blocked.write_text("", "utf-8")
    for home in (blocked, blocked / "kinet"):
        with pytest.raises(OSError) as caught:
            ensure_private_dir(home)
        assert f"{blocked} is a file, not a folder" in unusable(home, caught.value).message


def test_a_disk_that_can_only_be_read_is_told_from_missing_rights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    refusal = paths.write_refusal(tmp_path)
    assert isinstance(refusal, PermissionError)
    if hasattr(os, "statvfs"):
        flags = type("Flags", (), {"f_flag": os.ST_RDONLY})
        monkeypatch.setattr(os, "statvfs", lambda _folder: flags)
        refusal = paths.write_refusal(tmp_path)
        assert refusal is not None
        assert refusal.errno == errno.EROFS
