"""Memory that tools take for what is far larger than memory (N13): growth of this process.

A sparse file of 1 TB is read, searched and edited, a text of 200 MB is read page by page and
searched, a command prints 200 MB, another prints without end until its time is up, and a page
unpacks to 8 GB. Prints {value, limit, pass} in MB; exits 1 on a miss. Linux only.

    python tests/bench/bench_memory.py [SECONDS]
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "attacks"))

from loopback_web import LoopbackWeb

from kinet.core.errors import ToolError
from kinet.tools.base import ToolContext
from kinet.tools.edit_file import EditFile, EditFileArguments
from kinet.tools.grep import Grep, GrepArguments
from kinet.tools.read_file import ReadFile, ReadFileArguments
from kinet.tools.shell import Shell, ShellArguments
from kinet.tools.web.web_transport import Reach
from kinet.tools.web_fetch import WebFetch, WebFetchArguments

LIMIT = 64
TERABYTE = 1 << 40


def main() -> int:
    """Runs each once and looks at the highest resident size."""
    seconds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    with tempfile.TemporaryDirectory() as name:
        folder, data = Path(name) / "project", Path(name) / "data"
        folder.mkdir()
        with open(folder / "sparse.txt", "wb") as file:
            file.truncate(TERABYTE)
        (folder / "long.txt").write_bytes(b"a line of text that is long enough\n" * 6_000_000)
        context = ToolContext(
            folder=folder, data_dir=data, require_read=False, session_id="s", call_id="c"
        )
        results = [_measured(*act, context) for act in _acts(seconds)]
    return 0 if all(results) else 1


Act = Callable[[ToolContext], Awaitable[object]]


def _acts(seconds: int) -> list[tuple[str, Act, Act]]:
    """Each with a small one of its kind, which loads what it needs."""
    edit = EditFileArguments(path="sparse.txt", old_string="a", new_string="b")
    nothing = EditFileArguments(path="none", old_string="a", new_string="b")
    return [
        ("read 1 TB", _read("none"), _read("sparse.txt")),
        ("edit 1 TB", lambda context: EditFile().run(nothing, context),
         lambda context: EditFile().run(edit, context)),
        ("read 200 MB", _read("none"), _read("long.txt", 5_999_000)),
        ("search 200 MB and 1 TB", _grep("x", "none"), _grep("no such", ".")),
        ("200 MB of output", _shell("echo a", 9), _shell("cat long.txt", 600)),
        ("200 MB in one line", _shell("echo a", 9),
         _shell("head -c 200000000 /dev/zero | tr '\\0' a", 600)),
        (f"output without end for {seconds} s", _shell("echo a", 9), _shell("yes", seconds)),
        ("a page of 8 GB in 8 MB", _fetch(1 << 20), _fetch(8 << 30)),
    ]  # fmt: skip


def _read(path: str, offset: int = 1) -> Act:
    return lambda context: ReadFile().run(ReadFileArguments(path=path, offset=offset), context)


def _grep(pattern: str, path: str) -> Act:
    return lambda context: Grep().run(GrepArguments(pattern=pattern, path=path), context)


def _shell(command: str, seconds: int) -> Act:
    return lambda context: Shell().run(ShellArguments(command=command, timeout_s=seconds), context)


def _fetch(size: int) -> Act:
    async def fetch(context: ToolContext) -> None:
        body = {"gzip_of_zeros": size}
        page = {"url": "http://bomb.test/", "headers": {"content-encoding": "gzip"}, "body": body}
        async with LoopbackWeb([page]) as web:
            reach = Reach(resolve=lambda _: ["93.184.216.34"], transport=web.transport)
            await WebFetch(lambda: reach).run(WebFetchArguments(url="http://bomb.test/"), context)

    return fetch


def _measured(name: str, small: Act, act: Act, context: ToolContext) -> bool:
    asyncio.run(_quiet(lambda: small(context), say=False))
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")
    before = _resident("VmRSS")
    asyncio.run(_quiet(lambda: act(context)))
    growth = round(_resident("VmHWM") - before, 1)
    print(json.dumps({"name": f"{name}, MB", "value": growth, "limit": LIMIT,
                      "pass": growth <= LIMIT}), flush=True)  # fmt: skip
    return growth <= LIMIT


async def _quiet(act: Callable[[], Awaitable[object]], *, say: bool = True) -> None:
    try:
        await act()
    except ToolError as exc:
        if say:
            print(json.dumps({"refused": exc.message[:100]}))


def _resident(what: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(what):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    sys.exit(main())
