"""Judges a shell command: what may run without a question, what asks, what never runs."""

from __future__ import annotations

from pathlib import Path

from kinet.policy.verdicts import Judgement


def judge_command(
    command: str, folder: Path | None, home: Path | None = None, *, data_dir: Path | None = None
) -> Judgement:
    """Judges the whole text; never raises."""
    return Judgement("ask", "it runs a command")
