"""A slice of the wire cases through the command line; tests/bench/bench_wire.py runs them all."""

from __future__ import annotations

from pathlib import Path

from wire_processes import Processes
from wire_replay import load_cases

CASES = load_cases(Path(__file__).parent / "cases")
MUST = sorted(id_ for id_, case in CASES.items() if case["level"] == "must")


async def test_the_command_line_says_what_the_program_says(tmp_path):
    processes = Processes(CASES, tmp_path)
    found: dict[str, list[str]] = {}
    async with processes.server as base_url:
        for id_ in MUST[::16]:
            if problems := await processes.problems(id_, base_url):
                found[id_] = problems
    assert found == {}
