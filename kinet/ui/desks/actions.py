"""The table of commands: id, title, keys, icon; shortcuts and the key list follow from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget


@dataclass(frozen=True, slots=True)
class Command:
    """Something a person can ask of the window; `keys` are alternatives, parted by a space."""

    id: str
    title: str
    keys: str = ""
    icon: str = ""
    group: str = "Window"

    @property
    def sequences(self) -> list[QKeySequence]:
        """Its keys as Qt takes them."""
        return [QKeySequence(keys) for keys in self.keys.split()]


COMMANDS: tuple[Command, ...] = (
    Command("new_session", "New session", "Ctrl+N", "plus", "Sessions"),
    Command("search_sessions", "Search sessions", "Ctrl+Shift+F", "search", "Sessions"),
    Command("next_session", "Next session", "Ctrl+Tab", "", "Sessions"),
    Command("previous_session", "Previous session", "Ctrl+Shift+Tab", "", "Sessions"),
    Command("choose_folder", "Choose the working folder…", "Ctrl+O", "folder", "Sessions"),
    Command("focus_composer", "Write a message", "Ctrl+L", "edit", "Turn"),
    Command("stop", "Stop the turn", "Ctrl+.", "stop", "Turn"),
    Command("retry", "Ask again", "Ctrl+R", "retry", "Turn"),
    Command("retry_with", "Ask again with…", "Ctrl+Shift+R", "retry", "Turn"),
    Command("edit_last", "Edit my last message", "", "edit", "Turn"),
    Command("compare", "Compare answers", "Ctrl+Shift+D", "branch", "Turn"),
    Command("switch_model", "Switch model…", "Ctrl+Shift+M", "model", "Turn"),
    Command("next_mode", "Next approval mode", "Ctrl+Shift+A", "shield", "Turn"),
    Command("copy_answer", "Copy the last answer", "Ctrl+Shift+C", "copy", "Turn"),
    Command("copy_code", "Copy the last code block", "Ctrl+Shift+; Ctrl+Shift+X", "copy", "Turn"),
    Command("previous_question", "To my message above", "Alt+Up", "chevron-up", "Turn"),
    Command("next_question", "To my message below", "Alt+Down", "chevron-down", "Turn"),
    Command("find", "Find in this session", "Ctrl+F", "search", "Turn"),
    Command("find_next", "Next hit", "F3", "", "Turn"),
    Command("find_previous", "Previous hit", "Shift+F3", "", "Turn"),
    Command("outline", "Go to a message…", "Ctrl+Shift+O", "list", "Turn"),
    Command("export", "Export the session…", "Ctrl+Shift+E", "save", "Sessions"),
    Command("print", "Print the session…", "Ctrl+P", "file-text", "Sessions"),
    Command("palette", "Commands and sessions…", "Ctrl+K", "", "Window"),
    Command("toggle_sidebar", "Show or hide the sidebar", "Ctrl+B", "sidebar"),
    Command("toggle_panel", "Show or hide the step panel", "Ctrl+J", "panel"),
    Command("next_region", "Next part of the window", "F6"),
    Command("previous_region", "Previous part of the window", "Shift+F6"),
    Command("zoom_in", "Larger text", "Ctrl++ Ctrl+="),
    Command("zoom_out", "Smaller text", "Ctrl+-"),
    Command("zoom_reset", "Text at 100 %", "Ctrl+0"),
    Command("settings", "Settings", "Ctrl+,", "settings"),
    Command("memory", "Memory", "", "memory"),
    Command("skills", "Skills", "", "skill"),
    Command("servers", "Servers", "", "plug"),
    Command("rules", "Rules…", "", "list"),
    Command("background", "Background of the project…", "", "info"),
    Command("keys", "Keyboard shortcuts", "F1 Ctrl+/", "keyboard"),
    Command("quit", "Quit", "Ctrl+Q"),
)


def install(window: QWidget, handlers: Mapping[str, Callable[[], object]]) -> dict[str, QAction]:
    """Makes one action per command that has a handler; the window's shortcuts work from then on."""
    actions: dict[str, QAction] = {}
    for command in COMMANDS:
        handler = handlers.get(command.id)
        if handler is None:
            continue
        action = QAction(command.title, window)
        action.setObjectName(command.id)
        action.setShortcuts(command.sequences)
        action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
        action.triggered.connect(lambda _=False, run=handler: run())
        window.addAction(action)
        actions[command.id] = action
    return actions
