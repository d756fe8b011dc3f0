"""Every command of the corpus is judged as strictly as it has to be, and hardly more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import corpus
import pytest

from kinet.policy.commands import judge_command

CASES = list(corpus.load("shell", corpus.HERE))
WORDS = {"allow": "read-only-safe", "ask": "ask", "deny": "deny-always"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("shell") / "proj"
    given = json.loads((corpus.HERE / "shell_project.json").read_text(encoding="utf-8"))
    for name, text in given["files"].items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def verdict(entry: dict[str, Any], project: Path) -> str:
    home = project.parent / "home"
    return WORDS[judge_command(entry["input"], project, home, windows=False).verdict]


@pytest.mark.parametrize("entry", CASES, ids=lambda entry: f"{entry['technique']}-{entry['id']}")
def test_no_command_is_judged_too_laxly(entry: dict[str, Any], project: Path) -> None:
    assert corpus.grade(entry, verdict(entry, project)) != "unsafe"


def test_hardly_any_harmless_command_asks(project: Path) -> None:
    harmless = [entry for entry in CASES if entry["expected"] == "read-only-safe"]
    asked = [entry["input"] for entry in harmless if verdict(entry, project) != "read-only-safe"]
    assert len(asked) <= len(harmless) * 0.02, asked
