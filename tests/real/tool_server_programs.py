"""Installs tool servers of others, once for all tests, each kind into a folder of its own."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

PACKAGING = Path(__file__).resolve().parents[2] / "packaging"
_SECONDS = 240


def python_servers(cache: Path) -> Path:
    """The folder of their programs. Skips, with a sentence, where they cannot be had."""
    listed = PACKAGING / "real-tool-servers.txt"
    place = cache / "python"
    python = place / "bin" / "python"

    def install() -> None:
        _run([sys.executable, "-m", "venv", str(place)], cache)
        quietly = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        _run([str(python), *quietly, "-r", str(listed)], cache)

    _once(place, listed, install)
    return place / "bin"


def node_servers(cache: Path) -> Path:
    """The folder of their programs. Skips, with a sentence, where there is no Node."""
    if shutil.which("npm") is None or shutil.which("npx") is None:
        pytest.skip("no Node here: the servers that run in it are not tried")
    listed = PACKAGING / "real-tool-servers.json"
    place = cache / "node"

    def install() -> None:
        place.mkdir(parents=True)
        shutil.copy(listed, place / "package.json")
        _run(["npm", "install", "--no-audit", "--no-fund", "--silent"], place)

    _once(place, listed, install)
    return place / "node_modules" / ".bin"


def _once(place: Path, listed: Path, install: Callable[[], None]) -> None:
    """Installs unless just this list is installed; tests that run side by side wait here."""
    mark = place / "installed"
    wanted = listed.read_text()
    with open(place.parent / f"{place.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if mark.exists() and mark.read_text() == wanted:
            return
        shutil.rmtree(place, ignore_errors=True)
        install()
        mark.write_text(wanted)


def _run(command: list[str], folder: Path) -> None:
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            env={**os.environ, "PYTHONNOUSERSITE": "1"},
        )
    except subprocess.TimeoutExpired:
        pytest.skip("the tool servers could not be installed in time")
    if done.returncode:
        pytest.skip(f"the tool servers cannot be installed here: {done.stderr.strip()[-300:]}")
