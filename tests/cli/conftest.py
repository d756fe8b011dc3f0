"""Runs `python -m kinet` in a process of its own, on a data folder of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Its output as one JSON value."""
        return json.loads(self.out)

    @property
    def events(self) -> list[dict[str, Any]]:
        """Its output as one JSON object a line."""
        return [json.loads(line) for line in self.out.splitlines()]


Kinet = Callable[..., Ran]


def environment(home: Path, **more: str) -> dict[str, str]:
    """The variables of a child: no key and no proxy of whoever runs the tests."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.upper().endswith(("_API_KEY", "_PROXY"))
    }
    return {
        **kept,
        "KINET_HOME": str(home),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "PYTHONPATH": str(ROOT),
        "HOME": str(home.parent / "person"),
        **more,
    }


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "person").mkdir()
    return tmp_path / "home"


@pytest.fixture
def kinet(home: Path, tmp_path: Path) -> Kinet:
    def run(
        *arguments: str | Path,
        given: str | bytes = "",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "kinet", *map(str, arguments)],
            input=given.encode() if isinstance(given, str) else given,
            capture_output=True,
            timeout=60,
            cwd=cwd or tmp_path,
            env=environment(home, **(env or {})),
            check=False,
        )
        ran = Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert "Traceback" not in ran.err, ran.err
        return ran

    return run
