"""A start that meets something broken shows a window, tells what it is, and loses nothing.

A slice of `tests/bench/bench_bad_starts.py`, which takes the time of all of them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.bench.bench_bad_starts import CASES, start

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and /proc of Linux")


@pytest.mark.parametrize(
    "case", ["keychain hanging", "home read-only", "disk full", "settings damaged",
             "database damaged"]
)  # fmt: skip
def test_the_window_comes_up_and_tells_what_is_wrong(tmp_path: Path, case: str) -> None:
    told = start(case, tmp_path)
    assert told["shown"] < 99, told
    assert CASES[case] in told["told"]
    assert not told["lost"]
