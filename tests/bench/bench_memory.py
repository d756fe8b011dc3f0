"""Memory that file tools take for files far larger than memory (N13): growth of this process.

A sparse file of 1 TB is read, searched and edited, and a text of 200 MB is read page by page.
Prints {value, limit, pass} in MB; exits 1 on a miss. Linux only.

    python tests/bench/bench_memory.py
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kinet.core.errors import ToolError
from kinet.tools.base import ToolContext
from kinet.tools.edit_file import EditFile, EditFileArguments
from kinet.tools.grep import Grep, GrepArguments
from kinet.tools.read_file import ReadFile, ReadFileArguments

LIMIT = 64
TERABYTE = 1 << 40


def main() -> int:
    """Runs each once and looks at the highest resident size."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with open(folder / "sparse.txt", "wb") as file:
            file.truncate(TERABYTE)
        (folder / "long.txt").write_bytes(b"a line of text that is long enough\n" * 6_000_000)
        context = ToolContext(folder=folder, require_read=False)
        edit = EditFileArguments(path="sparse.txt", old_string="a", new_string="b")
        acts: dict[str, Callable[[], Awaitable[Any]]] = {
            "read 1 TB": lambda: ReadFile().run(ReadFileArguments(path="sparse.txt"), context),
            "edit 1 TB": lambda: EditFile().run(edit, context),
            "read 200 MB": lambda: ReadFile().run(
                ReadFileArguments(path="long.txt", offset=5_999_000), context
            ),
            "search 200 MB": lambda: Grep().run(GrepArguments(pattern="no such"), context),
        }
        asyncio.run(_quiet(lambda: ReadFile().run(ReadFileArguments(path="none"), context)))
        results = [_measured(name, act) for name, act in acts.items()]
    return 0 if all(results) else 1


def _measured(name: str, act: Callable[[], Awaitable[Any]]) -> bool:
    Path("/proc/self/clear_refs").write_text("5")
    before = _resident("VmRSS")
    asyncio.run(_quiet(act))
    growth = round(_resident("VmHWM") - before, 1)
    print(json.dumps({"name": f"{name}, MB", "value": growth, "limit": LIMIT,
                      "pass": growth <= LIMIT}))  # fmt: skip
    return growth <= LIMIT


async def _quiet(act: Callable[[], Awaitable[Any]]) -> None:
    try:
        await act()
    except ToolError as exc:
        print(json.dumps({"refused": exc.message[:100]}))


def _resident(what: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(what):
            return int(line.split()[1]) / 1024
    return 0.0


if __name__ == "__main__":
    sys.exit(main())
