"""A hostile repository: no tool runs a program that it brings along (every trap leaves a file)."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tool_calls import Call

from kinet.core.errors import ToolError
from kinet.tools.base import ToolContext

pytestmark = pytest.mark.skipif(shutil.which("git") is None or os.name == "nt", reason="needs git")
PROGRAMS = (
    "ls", "cat", "rg", "grep", "git", "bash", "sh", "python3", "find", "env", "head", "wc", "sort",
    "less", "pager", "man", "ssh", "true", "test", "rm", "setsid",
)  # fmt: skip
HOOKS = (
    "post-index-change", "fsmonitor-watchman", "pre-commit", "post-checkout",
    "reference-transaction",
)  # fmt: skip
CONFIG = """
[core]
    fsmonitor = {trap}
    pager = {trap}
    editor = {trap}
    sshCommand = {trap}
    askPass = {trap}
    hooksPath = {hooks}
    attributesFile = {attributes}
    gitProxy = {trap}
    alternateRefsCommand = {trap}
[diff]
    external = {trap}
[diff "bad"]
    command = {trap}
    textconv = {trap}
[filter "bad"]
    clean = {trap}
    smudge = {trap}
    process = {trap}
    required = true
[merge "bad"]
    driver = {trap}
[pager]
    log = {trap}
    status = {trap}
    diff = {trap}
    show = {trap}
[gpg]
    program = {trap}
[log]
    showSignature = true
[credential]
    helper = !{trap}
[alias]
    status = !{trap}
    log = !{trap}
[interactive]
    diffFilter = {trap}
[status]
    submoduleSummary = true
[include]
    path = {more}
"""


@pytest.fixture
def hostile(project: Path) -> Path:
    """A repository whose every knob runs the trap."""
    made = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, **os.environ}
    who = ["-c", "user.name=x", "-c", "user.email=x@x.test"]
    (project / "a.txt").write_text("one\n")
    (project / "b.bad").write_text("one\n")
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "first"]):
        subprocess.run(["git", *words], cwd=project, env=made, check=True)
    trap = project / "trap.sh"
    trap.write_text(f"#!/bin/sh\n: > {project.parent}/sprung-$$\ncat\n")
    trap.chmod(0o755)
    for folder in ("", "bin", ".venv/bin", "node_modules/.bin"):
        (project / folder).mkdir(parents=True, exist_ok=True)
        for name in PROGRAMS:
            if not (project / folder / name).exists():
                shutil.copy(trap, project / folder / name)
    hooks = project / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in HOOKS:
        shutil.copy(trap, hooks / name)
    (project / ".gitattributes").write_text("* diff=bad filter=bad merge=bad\n")
    (project / "more").write_text(f"[diff]\n    external = {trap}\n")
    places = {
        "trap": trap, "hooks": hooks, "more": project / "more",
        "attributes": project / ".gitattributes",
    }  # fmt: skip
    with open(project / ".git" / "config", "a", encoding="utf-8") as config:
        config.write(CONFIG.format(**places))
    for name in ("sitecustomize.py", "usercustomize.py", "docx.py", "pypdf.py", "openpyxl.py"):
        (project / name).write_text(f"open({str(project.parent / 'sprung-py')!r}, 'w')\n")
    (project / ".ripgreprc").write_text(f"--pre={trap}\n")
    (project / ".bashrc").write_text(f"{trap}\n")
    (project / ".envrc").write_text(f"{trap}\n")
    (project / "a.txt").write_text("two\n")
    (project / "b.bad").write_text("two\n")
    (project / "a.pdf").write_bytes(b"%PDF-1.4\nbroken")
    return project


async def test_no_tool_runs_what_a_repository_brings(
    hostile: Path, call: Call, context: ToolContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = os.environ["PATH"]
    own = f".:{hostile}:{hostile}/bin::{hostile}/.venv/bin:{hostile}/node_modules/.bin:{path}"
    monkeypatch.setenv("PATH", own)
    monkeypatch.setenv("BASH_ENV", str(hostile / ".bashrc"))
    monkeypatch.setenv("ENV", str(hostile / ".bashrc"))
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(hostile / ".ripgreprc"))
    monkeypatch.setenv("PYTHONPATH", str(hostile))
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(hostile / "trap.sh"))
    monkeypatch.setenv("GIT_PAGER", str(hostile / "trap.sh"))
    monkeypatch.setenv("LESSOPEN", f"|{hostile}/trap.sh %s")
    monkeypatch.chdir(hostile)
    for tool, arguments in (
        ("git_status", {}), ("git_diff", {}), ("git_diff", {"staged": True}), ("git_log", {}),
        ("git_show", {"ref": "HEAD"}), ("git_show", {"ref": "HEAD:a.txt"}),
        ("git_show", {"ref": "HEAD", "path": "a.txt"}), ("grep", {"pattern": "two"}),
        ("glob", {"pattern": "**"}), ("list_folder", {}),
        ("read_file", {"path": "a.txt"}), ("read_file", {"path": "a.pdf"}),
        ("write_file", {"path": "new.txt", "content": "x\n"}),
        ("shell", {"command": "ls; cat a.txt; grep -n two a.txt; head -1 a.txt | wc -l"}),
        ("shell", {"command": "rg -n two a.txt; find . -name a.txt; sort a.txt; test -f a.txt"}),
    ):  # fmt: skip
        try:
            await call(tool, context, **arguments)
        except ToolError:
            # Refusing a hostile repository is as good as reading it.
            continue
    sprung = [name for name in os.listdir(hostile.parent) if name.startswith("sprung")]
    assert sprung == []


def test_the_traps_would_spring(hostile: Path) -> None:
    subprocess.run(["git", "diff"], cwd=hostile, capture_output=True, check=False)
    subprocess.run(["./ls"], cwd=hostile, capture_output=True, stdin=subprocess.DEVNULL, check=True)
    assert [name for name in os.listdir(hostile.parent) if name.startswith("sprung")]
