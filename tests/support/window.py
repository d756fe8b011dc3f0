"""What tests of the window share: one off-screen application and a loop that is Qt's own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, TypeVar

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from kinet.ui.kit.event_loop import EventLoop
from kinet.ui.look.theme import (
    current_theme,
    load_fonts,
    load_theme,
    palette,
    set_current,
    stylesheet,
)

Result = TypeVar("Result")
Runner = Callable[[Coroutine[Any, Any, Result]], Result]


class QtLoopPolicy(asyncio.DefaultEventLoopPolicy):
    """Makes loops that run inside Qt's, so that `async def` tests can use widgets."""

    def __init__(self, app: QApplication) -> None:
        super().__init__()
        self._app = app

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        """A fresh loop of the application; threads get a plain one."""
        if threading.current_thread() is not threading.main_thread():
            return asyncio.SelectorEventLoop()
        return EventLoop(self._app)


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    """Arguments of the one application of this test process."""
    return ["kinet-tests"]


@pytest.fixture(scope="session")
def app(qapp: QApplication) -> QApplication:
    """The application in the light look, with the bundled fonts."""
    qapp.setQuitOnLastWindowClosed(False)
    qapp.setStyle("Fusion")
    load_fonts()
    apply_look(qapp, "light")
    return qapp


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """Windows that a test made end with it: each change of the look goes through all there are."""
    app = QApplication.instance()
    before = QApplication.topLevelWidgets() if isinstance(app, QApplication) else []
    yield
    if not isinstance(QApplication.instance(), QApplication):
        return
    for window in QApplication.topLevelWidgets():
        if window not in before and window.parentWidget() is None:
            window.hide()
            window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture(autouse=True)
def patient_find(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, a find answers at once where a test does not say otherwise."""
    monkeypatch.setattr("kinet.ui.transcript.stage.finding._FIRST_SECONDS", 60.0)
    monkeypatch.setattr("kinet.ui.transcript.stage.finding._SLICE_SECONDS", 60.0)


@pytest.fixture(autouse=True)
def usual_look() -> Iterator[None]:
    """Each test leaves the look in which it began: the next may measure, or compare pictures."""
    yield
    app = QApplication.instance()
    if isinstance(app, QApplication):
        take_back_look(app)


@pytest.fixture(scope="session")
def event_loop_policy(app: QApplication) -> asyncio.AbstractEventLoopPolicy:
    """Read by pytest-asyncio: coroutine tests here run inside Qt's loop."""
    return QtLoopPolicy(app)


@pytest.fixture
def run(app: QApplication) -> Iterator[Runner[Any]]:
    """Runs one coroutine to its end inside Qt's loop and gives back its result."""
    loop = EventLoop(app)
    asyncio.set_event_loop(loop)
    yield loop.run_until_complete
    asyncio.set_event_loop(None)
    loop.close()


def apply_look(app: QApplication, mode: str) -> None:
    """Makes the application light or dark."""
    theme = load_theme("dark" if mode == "dark" else "light")
    set_current(theme)
    app.setFont(theme.font("ui"))
    app.setPalette(palette(theme))
    app.setStyleSheet(stylesheet(theme))


def take_back_look(app: QApplication) -> None:
    """Light and of the usual size again, whatever a window was set to."""
    usual = load_theme("light")
    if (
        current_theme() != usual
        or app.font() != usual.font("ui")
        or app.palette() != palette(usual)
        or app.styleSheet() != stylesheet(usual)
    ):
        apply_look(app, "light")


def grab(widget: QWidget) -> QImage:
    """The widget as it is drawn now."""
    return widget.grab().toImage()


async def until(condition: Callable[[], object], seconds: float = 10.0, what: str = "") -> None:
    """Returns when `condition()` is true; AssertionError if it is not in time."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + seconds
    while not condition():
        assert loop.time() < deadline, f"did not happen within {seconds:g} s: {what or condition}"
        await asyncio.sleep(0.01)
