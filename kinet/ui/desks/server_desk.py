"""Servers in the window: woken before they are needed, told of once when one fails."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from kinet.core.errors import KinetError
from kinet.ui.chat.banner import Banner
from kinet.ui.chat.chat_panel import ChatPanel
from kinet.ui.desks.slash_commands import SlashCommand
from kinet.ui.kit.announce import announce
from kinet.ui.kit.tasks import in_thread, spawn
from kinet.ui.program import Program

if TYPE_CHECKING:
    from kinet.mcp.prompts import OfferedPrompt
    from kinet.settings.server_services import ServerRow, ServerServices

_ABOUT = "server:"
# Stands for a session that does not exist before its first message.
_NEW = "new"


class ServerDesk(QObject):
    """Serves all panels. Nothing is asked of any server before somebody types."""

    # A server in whose row the person wants to look.
    server_wanted = Signal(str)

    def __init__(self, program: Program, parent: QObject) -> None:
        super().__init__(parent)
        self._program = program
        self._panel: ChatPanel | None = None
        self._began = self._reading = self._stale = False
        # One failed and could not be told of yet.
        self._waiting = False
        # Those that failed and were told of; they are told of again after they worked.
        self._told: set[tuple[str, str]] = set()
        # As they stood when something last happened to one of them.
        self._rows: Sequence[ServerRow] = ()
        # Sessions, and folders of sessions to come, whose servers were woken.
        self._woken: set[tuple[str, Path | None]] = set()

    def start(self) -> None:
        """From here on settings can be read."""
        self._began = True
        end = self._services.on_change(self._changed)
        self.destroyed.connect(lambda: end())

    def serve(self, panel: ChatPanel) -> None:
        """Watches a new panel: who begins to write will want the servers."""
        panel.composer.edit.textChanged.connect(lambda: self._typed(panel))
        panel.runner.running_changed.connect(lambda running: self._turned(panel, running))

    def follow(self, panel: ChatPanel) -> None:
        """The panel on screen from now on."""
        self._panel = panel
        if self._waiting:
            self._changed()

    async def read_now(self) -> Sequence[ServerRow]:
        """The servers of the panel on screen as they stand."""
        if not self._began or self._panel is None:
            return ()
        return await self._services.rows(self._panel.folder)

    def prompts(self) -> list[SlashCommand]:
        """The prompts of servers that are ready for the panel on screen, as commands."""
        here = str(self._panel.folder or "") if self._panel is not None else ""
        return [
            SlashCommand(
                f"{row.name}:{prompt.name}",
                _about(row.name, prompt),
                "plug",
                partial(self._call, row.name, prompt.name),
                written=True,
            )
            for row in self._rows
            if row.state == "ready" and row.folder in ("", here)
            for prompt in row.prompts
        ]

    @property
    def _services(self) -> ServerServices:
        services: ServerServices = self._program.services.servers
        return services

    def _call(self, server: str, prompt: str, words: str) -> None:
        if self._panel is not None:
            spawn(self._fill(self._panel, server, prompt, words), "prompt of a server")

    async def _fill(self, panel: ChatPanel, server: str, prompt: str, words: str) -> None:
        """Puts what the server says into the composer, where it is read before it is sent."""
        edit, command = panel.composer.edit, f"/{server}:{prompt}"
        try:
            text = await self._services.prompts.text(server, prompt, words, panel.folder)
        except KinetError as exc:
            panel.problem.emit(exc.sentence())
            text = f"{command} {words}".strip()
        else:
            # What begins like a command of the person's own would be one.
            text = f"{command}\n\n{text}" if text[0] in "!/" else text
        rest = edit.text()
        edit.set_text(f"{text}\n\n{rest}" if rest.strip() else text)

    def _typed(self, panel: ChatPanel) -> None:
        """Wakes what the session may use, once: quick servers are ready when it is sent."""
        place = (panel.session_id or _NEW, panel.folder)
        if not self._began or place in self._woken or not panel.composer.edit.text().strip():
            return
        self._woken.add(place)
        spawn(in_thread(lambda: self._services.wake(*place)), "wake servers")

    def _turned(self, panel: ChatPanel, running: bool) -> None:
        """After its first turn a session holds its servers itself."""
        place = (_NEW, panel.folder)
        if not running and panel.session_id and place in self._woken:
            self._woken.discard(place)
            spawn(in_thread(lambda: self._services.leave(_NEW)), "let servers go")

    def _changed(self) -> None:
        """Reads once for many changes."""
        self._stale = True
        if not self._reading:
            self._reading = True
            spawn(self._read(), "state of servers")

    async def _read(self) -> None:
        try:
            while self._stale:
                self._stale = False
                rows = await self.read_now()
                self._tell(rows)
        finally:
            self._reading = False

    def _tell(self, rows: Sequence[ServerRow]) -> None:
        """One line for those that failed since; it goes when the one it names works again."""
        self._rows = rows
        known = {(row.place, row.name) for row in rows}
        failed = {
            (row.place, row.name): row for row in rows if row.state == "failed" or _wants(row)
        }
        # Of a folder that is not on screen nothing is known now.
        self._told = {key for key in self._told if key in failed or key not in known}
        banner = self._panel.findChild(Banner) if self._panel is not None else None
        if not isinstance(banner, Banner):
            return
        about = banner.about
        if about.startswith(_ABOUT) and about.removeprefix(_ABOUT) not in {n for _, n in failed}:
            banner.take_away(about)
        fresh = [row for key, row in failed.items() if key not in self._told]
        taken = not banner.isHidden() and not banner.about.startswith(_ABOUT)
        self._waiting = bool(fresh) and taken
        if not fresh or self._waiting:
            # Something else stands in the way of the next message: that comes first.
            return
        self._told |= {(row.place, row.name) for row in fresh}
        # Who looks at the settings sees it in its row.
        if QApplication.activeModalWidget() is None:
            self._show(banner, fresh)

    def _show(self, banner: Banner, failed: Sequence[ServerRow]) -> None:
        # What the person alone can end comes first.
        row = next((row for row in failed if _wants(row)), failed[-1])
        words = f"The server {row.name} does not work: {row.reason}"
        if _wants(row):
            words = f"{row.name}: {row.wants or row.reason}"
        if len(failed) > 1:
            words = f"{len(failed)} servers do not work; {row.name}: {row.wants or row.reason}"
        look = lambda: self.server_wanted.emit(row.name)  # noqa: E731
        banner.tell(f"{_ABOUT}{row.name}", words, "Sign in…" if _wants(row) else "Look…", look)
        announce(banner, words)


def _about(server: str, prompt: OfferedPrompt) -> str:
    needs = ", ".join(argument.name for argument in prompt.arguments)
    return f"{prompt.about or 'A prompt'} · {server}{f' ({needs})' if needs else ''}"


def _wants(row: ServerRow) -> bool:
    return row.state == "sign_in" or bool(row.wants)
