"""Read from outside, as a screen reader does: code, table, steps and a question."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.ui.transcript_kit import CODE

ROOT = Path(__file__).resolve().parents[2]
CHILD = ROOT / "tests" / "support" / "atspi_child.py"


def _missing() -> str:
    if not sys.platform.startswith("linux"):
        return "AT-SPI is of Linux desktops"
    for program in ("dbus-run-session", "xvfb-run", "/usr/bin/python3"):
        if shutil.which(program) is None:
            return f"{program} is not installed"
    asked = "import gi; gi.require_version('Atspi', '2.0'); from gi.repository import Atspi"
    ran = subprocess.run(["/usr/bin/python3", "-c", asked], capture_output=True, check=False)
    return "" if ran.returncode == 0 else "python3-gi and gir1.2-atspi-2.0 are not installed"


@pytest.mark.skipif(bool(_missing()), reason=_missing() or "-")
def test_a_screen_reader_finds_every_message_its_parts_and_the_question(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
    environment = {
        **kept,
        "PYTHONPATH": str(ROOT),
        "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        "XDG_RUNTIME_DIR": str(tmp_path),
        "HOME": str(tmp_path),
    }
    tmp_path.chmod(0o700)
    ran = subprocess.run(
        ["dbus-run-session", "--", "xvfb-run", "-a", sys.executable, str(CHILD)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    tree = json.loads(ran.stdout.strip().splitlines()[-1])
    conversation = _find(tree, "Conversation")
    assert conversation is not None, ran.stdout[:2000]
    assert conversation["role"] == "list"
    names = [child["name"] for child in conversation["children"]]
    assert names[0] == "You: Match `invoices/` with the bank."
    assert names[2].startswith("Worked")
    assert conversation["children"][2]["children"][0]["name"].startswith("Read ")
    answer = conversation["children"][3]
    parts = [part["name"] for part in answer["children"]]
    assert any(part.startswith("Table: ") for part in parts)
    assert any(part.startswith("Python code") for part in parts)
    assert "Run this command?" in names[-1]
    assert _find(conversation["children"][-1], "Allow once") is not None
    question, rows = conversation["children"][0], conversation["children"][2]["children"]
    assert question["words"] == "Match `invoices/` with the bank."
    code = next(part for part in answer["children"] if part["name"].startswith("Python code"))
    assert code["words"] == CODE
    assert "Copy code" in code["actions"]
    assert rows[0]["words"].startswith("Read totals.py")
    assert rows[0]["actions"] == ["Show the step"]
    assert tree["pressed"]
    assert "Kinet has answered. Step c1 is shown." in tree["said"][0]


def _find(tree: dict[str, Any] | None, name: str) -> dict[str, Any] | None:
    if tree is None:
        return None
    if name in tree["name"]:
        return tree
    for child in tree["children"]:
        found = _find(child, name)
        if found is not None:
            return found
    return None
