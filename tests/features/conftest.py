"""Tests here use real widgets, off-screen, and coroutines inside Qt's loop."""

from __future__ import annotations

from tests.support.window import (
    app,
    event_loop_policy,
    nothing_left,
    patient_find,
    qapp_args,
    run,
    usual_look,
)

__all__ = [
    "app",
    "event_loop_policy",
    "nothing_left",
    "patient_find",
    "qapp_args",
    "run",
    "usual_look",
]
