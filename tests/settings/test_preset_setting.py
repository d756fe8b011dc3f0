"""The presets of the settings are those of the engine, and say what these say."""

from __future__ import annotations

from kinet.engine.presets import PRESETS
from kinet.settings.labels import PRESETS as LABELS
from kinet.settings.schema import setting_fields


def test_the_setting_offers_every_preset_of_the_engine_in_its_order() -> None:
    field = next(item for item in setting_fields() if item.key == "limits.preset")
    assert [choice.value for choice in field.choices] == list(PRESETS)
    assert field.default == "default"


def test_each_preset_is_described_by_the_steps_and_the_time_it_has() -> None:
    for name, preset in PRESETS.items():
        words = LABELS[name][1]
        steps, seconds = preset.limits.max_steps, preset.limits.max_seconds
        assert (f"{steps} steps" in words) == bool(steps), name
        minutes = f"{seconds / 60:g} minute" if seconds < 3600 else f"{seconds / 3600:g} hour"
        assert (minutes in words) == bool(seconds), name
