"""A window with a conversation that waits for a question; reads itself through AT-SPI and ends."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from PySide6.QtWidgets import QApplication

from kinet.core.approval import ApprovalRequest
from kinet.core.events import TurnFinished
from kinet.core.messages import Message
from kinet.ui.asking.approval_card import ApprovalCard
from kinet.ui.chat.announcements import announce_event
from kinet.ui.kit.event_loop import EventLoop
from kinet.ui.look.theme import load_fonts, load_theme
from kinet.ui.transcript.view import Transcript
from tests.ui.transcript_kit import saved, turn

CLIENT = Path(__file__).with_name("atspi_client.py")


async def main() -> None:
    """Shows the window, lets another program read it, and hands on what that says."""
    transcript = Transcript(load_theme("light"))
    transcript.resize(900, 900)
    transcript.load(saved(turn()))
    request = ApprovalRequest("r", "c", "shell", "command", "Run this command?", "ls -l")
    transcript.add_card(ApprovalCard(request, theme=load_theme("light")))
    transcript.setWindowTitle("Kinet")
    transcript.show()
    pressed: list[str] = []
    transcript.step_activated.connect(pressed.append)
    end = asyncio.ensure_future(_end_of_turn(transcript, pressed))
    reader = await asyncio.create_subprocess_exec(
        "/usr/bin/python3", str(CLIENT), str(os.getpid()), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await reader.communicate()
    end.cancel()
    sys.stdout.write(out.decode())
    sys.stdout.flush()


async def _end_of_turn(transcript: Transcript, pressed: list[str]) -> None:
    """When the reader has pressed a step, the turn is said to have ended, till it is heard."""
    while True:
        await asyncio.sleep(0.3)
        if pressed:
            messages = [Message("assistant", f"Step {pressed[0]} is shown.")]
            announce_event(transcript, TurnFinished("completed"), messages)


if __name__ == "__main__":
    app = QApplication(["kinet"])
    app.setApplicationName("kinet")
    load_fonts()
    loop = EventLoop(app)
    asyncio.set_event_loop(loop)
    loop.run_until_complete(main())
    loop.close()
