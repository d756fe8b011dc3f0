"""Runs every built-in tool in a turn under an audit hook, and prints who opened which door.

A door is a program started, a file opened for writing or changed by name, or a connection. Who
opened it is the innermost file of the program on the stack. Started by test_audited_doors.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from kinet.core.events import ToolFinished  # noqa: E402
from kinet.tools.catalog import builtin_tools  # noqa: E402
from tests.support.approvers import allows_everything, denies_everything  # noqa: E402
from tests.support.chat import Chat  # noqa: E402
from tests.support.replies import asks_for, says  # noqa: E402
from tests.support.scripted_provider import ScriptedProvider  # noqa: E402

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
STARTS = {"subprocess.Popen", "os.exec", "os.posix_spawn", "os.spawn", "os.system", "os.fork",
          "os.forkpty"}  # fmt: skip
CHANGES = {"os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod",
           "os.chown", "os.truncate", "shutil.rmtree", "shutil.move",
           "shutil.copyfile"}  # fmt: skip
CONNECTS = {"socket.connect", "socket.sendto", "socket.getaddrinfo"}
CALLS = [
    ("list_folder", {}), ("symbols", {"name": "x"}), ("delete_file", {"path": "gone.txt"}),
    ("read_file", {"path": "a.txt"}), ("write_file", {"path": "new/b.txt", "content": "x\n"}),
    ("edit_file", {"path": "a.txt", "old_string": "one", "new_string": "1"}),
    ("grep", {"pattern": "two"}), ("glob", {"pattern": "*.txt"}),
    ("shell", {"command": "cat a.txt > c.txt"}), ("shell", {"command": "ls"}),
    ("git_status", {}), ("git_diff", {}), ("git_log", {}),
    ("web_fetch", {"url": "http://127.0.0.1:9/"}), ("web_fetch", {"url": "http://no.invalid/"}),
    ("todo", {"items": [{"text": "x", "status": "pending"}]}),
]  # fmt: skip

opened: set[tuple[str, str]] = set()
watching = False


def watch(event: str, arguments: tuple[object, ...]) -> None:
    """The hook: it cannot be taken off again, hence the process of its own."""
    if not watching:
        return
    door = ""
    if event in STARTS:
        door = "start"
    elif event in CHANGES:
        door = "write"
    elif event in CONNECTS:
        door = "connect"
    elif event == "open":
        _, mode, flags = arguments
        if (isinstance(flags, int) and flags & WRITING) or set(str(mode or "r")) & set("wax+"):
            door = "write"
    if door:
        opened.add((door, who()))


def who() -> str:
    """The innermost file of the program that is at work, relative to it."""
    frame = sys._getframe(2)
    while frame is not None:
        path = frame.f_code.co_filename
        if path.startswith(str(ROOT / "kinet")):
            return os.path.relpath(path, ROOT / "kinet")
        frame = frame.f_back  # type: ignore[assignment]
    return "elsewhere"


async def turn(folder: Path, data: Path, *, yes: bool) -> list[str]:
    """All calls in one turn; the names of the tools that gave a result."""
    global watching
    tools = builtin_tools()
    known = {tool.name for tool in tools}
    script = [asks_for(name, **values) for name, values in CALLS if name in known]
    approver = allows_everything() if yes else denies_everything()
    chat = Chat(tools=tools, folder=folder, approver=approver, data_dir=data)
    watching = True
    events = await chat.send(ScriptedProvider(*script, says("Done.")), "go")
    watching = False
    return [event.name for event in events if isinstance(event, ToolFinished)]


def main() -> None:
    """One turn in which everything is allowed, or denied."""
    folder, data = Path(sys.argv[1]), Path(sys.argv[2])
    (folder / "a.txt").write_text("one\ntwo\n")
    sys.addaudithook(watch)
    ran = asyncio.run(turn(folder, data, yes=sys.argv[3] == "yes"))
    print(json.dumps({"ran": ran, "doors": sorted(opened)}))


if __name__ == "__main__":
    main()
