"""Named run profiles: which limits hold and what a run may do. Picked per session."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeVar

from kinet.core.errors import SettingsError
from kinet.core.profile import Effort
from kinet.engine.base import Limits

Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Preset:
    """`limits` replace the usual ones; `effort` "" keeps the profile's."""

    name: str
    title: str
    limits: Limits = field(default_factory=Limits)
    effort: Effort = ""
    read_only: bool = False

    def apply(self, limits: Limits) -> Limits:
        """The person's limits with the preset's caps; a stricter cap of the person stays."""
        own = self.limits
        return replace(
            limits,
            max_steps=_stricter(limits.max_steps, own.max_steps),
            max_seconds=_stricter(limits.max_seconds, own.max_seconds),
            max_calls_per_step=_stricter(limits.max_calls_per_step, own.max_calls_per_step),
            shrink_old_outputs=limits.shrink_old_outputs or own.shrink_old_outputs,
        )


def preset_named(name: str) -> Preset:
    """The preset of this name, the one without caps for ""; SettingsError if there is none."""
    found = PRESETS.get(name or "default")
    if found is None:
        raise SettingsError(f"There is no preset {name!r}.", hint=f"Presets: {', '.join(PRESETS)}.")
    return found


def _stricter(first: Number, second: Number) -> Number:
    given = [value for value in (first, second) if value]
    return min(given) if given else first


def _preset(name: str, title: str, steps: int, seconds: float = 0.0, calls: int = 8) -> Preset:
    return Preset(name, title, Limits(steps, seconds, max_calls_per_step=calls))


PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset("default", "No cap; guards and the Stop button"),
        _preset("chat", "Short answers", 8, 120.0),
        _preset("insight", "A long look at a project", 24, 3600.0),
        _preset("evolution", "Improve step by step", 16, 180.0),
        _preset("lark", "Answers for a message channel", 12, 180.0),
        _preset("remote-exec", "A few commands", 6, 60.0),
        _preset("loop-20", "Twenty steps", 20, calls=0),
        Preset("loop-25", "Twenty-five steps", Limits(25, shrink_old_outputs=True)),
    )
}
