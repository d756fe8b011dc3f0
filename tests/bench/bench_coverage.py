"""Branch coverage of the gate by its own tests (N22): the judge of commands, paths and addresses.

Prints what is not reached and {value, limit, pass}: the share of lines and branches, in percent.
Exits 1 on a miss.

    python tests/bench/bench_coverage.py
"""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from pathlib import Path

import coverage
import pytest

ROOT = Path(__file__).resolve().parents[2]
MODULES = (
    "addresses", "commands", "gate", "git_contents", "git_forms", "git_objects", "git_packs",
    "git_place", "git_reading", "git_settings", "network", "never", "operand_paths", "operands",
    "paths", "programs", "protected", "searches", "shell_globs", "shell_syntax", "shell_words",
)  # fmt: skip
TESTS = ("tests/policy", "tests/attacks", "--ignore=tests/policy/test_one_gate.py")
LIMIT = 100.0


def main() -> int:
    """Runs the tests once under the measure."""
    os.chdir(ROOT)
    sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
    with tempfile.TemporaryDirectory() as name:
        wanted = [f"kinet/policy/{module}.py" for module in MODULES]
        measure = coverage.Coverage(data_file=str(Path(name) / "data"), branch=True, include=wanted)
        measure.start()
        options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-p", "no:qt"]
        code = pytest.main([*options, *TESTS])
        measure.stop()
        report = io.StringIO()
        value = round(measure.report(file=report, show_missing=True, skip_covered=True), 2)
    if code:
        print("the tests fail: no figure can be taken")
        return 1
    print(report.getvalue())
    told = {"name": "branch coverage of the gate, percent", "value": value, "limit": LIMIT}
    print(json.dumps({**told, "pass": value >= LIMIT}))
    return 0 if value >= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
