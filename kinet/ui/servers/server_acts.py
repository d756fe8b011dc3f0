"""Does what is asked of a server's row, and says what could not be done."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from kinet.core.errors import KinetError
from kinet.ui.kit.tasks import spawn
from kinet.ui.servers.server_item import ServerItem

if TYPE_CHECKING:
    from kinet.settings.server_services import ServerServices


class ServerActs(QObject):
    """Serves all rows. `told` carries a sentence and what takes the act back, None for nothing.

    `done` comes after each act, whether it could be done or not: the rows show what is true.
    `folder` is the project of the session on screen.
    """

    told = Signal(str, object)
    done = Signal()
    edit_wanted = Signal(str)
    trust_wanted = Signal()
    removed = Signal()

    def __init__(
        self, services: ServerServices, folder: Callable[[], Path | None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._services, self._folder = services, folder
        self._has_removed = False

    def serve(self, item: ServerItem) -> None:
        """Hears what is wanted of a new row."""
        services, name = self._services, item.row.name
        folder = Path(item.row.folder) if item.row.place != "own" else None
        item.switched.connect(lambda on: self._do(services.switch(name, on, folder=folder)))
        item.restart_wanted.connect(lambda: self._do(services.restart(name, self._folder())))
        item.edit_wanted.connect(lambda: self.edit_wanted.emit(name))
        item.remove_wanted.connect(lambda: spawn(self._remove(name), "remove a server"))
        item.trust_wanted.connect(self.trust_wanted)
        signs = services.sign_ins
        item.sign_in_wanted.connect(lambda: self._do(signs.begin(name, self._folder())))
        item.give_up_wanted.connect(lambda: self._do(signs.give_up(name, self._folder())))
        item.sign_out_wanted.connect(lambda: spawn(self._sign_out(name), "sign out of a server"))
        item.tool_switched.connect(
            lambda tool, on: self._do(services.switch_tool(name, tool, on, folder=folder))
        )
        item.all_switched.connect(
            lambda on: self._do(
                services.switch_tools(
                    name, () if on else [tool.name for tool in item.row.tools], folder=folder
                )
            )
        )

    def forget_removed(self) -> None:
        """What only the removed ones needed goes, once nothing can bring them back."""
        if self._has_removed:
            self._has_removed = False
            spawn(self._services.forget_removed(), "forget what removed servers kept")

    def _do(self, act: Coroutine[Any, Any, object]) -> None:
        spawn(self._try(act), "change a server")

    async def _try(self, act: Coroutine[Any, Any, object]) -> bool:
        try:
            await act
        except KinetError as exc:
            self.told.emit(exc.sentence(), None)
            return False
        finally:
            self.done.emit()
        return True

    async def _sign_out(self, name: str) -> None:
        try:
            ended = await self._services.sign_ins.sign_out(name, self._folder())
        except KinetError as exc:
            self.told.emit(exc.sentence(), None)
        else:
            more = "" if ended else "; it was forgotten here, its server did not confirm it"
            self.told.emit(f"Signed out of {name}{more}", None)
        self.done.emit()

    async def _remove(self, name: str) -> None:
        entry = dict(self._services.entry(name))
        if not await self._try(self._services.remove(name)):
            return
        self._has_removed = True
        self.removed.emit()
        back = self._services.put_back
        self.told.emit(f"{name} removed", lambda: self._do(back(name, entry)))
