"""Takes the guided tour by itself, and pictures of it: with the question open, and at its end."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QPushButton

from kinet.core.errors import KinetError
from kinet.local.tour_folder import demo_prompt
from kinet.ui.chat.chat_panel import ChatPanel
from kinet.ui.main_window import MainWindow
from kinet.ui.panel.step_detail import CHANGES

TITLE = "October reconciliation"
SECONDS = 90.0
COMPLETED, FAILED = 0, 1


async def run_demo(window: MainWindow, picture: Path | None = None) -> int:
    """Starts the tour's task; with `picture` sees it through and saves both pictures.

    Gives the exit code: 1 if the tour could not be taken to its end.
    """
    await window.ready()
    if window.problem:
        return _failed(window.problem)
    try:
        window.open_session(await window.program.services.start_tour())
    except KinetError as exc:
        window.parts.toast.tell(exc.sentence(), seconds=0)
        return _failed(exc.sentence())
    panel = window.panel
    if panel.session is not None:
        panel.session.rename(TITLE)
    panel.send(demo_prompt())
    if picture is None:
        return COMPLETED
    try:
        async with asyncio.timeout(SECONDS):
            await _take_pictures(window, panel, picture)
    except TimeoutError:
        return _failed(f"The tour did not come to its end within {SECONDS:g} seconds.")
    except OSError as exc:
        return _failed(f"The picture could not be saved: {exc.strerror or exc}.")
    return COMPLETED


async def _take_pictures(window: MainWindow, panel: ChatPanel, picture: Path) -> None:
    await _until(lambda: _going_on(panel))
    await _until(lambda: bool(panel.approvals.cards()) or not _going_on(panel))
    await _settled(panel)
    _save(window, picture.with_name(f"{picture.stem}-approval{picture.suffix}"))
    for card in panel.approvals.cards():
        button = card.findChild(QPushButton, "approveButton")
        # A card takes no answer in the first moment, so that no stray key can give one.
        await asyncio.sleep(0.5)
        if button is not None:
            button.click()
    await _until(lambda: not _going_on(panel))
    names = [record.name for record in panel.runner.steps.records()]
    # The change is what a person would look at first.
    if "edit_file" in names:
        panel.transcript.open_step(names.index("edit_file"))
        window.parts.steps.detail.tabs.setCurrentIndex(CHANGES)
    else:
        panel.transcript.open_step(-1)
    await _settled(panel)
    _save(window, picture)


def _going_on(panel: ChatPanel) -> bool:
    return panel.runner.running


async def _settled(panel: ChatPanel) -> None:
    """Waits until nothing is left to lay out, and the last changes are drawn."""
    await asyncio.sleep(0.2)
    await _until(panel.transcript.is_idle)
    await asyncio.sleep(0.2)


async def _until(condition: Callable[[], bool]) -> None:
    # The window's state has no one event to wait for; a picture needs no precision.
    while not condition():  # noqa: ASYNC110
        await asyncio.sleep(0.05)


def _save(window: MainWindow, path: Path) -> None:
    window.parts.toast.hide()
    path.parent.mkdir(parents=True, exist_ok=True)
    if not window.grab().save(str(path)):
        raise OSError(0, "no image format for this name, try .png", str(path))


def _failed(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return FAILED
