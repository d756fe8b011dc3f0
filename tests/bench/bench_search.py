"""grep and glob over 100,000 files against the bare ripgrep process: prints the ratios.

Run as `python tests/bench/bench_search.py`; ends with 1 on a miss.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from kinet.tools.base import ToolContext
from kinet.tools.files.file_search import find_ripgrep
from kinet.tools.glob import Glob, GlobArguments
from kinet.tools.grep import Grep, GrepArguments

LIMIT = 1.5


def main() -> int:
    """Prints one line per tool."""
    program = find_ripgrep()
    if program is None:
        print("ripgrep is missing: nothing to compare with")
        return 1
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _fill(folder)
        context = ToolContext(folder=folder)
        results = [
            _compare(
                "grep",
                lambda: _bare([program, "--no-config", "-n", "needle", "."], folder),
                lambda: asyncio.run(Grep().run(GrepArguments(pattern="needle"), context)),
            ),
            *(
                _compare(
                    f"glob {pattern}",
                    lambda: _bare([program, "--no-config", "--files"], folder),
                    lambda pattern=pattern: asyncio.run(
                        Glob().run(GlobArguments(pattern=pattern), context)
                    ),
                )
                for pattern in ("**/*7.py", "d1*/**/*7.py")
            ),
        ]
    return 0 if all(results) else 1


def _fill(folder: Path) -> None:
    for number in range(1_000):
        below = folder / f"d{number % 40}" / f"e{number}"
        below.mkdir(parents=True)
        for name in range(100):
            text = b"x = 1\nneedle\n" if name == 7 else b"x = 1\n"
            (below / f"file{name}.py").write_bytes(text)


def _bare(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, capture_output=True, check=True)


def _compare(name: str, bare: Callable[[], object], tool: Callable[[], object]) -> bool:
    bare()
    # The quickest of three on each side: others on the machine only ever add.
    samples = [
        min(_seconds(tool) for _ in range(3)) / min(_seconds(bare) for _ in range(3))
        for _ in range(3)
    ]
    value = statistics.median(samples)
    shown = [round(sample, 2) for sample in samples]
    line = {"bench": name, "value": round(value, 2), "limit": LIMIT, "pass": value <= LIMIT}
    print(json.dumps({**line, "samples": shown}))
    return value <= LIMIT


def _seconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


if __name__ == "__main__":
    sys.exit(main())
