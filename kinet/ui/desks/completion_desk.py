"""Completes what is typed into one composer: files after "@", commands after "/"."""

from __future__ import annotations

import os
import re
import shlex
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QTextCursor

from kinet.core.own_command import typed_command
from kinet.ui.desks.slash_commands import SlashCommand
from kinet.ui.kit.tasks import spawn
from kinet.ui.writing.completion_menu import Completion, CompletionMenu

if TYPE_CHECKING:
    from kinet.ui.chat.chat_panel import ChatPanel
    from kinet.workspace.file_index import FileIndex

_FILE = re.compile(r"(?:^|(?<=[\s(\[{\"']))@([^\s@]*)\Z")
# Commands, skills, and the prompts of servers with their names.
_COMMAND = re.compile(r"\A/([A-Za-z0-9_-]*(?::[A-Za-z0-9_.-]*)?)(?:[ ](.*))?\Z")
# Seconds after which the names are read anew when the next "@" is typed.
_FRESH = 20.0


class CompletionDesk(QObject):
    """Opens the menu as the text asks for it; Esc closes it until another word begins."""

    def __init__(self, panel: ChatPanel, commands: Callable[[], Sequence[SlashCommand]]) -> None:
        super().__init__(panel)
        self._panel, self._commands = panel, commands
        self._edit = panel.composer.edit
        self.menu = CompletionMenu(panel, panel.composer.box, self._edit)
        self._index: FileIndex | None = None
        self._read_at = -_FRESH
        self._reading = False
        self._dismissed = -1
        self._edit.textChanged.connect(self._look)
        self._edit.cursorPositionChanged.connect(self._look)
        self.menu.chosen.connect(self._chosen)
        self.menu.dismissed.connect(self._dismiss)
        panel.composer.mention_requested.connect(lambda: self._begin("@"))
        panel.composer.command_requested.connect(lambda: self._begin("/"))
        panel.desk.local_command = self.run

    def run(self, text: str) -> bool:
        """Does what a whole text that is a command says; False if it is a message."""
        found = _COMMAND.match(text.strip())
        if found is None:
            return False
        command = self._named(found[1])
        argument = (found[2] or "").strip()
        if command is None or command.act is None:
            return False
        if command.choices is None:
            if argument and not command.written:
                return False
        else:
            values = {value.casefold(): value for value, _ in command.choices()}
            if argument.casefold() not in values:
                return False
            argument = values[argument.casefold()]
        self._act(command, argument)
        return True

    def _look(self) -> None:
        """Shows what fits the word at the caret."""
        cursor = self._edit.textCursor()
        if self._edit.document().isEmpty():
            self._dismissed = -1
        if self._edit.composing or cursor.hasSelection() or not self._edit.hasFocus():
            self.menu.hide()
            return
        line = cursor.block().text()[: cursor.positionInBlock()]
        if found := _FILE.search(line):
            self._offer_files(found[1], cursor.position() - len(found[1]) - 1)
        elif cursor.blockNumber() == 0 and (found := _COMMAND.match(line)):
            self._offer_commands(found[1], found[2])
        else:
            self._dismissed = -1
            self.menu.hide()

    def _offer_files(self, letters: str, start: int) -> None:
        folder = self._panel.folder
        if folder is None or start == self._dismissed:
            self.menu.hide()
            return
        index = self._index
        stale = index is None or index.folder != folder
        if (stale or (not letters and time.monotonic() - self._read_at > _FRESH)) and (
            not self._reading
        ):
            self._reading = True
            spawn(self._read(folder), "names of files")
        if stale or index is None:
            self.menu.hide()
            return
        found = index.find(letters)
        self.menu.show_completions([_file(path) for path in found], (letters,))

    async def _read(self, folder: Path) -> None:
        from kinet.workspace.file_index import read_index

        try:
            self._index = await read_index(folder)
            self._read_at = time.monotonic()
        finally:
            self._reading = False
        self._look()

    def _offer_commands(self, word: str, argument: str | None) -> None:
        if self._dismissed == 0:
            self.menu.hide()
            return
        command = self._named(word) if argument is not None else None
        if argument is None:
            items = [
                Completion(f"/{item.name}", item.detail, item.icon, item)
                for item in self._commands()
                if item.name.startswith(word)
            ]
            self.menu.show_completions(items, (f"/{word}",) if word else ())
        elif command is not None and command.choices is not None:
            words = argument.casefold().split()
            items = [
                Completion(value, detail, command.icon, (command, value))
                for value, detail in command.choices()
                if all(part in f"{value} {detail}".casefold() for part in words)
            ]
            # A name that holds the letters comes before words that only explain one.
            items.sort(key=lambda item: not all(part in item.title.casefold() for part in words))
            self.menu.show_completions(items, words)
        else:
            self.menu.hide()

    def _chosen(self, item: Completion, at_once: bool) -> None:
        match item.value:
            case str() as path:
                self._write_path(path, finished=at_once or not path.endswith("/"))
            case SlashCommand() as command:
                waits = command.written and command.act is None
                if command.choices is not None or waits or not at_once:
                    self._edit.set_text(f"/{command.name} ")
                elif command.act is None:
                    self._edit.set_text(f"/{command.name}")
                    self._panel.desk.submit()
                else:
                    self._act(command, "")
            case (SlashCommand() as command, str() as value):
                self._act(command, value)

    def _act(self, command: SlashCommand, argument: str) -> None:
        # First the text goes: the command may show another session.
        self._edit.set_text("")
        self._panel.desk.save_draft()
        if command.act is not None:
            command.act(argument)

    def _write_path(self, path: str, *, finished: bool) -> None:
        """Puts a path in place of "@" and the letters after it; Tab goes on into a folder."""
        cursor = self._edit.textCursor()
        line = cursor.block().text()[: cursor.positionInBlock()]
        found = _FILE.search(line)
        if found is None:
            return
        # The model gets the bare path: "@" is a sign for the menu, not a part of the name. A shell
        # gets it as one word.
        left = QTextCursor.MoveOperation.Left
        cursor.movePosition(left, QTextCursor.MoveMode.KeepAnchor, len(found[1]) + 1)
        spaced = any(letter.isspace() for letter in path)
        if not finished and not spaced:
            cursor.insertText(f"@{path}")
        else:
            is_command = typed_command(self._edit.text()) is not None
            word = self._for_shell(path) if is_command else f'"{path}"' if spaced else path
            cursor.insertText(f"{word} ")
        self._edit.setTextCursor(cursor)

    def _for_shell(self, path: str) -> str:
        """One word of a shell, as the file is called where the next command begins."""
        folder, session = self._panel.folder, self._panel.session
        begins = session.command_folder if session is not None else None
        if folder is not None and begins is not None:
            path = os.path.relpath(os.path.join(os.path.realpath(folder), path), begins)
        return shlex.quote(path)

    def _begin(self, sign: str) -> None:
        """What the buttons do: the sign, with a blank before it where a word stands."""
        self._edit.setFocus(Qt.FocusReason.OtherFocusReason)
        cursor = self._edit.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        blank = " " if before and not before[-1].isspace() else ""
        self._dismissed = -1
        cursor.insertText(blank + sign)
        self._edit.setTextCursor(cursor)

    def _dismiss(self) -> None:
        cursor = self._edit.textCursor()
        line = cursor.block().text()[: cursor.positionInBlock()]
        found = _FILE.search(line)
        self._dismissed = cursor.position() - len(found[1]) - 1 if found else 0

    def _named(self, word: str) -> SlashCommand | None:
        return next((item for item in self._commands() if item.name == word), None)


def _file(path: str) -> Completion:
    name = path.rstrip("/").rpartition("/")[2]
    where = path[: len(path.rstrip("/")) - len(name)]
    if path.endswith("/"):
        return Completion(f"{name}/", where, "folder", path)
    return Completion(name, where, "file-text", path)
