"""What the gate would say to a command, part by part, without running anything."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from kinet.policy.gate import Mode, gather, judge
from kinet.policy.rules import Rule, RuleBook, describe
from kinet.policy.verdicts import Part, VerdictWord


@dataclass(frozen=True, slots=True)
class Simulated:
    """`rule` is the saved rule that would answer, "" for none."""

    verdict: VerdictWord
    reason: str
    parts: tuple[Part, ...] = ()
    rule: str = ""


def simulate(
    command: str, folder: Path, book: RuleBook, mode: Mode | str, data_dir: Path | None = None
) -> Simulated:
    """The verdict on this command in this folder and mode, with the saved rules."""
    arguments = {"command": command}
    facts = gather("shell", "execute", arguments, folder, data_dir=data_dir)
    remembered = book.decision("shell", arguments, str(folder))
    verdict = judge(facts, mode, remembered=remembered)
    real = os.path.realpath(folder)
    fitting = [rule for rule in book.rules() if rule.fits("shell", arguments, real)]
    rule = min(fitting, key=lambda rule: rule.allowed, default=None)
    parts = facts.judgement.parts
    return Simulated(
        verdict.verdict,
        verdict.reason,
        tuple(_answered(part, rule, alone=len(parts) == 1) for part in parts) if rule else parts,
        describe(rule) if rule is not None else "",
    )


def _answered(part: Part, rule: Rule, *, alone: bool) -> Part:
    """The part as the saved rule answers it: a no meets one part, a yes only the whole."""
    if part.verdict == "deny":
        return part
    if not rule.allowed and (alone or rule.fits("shell", {"command": part.text}, rule.folder)):
        return Part(part.text, "deny", describe(rule))
    if rule.allowed and alone:
        return Part(part.text, "allow", describe(rule))
    return part
