"""Keys of the whole window: the commands' shortcuts, the layers of Esc, F6 through its parts."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QWidget

from kinet.ui.chat.status_row import Status
from kinet.ui.conversation_text import last_answer, last_code
from kinet.ui.desks.actions import install
from kinet.ui.desks.window_parts import WindowParts
from kinet.ui.kit.clipboard import copy_text
from kinet.ui.kit.in_sight import bring_into_sight, open_menu_of_focus
from kinet.ui.palette.palette_entries import palette_entries

if TYPE_CHECKING:
    from kinet.ui.chat.header import ChatHeader
    from kinet.ui.panel.step_detail import StepDetail
    from kinet.ui.window.export_desk import ExportDesk

ESCAPE_SECONDS = 1.5
# Ctrl+1 … Ctrl+9.
SESSION_KEYS = 9
_MORE = (("rules", "background", "skills", "servers"), ("export", "print"))


class WindowKeys(QObject):
    """Binds commands to what the window does."""

    # project or background
    rules_wanted = Signal(str)
    palette_opened = Signal(object)

    def __init__(self, parts: WindowParts) -> None:
        super().__init__(parts.window)
        self._parts = parts
        # How often Esc has to be pressed to stop a turn: once, twice or never.
        self.escape_stops: Callable[[], str] = lambda: "twice"
        self._armed_at = -10.0
        self.actions = install(parts.window, self._handlers())
        for number in range(1, SESSION_KEYS + 1):
            keys = QShortcut(QKeySequence(f"Ctrl+{number}"), parts.window)
            keys.activated.connect(lambda place=number - 1: self._open_session(place))
        if sys.platform.startswith("linux"):
            # Elsewhere the system itself knows this key for menus.
            menu = QShortcut(QKeySequence("Shift+F10"), parts.window)
            menu.setContext(Qt.ShortcutContext.ApplicationShortcut)
            menu.activated.connect(open_menu_of_focus)
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._focus_moved)

    def escape(self) -> None:
        """The first that applies: overlay, find bar, comparison, edited message, running turn."""
        parts = self._parts
        panel = parts.desk.current
        if parts.frame.close_overlay():
            return
        if panel.find_bar.isVisible():
            panel.find_bar.close_bar()
            return
        if panel.compare.page is not None:
            panel.compare.close()
            return
        if panel.branches.editor is not None:
            panel.branches.leave_edit()
            return
        if not panel.runner.can_stop:
            return
        now = time.monotonic()
        times = self.escape_stops()
        if times == "once" or (times == "twice" and now - self._armed_at < ESCAPE_SECONDS):
            self._armed_at = -10.0
            panel.stop()
        elif times == "twice":
            self._armed_at = now
            words = Status("Press Esc again to stop", "alert", "warning", strong=True)
            panel.status_row.show_status(words)

    def typed(self, event: QKeyEvent) -> bool:
        """A letter that nothing else wanted goes into the composer; False if it was none."""
        acting = event.modifiers() & ~(
            Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
        )
        if acting or not event.text().isprintable() or not event.text():
            return False
        edit = self._parts.desk.current.composer.edit
        if edit.hasFocus():
            return False
        edit.setFocus(Qt.FocusReason.OtherFocusReason)
        QApplication.sendEvent(edit, event)
        return True

    def show_keys(self) -> None:
        """Opens the list of keys."""
        from kinet.ui.window.key_list import KeyList

        KeyList(self._parts.window, self.actions).open()

    def open_palette(self) -> None:
        """Opens the palette over the window."""
        from kinet.ui.palette.palette import Palette

        palette = Palette(self._parts.frame, palette_entries(self._parts, self.actions))
        self.palette_opened.emit(palette)
        palette.closed.connect(self._parts.desk.current.composer.edit.setFocus)

    def show_sidebar(self, shown: bool) -> None:
        """Shows or hides it; the keyboard goes on from what goes away."""
        focus, sidebar = QApplication.focusWidget(), self._parts.sidebar
        self._parts.frame.show_sidebar(shown)
        if focus is None or focus.isVisible():
            return
        if shown:
            sidebar.hide_button.setFocus(Qt.FocusReason.TabFocusReason)
        else:
            self._compose(lambda: None)

    def open_more(self, header: ChatHeader) -> None:
        """Opens the menu of a head: what belongs to the session and has no button of its own."""
        header.open_more([[self.actions[id_] for id_ in group] for group in _MORE])

    def _outline(self) -> None:
        if self._parts.desk.current.body.transcript is None:
            # Nothing was said here yet; to make it for this would be felt.
            self._parts.toast.tell("There are no messages yet")
            return
        from kinet.ui.window.outline import open_outline

        open_outline(self._parts)

    def _to_question(self, step: int) -> None:
        transcript = self._parts.desk.current.body.transcript
        if transcript is not None:
            transcript.go_to_question(step)

    def _exporter(self) -> ExportDesk:
        # Not needed before somebody asks for it.
        from kinet.ui.window.export_desk import ExportDesk

        return ExportDesk(self._parts)

    def _handlers(self) -> dict[str, Callable[[], object]]:
        parts = self._parts
        desk, frame = parts.desk, parts.frame
        return {
            "new_session": lambda: self._compose(desk.new),
            "search_sessions": self._search_sessions,
            "next_session": lambda: desk.step(1),
            "previous_session": lambda: desk.step(-1),
            "choose_folder": parts.files.choose_folder,
            "focus_composer": lambda: self._compose(lambda: None),
            "stop": lambda: desk.current.stop(),
            "retry": lambda: desk.current.retry(),
            "retry_with": lambda: desk.current.branches.retry_with(),
            "edit_last": lambda: desk.current.branches.edit_last(),
            "compare": lambda: desk.current.compare.open_newest(desk.current.branches.places),
            "switch_model": lambda: desk.current.composer.menus.open_models(),
            "next_mode": parts.models.next_mode,
            "copy_answer": self._copy_answer,
            "copy_code": self._copy_code,
            "previous_question": lambda: self._to_question(-1),
            "next_question": lambda: self._to_question(1),
            "find": lambda: _find(parts),
            "find_next": lambda: _find_on(parts, 1),
            "find_previous": lambda: _find_on(parts, -1),
            "palette": self.open_palette,
            "outline": lambda: self._outline(),
            "export": lambda: self._exporter().export(),
            "print": lambda: self._exporter().print_session(),
            "toggle_sidebar": lambda: self.show_sidebar(not frame.sidebar_shown),
            "toggle_panel": parts.steps.toggle,
            "next_region": lambda: self._region(1),
            "previous_region": lambda: self._region(-1),
            "zoom_in": lambda: parts.look.zoom_by(10),
            "zoom_out": lambda: parts.look.zoom_by(-10),
            "zoom_reset": lambda: parts.look.set_zoom(100),
            "settings": lambda: parts.models.open_settings(),
            "memory": lambda: parts.models.open_settings("memory"),
            "skills": lambda: parts.models.open_settings("skills"),
            "servers": lambda: parts.models.open_settings("mcp"),
            "rules": lambda: self.rules_wanted.emit("project"),
            "background": lambda: self.rules_wanted.emit("background"),
            "keys": self.show_keys,
            "quit": parts.window.close,
        }

    def _focus_moved(self, _old: QWidget | None, now: QWidget | None) -> None:
        if now is not None:
            bring_into_sight(now)

    def _compose(self, first: Callable[[], object]) -> None:
        first()
        edit = self._parts.desk.current.composer.edit
        edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        edit.keyboard_focus = False
        edit.focus_changed.emit()

    def _search_sessions(self) -> None:
        self._parts.frame.show_sidebar(True)
        self._parts.sidebar.focus_search()

    def _open_session(self, place: int) -> None:
        """Shows the session in this row of the list."""
        ids = self._parts.sidebar.model.shown_ids()
        if place < len(ids):
            self._parts.desk.wanted.emit(ids[place])

    def _copy_answer(self) -> None:
        session = self._parts.desk.current.session
        text = last_answer(session.conversation.messages) if session is not None else ""
        self._copy(text, "Answer copied")

    def _copy_code(self) -> None:
        session = self._parts.desk.current.session
        text = last_code(session.conversation.messages) if session is not None else ""
        self._copy(text, "Code copied")

    def _copy(self, text: str, words: str) -> None:
        if text:
            copy_text(text)
            self._parts.toast.tell(words, seconds=2.0)

    def _region(self, step: int) -> None:
        """Goes on to the next part of the window that can be seen."""
        parts = self._parts
        panel = parts.desk.current
        regions: list[tuple[QWidget, QWidget]] = [(panel.composer, panel.composer.edit)]
        if parts.frame.panel_shown:
            regions.append((parts.frame.panel, parts.steps.detail))
        if parts.frame.sidebar_shown:
            sidebar = parts.sidebar
            # Without sessions there is no list to be in.
            stop = sidebar.list if sidebar.list.isVisible() else sidebar.search
            regions.append((sidebar, stop))
        page = panel.compare.page
        reader = page.reader if page is not None else panel.body.first_stop
        if reader is not None:
            regions.append((panel.body, reader))
        focus = QApplication.focusWidget()
        place = next(
            (
                number
                for number, (whole, _) in enumerate(regions)
                if focus is not None and (whole is focus or whole.isAncestorOf(focus))
            ),
            -1,
        )
        target = regions[(place + step) % len(regions)][1]
        target.setFocus(Qt.FocusReason.TabFocusReason)
        # As Qt does for Tab, behind the focus: lists show where the keyboard is.
        parts.window.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)


def _step_in_hand(parts: WindowParts) -> StepDetail | None:
    """The step in the panel, if the keyboard is there."""
    focus = QApplication.focusWidget()
    panel = parts.frame.panel
    if not parts.frame.panel_shown or focus is None or not panel.isAncestorOf(focus):
        return None
    return parts.steps.detail if parts.steps.detail.isVisible() else None


def _find(parts: WindowParts) -> None:
    """Looks in the step where the keyboard is in the panel, else in the conversation."""
    detail = _step_in_hand(parts)
    if detail is not None:
        detail.open_find()
    else:
        parts.desk.current.find_bar.open_bar()


def _find_on(parts: WindowParts, by: int) -> None:
    detail = _step_in_hand(parts)
    if detail is not None and detail.find_strip.isVisible():
        detail.find_strip.step(by)
    else:
        parts.desk.current.find_bar.search(backwards=by < 0)
