"""Every file call of the corpus goes through gate and tool as it should, on a real disk."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import corpus
import pytest

from kinet.core.errors import ToolError
from kinet.policy.gate import gather, judge
from kinet.policy.visible import visible
from kinet.tools.base import ToolContext, ToolOutput
from kinet.tools.catalog import builtin_tools
from kinet.tools.toolbox import Toolbox

CASES = list(corpus.load("path", corpus.HERE))
BOX = Toolbox(builtin_tools())
SYSTEM = {"linux": "linux", "darwin": "macos", "win32": "windows"}[sys.platform]


class Outcome:
    """What one case gave: the gate's word and, where it ran, the result."""

    def __init__(self) -> None:
        self.verdict = ""
        self.shown = ""
        self.output: ToolOutput | None = None
        self.seconds = 0.0


async def carry_out(entry: dict[str, Any], roots: corpus.Roots) -> Outcome:
    """The call as the engine makes it; a person says yes to whatever is asked."""
    outcome = Outcome()
    folder = Path(roots.fill(entry.get("open_project_as", "{W}")))
    context = ToolContext(folder=folder, data_dir=roots["D"], require_read=False)
    values = {
        key: roots.fill(value) if isinstance(value, str) else value
        for key, value in entry["input"].items()
    }
    began = time.monotonic()
    try:
        tool, arguments = BOX.prepare(entry["tool"], values)
        facts = gather(
            tool.name, tool.access.value, arguments.model_dump(), folder,
            data_dir=roots["D"], home=roots["H"],
        )  # fmt: skip
        outcome.verdict = {"allow": "ordinary", "ask": "ask", "deny": "refuse"}[
            facts.judgement.verdict
        ]
        outcome.shown = "\n".join([*facts.targets, facts.judgement.reason])
        if judge(facts, "ask").verdict == "deny":
            return outcome
        question = tool.question(arguments, context)
        if question is not None:
            outcome.shown += "\n".join([question.body, *question.targets, question.question])
        corpus.lay_out(entry.get("after_approval", []), roots)
        granted = replace(context, grant=facts.grant)
        outcome.output = await tool.run(arguments, granted)
    except ToolError as exc:
        outcome.verdict = "refuse"
        outcome.shown += exc.sentence()
    finally:
        outcome.seconds = time.monotonic() - began
    return outcome


def runnable(entry: dict[str, Any]) -> bool:
    if SYSTEM not in entry.get("platform", [SYSTEM]):
        return False
    return not (entry.get("skip_as_root") and os.geteuid() == 0)


@pytest.mark.parametrize(
    "entry",
    [entry for entry in CASES if runnable(entry)],
    ids=lambda entry: f"{entry['technique']}-{entry['id']}",
)
async def test_a_path_is_judged_and_used_as_it_should(
    entry: dict[str, Any], roots: corpus.Roots, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(roots["H"]))
    await asyncio.to_thread(corpus.lay_out, entry.get("setup", []), roots)
    outcome = await carry_out(entry, roots)
    assert corpus.grade(entry, outcome.verdict) == "pass", (outcome.verdict, outcome.shown)
    check(entry, roots, outcome)


def check(entry: dict[str, Any], roots: corpus.Roots, outcome: Outcome) -> None:
    text = outcome.output.content if outcome.output is not None else ""
    text.encode("utf-8")
    for wanted in entry.get("must_show", []):
        assert visible(roots.fill(wanted)) in outcome.shown
    for banned in entry.get("must_not_contain", []):
        assert banned not in text
    for path in entry.get("must_not_exist", []):
        assert not os.path.lexists(roots.fill(path))
    if "after_link" in entry:
        assert os.path.islink(roots.fill(entry["after_link"]))
    if "max_result_bytes" in entry:
        assert len(text.encode()) <= entry["max_result_bytes"]
    assert "\x00" not in text
