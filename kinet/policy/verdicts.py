"""The words of a judgement: what was judged, how, and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

VerdictWord = Literal["allow", "ask", "deny"]

STRICTNESS: dict[VerdictWord, int] = {"allow": 0, "ask": 1, "deny": 2}


@dataclass(frozen=True, slots=True)
class Part:
    """One command, path or address of what was judged; `rule` names the rule that decided."""

    text: str
    verdict: VerdictWord
    rule: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What may be done unasked. `reason` is for a person and for the model alike.

    `targets` are real paths or hosts; `memorable` is False where no remembered answer may ever
    stand for the question (secrets, rules files, other folders).
    """

    verdict: VerdictWord
    reason: str
    parts: tuple[Part, ...] = ()
    targets: tuple[str, ...] = ()
    memorable: bool = True

    def to_dict(self) -> dict[str, Any]:
        """The form that `kinet check` prints."""
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "parts": [
                {"text": part.text, "verdict": part.verdict, "rule": part.rule}
                for part in self.parts
            ],
            "targets": list(self.targets),
        }


def strictest(words: Iterable[VerdictWord]) -> VerdictWord:
    """The strictest of the words; allow for none."""
    return max(words, key=STRICTNESS.__getitem__, default="allow")
