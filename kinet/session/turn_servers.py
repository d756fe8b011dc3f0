"""What tool servers bring into a turn: their tools, and what a person is told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinet.core.events import Notice

if TYPE_CHECKING:
    from kinet.engine.presets import Preset
    from kinet.session.parts import SessionParts, Standing
    from kinet.session.state import SessionState
    from kinet.tools.toolbox import Toolbox


def toolbox_for(parts: SessionParts, preset: Preset, standing: Standing | None) -> Toolbox:
    """The tools of a turn: our own, and those of the servers that are ready."""
    toolbox = parts.toolbox()
    if standing is not None:
        toolbox = toolbox.with_more(standing.tools)
    return toolbox.read_only() if preset.read_only else toolbox


def about_servers(state: SessionState, standing: Standing | None) -> list[Notice]:
    """What is new since the last turn: who is late, who failed, what did not fit."""
    if standing is None:
        return []
    told: dict[str, Notice] = {}
    for name in standing.starting:
        text = f"The server {name} is still starting; its tools come with the next message."
        told[f"{name} starting"] = Notice(text, keep=False)
    for name, reason in standing.failed:
        text = f"The server {name} is not used: {reason}"
        told[f"{name} {reason}"] = Notice(text, "warning", keep=False)
    if standing.left_out:
        text = (
            f"{standing.left_out:,} tools of servers are more than a request can carry and are "
            "left out; switch off what you do not need."
        )
        told[text] = Notice(text, "warning", keep=False)
    before, state.told_of_servers = state.told_of_servers, frozenset(told)
    return [notice for key, notice in told.items() if key not in before]
