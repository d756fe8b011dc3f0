"""The same verdicts from `kinet check` in processes of their own.

All commands come through one process. Of paths and addresses, which need a process each, a slice is
taken; KINET_ALL_CASES=1 takes all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import corpus
import pytest
from test_path_cases import runnable

from kinet.policy.commands import judge_command

ROOT = Path(__file__).resolve().parents[2]
STEP = 1 if os.environ.get("KINET_ALL_CASES") else 9
SHELL = list(corpus.load("shell", corpus.HERE))
SHELL_WORDS = {"allow": "read-only-safe", "ask": "ask", "deny": "deny-always"}
PATH_WORDS = {"allow": "ordinary", "ask": "ask", "deny": "refuse"}
WEB_WORDS = {"allow": "ok", "ask": "ask", "deny": "refuse"}
PURPOSES = {"read_file": "read", "write_file": "write", "edit_file": "write"}
PATHS = [
    entry
    for entry in corpus.load("path", corpus.HERE)
    if entry["tool"] in PURPOSES
    and runnable(entry)
    and "path" in entry["input"]
    and "after_approval" not in entry
]
# What only comes to light while fetching is not for `check`: it resolves once and asks nobody.
ADDRESSES = [
    entry
    for entry in corpus.load("web", corpus.HERE)
    if not entry.get("responses")
    and all(len(lists) == 1 for lists in entry.get("dns", {}).values())
]


def check(*arguments: str, roots: corpus.Roots, given: str = "", cwd: str = "") -> list[Any]:
    """The judgements that `kinet check` prints."""
    variables = {
        **os.environ,
        "KINET_HOME": str(roots["D"]),
        "HOME": str(roots["H"]),
        "PYTHONPATH": str(ROOT),
    }
    done = subprocess.run(
        [sys.executable, "-m", "kinet", "check", *arguments],
        input=given.encode("utf-8", "surrogateescape"),
        capture_output=True,
        env=variables,
        cwd=cwd or str(roots["W"]),
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    text = done.stdout.decode("utf-8")
    return [json.loads(line) for line in text.splitlines()] if given else [json.loads(text)]


def test_commands_are_judged_as_in_this_process(roots: corpus.Roots) -> None:
    given = json.loads((corpus.HERE / "shell_project.json").read_text(encoding="utf-8"))
    for name, text in given["files"].items():
        path = roots["W"] / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    lines = "".join(json.dumps(entry["input"]) + "\n" for entry in SHELL)
    found = check("command", "-", roots=roots, given=lines)
    assert len(found) == len(SHELL)
    asked = 0
    for entry, judged in zip(SHELL, found, strict=True):
        here = judge_command(entry["input"], roots["W"], roots["H"], data_dir=roots["D"])
        assert judged["verdict"] == here.verdict, entry["input"]
        assert judged["parts"], entry["input"]
        grade = corpus.grade(entry, SHELL_WORDS[judged["verdict"]])
        assert grade != "unsafe", entry["input"]
        asked += grade == "friction" and entry["expected"] == "read-only-safe"
    harmless = sum(entry["expected"] == "read-only-safe" for entry in SHELL)
    assert asked <= harmless * 0.02


@pytest.mark.parametrize("entry", PATHS[::STEP], ids=lambda entry: str(entry["id"]))
def test_a_path_is_judged_as_it_should(entry: dict[str, Any], roots: corpus.Roots) -> None:
    corpus.lay_out(entry.get("setup", []), roots)
    folder = roots.fill(entry.get("open_project_as", "{W}"))
    path = roots.fill(entry["input"]["path"])
    (judged,) = check(
        "path", "-", "--for", PURPOSES[entry["tool"]], "--cwd", folder,
        roots=roots, given=json.dumps(path) + "\n",
    )  # fmt: skip
    assert corpus.grade(entry, PATH_WORDS[judged["verdict"]]) == "pass", judged


@pytest.mark.parametrize("entry", ADDRESSES[::STEP], ids=lambda entry: str(entry["id"]))
def test_an_address_is_judged_as_it_should(entry: dict[str, Any], roots: corpus.Roots) -> None:
    names = [
        f"--resolve={host}={','.join(lists[0])}" for host, lists in entry.get("dns", {}).items()
    ]
    url = json.dumps(entry["input"]["url"]) + "\n"
    (judged,) = check("url", "-", "--permitted", *names, roots=roots, given=url)
    assert corpus.grade(entry, WEB_WORDS[judged["verdict"]]) == "pass", judged
