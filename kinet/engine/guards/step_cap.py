"""The cap on steps: when to warn the model, and which step is the last."""

from __future__ import annotations

from dataclasses import dataclass

_WARN_BEFORE = 5
_WARN_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class StepCap:
    """At most `steps` model requests; 0 means no cap."""

    steps: int = 0

    def is_last(self, step: int) -> bool:
        """True from the step on in which the model has to write its final text."""
        return bool(self.steps) and step >= self.steps

    def note(self, step: int) -> str:
        """What the model is told before this step, "" for nothing."""
        if not self.steps or step > self.steps:
            return ""
        if step == self.steps:
            return (
                "[Kinet: this is the last step. No more calls are run. Write your final answer "
                "now: what is done, what is left.]"
            )
        if step == self._warning_step():
            left = self.steps - step + 1
            return f"[Kinet: {left} steps are left in this turn. Bring the work to a good end.]"
        return ""

    def _warning_step(self) -> int:
        """Five steps before the end, or at 80 % of a short cap."""
        return max(self.steps - _WARN_BEFORE + 1, int(self.steps * _WARN_SHARE) + 1)
