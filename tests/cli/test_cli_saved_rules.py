"""Saved answers in `kinet run`: how far they reach, that a no is stronger, when they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kinet.core.approval import Decision
from kinet.policy.rules import RuleBook
from tests.cli.conftest import Kinet
from tests.support.replies import asks_for, says
from tests.support.scripted_server import ScriptedServer

COMMAND = {"command": "touch made.txt"}
DENIED = 5


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    return place


def run(kinet: Kinet, folder: Path) -> tuple[int, bool, str]:
    """(exit code, whether the command ran, what the model was told)."""
    (folder / "made.txt").unlink(missing_ok=True)
    with ScriptedServer(asks_for("shell", **COMMAND), says("Done.")) as server:
        words = ["--base-url", server.base_url, "--model", "scripted", "--protocol", "openai"]
        ran = kinet("run", *words, "--cwd", folder, "make it")
        told = json.dumps(server.bodies[-1]["messages"][-1])
    return ran.code, (folder / "made.txt").exists(), told


def test_a_saved_yes_reaches_as_far_as_it_says_and_ends_at_once(
    kinet: Kinet, home: Path, folder: Path, tmp_path: Path
) -> None:
    book = RuleBook(home)
    other = tmp_path / "other"
    other.mkdir()
    for scope in ("once", "session"):
        book.remember("shell", COMMAND, str(other), Decision(True, scope))
    book.remember("shell", COMMAND, str(folder), Decision(True, "folder"))
    assert run(kinet, other)[:2] == (DENIED, False), "the others end with their session"
    assert run(kinet, folder)[:2] == (0, True)
    (rule,) = [rule for rule in book.rules() if rule.scope == "folder"]
    assert book.revoke(rule.id)
    assert run(kinet, folder)[:2] == (DENIED, False)


def test_a_no_is_stronger_than_any_yes_and_tells_its_reason(
    kinet: Kinet, home: Path, folder: Path
) -> None:
    book = RuleBook(home)
    book.remember("shell", COMMAND, str(folder), Decision(True, "folder"))
    book.remember("shell", COMMAND, "", Decision(False, "always", "no new files, please"))
    code, made, told = run(kinet, folder)
    assert (made, "no new files, please" in told) == (False, True)
    # A rule answered; it was not for want of somebody to ask.
    assert code == 0
