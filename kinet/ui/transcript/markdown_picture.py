"""Draws one Markdown text as the transcript shows it, into a picture of its whole length."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtWidgets import QApplication

from kinet.core.events import MessageCompleted
from kinet.core.messages import Message
from kinet.ui.look.theme import load_fonts, load_theme, palette, set_current, stylesheet
from kinet.ui.transcript.view import Transcript

WIDTH = 800
# Longer texts are cut in the picture: it would not fit into memory.
LONGEST = 12_000


async def save_picture(source: str, path: Path) -> bool:
    """Saves it; False if the file cannot be written."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    app.setStyle("Fusion")
    load_fonts()
    theme = load_theme("light")
    set_current(theme)
    app.setPalette(palette(theme))
    app.setStyleSheet(stylesheet(theme))
    transcript = Transcript(theme)
    transcript.resize(WIDTH, 600)
    transcript.load([MessageCompleted(Message("assistant", source))])
    transcript.show()
    await _settled(transcript)
    for _ in range(5):
        # Heights are estimates until they have been on screen once.
        height = max(80, min(LONGEST, transcript.stage.flow.height))
        if height == transcript.height():
            break
        transcript.resize(WIDTH, height)
        await _settled(transcript)
    saved = transcript.grab().save(str(path), "PNG")
    transcript.close()
    return bool(saved)


async def _settled(transcript: Transcript) -> None:
    """Returns when nothing is left to lay out or draw, or after ten seconds."""
    for _ in range(2_000):
        await asyncio.sleep(0.005)
        if transcript.is_idle():
            return
