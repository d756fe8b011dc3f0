"""Brings each known fault of the window back, one at a time, and counts the tests that miss it.

Run as `python -m tests.bench.bench_fault_patches [FAULT ...]`; ends with 1 on a miss. It works in
a copy of the tree. A test must fail with its patch, and within a minute: one that hangs tells
nothing. Before that all of them must pass as the code is.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.architecture.test_ui_faults import FAULTS
from tests.bench.fault_patches import PATCHES, Patch

_ROOT = Path(__file__).parents[2]
# Seconds; a machine with nothing else to do needs a tenth of it.
_LONGEST = 60.0
_COPIED = ("kinet", "tests", "resources", "pyproject.toml")


def main(faults: Sequence[int]) -> int:
    """Prints a line for each patch, and one for all."""
    missed: list[str] = []
    slowest = 0.0
    with tempfile.TemporaryDirectory() as name:
        tree = Path(name)
        for item in _COPIED:
            source = _ROOT / item
            copied = shutil.copytree if source.is_dir() else shutil.copy2
            copied(source, tree / item)
        if not _passes(tree, [_test(fault) for fault in faults]):
            missed.append("a test fails as the code is")
        for fault in faults:
            for number, patch in enumerate(PATCHES.get(fault, ()), start=1):
                said, seconds = _tried(tree, fault, patch)
                slowest = max(slowest, seconds)
                line = {"fault": fault, "patch": number, "said": said, "seconds": round(seconds, 1)}
                print(json.dumps(line), flush=True)
                if said != "failed":
                    missed.append(f"{fault}.{number}: {said}")
            if not PATCHES.get(fault):
                missed.append(f"{fault}: no patch")
    whole = {"bench": "faults that come back unseen", "value": len(missed), "limit": 0,
             "pass": not missed, "missed": missed, "slowest": round(slowest, 1)}  # fmt: skip
    print(json.dumps(whole))
    return 0 if whole["pass"] else 1


def _test(fault: int) -> str:
    file, test, _ = FAULTS[fault]
    return f"{file}::{test}"


def _passes(tree: Path, tests: Sequence[str]) -> bool:
    return _pytest(tree, sorted(set(tests)), 10 * _LONGEST) == 0


def _tried(tree: Path, fault: int, patch: Patch) -> tuple[str, float]:
    """(failed, passed, hung, or not found; seconds) of the fault's test under one patch."""
    whole = {file: (tree / file).read_text(encoding="utf-8") for file, _, _ in patch}
    patched = dict(whole)
    for file, before, after in patch:
        if before not in patched[file]:
            return "the patched place is not there any more", 0.0
        patched[file] = patched[file].replace(before, after)
    for file, text in patched.items():
        (tree / file).write_text(text, encoding="utf-8")
    began = time.monotonic()
    try:
        code = _pytest(tree, [_test(fault)], _LONGEST)
    finally:
        for file, text in whole.items():
            (tree / file).write_text(text, encoding="utf-8")
    # 1 is a failed test; anything else (2: it could not even be read) shows nothing.
    words = {None: "hung", 0: "passed", 1: "failed"}.get(code, f"pytest ended with {code}")
    return words, time.monotonic() - began


def _pytest(tree: Path, tests: Sequence[str], seconds: float) -> int | None:
    """How pytest ended; None if it did not in time."""
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests]
    values = os.environ | {"PYTHONPATH": str(tree), "QT_QPA_PLATFORM": "offscreen"}
    values.pop("PYTHONDONTWRITEBYTECODE", None)
    try:
        done = subprocess.run(
            command, cwd=tree, env=values, timeout=seconds, check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    return done.returncode


if __name__ == "__main__":
    chosen = [int(word) for word in sys.argv[1:]] or sorted(FAULTS)
    raise SystemExit(main(chosen))
