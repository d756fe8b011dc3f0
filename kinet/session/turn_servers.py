"""What tool servers bring into a turn: their tools, and what a person is told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinet.core.events import SERVER_FAILED, Notice

if TYPE_CHECKING:
    from kinet.core.profile import ModelProfile
    from kinet.engine.presets import Preset
    from kinet.session.parts import SessionParts, Standing
    from kinet.session.state import SessionState
    from kinet.tools.base import Tool
    from kinet.tools.toolbox import Toolbox


# Of a model's window, what the tools of servers may take of each request.
_SHARE = 0.25


def toolbox_for(
    parts: SessionParts, preset: Preset, standing: Standing | None, window: int
) -> Toolbox:
    """The tools of a turn: our own, and those that fit of the servers that are ready."""
    toolbox = parts.toolbox()
    if standing is not None:
        toolbox = toolbox.with_more(fitting(standing, window))
    return toolbox.read_only() if preset.read_only else toolbox


def fitting(standing: Standing, window: int) -> list[Tool]:
    """The tools that have room in this window (0: not known), by name, so that it stays the same.

    A small window would have no room left for the conversation.
    """
    room = window * _SHARE if window else float("inf")
    kept: list[Tool] = []
    for tool in sorted(standing.tools, key=lambda tool: tool.name):
        room -= getattr(tool, "tokens", 0)
        if room < 0:
            break
        kept.append(tool)
    return kept


def about_servers(state: SessionState, standing: Standing | None, window: int) -> list[Notice]:
    """What is new since the last turn: who is late, who failed, what did not fit."""
    if standing is None:
        return []
    told: dict[str, Notice] = {}
    for name in standing.starting:
        text = f"The server {name} is still starting; its tools come with the next message."
        told[f"{name} starting"] = Notice(text, keep=False)
    for name, reason in standing.failed:
        text = f"The server {name} is not used: {reason}"
        told[f"{name} {reason}"] = Notice(text, "warning", keep=False, about=SERVER_FAILED)
    left_out = standing.left_out + len(standing.tools) - len(fitting(standing, window))
    if left_out:
        text = (
            f"{left_out:,} tools of servers have no room in a request to this model and are left "
            "out; switch off what you do not need."
        )
        told[text] = Notice(text, "warning", keep=False)
    before, state.told_of_servers = state.told_of_servers, frozenset(told)
    return [notice for key, notice in told.items() if key not in before]


def window_of(profile: ModelProfile) -> int:
    """The window of a model in tokens, 0 where it is not known. In a thread: it may read."""
    from kinet.providers.asked_window import with_window
    from kinet.providers.pricing import known_window

    return with_window(profile).window or known_window(profile.model) or 0
