"""Arrows point down, and the engine runs where there is no Qt."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.support.replies import asks_for, says
from tests.support.scripted_server import ScriptedServer

ROOT = Path(__file__).resolve().parents[2]

NO_QT = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("PySide6", "shiboken6", "qasync"):
            raise ImportError(f"{name} is not there")
sys.meta_path.insert(0, Refuse())
"""

FACES = ("ui", "cli")


def test_the_layer_contracts_hold() -> None:
    code = "from importlinter.cli import lint_imports_command as run; run()"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_every_headless_module_imports_without_qt() -> None:
    names = ["kinet.paths", "kinet.runtime", "kinet.headless"]
    for path in sorted((ROOT / "kinet").glob("*/**/*.py")):
        if path.relative_to(ROOT).parts[1] not in FACES:
            names.append(".".join(path.relative_to(ROOT).with_suffix("").parts))
    code = NO_QT + f"import importlib\nfor name in {names!r}: importlib.import_module(name)\n"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_scripted_run_finishes_without_qt(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "notes.md").write_text("# Notes\n", encoding="utf-8")
    with ScriptedServer([asks_for("read_file", path="notes.md"), says("Read.")]) as server:
        code = NO_QT + (
            "from kinet.cli.main import main\n"
            "sys.exit(main(['run', 'read the notes', '--json', '--cwd', sys.argv[1],"
            " '--base-url', sys.argv[2], '--model', 'scripted']))\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code, str(folder), server.base_url],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "KINET_HOME": str(tmp_path / "home")},
        )
    assert done.returncode == 0, done.stderr
    last = json.loads(done.stdout.splitlines()[-1])
    assert (last["type"], last["reason"]) == ("turn_finished", "completed")
