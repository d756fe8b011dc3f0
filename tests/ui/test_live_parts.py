"""The parts of the settings that ask this computer: sandbox, search keys, room for kept things."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from kinet.core.errors import SettingsError
from kinet.settings.kept_things import KeptThings
from kinet.settings.store import SettingsStore
from kinet.tools.processes.whole_output import place_of
from kinet.ui.kept_shares import KeyPlace
from kinet.ui.preferences.live_parts import LiveParts
from kinet.ui.preferences.settings_page import SettingsPage
from tests.support.window import until


class FakeCommands:
    """A computer without a sandbox, and the search keys that were kept on it."""

    def __init__(self) -> None:
        self.keys: dict[str, str] = {}

    def sandbox(self) -> tuple[bool, str]:
        return False, "No sandbox works here: bubblewrap is not installed."

    def search_key_place(self, service: str) -> KeyPlace:
        return "keychain" if service in self.keys else "none"

    def save_search_key(self, service: str, key: str) -> str:
        if len(key) < 8:
            raise SettingsError("The key is too short.")
        self.keys[service] = key
        return "keychain"

    def forget_search_key(self, service: str) -> None:
        del self.keys[service]


class Room:
    """The three pages with their parts, over a real settings file."""

    def __init__(self, home: Path, qtbot: QtBot) -> None:
        self.settings = SettingsStore(home)
        self.commands = FakeCommands()
        services = SimpleNamespace(commands=self.commands, kept=KeptThings(home, self.settings))
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.pages: dict[str, SettingsPage] = {}
        for section in ("approvals", "network", "data"):
            self.pages[section] = SettingsPage(section, section, self.window)
            fields = [item for item in self.settings.fields() if item.key.startswith(section)]
            self.pages[section].add_fields(
                [(field, self.settings.get(field.key)) for field in fields]
            )
        self.parts = LiveParts(services, self.pages, self.window)  # type: ignore[arg-type]
        self.told: list[str] = []
        self.parts.told.connect(lambda sentence, _undo: self.told.append(sentence))
        self.window.show()


@pytest.fixture
def room(tmp_path: Path, qtbot: QtBot) -> Room:
    return Room(tmp_path, qtbot)


async def test_the_page_of_approvals_says_whether_commands_have_a_sandbox(room: Room) -> None:
    room.parts.show_page("approvals")
    await until(lambda: "not installed" in room.parts.sandbox.text())
    assert room.parts.sandbox.property("tone") == "warning"


async def test_a_search_key_is_kept_and_removed_and_only_asked_where_one_is_wanted(
    room: Room,
) -> None:
    part = room.parts.search_key
    room.parts.show_page("network")
    assert part.isHidden()
    room.parts.setting_changed("network.search", "brave")
    assert not part.isHidden()
    assert part.title.whole_text() == "Key for Brave Search"
    await until(lambda: part.place.text() == "No key yet.")
    part.field.setText("short")
    part.save.click()
    await until(lambda: part.place.text() == "The key is too short.")
    part.field.setText("BSA-0123456789")
    part.save.click()
    await until(lambda: part.place.text().startswith("Kept in the keychain"))
    assert room.commands.keys == {"brave": "BSA-0123456789"}
    assert part.field.text() == ""
    assert room.told == ["Key saved"]
    part.forget.click()
    await until(lambda: part.place.text() == "No key yet.")
    room.parts.setting_changed("network.search", "duckduckgo")
    assert part.isHidden()


async def test_kept_things_are_measured_and_freed_with_a_second_press(
    room: Room, tmp_path: Path
) -> None:
    file = place_of(tmp_path, "session", "call")
    assert file is not None
    file.parent.mkdir(parents=True)
    file.write_bytes(b"x" * 2_000_000)
    view = room.parts.kept
    room.parts.show_page("data")
    await until(lambda: view.total.text().startswith("2.0 MB of 4.0 GB"))
    assert not view.buttons["backups"].isEnabled()
    view.buttons["outputs"].click()
    assert file.exists()
    assert "Free for good?" in view.buttons["outputs"].text()
    view.buttons["outputs"].click()
    await until(lambda: view.total.text().startswith("0 B"))
    assert not file.exists()
    assert room.told == ["2.0 MB freed"]


async def test_a_smaller_limit_is_kept_at_once(room: Room, tmp_path: Path) -> None:
    file = place_of(tmp_path, "session", "call")
    assert file is not None
    file.parent.mkdir(parents=True)
    with file.open("wb") as out:
        out.truncate(600_000_000)
    room.settings.set("data.limit_gb", 0.5)
    room.parts.setting_changed("data.limit_gb", 0.5)
    await until(lambda: not file.exists())
