"""A command that prints 200 MB: the loop's longest stop and the memory it takes (T12).

Run as `python -m tests.bench.bench_output [MEGABYTES]`; ends with 1 on a miss. The whole has to lie
on disk afterwards, and its last page has to be found.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

from kinet.tools.base import ToolContext
from kinet.tools.processes import whole_output
from kinet.tools.shell import Shell, ShellArguments

_STOP_LIMIT_S = 0.05
_MEMORY_LIMIT_MB = 20.0


async def _main(megabytes: int) -> int:
    sys.setswitchinterval(0.0005)
    with tempfile.TemporaryDirectory() as name:
        project = Path(name) / "project"
        project.mkdir()
        data = Path(name) / "data"
        context = ToolContext(project, "warm", "bench", data_dir=data)
        tool = Shell()
        await tool.run(ShellArguments(command="seq 100000"), context)
        late: list[float] = []
        watch = asyncio.create_task(_watch(late))
        before = _resident()
        began = time.monotonic()
        line = "x" * 99
        command = f"yes {line} | head -c {megabytes * 1_000_000}; echo END"
        context = ToolContext(project, "call", "bench", data_dir=data)
        output = await tool.run(ShellArguments(command=command, timeout_s=600), context)
        seconds = time.monotonic() - began
        watch.cancel()
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024) - before
        file = whole_output.place_of(data, "bench", "call")
        assert file is not None
        whole = file.stat().st_size == megabytes * 1_000_000 + 4
        last = whole_output.page(file, megabytes * 1_000_000, 100)
        whole = whole and last is not None and last.text == "END\n"
        whole = whole and output.content.endswith("END")
    stop = {"bench": "longest stop of the loop, s", "value": round(max(late), 4),
            "limit": _STOP_LIMIT_S, "pass": max(late) <= _STOP_LIMIT_S,
            "seconds": round(seconds, 1), "whole": whole}  # fmt: skip
    memory = {"bench": "memory of a long output, MB", "value": round(grown, 1),
              "limit": _MEMORY_LIMIT_MB, "pass": grown <= _MEMORY_LIMIT_MB}  # fmt: skip
    print(json.dumps(stop))
    print(json.dumps(memory))
    return 0 if stop["pass"] and memory["pass"] and whole else 1


async def _watch(late: list[float]) -> None:
    while True:
        began = time.monotonic()
        await asyncio.sleep(0.005)
        late.append(time.monotonic() - began - 0.005)


def _resident() -> float:
    """MB of this process now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024 / 1024


if __name__ == "__main__":
    sys.exit(asyncio.run(_main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)))
