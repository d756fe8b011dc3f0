"""The settings window: built from the schema, kept at once, taken back at will."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPushButton,
    QSpinBox,
    QTableView,
    QWidget,
)
from pytestqt.qtbot import QtBot

from kinet.core.profile import ModelProfile, Price
from kinet.policy.rules import RuleBook
from kinet.settings.command_services import CommandServices
from kinet.settings.kept_things import KeptThings
from kinet.settings.rule_services import RuleServices
from kinet.settings.secrets import Keychain
from kinet.settings.skill_services import SkillServices, skill_library
from kinet.settings.store import SettingsStore
from kinet.ui.preferences.models_page import ModelsPage
from kinet.ui.preferences.price_model import CACHE_READ, INPUT, OUTPUT, SOURCE
from kinet.ui.preferences.settings_dialog import SettingsDialog
from kinet.ui.services import SHOWN_ELSEWHERE
from tests.support.facts_at import facts_at
from tests.support.fake_program import NoTrash
from tests.support.fake_servers import FakeServers

LUMEN = ModelProfile("Lumen 4", "https://api.lumen.example/v1", "lumen-4", "anthropic")
RELAY = ModelProfile("Relay", "https://relay.example/v1", "relay-1")
BUILT_IN = {
    "lumen-4": Price(3, 15, 0.3, 3.75, "built in", "2026-10"),
    "pine": Price(0, 0, 0, 0, "this computer"),
    "atlas": Price(),
}


class FakeServices:
    """Models, prices and facts that remember what was done to them."""

    def __init__(self, settings: SettingsStore) -> None:
        self.approvals = RuleServices(RuleBook(None), lambda: "ask", None)
        self.settings = settings
        self.keys: dict[str, str] = {}
        self.forgotten: list[str] = []
        self.place = "keychain"
        self.verdict = "works"
        self.memory = facts_at(settings.home)
        self.trash = NoTrash()
        library = skill_library(settings, lambda folder: True, settings.home)
        self.skills = SkillServices(settings, library, settings.home)
        self.servers = FakeServers()
        self.kept = KeptThings(settings.home, settings)
        self.commands = CommandServices(settings, Keychain())

    def price_rows(self) -> list[Any]:
        own = self.settings.prices()
        models = dict.fromkeys([*(item.model for item in self.settings.profiles()), *BUILT_IN])
        rows = []
        for model in models:
            known = BUILT_IN.get(model, Price())
            price = Price(**own[model]) if model in own else known
            rows.append(SimpleNamespace(model=model, price=price, own=model in own))
        return rows

    def set_price(self, model: str, price: Price) -> Future[None]:
        return self.settings.keep_price(model, price)

    def reset_price(self, model: str) -> Future[None]:
        return self.settings.keep_price(model, None)

    def profiles_for_key(self, key: str) -> list[ModelProfile]:
        return []

    async def key_place(self, profile: ModelProfile) -> str:
        return self.place if profile.name in self.keys else "none"

    async def probe(self, profile: ModelProfile, key: str | None) -> Any:
        ok = self.verdict == "works"
        return SimpleNamespace(
            ok=ok, verdict=self.verdict, detail="It said no.", hint="", latency_ms=412, models=()
        )

    async def save_profile(self, profile: ModelProfile, key: str | None) -> str:
        self.settings.save_profile(profile)
        if key:
            self.keys[profile.name] = key
        return self.place

    async def delete_profile(self, name: str) -> None:
        self.settings.delete_profile(name)

    async def forget_key(self, name: str) -> None:
        self.forgotten.append(name)


class Desk:
    """An open dialog over a real settings file."""

    def __init__(self, home: Path, qtbot: QtBot) -> None:
        self.settings = SettingsStore(home)
        self.settings.save_profile(LUMEN)
        self.settings.save_profile(RELAY)
        self.services = FakeServices(self.settings)
        self.window = QMainWindow()
        self.window.resize(1200, 800)
        qtbot.addWidget(self.window)
        self.window.show()
        self.dialog = SettingsDialog(self.services, self.settings, self.window)  # type: ignore[arg-type]
        qtbot.addWidget(self.dialog)
        self.dialog.open()

    @property
    def models(self) -> ModelsPage:
        page = self.dialog.pages["models"]
        assert isinstance(page, ModelsPage)
        return page

    def editor(self, key: str) -> QWidget:
        return self.dialog.pages[key.partition(".")[0]].rows[key].editor.widget

    def undo(self) -> None:
        self.dialog.toast._button.click()


async def settle() -> None:
    for _ in range(8):
        await asyncio.sleep(0)


def files_with(folder: Path, word: bytes) -> list[Path]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    return [path for path in files if word in path.read_bytes()]


@pytest.fixture
async def desk(app: object, qtbot: QtBot, tmp_path: Path) -> Desk:
    desk = Desk(tmp_path, qtbot)
    await settle()
    return desk


async def test_there_is_a_page_for_each_section_and_a_row_for_each_setting(desk: Desk) -> None:
    for field in desk.settings.fields():
        section = field.key.partition(".")[0]
        page = desk.dialog.findChild(QWidget, f"settingsPage_{section}")
        assert page is desk.dialog.pages[section]
        assert field.key in page.rows or field.key in SHOWN_ELSEWHERE


async def test_the_names_that_scripts_rely_on(desk: Desk) -> None:
    assert desk.dialog.objectName() == "settingsDialog"
    assert desk.dialog.findChild(QLineEdit, "apiKeyField")
    assert desk.dialog.findChild(QTableView, "pricingTable")
    assert desk.dialog.findChild(QComboBox, "themeChoice") is desk.editor("appearance.theme")


async def test_a_change_is_kept_at_once_and_can_be_taken_back(desk: Desk) -> None:
    theme = desk.editor("appearance.theme")
    assert isinstance(theme, QComboBox)
    theme.setCurrentIndex(theme.findData("dark"))
    assert desk.settings.get("appearance.theme") == "dark"
    assert desk.dialog.toast.text() == "Theme saved"
    desk.undo()
    assert desk.settings.get("appearance.theme") == "system"
    assert theme.currentData() == "system"


async def test_numbers_show_their_unit_and_what_zero_means(desk: Desk) -> None:
    steps = desk.editor("limits.max_steps")
    assert isinstance(steps, QSpinBox)
    assert steps.text() == "No limit"
    steps.setValue(40)
    assert desk.settings.get("limits.max_steps") == 40


async def test_an_error_stands_under_its_field_and_the_value_is_not_kept(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kinet.core.errors import SettingsError

    def refuse(key: str, value: object) -> None:
        raise SettingsError("The settings could not be saved: disk full.", hint="Free some space.")

    monkeypatch.setattr(desk.settings, "keep", refuse)
    proxy = desk.editor("network.proxy")
    assert isinstance(proxy, QLineEdit)
    proxy.setText("http://proxy:1")
    proxy.editingFinished.emit()
    row = desk.dialog.pages["network"].rows["network.proxy"]
    assert "disk full. Free some space." in row._error.text()
    assert proxy.property("invalid") is True
    assert proxy.text() == "http://proxy:1"


async def test_search_shows_only_what_fits(desk: Desk) -> None:
    nothing = desk.dialog.findChild(QLabel, "settingsNothing")
    desk.dialog.search.setText("zzzz")
    assert desk.dialog.stack.currentWidget() is nothing
    desk.dialog.search.clear()
    assert desk.dialog.stack.currentWidget() is not nothing
    desk.dialog.search.setText("proxy")
    shown = [
        desk.dialog.list.item(number).text()
        for number in range(desk.dialog.list.count())
        if not desk.dialog.list.item(number).isHidden()
    ]
    assert shown == ["Network"]
    rows = desk.dialog.pages["network"].rows
    shown = [key for key, row in rows.items() if not row.isHidden()]
    assert shown == ["network.proxy", "network.no_proxy"]
    desk.dialog.search.clear()
    assert not any(row.isHidden() for row in rows.values())


async def test_a_key_goes_to_the_keychain_and_leaves_the_field(desk: Desk, tmp_path: Path) -> None:
    field = desk.dialog.findChild(QLineEdit, "apiKeyField")
    assert isinstance(field, QLineEdit)
    field.setText(" lm-canary-key \n")
    field.editingFinished.emit()
    field.editingFinished.emit()
    await settle()
    assert desk.services.keys == {"Lumen 4": "lm-canary-key"}
    assert field.text() == ""
    assert "keychain" in desk.models.profiles.key.place.text()
    assert not files_with(tmp_path, b"canary")


async def test_a_key_that_cannot_be_kept_is_said_openly(desk: Desk) -> None:
    desk.services.place = "session"
    desk.models.profiles.key.field.setText("lm-1")
    desk.dialog.findChild(QPushButton, "apiKeySaveButton").click()
    await settle()
    assert "this session only" in desk.models.profiles.key.place.text()


async def test_an_own_price_wins_and_can_be_taken_back(desk: Desk) -> None:
    table = desk.dialog.findChild(QTableView, "pricingTable")
    assert isinstance(table, QTableView)
    model = table.model()
    assert model.setData(model.index(0, OUTPUT), "4.80")
    assert desk.settings.prices()["lumen-4"]["output"] == 4.8
    assert model.index(0, OUTPUT).data() == "4.80"
    assert model.index(0, SOURCE).data() == "yours"
    assert desk.dialog.toast.text() == "Output price of lumen-4 saved"
    desk.undo()
    assert desk.settings.prices() == {}
    assert model.index(0, OUTPUT).data() == "15.00"


async def test_delete_in_the_table_goes_back_to_the_built_in_price(
    desk: Desk, qtbot: QtBot
) -> None:
    table = desk.models.prices.table
    table.model().setData(table.model().index(0, INPUT), "9")
    table.setCurrentIndex(table.model().index(0, INPUT))
    qtbot.keyClick(table, Qt.Key.Key_Delete)
    assert desk.settings.prices() == {}
    assert table.model().index(0, INPUT).data() == "3.00"


async def test_free_and_unknown_are_different_words(desk: Desk) -> None:
    model = desk.models.prices.prices
    shown = {model.row(n).model: model.index(n, INPUT).data() for n in range(model.rowCount())}
    assert shown["pine"] == "free"
    assert shown["atlas"] == "—"
    assert model.setData(model.index(0, CACHE_READ), "—")
    assert model.index(0, CACHE_READ).data() == "—"


@pytest.mark.parametrize("typed", ["cheap", "-1", "1e9", "nan", "1.2.3"])
async def test_what_is_no_price_is_refused_with_a_sentence(desk: Desk, typed: str) -> None:
    model = desk.models.prices.prices
    assert not model.setData(model.index(0, INPUT), typed)
    assert desk.models.prices.error.text()
    assert desk.settings.prices() == {}


async def test_the_default_is_chosen_in_the_list(desk: Desk) -> None:
    desk.models.profiles.list.rows["Relay"].radio.click()
    default = desk.settings.default_profile
    assert default is not None
    assert default.name == "Relay"
    desk.undo()
    default = desk.settings.default_profile
    assert default is not None
    assert default.name == "Lumen 4"


async def test_a_deleted_profile_comes_back_and_its_key_goes_only_at_the_end(desk: Desk) -> None:
    profiles = desk.models.profiles
    profiles.list.delete_requested.emit("Relay")
    await settle()
    assert [profile.name for profile in desk.settings.profiles()] == ["Lumen 4"]
    desk.undo()
    await settle()
    assert [profile.name for profile in desk.settings.profiles()] == ["Lumen 4", "Relay"]
    profiles.list.delete_requested.emit("Lumen 4")
    await settle()
    assert desk.services.forgotten == []
    desk.dialog.accept()
    await settle()
    assert desk.services.forgotten == ["Lumen 4"]


async def test_a_new_profile_is_added_with_its_key(desk: Desk) -> None:
    desk.dialog.findChild(QPushButton, "addProfileButton").click()
    editor = desk.models.profiles.editor
    editor.form.address.setText("http://127.0.0.1:11434/v1")
    editor.form.model.setEditText("pine")
    editor.key.setText("k")
    editor.save.click()
    await settle()
    saved = desk.settings.profile("pine")
    assert saved is not None
    assert saved.base_url == "http://127.0.0.1:11434/v1"
    assert desk.services.keys["pine"] == "k"
    assert editor.isHidden()


async def test_a_profile_never_replaces_another_by_chance(desk: Desk) -> None:
    editor = desk.models.profiles.editor
    editor.begin(None)
    editor.name.setText("Relay")
    editor.form.address.setText("http://elsewhere/v1")
    editor.form.model.setEditText("m")
    editor.save.click()
    await settle()
    assert "There is a profile named Relay" in editor.result.detail.text()
    kept = desk.settings.profile("Relay")
    assert kept is not None
    assert kept.base_url == RELAY.base_url


async def test_editing_keeps_what_has_no_field(desk: Desk) -> None:
    rich = ModelProfile("Rich", "https://x.example/v1", "m", temperature=0.3, headers={"A": "b"})
    desk.settings.save_profile(rich)
    editor = desk.models.profiles.editor
    editor.begin(rich)
    editor.form.model.setEditText("m2")
    assert editor.profile() == ModelProfile(
        "Rich", "https://x.example/v1", "m2", temperature=0.3, headers={"A": "b"}
    )


async def test_a_failed_test_offers_a_new_key_and_is_explained_once(desk: Desk) -> None:
    desk.services.verdict = "key_refused"
    row = desk.models.profiles.list.rows["Relay"]
    row.button.click()
    await settle()
    assert row.result.text() == "Key refused"
    assert row.button.text() == "New key…"
    assert desk.models.profiles.failure.text() == "Relay: Key refused. It said no."
    row.button.click()
    assert desk.models.profiles.key.title.whole_text() == "Key for Relay"


async def test_the_wheel_changes_no_field_without_focus(desk: Desk) -> None:
    box = desk.editor("appearance.theme")
    assert isinstance(box, QComboBox)
    place = QPointF(box.rect().center())
    event = QWheelEvent(
        place,
        QPointF(box.mapToGlobal(place.toPoint())),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(box, event)
    assert box.currentData() == "system"
    assert box.focusPolicy() == Qt.FocusPolicy.StrongFocus


async def test_what_was_changed_elsewhere_is_shown_when_it_opens_again(desk: Desk) -> None:
    desk.dialog.accept()
    desk.settings.set("approvals.mode", "plan")
    desk.settings.save_profile(ModelProfile("New", "http://127.0.0.1/v1", "m"))
    desk.dialog.open()
    mode = desk.editor("approvals.mode")
    assert isinstance(mode, QComboBox)
    assert mode.currentData() == "plan"
    assert "New" in desk.models.profiles.list.rows


async def test_esc_closes_it_and_the_veil_goes(desk: Desk, qtbot: QtBot) -> None:
    from kinet.ui.kit.scrim import Scrim

    assert desk.window.findChildren(Scrim)
    qtbot.keyClick(desk.dialog, Qt.Key.Key_Escape)
    await asyncio.sleep(0)
    assert not desk.dialog.isVisible()
    QApplication.sendPostedEvents(None, 52)
    assert not desk.window.findChildren(Scrim)


async def test_every_control_has_a_name(desk: Desk) -> None:
    from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox

    kinds = (QAbstractButton, QAbstractSpinBox, QComboBox, QLineEdit, QTableView)
    for section in desk.dialog.pages:
        desk.dialog.show_page(section)
        shown = [part for kind in kinds for part in desk.dialog.findChildren(kind)]
        for control in shown:
            inner = isinstance(control.parent(), QAbstractSpinBox | QComboBox | QTableView)
            assert inner or not control.isVisible() or control.accessibleName(), control


async def test_closed_settings_are_not_in_the_way_of_a_zoom_and_are_back_when_opened(
    desk: Desk, qtbot: QtBot
) -> None:
    dialog = desk.dialog
    dialog.show_page("network")
    dialog.put_away()
    assert dialog.pages["network"].isVisible(), "what is open stays"
    dialog.accept()
    dialog.put_away()
    page = dialog.pages["network"]
    assert not any(one.window() is dialog for one in dialog.pages.values())
    dialog.open()
    assert page.isVisible()
    assert dialog.stack.currentWidget() is page
    dialog.show_page("models")
    assert dialog.pages["models"].isVisible()
    qtbot.waitUntil(lambda: all(one.window() is dialog for one in dialog.pages.values()))
    assert dialog.stack.currentWidget() is dialog.pages["models"]
    dialog.search.setText("no such words at all")
    dialog.accept()
    dialog.put_away()
    dialog.open()
    dialog.search.clear()
    assert dialog.stack.currentWidget() is dialog.pages["models"]
    # Put away again before all were back, and let go with some of them away.
    dialog.accept()
    dialog.put_away()
    dialog.put_away()
