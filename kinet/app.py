"""The door with a window: paints the shell first, starts the rest behind it, ends in order."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from kinet.ui.lean_qt import spare_sources

# Before all that is imported from here on.
spare_sources()

from kinet.runtime import Runtime, create_runtime  # noqa: E402
from kinet.settings import first_frame  # noqa: E402
from kinet.ui.main_window import MainWindow  # noqa: E402

if TYPE_CHECKING:
    from kinet.ui.kit.event_loop import EventLoop

FAILED = 1
# Pictures are twice as fine as the window is large, like the mock-ups.
PICTURE_SCALE = "2"

_NO_DISPLAY = (
    "There is no display to open a window on. Start Kinet from a desktop, use kinet run, or ask "
    "for a picture: kinet --demo --picture tour.png."
)


_SWITCH_SECONDS = 0.0005
# How often a window that could not be made is looked at again.
_AGAIN_SECONDS = 1.0


def main(options: argparse.Namespace, begun: Callable[[], object] = lambda: None) -> int:
    """Opens the window and returns when it was closed; the exit code of the program.

    `begun` is called when it holds its data folder, or is known not to.
    """
    picture: Path | None = options.picture
    if not _choose_platform(picture is not None):
        print(_NO_DISPLAY, file=sys.stderr)
        return FAILED
    with contextlib.ExitStack() as stack:
        home: Path | None = None
        if picture is not None:
            # A picture must not depend on, or disturb, what the person keeps.
            import tempfile

            place = stack.enter_context(tempfile.TemporaryDirectory(prefix="kinet-"))
            home = Path(place) / "kinet"
        runtime = create_runtime(home, cwd=options.cwd, theme=options.theme)
        app = create_application()
        window = first_window(runtime)
        window.show()
        # The one call outside any coroutine: paints the window before all else is imported.
        app.processEvents()
        return _run(app, window, runtime, options, begun)


def create_application() -> QApplication:
    """The application object, with what holds for every window."""
    # A thread at work (a look over a folder) gives the interpreter back sooner: each of the many
    # small steps of a drawn frame would else wait 5 ms for it.
    sys.setswitchinterval(_SWITCH_SECONDS)
    QApplication.setApplicationName("kinet")
    QApplication.setApplicationDisplayName("")
    QApplication.setDesktopFileName("kinet")
    return QApplication(sys.argv[:1])


def create_window(runtime: Runtime) -> MainWindow:
    """The window over `runtime`; made inside a running loop or before it, shown by `show()`.

    `await window.ready()` fills it and returns when a message can be sent.
    """
    window = first_window(runtime)
    window.build()
    return window


def first_window(runtime: Runtime) -> MainWindow:
    """The window with its first picture, not built yet."""
    # Whoever made the loop ends it: Qt alone would stop it at the close of the last window, in the
    # middle of whatever is awaited, and leave out every `finally`.
    QApplication.setQuitOnLastWindowClosed(False)
    kept = first_frame.load(runtime.home)
    choice = runtime.options.theme or kept.theme
    window = MainWindow(runtime, choice, kept.zoom, kept.geometry)
    window.closed.connect(lambda: _keep_geometry(window, runtime))
    return window


def _keep_geometry(window: MainWindow, runtime: Runtime) -> None:
    if window.is_built:
        first_frame.update(runtime.home, geometry=window.geometry_text())


def render_picture(source: str, path: Path) -> bool:
    """Draws Markdown as the transcript does into a picture; False if it cannot be written."""
    import asyncio

    _choose_platform(picture=True)
    app = create_application()
    from kinet.ui.kit.event_loop import EventLoop
    from kinet.ui.transcript.markdown_picture import save_picture

    loop = EventLoop(app)
    asyncio.set_event_loop(loop)
    try:
        saved: bool = loop.run_until_complete(save_picture(source, path))
        return saved
    finally:
        loop.close()


async def end_window(window: MainWindow, runtime: Runtime) -> None:
    """Ends all that a window started, in order, and closes its runtime.

    Turns are stopped and end by themselves, history stored; only what hangs is cancelled.
    """
    import asyncio

    from kinet.ui.kit import tasks

    window.hide()
    for panel in window.desk.panels if window.is_built else ():
        panel.stop()
    turns = [task for task in tasks.running() if task.get_name().startswith("turn of")]
    if turns:
        await asyncio.wait(turns, timeout=3.0)
    await tasks.cancel_all()
    await runtime.close()


def _run(
    app: QApplication,
    window: MainWindow,
    runtime: Runtime,
    options: argparse.Namespace,
    begun: Callable[[], object],
) -> int:
    import asyncio
    import gc

    from kinet.ui.kit.event_loop import EventLoop

    # Until the start has settled: what looks for garbage from then on does so where it is safe.
    gc.disable()
    loop = EventLoop(app)
    asyncio.set_event_loop(loop)
    try:
        code: int = loop.run_until_complete(_live(loop, window, runtime, options, begun))
        return code
    finally:
        # Leaving without this would abort the process.
        loop.close()


async def _settle(window: MainWindow, loop: EventLoop, begun: Callable[[], object]) -> None:
    """What the start has made stays to the end: collecting garbage, some 40 ms, leaves it out."""
    import asyncio

    await window.filled()
    begun()
    while not window.is_built:
        # It could not be made: a person may try that again, and garbage is to be looked for then.
        await asyncio.sleep(_AGAIN_SECONDS)
        await window.filled()
    from kinet.ui.window.settling import settle

    settle(window.desk, loop)


async def _live(
    loop: EventLoop,
    window: MainWindow,
    runtime: Runtime,
    options: argparse.Namespace,
    begun: Callable[[], object],
) -> int:
    import asyncio

    from kinet.ui.kit import tasks
    from kinet.ui.kit.faults import report_faults

    closed = asyncio.Event()
    window.closed.connect(closed.set)
    report_faults(loop, lambda text: window.parts.toast.tell(text) if window.is_built else None)
    _end_on_signals(loop, closed)
    window.begin(options.session or None)
    tasks.spawn(_settle(window, loop, begun), "start settles")
    code = 0
    try:
        if options.demo or options.picture is not None:
            from kinet.ui.demo import run_demo

            demo = tasks.spawn(run_demo(window, options.picture), "demo")
            if options.picture is not None:
                code = await demo
                closed.set()
        await closed.wait()
    finally:
        await end_window(window, runtime)
    return code


def _end_on_signals(loop: EventLoop, closed: object) -> None:
    """Ctrl+C and a polite kill close the window like a person would."""
    import signal

    # Windows loops take no signal handlers; the default behaviour stays there.
    with contextlib.suppress(NotImplementedError, AttributeError):
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, closed.set)  # type: ignore[attr-defined]


def _choose_platform(picture: bool) -> bool:
    """Off-screen where a picture is asked for; False if a window is and there is no display."""
    if os.environ.get("QT_QPA_PLATFORM"):
        if picture:
            os.environ.setdefault("QT_SCALE_FACTOR", PICTURE_SCALE)
        return True
    if picture:
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        os.environ.setdefault("QT_SCALE_FACTOR", PICTURE_SCALE)
        return True
    if sys.platform.startswith(("linux", "freebsd")):
        return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
    return True
