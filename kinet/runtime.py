"""Builds the services a face needs, without a window: the one list of what is plugged into what."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kinet.paths import data_dir

if TYPE_CHECKING:
    from kinet.session.manager import SessionManager
    from kinet.session.session import Session
    from kinet.settings.store import SettingsStore


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for on the command line; "" and None mean "as the settings say"."""

    base_url: str = ""
    protocol: str = ""
    model: str = ""
    api_key_env: str = ""
    vendor: str = ""
    profile: str = ""
    cwd: Path | None = None
    approve: str = ""
    theme: str = ""
    trust: bool | None = None
    preset: str = ""
    effort: str = ""
    max_steps: int | None = None
    budget: float | None = None
    memory: bool = True
    rules: bool = True
    save: bool = True
    unsandboxed: bool = False


def create_runtime(
    home: Path | str | None = None,
    *,
    base_url: str = "",
    protocol: str = "",
    model: str = "",
    api_key_env: str = "",
    profile: str = "",
    cwd: Path | str | None = None,
    approve: str = "",
    theme: str = "",
    trust: bool | None = None,
    options: Options | None = None,
) -> Runtime:
    """A runtime over the data folder `home`; cheap: nothing heavy is imported or opened yet.

    The names and meanings are those of `kinet run`'s options; `theme` is light, dark or system.
    Whatever is left out comes from the settings in `home`. `options` gives all of them at once.
    """
    chosen = options or Options(
        base_url=base_url,
        protocol=protocol,
        model=model,
        api_key_env=api_key_env,
        profile=profile,
        cwd=None if cwd is None else Path(cwd).expanduser().absolute(),
        approve=approve,
        theme=theme,
        trust=trust,
    )
    return Runtime(data_dir() if home is None else Path(home).expanduser().absolute(), chosen)


class Runtime:
    """All services without a window. Parts are built on first use, or by `build`."""

    def __init__(self, home: Path, options: Options) -> None:
        self.home = home
        self.options = options

    def preload(self) -> None:
        """Imports the heavy modules; may run in a thread. Touches no file and no loop."""

    def build(self) -> None:
        """Opens settings and store. StoreError or SettingsError says what is wrong."""

    @property
    def folder(self) -> Path | None:
        """The folder new sessions work on; None where none is chosen."""
        return self.options.cwd

    @property
    def theme(self) -> str:
        """light, dark or system, known without heavy imports."""
        return self.options.theme or "system"

    @property
    def settings(self) -> SettingsStore:
        """The settings of this data folder."""
        raise NotImplementedError

    @property
    def sessions(self) -> SessionManager:
        """All sessions of this data folder."""
        raise NotImplementedError

    def open_session(self, session_id: str | None = None) -> Session:
        """The session `session_id`, or a new one on `folder`. StoreError if there is none such."""
        raise NotImplementedError

    async def close(self) -> None:
        """Ends all turns, closes connections and the store."""
