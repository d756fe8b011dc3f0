"""Run by a test: a script from outside, with its own application and a plain qasync loop."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import qasync
from PySide6.QtWidgets import QApplication, QWidget

from kinet.app import create_window
from kinet.runtime import create_runtime

# Everything that a script may look for by name from the start.
NAMES = (
    "sessionList",
    "newSessionButton",
    "searchField",
    "transcript",
    "composer",
    "sendButton",
    "stopButton",
    "stepDetail",
    "stepDetailOutput",
    "stepDetailInput",
    "contextGauge",
    "costLabel",
    "statusLabel",
    "findBar",
    "jumpToBottomButton",
    "queueList",
    "changesTab",
)


async def main(home: Path, folder: Path, base_url: str) -> None:
    """Sends a message and prints what the names and functions give, as JSON."""
    runtime = create_runtime(
        home=home,
        base_url=base_url,
        protocol="openai",
        model="scripted",
        cwd=folder,
        approve="ask",
        theme="dark",
    )
    window = create_window(runtime)
    window.show()
    await window.ready()
    session = window.current_session
    composer, send = window.findChild(QWidget, "composer"), window.findChild(QWidget, "sendButton")
    composer.setPlainText("What does it say?")
    send.click()
    transcript = window.findChild(QWidget, "transcript")
    async with asyncio.timeout(30):
        # A script from outside has nothing but these to ask.
        while len(session.history()) < 4 or not transcript.is_idle():  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    transcript.open_step(-1)
    detail = window.findChild(QWidget, "stepDetail")
    window.open_session(session.id)
    found = {
        "name": window.objectName(),
        "missing": [name for name in NAMES if window.findChild(QWidget, name) is None],
        "text": transcript.plain_text(),
        "blocks": transcript.block_count(),
        "output": detail.full_text(),
        "shown": detail.isVisible(),
        "history": [message.role for message in session.history()],
        "same": window.current_session.id == session.id,
    }
    window.close()
    await runtime.close()
    print(json.dumps(found))


if __name__ == "__main__":
    app = QApplication(sys.argv[:1])
    loop = qasync.QEventLoop(app)
    asyncio.set_event_loop(loop)
    with loop:
        loop.run_until_complete(main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]))
