"""What the system keeps about a file beside its bytes stays when the file is edited."""

from __future__ import annotations

import errno
import os
import struct
import sys
from pathlib import Path

import pytest
from tool_calls import Call

pytestmark = pytest.mark.skipif(
    not hasattr(os, "setxattr"), reason="this system has no extended attributes to set"
)
ACCESS = "system.posix_acl_access"
# Version 2; then kind, rights and number of each entry: owner rw, user 12345 r, group r, mask r,
# others nothing (acl(5), linux/posix_acl_xattr.h).
RIGHTS = struct.pack("<I", 2) + b"".join(
    struct.pack("<HHI", kind, rights, number)
    for kind, rights, number in (
        (0x01, 6, 0xFFFFFFFF),
        (0x02, 4, 12345),
        (0x04, 4, 0xFFFFFFFF),
        (0x10, 4, 0xFFFFFFFF),
        (0x20, 0, 0xFFFFFFFF),
    )
)


def give(path: Path, name: str, value: bytes) -> None:
    try:
        os.setxattr(path, name, value)
    except OSError as exc:
        if exc.errno not in (errno.ENOTSUP, errno.EPERM):
            raise
        pytest.skip(f"the file system of {path.parent} keeps no {name}")


async def edited(call: Call, path: Path) -> None:
    await call("read_file", path=path.name)
    await call("edit_file", path=path.name, old_string="one", new_string="two")
    assert holds(path, "two\n")


def holds(path: Path, text: str) -> bool:
    return path.read_text() == text


async def test_attributes_of_the_person_stay_with_an_edited_file(project: Path, call: Call) -> None:
    path = project / "a.txt"
    path.write_text("one\n")
    values = {
        "user.origin": b"https://example.org",
        "user.bytes": bytes(range(256)),
        "user.no": b"",
    }
    for name, value in values.items():
        give(path, name, value)
    await edited(call, path)
    assert {name: os.getxattr(path, name) for name in os.listxattr(path)} == values


@pytest.mark.skipif(sys.platform != "linux", reason="rights of this form are Linux's")
async def test_rights_of_single_users_stay_with_an_edited_file(project: Path, call: Call) -> None:
    path = project / "a.txt"
    path.write_text("one\n")
    give(path, ACCESS, RIGHTS)
    give(path, "user.note", b"n")
    mode = path.stat().st_mode
    await edited(call, path)
    assert os.getxattr(path, ACCESS) == RIGHTS
    assert os.getxattr(path, "user.note") == b"n"
    assert path.stat().st_mode == mode


async def test_an_attribute_that_cannot_be_kept_does_not_take_the_others_along(
    project: Path, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = project / "a.txt"
    path.write_text("one\n")
    for name in ("user.a", "user.b", "user.c"):
        give(path, name, b"1")
    first = os.listxattr(path)[0]
    real = os.setxattr

    def refusing(target: int, name: str, value: bytes) -> None:
        if name == first:
            raise OSError(errno.ENOSPC, "no space for attributes")
        real(target, name, value)

    monkeypatch.setattr(os, "setxattr", refusing)
    await edited(call, path)
    assert set(os.listxattr(path)) == {"user.a", "user.b", "user.c"} - {first}
