"""What follows the start of a window: from now on its memory is looked after."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kinet.ui.desks.session_opening import OPENING
from kinet.ui.kit.event_loop import EventLoop
from kinet.ui.kit.garbage import Keeper
from kinet.ui.kit.spare_memory import SpareMemory
from kinet.ui.kit.tasks import running

if TYPE_CHECKING:
    from kinet.ui.chat.chat_panel import ChatPanel
    from kinet.ui.desks.session_desk import SessionDesk


def settle(desk: SessionDesk, loop: EventLoop) -> None:
    """What the start has made stays to the end; what goes later is handed back to the system."""
    Keeper().begin(loop)
    hand_back(desk, SpareMemory(desk, is_busy=lambda: is_busy(desk)))


def is_busy(desk: SessionDesk) -> bool:
    """True while a session is read or told, or what is on screen is not all there yet."""
    opening = any(task.get_name() == OPENING for task in running())
    return opening or not desk.current.reading.is_idle()


def hand_back(desk: SessionDesk, spare: SpareMemory) -> None:
    """Wakes `spare` with the end of each turn and of each panel."""
    desk.panel_dropped.connect(lambda: spare.wake(circles=True))

    def follow(panel: ChatPanel) -> None:
        panel.runner.running_changed.connect(lambda running: None if running else spare.wake())

    for panel in desk.panels:
        follow(panel)
    desk.panel_made.connect(follow)
