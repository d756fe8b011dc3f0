"""The program itself: pictures of the tour without a display, and an end on a polite kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from kinet.ui.demo import run_demo
from tests.support.live_window import live_window

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.window


def environment(**changes: str) -> dict[str, str]:
    """The environment of a machine without a display."""
    hidden = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "QT_SCALE_FACTOR")
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return {**kept, "PYTHONPATH": str(ROOT), **changes}


def test_the_tour_leaves_two_pictures_without_a_display(app: QApplication, tmp_path: Path) -> None:
    picture = tmp_path / "tour.png"
    ran = subprocess.run(
        [sys.executable, "-m", "kinet", "--demo", "--picture", str(picture)],
        env=environment(KINET_HOME=str(tmp_path / "home")),
        capture_output=True,
        text=True,
        timeout=150,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    for name in ("tour.png", "tour-approval.png"):
        image = QImage(str(tmp_path / name))
        assert (image.width(), image.height()) == (2400, 1600), name
    # A picture leaves the person's own data alone.
    assert not (tmp_path / "home").exists()


async def test_the_last_picture_shows_the_whole_conversation_and_the_change(
    app: QApplication, tmp_path: Path
) -> None:
    async with live_window(tmp_path / "home") as live:
        live.window.resize(1200, 800)
        assert await run_demo(live.window, tmp_path / "tour.png") == 0
        assert live.panel.transcript.verticalScrollBar().maximum() == 0
        assert live.find(QWidget, "jumpToBottomButton").isHidden()
        detail = live.window.parts.steps.detail
        assert detail.tabs.tabText(detail.tabs.currentIndex()) == "Changes"
        assert detail.changes.horizontalScrollBar().maximum() == 0


def test_without_a_display_one_sentence_says_what_to_do(tmp_path: Path) -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux can be without a display")
    ran = subprocess.run(
        [sys.executable, "-m", "kinet"],
        env=environment(KINET_HOME=str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ran.returncode == 1
    assert ran.stderr.startswith("There is no display to open a window on.")
    assert "Traceback" not in ran.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals as Linux and macOS have them")
def test_a_polite_kill_ends_the_window_in_order(tmp_path: Path) -> None:
    child = subprocess.Popen(
        [sys.executable, "-m", "kinet"],
        env=environment(KINET_HOME=str(tmp_path / "home"), QT_QPA_PLATFORM="offscreen"),
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not list((tmp_path / "home").glob("*.db")) and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(1.0)
    child.send_signal(signal.SIGTERM)
    _, errors = child.communicate(timeout=30)
    assert child.returncode == 0, errors
    assert "Traceback" not in errors
