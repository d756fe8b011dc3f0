"""How far a turn may go: the settings of the page Limits."""

from __future__ import annotations

from typing import Literal

from kinet.settings.labels import PRESETS
from kinet.settings.setting import Section, setting


class Limits(Section):
    page = "Limits"
    preset: Literal[
        "default", "chat", "insight", "evolution", "lark", "remote-exec", "loop-20", "loop-25"
    ] = setting(
        "default",
        title="Preset",
        help="How far a turn goes where a session has no preset of its own.",
        labels=PRESETS,
    )
    max_steps: int = setting(
        0,
        title="Steps per turn",
        help="A turn ends there with a summary of what is left.",
        zero="no limit",
        ge=0,
        le=10_000,
    )
    max_seconds: float = setting(
        0.0,
        title="Time per turn",
        help="Asks then; without a yes the turn ends with what it has.",
        unit="seconds",
        zero="no limit",
        ge=0,
        le=604_800,
    )
    turn_usd: float = setting(
        1.0,
        title="Money per turn",
        help="Asks before a turn costs more.",
        unit="USD",
        zero="off",
        ge=0,
        le=10_000,
    )
    session_usd: float = setting(
        0.0,
        title="Money per session",
        help="Asks before a session costs more.",
        unit="USD",
        zero="off",
        ge=0,
        le=100_000,
    )
    day_usd: float = setting(
        5.0,
        title="Money per day",
        help="Asks before a day costs more.",
        unit="USD",
        zero="off",
        ge=0,
        le=100_000,
    )
    branch_summary: bool = setting(
        False,
        title="Sum up a branch that is left",
        help="An edited message's branch is told in short what was done before. Costs a request.",
    )
    compact_ratio: float = setting(
        0.7,
        title="Compact at",
        help="The share of the model's window at which older parts are summarised.",
        ge=0.1,
        le=0.95,
    )
    compact_at: int = setting(
        0,
        title="Compact at so many tokens",
        help="A fixed number in place of the share; a small window is compacted before it all the "
        "same.",
        unit="tokens",
        zero="by the share",
        ge=0,
        le=10_000_000,
    )
    screen_kb: int = setting(
        480,
        title="Text per turn",
        help="A turn that writes more stops there, and says that it is partial.",
        unit="KB",
        zero="no limit",
        ge=0,
        le=1_000_000,
    )
    result_characters: int = setting(
        8_192,
        title="Longest tool result",
        help="The model gets the beginning and the end of a longer one; you always see it whole.",
        unit="characters",
        ge=1_000,
        le=200_000,
    )
