"""A built and filled window over a program that needs no store, no model and no network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from kinet.core.approval import Approver
from kinet.core.events import Event
from kinet.ui.kit import tasks
from kinet.ui.main_window import MainWindow
from tests.support.fake_program import Events, FakeProgram, FakeSession


@asynccontextmanager
async def shell_window(
    program: FakeProgram, width: int = 1200, *, used: bool = True
) -> AsyncIterator[MainWindow]:
    """The window; closed in order at the end. Without `used` nobody has touched it yet."""
    window = MainWindow(program, "light")  # type: ignore[arg-type]
    window.build()
    window.resize(width, 800)
    window.show()
    await (window.ready() if used else window.filled())
    try:
        yield window
    finally:
        for panel in window.desk.panels:
            panel.stop()
        await tasks.cancel_all()
        window.hide()
        window.deleteLater()


def plays(events: list[Event]) -> Callable[[FakeSession, str, Approver], Events]:
    """A script that gives these events as one turn."""

    async def script(session: FakeSession, text: str, approver: Approver) -> Events:
        for event in events:
            yield event

    return script
