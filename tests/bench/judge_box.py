"""Runs commands that were judged plain in a box, and tells which of them changed anything.

The box has no network, no process but its own, a read-only disk, and the user nobody. Its project
and its temporary folders lie in memory. It needs Linux, root, unshare, setpriv and mount.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

BATCH = 40
_LAID = {"project", "home"}
_PLACES = ("/box", "/tmp", "/var/tmp", "/dev/shm")
_MOUNTS = """
set -e
mount --make-rprivate /
mkdir -p /box 2>/dev/null || true
mount -o remount,bind,ro / 2>/dev/null || true
for place in /tmp /var/tmp /dev/shm /run /box; do
    [ -d "$place" ] && mount -t tmpfs -o size=64m,mode=1777 tmpfs "$place"
done
exec "$@"
"""


def box_available() -> bool:
    """True where such a box can be made."""
    tools = all(shutil.which(name) for name in ("unshare", "setpriv", "mount", "bash"))
    if not tools or not hasattr(os, "geteuid") or os.geteuid() != 0:
        return False
    test = _boxed(["true"])
    return subprocess.run(test, capture_output=True, check=False).returncode == 0


def harmful(commands: Sequence[str]) -> list[str]:
    """The commands after which something in the box was different."""
    code = Path(__file__).read_text(encoding="utf-8")
    runner = [sys.executable, "-I", "-c", code, "inside"]
    done = subprocess.run(
        _boxed(runner),
        input=json.dumps(list(commands)),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"the box failed: {done.stderr[-2_000:]}")
    found: list[str] = json.loads(done.stdout)
    return found


def lay_where_judged() -> None:
    """Lays them where commands are judged: what a pattern matches is looked at."""
    os.makedirs("/box", exist_ok=True)
    if set(os.listdir("/box")) - _LAID:
        raise RuntimeError("/box holds what is not of this bench")
    fill()


def clear_where_judged() -> None:
    """Takes them away again."""
    for name in _LAID:
        shutil.rmtree(os.path.join("/box", name), ignore_errors=True)


def _boxed(command: Sequence[str]) -> list[str]:
    return [
        "unshare", "--net", "--pid", "--mount", "--ipc", "--uts", "--fork", "--kill-child",
        "--mount-proc", "bash", "-c", _MOUNTS, "box", "setpriv", "--reuid=65534",
        "--regid=65534", "--clear-groups", "--no-new-privs", "--bounding-set=-all", *command,
    ]  # fmt: skip


def _inside() -> None:
    assert os.geteuid() == 65534
    commands = json.load(sys.stdin)
    found = []
    fill()
    before = _state()
    for start in range(0, len(commands), BATCH):
        batch = commands[start : start + BATCH]
        for command in batch:
            _run(command)
        if _state() != before:
            for command in batch:
                fill()
                before = _state()
                _run(command)
                if _state() != before:
                    found.append(command)
            fill()
            before = _state()
    json.dump(found, sys.stdout)


def _run(command: str) -> None:
    try:
        subprocess.run(
            ["bash", "--noprofile", "--norc", "-c", command],
            cwd="/box/project",
            env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/box/home", "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=10,
            start_new_session=True,
            check=False,
        )
    except subprocess.TimeoutExpired:
        # Judged plain means that it ends, too.
        Path("/box/timed-out").write_text(command)


def fill() -> None:
    """Lays the folders anew, the same ones inside the box and where commands are judged."""
    for name in os.listdir("/box"):
        path = os.path.join("/box", name)
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)
    for name, text in (
        ("project/a.txt", "one\ntwo\none\n"), ("project/b.txt", "b\n"),
        ("project/src/c.py", "x = 1\n"), ("home/keep", "k\n"),
        ("project/src/-oout", "-\n"), ("project/deep/.git/config", "k\n"),
        ("project/deep/d.txt", "one\n"),
    ):  # fmt: skip
        path = Path("/box", name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def _state() -> list[tuple[str, int, int, str]]:
    """Name, mode, time of change and content of everything that could be written to."""
    found = []
    for place in _PLACES:
        for folder, folders, files in os.walk(place):
            for name in (*folders, *files):
                path = os.path.join(folder, name)
                status = os.lstat(path)
                data = b"" if name in folders or os.path.islink(path) else Path(path).read_bytes()
                found.append(
                    (path, status.st_mode, status.st_mtime_ns, hashlib.sha256(data).hexdigest())
                )
    return sorted(found)


if __name__ == "__main__" and sys.argv[1:] == ["inside"]:
    _inside()
