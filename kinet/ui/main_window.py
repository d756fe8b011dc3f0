"""The window: opens with a picture of itself, builds its parts behind it, then fills them.

Only what the picture needs is imported here; everything else comes with `WindowCore`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Signal
from PySide6.QtWidgets import QApplication, QMainWindow

from kinet.ui.frame.first_picture import FirstPicture
from kinet.ui.frame.window_geometry import (
    DEFAULT_SIZE,
    MINIMUM_SIZE,
    SIDEBAR_OVERLAYS_BELOW,
    Geometry,
    clamp,
    read,
    sidebar_room,
)
from kinet.ui.look.tokens import SIZES, Mode, load_fonts

if TYPE_CHECKING:
    import asyncio

    from PySide6.QtGui import QCloseEvent, QKeyEvent

    from kinet.ui.chat.chat_panel import ChatPanel
    from kinet.ui.desks.session_desk import SessionDesk
    from kinet.ui.desks.window_parts import WindowParts
    from kinet.ui.look.look import Look
    from kinet.ui.program import OpenSession, Program
    from kinet.ui.window.window_core import WindowCore

# The modules of all parts, the lowest first: imported while the picture is on screen.
_PARTS = (
    "kinet.ui.look.theme",
    "kinet.ui.kit.controls",
    "kinet.ui.asking.question_desk",
    "kinet.ui.writing.composer_edit",
    "kinet.ui.writing.composer",
    "kinet.ui.sessions.sidebar",
    "kinet.ui.chat.chat_panel",
    "kinet.ui.desks.session_desk",
    "kinet.ui.desks.model_desk",
    "kinet.ui.palette.palette_entries",
    "kinet.ui.window.window_keys",
    "kinet.ui.window.window_core",
    "kinet.ui.welcome.welcome",
    "kinet.ui.window.settling",
)


class MainWindow(QMainWindow):
    """Shows sessions of one data folder; `choice` is light, dark or system, `zoom` in percent."""

    closed = Signal()
    look: Look

    def __init__(
        self, program: Program, choice: str = "system", zoom: int = 100, geometry: str = ""
    ) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setWindowTitle("Kinet")
        self.setMinimumSize(*MINIMUM_SIZE)
        self.program = program
        self.problem = ""
        self._choice, self._zoom = choice, zoom
        self._geometry = read(geometry)
        self._may_close = False
        # Keys pressed while the picture is on screen; the composer gets them when it is there.
        self._typed = ""
        self._ready: asyncio.Event | None = None
        # The session that was asked for at the start.
        self._wanted: str | None = None
        self._core: WindowCore | None = None
        _place(self, self._geometry)
        self._draw_first_picture()

    def build(self) -> None:
        """Builds all parts at once; without it `begin` does so step by step."""
        if self._core is None:
            for _ in self._make_core().build(self._geometry):
                pass

    def begin(self, session_id: str | None = None) -> None:
        """Starts building and filling the window; once, inside the loop."""
        from kinet.ui.kit.tasks import new_event, spawn

        if self._ready is None:
            self._wanted = session_id
            self._ready = new_event()
            spawn(self._fill(session_id), "fill the window")

    async def filled(self) -> None:
        """Returns when all that is kept is shown. If that cannot be, `problem` says why."""
        self.begin()
        assert self._ready is not None
        await self._ready.wait()

    async def ready(self) -> None:
        """Returns when a message can be sent at once. If that cannot be, `problem` says why.

        Who asks means to use the window: it warms up as with a first key.
        """
        await self.filled()
        if self._core is not None and self._core.filled:
            await self._core.warm_up.wait()

    @property
    def is_built(self) -> bool:
        """True once the parts are there."""
        return self._core is not None and hasattr(self._core, "keys")

    @property
    def core(self) -> WindowCore:
        """What joins the parts; there once they are built."""
        assert self._core is not None, "the window is not built yet"
        return self._core

    @property
    def parts(self) -> WindowParts:
        """The parts; there once they are built."""
        return self.core.parts

    @property
    def desk(self) -> SessionDesk:
        """The open sessions."""
        return self.parts.desk

    @property
    def panel(self) -> ChatPanel:
        """The panel on screen."""
        return self.desk.current

    @property
    def current_session(self) -> OpenSession | None:
        """The session on screen; opened if it does not exist yet."""
        return self.panel.open_session()

    def open_session(self, session_id: str) -> OpenSession | None:
        """Shows the session of this id and gives it back."""
        return self.desk.open(session_id).session

    def geometry_text(self) -> str:
        """Place and size, to be kept."""
        rect = self.normalGeometry() if self.isMaximized() else self.geometry()
        frame = self.parts.frame
        sidebar, panel = frame.widths
        place = (rect.x(), rect.y(), rect.width(), rect.height())
        return Geometry(place, self.isMaximized(), sidebar, frame.sidebar_shown, panel).to_text()

    def closeEvent(self, event: QCloseEvent) -> None:
        core = self._core
        if core is not None and not self._may_close and core.filled:
            if self._ask_to_close():
                event.ignore()
                return
            self.desk.save_drafts()
        event.accept()
        self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        from PySide6.QtCore import Qt

        if not self.is_built:
            self._typed += "".join(letter for letter in event.text() if letter.isprintable())
            return
        if event.key() == Qt.Key.Key_Escape:
            self.core.keys.escape()
            return
        if self.core.keys.typed(event):
            return
        super().keyPressEvent(event)

    def _draw_first_picture(self) -> None:
        dark = self._choice == "dark"
        if self._choice == "system":
            # The desktop's own palette is still in place here and shows what it asks for.
            dark = self.palette().window().color().lightness() < 128
        self._first_mode: Mode = "dark" if dark else "light"
        shown = self._geometry.sidebar_shown and self.width() >= SIDEBAR_OVERLAYS_BELOW
        load_fonts(first_frame=True)
        size = round(SIZES["ui"][0] * self._zoom / 100)
        side = sidebar_room(self._geometry.sidebar, self.width(), self._zoom) if shown else 0
        self.setCentralWidget(FirstPicture(self._first_mode, side, size))

    def _make_core(self) -> WindowCore:
        from kinet.ui.look.look import Look
        from kinet.ui.look.theme import window_icon
        from kinet.ui.window.window_core import WindowCore

        app = QApplication.instance()
        assert isinstance(app, QApplication), "a window needs a QApplication"
        self.setWindowIcon(window_icon())
        self.look = Look(app, self._choice, self._zoom)
        self._core = WindowCore(self, self.program, self.look)
        return self._core

    async def _fill(self, session_id: str | None) -> None:
        from kinet.core.errors import KinetError

        assert self._ready is not None
        try:
            await self._build_slowly()
            await _read(self, session_id)
        except KinetError as exc:
            self.problem = exc.sentence()
            if self.is_built and self.core.filled:
                self.parts.toast.tell(self.problem, seconds=0)
            elif self.is_built:
                _show_unread(self)
        finally:
            if not self.is_built and not self._may_close:
                _show_unbuilt(self, sys.exc_info()[1])
            # Whoever waits must not wait for ever; a fault is reported by the task's owner.
            self._ready.set()

    async def _build_slowly(self) -> None:
        from kinet.ui.kit.tasks import breathe, in_thread
        from kinet.ui.kit.warm_up import import_slowly

        if self._core is None:
            await in_thread(_import_ground)
            await import_slowly(_PARTS)
            for _ in self._make_core().build(self._geometry):
                await breathe()
            self.panel.composer.edit.insertPlainText(self._typed)
            # Painted before the next thread imports: painting and importing want the same lock,
            # and the first paint of all parts would wait for it widget by widget.
            await breathe()
            self.repaint()

    def _ask_to_close(self) -> bool:
        """Asks if anything would be ended; True if the answer is awaited now."""
        from kinet.ui.window.close_question import CloseQuestion, unfinished

        if self.findChild(CloseQuestion) is not None:
            return True
        work = unfinished(self.desk.panels)
        if not work:
            return False
        question = CloseQuestion(work, self)
        question.confirmed.connect(lambda: _close_anyway(self))
        question.open()
        return True


def _close_anyway(window: MainWindow) -> None:
    window._may_close = True
    for panel in window.desk.panels:
        panel.stop()
    window.close()


def _show_unbuilt(window: MainWindow, error: BaseException | None) -> None:
    """Says that the parts could not be made, and offers to make them again, or to leave."""
    from kinet.ui.frame.unbuilt_page import unbuilt_page

    name = type(error).__name__ if error is not None else "It was interrupted"
    reason = window.problem.removesuffix(".") or f"{name}: {error}".removesuffix(": ")
    window.problem = window.problem or reason
    page = unbuilt_page(window._first_mode, reason, window.program.home, window._typed)
    page.again.connect(lambda: _build_again(window))
    page.left.connect(window.close)
    window.setCentralWidget(page)
    page.take_focus()


def _show_unread(window: MainWindow) -> None:
    """Says that sessions cannot be opened: an empty list and a composer would tell otherwise."""
    from kinet.ui.frame.unbuilt_page import unread_page

    # The parts wait for the next try, with what was typed.
    frame = window.parts.frame
    window.takeCentralWidget()
    frame.setParent(window)
    frame.hide()
    page = unread_page(window._first_mode, window.problem, window.panel.composer.text())
    page.again.connect(lambda: _read_again(window))
    page.left.connect(window.close)
    window.setCentralWidget(page)
    page.take_focus()


def _read_again(window: MainWindow) -> None:
    window.setCentralWidget(window.parts.frame)
    window.parts.frame.show()
    window.panel.composer.edit.setFocus()
    window._ready, window.problem = None, ""
    window.begin(window._wanted)


def _build_again(window: MainWindow) -> None:
    window._core, window._ready, window.problem = None, None, ""
    window._draw_first_picture()
    window.begin(window._wanted)


def _place(window: QMainWindow, geometry: Geometry) -> None:
    if geometry.rect is None:
        window.resize(*DEFAULT_SIZE)
    else:
        window.setGeometry(clamp(QRect(*geometry.rect)))
    if geometry.maximized:
        window.showMaximized()


async def _read(window: MainWindow, session_id: str | None) -> None:
    """Opens settings and store, and shows what they hold."""
    from kinet.ui.kit.tasks import breathe, in_thread

    await in_thread(window.program.preload)
    # Opens files and waits for the disk, which may be slow.
    await in_thread(window.program.build)
    for _ in window.core.fill():
        await breathe()
    if session_id:
        await window.core.opening.fetch(session_id)
    # Whoever waits for the window finds the question about the folder, if there is one.
    await window.core.trust.asked()


def _import_ground() -> None:
    """In a thread: what the parts stand on. Nothing of Qt."""
    import kinet.core.conversation
    import kinet.core.events
    import kinet.session.unsent  # noqa: F401
