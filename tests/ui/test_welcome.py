"""The first page: each way to a model, and one cause with one next action for each failure."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QPushButton
from pytestqt.qtbot import QtBot

from kinet.core.errors import SettingsError
from kinet.core.profile import ModelProfile, Price
from kinet.ui.models.key_field import clean_key
from kinet.ui.welcome.welcome import WelcomePage

LUMEN = ModelProfile("Lumen", "https://api.lumen.example/v1", "lumen-4-mini")
HARBOUR = ModelProfile("Harbour", "https://api.harbour.example/v1", "harbour-2")


def probe(verdict: str = "works", **values: Any) -> Any:
    defaults = {"ok": verdict == "works", "detail": "", "hint": "", "latency_ms": 412, "models": ()}
    return SimpleNamespace(verdict=verdict, **(defaults | values))


def found(title: str, **values: Any) -> Any:
    defaults = {"kind": "ollama", "detail": "", "base_url": "", "key_env": "", "models": ()}
    return SimpleNamespace(title=title, **(defaults | values))


class FakeServices:
    """Models as the first page meets them."""

    def __init__(self) -> None:
        self.around: list[Any] = []
        self.answer = probe()
        self.place = "keychain"
        self.refusal: SettingsError | None = None
        self.probed: list[tuple[ModelProfile, str | None]] = []
        self.saved: list[tuple[ModelProfile, str | None]] = []

    async def discover(self) -> list[Any]:
        return self.around

    def profile_from(self, item: Any) -> ModelProfile:
        return ModelProfile(item.title, item.base_url, item.models[0] if item.models else "m")

    def profiles_for_key(self, key: str) -> list[ModelProfile]:
        return [LUMEN] if key.startswith("lm-") else [LUMEN, HARBOUR]

    async def probe(self, profile: ModelProfile, key: str | None) -> Any:
        self.probed.append((profile, key))
        await asyncio.sleep(0)
        return self.answer

    async def save_profile(self, profile: ModelProfile, key: str | None) -> str:
        if self.refusal is not None:
            raise self.refusal
        self.saved.append((profile, key))
        return self.place

    def price_rows(self) -> list[Any]:
        return [SimpleNamespace(model=LUMEN.model, price=Price(1, 2), own=False)]


class Visit:
    """A page, its services, and what it told."""

    def __init__(self, qtbot: QtBot) -> None:
        self.services = FakeServices()
        self.page = WelcomePage(self.services)  # type: ignore[arg-type]
        qtbot.addWidget(self.page)
        self.chosen: list[ModelProfile] = []
        self.page.profile_chosen.connect(self.chosen.append)

    def button(self, name: str) -> QPushButton:
        button = self.page.findChild(QPushButton, name)
        assert isinstance(button, QPushButton)
        return button

    async def type_key(self, key: str) -> None:
        field = self.page.findChild(QLineEdit, "welcomeKeyField")
        assert isinstance(field, QLineEdit)
        field.setText(key)

    async def press(self, name: str) -> None:
        self.button(name).click()
        for _ in range(6):
            await asyncio.sleep(0)


@pytest.fixture
def visit(app: object, qtbot: QtBot) -> Visit:
    return Visit(qtbot)


async def test_a_key_that_works_is_saved_and_the_page_is_done(visit: Visit) -> None:
    await visit.type_key("  lm-secret\n")
    await visit.press("welcomeTestButton")
    assert visit.services.probed == [(LUMEN, "lm-secret")]
    result = visit.page.key.result
    assert result.word.text() == "Works"
    assert result.detail.text() == "lumen-4-mini · 412 ms · price known"
    await visit.press("welcomeSaveButton")
    assert visit.services.saved == [(LUMEN, "lm-secret")]
    assert visit.chosen == [LUMEN]
    assert visit.page.key.key == ""


async def test_saving_tests_first_and_a_failure_is_not_saved(visit: Visit) -> None:
    visit.services.answer = probe("key_refused", detail="Refused (401).", hint="Copy it whole.")
    await visit.type_key("lm-wrong")
    await visit.press("welcomeSaveButton")
    assert visit.services.saved == []
    assert visit.page.key.result.word.text() == "Key refused"
    assert "Refused (401). Copy it whole." in visit.page.key.result.detail.text()
    assert visit.button("welcomeSaveButton").text() == "Save anyway"
    await visit.press("welcomeSaveButton")
    assert visit.chosen == [LUMEN]


@pytest.mark.parametrize(
    ("verdict", "word", "action"),
    [
        ("key_refused", "Key refused", "Another key…"),
        ("no_credit", "No credit", "Try again"),
        ("model_not_offered", "Model not offered", "Choose a model…"),
        ("host_not_found", "Host not found", "Change address…"),
        ("certificate", "Certificate not trusted", "Network settings…"),
        ("proxy_refused", "Proxy refused", "Network settings…"),
        ("timeout", "No answer in time", "Try again"),
        ("unreachable", "Not reachable", "Try again"),
        ("protocol", "Not a model server", "Change address…"),
        ("something_new", "Did not work", "Try again"),
    ],
)
async def test_a_failure_names_one_cause_and_one_next_action(
    visit: Visit, verdict: str, word: str, action: str
) -> None:
    visit.services.answer = probe(verdict, models=("one", "two"))
    await visit.type_key("lm-x")
    await visit.press("welcomeTestButton")
    assert visit.page.key.result.word.text() == word
    assert visit.page.key.result.button.text() == action


async def test_a_model_that_is_offered_can_be_chosen_instead(visit: Visit) -> None:
    visit.services.answer = probe("model_not_offered", models=("lumen-5", "lumen-6"))
    await visit.type_key("lm-x")
    await visit.press("welcomeTestButton")
    visit.page.key.models.setCurrentText("lumen-6")
    visit.services.answer = probe()
    await visit.press("welcomeTestButton")
    assert visit.services.probed[-1][0].model == "lumen-6"


async def test_an_unknown_prefix_offers_choices(visit: Visit) -> None:
    await visit.type_key("zz-unknown")
    owner = visit.page.key.owner
    assert not owner.isHidden()
    owner.setCurrentIndex(1)
    await visit.press("welcomeTestButton")
    assert visit.services.probed == [(HARBOUR, "zz-unknown")]


async def test_another_endpoint_needs_an_address_and_a_model(visit: Visit) -> None:
    visit.page.key.open_form()
    form = visit.page.key.form
    assert not visit.button("welcomeTestButton").isEnabled()
    form.address.setText("http://127.0.0.1:9000/v1/")
    form.model.setEditText("own")
    await visit.press("welcomeTestButton")
    ((profile, key),) = visit.services.probed
    assert (profile.base_url, profile.model, key) == ("http://127.0.0.1:9000/v1", "own", None)


async def test_an_address_alone_tells_its_models_and_why_saving_waits(visit: Visit) -> None:
    visit.page.key.open_form()
    key = visit.page.key
    key.form.address.setText("localhost:9000")
    key.form.address.textEdited.emit("localhost:9000")
    assert key.line.text() == "The address begins with http:// or https://."
    key.form.address.setText("http://localhost:9000/v1")
    key.form.address.textEdited.emit("http://localhost:9000/v1")
    assert key.line.text() == "The model’s name is missing."
    assert not visit.button("welcomeSaveButton").isEnabled()
    visit.services.answer = probe(models=("own",), detail="The server offers 1 model.")
    await visit.press("welcomeTestButton")
    assert visit.services.probed[0][0].model == ""
    assert key.form.model.currentText() == "own"
    assert visit.button("welcomeSaveButton").isEnabled()
    await visit.press("welcomeSaveButton")
    assert [profile.model for profile, _key in visit.services.saved] == ["own"]


async def test_of_several_models_none_is_taken_unasked(visit: Visit) -> None:
    visit.page.key.open_form()
    visit.page.key.form.address.setText("http://localhost:9000/v1")
    visit.page.key.form.address.textEdited.emit("http://localhost:9000/v1")
    visit.services.answer = probe(models=("small", "large"), detail="The server offers 2 models.")
    await visit.press("welcomeTestButton")
    model = visit.page.key.form.model
    assert model.currentText() == ""
    assert [model.itemText(row) for row in range(model.count())] == ["small", "large"]
    assert not visit.button("welcomeSaveButton").isEnabled()


async def test_without_a_keychain_it_is_said_once_before_going_on(visit: Visit) -> None:
    visit.services.place = "session"
    await visit.type_key("lm-x")
    await visit.press("welcomeSaveButton")
    assert visit.chosen == []
    assert "this session only" in visit.page.key.result.word.text()
    visit.page.key.result.button.click()
    assert visit.chosen == [LUMEN]


async def test_a_refusal_to_save_is_shown_and_the_key_stays(visit: Visit) -> None:
    visit.services.refusal = SettingsError("The disk is full.", hint="Free some space.")
    await visit.type_key("lm-x")
    await visit.press("welcomeSaveButton")
    assert "The disk is full. Free some space." in visit.page.key.result.detail.text()
    assert visit.page.key.key == "lm-x"
    assert visit.chosen == []


async def test_what_was_found_can_be_used_at_once(visit: Visit) -> None:
    visit.services.around = [
        found("Ollama", models=("pine",), base_url="http://127.0.0.1:11434/v1"),
        found("Empty", detail="Running, but it has no model yet: ollama pull pine"),
    ]
    await visit.page.look_around()
    buttons = {button.accessibleName(): button for button in visit.page.findChildren(QPushButton)}
    assert "Copy: ollama pull pine" in buttons
    buttons["Use Ollama"].click()
    for _ in range(4):
        await asyncio.sleep(0)
    assert [profile.model for profile in visit.chosen] == ["pine"]


async def test_nothing_found_is_said_with_a_way_on(visit: Visit) -> None:
    await visit.page.look_around()
    assert "No model server answers" in visit.page.found.line.text()
    assert not visit.page.found.again.isHidden()


async def test_a_local_model_needs_no_key_and_its_address_is_filled_in(visit: Visit) -> None:
    assert not visit.page.local.isHidden()
    await visit.press("localButton")
    form = visit.page.key.form
    assert not form.isHidden()
    assert form.address.text() == "http://127.0.0.1:11434/v1"
    assert visit.button("welcomeTestButton").isEnabled()
    await visit.press("welcomeTestButton")
    ((asked, key),) = visit.services.probed
    assert (asked.base_url, key) == ("http://127.0.0.1:11434/v1", None)


async def test_tour_and_skip_always_work(visit: Visit, qtbot: QtBot) -> None:
    with qtbot.waitSignal(visit.page.tour_requested):
        visit.button("tourButton").click()
    with qtbot.waitSignal(visit.page.skipped):
        visit.button("skipButton").click()


async def test_a_key_is_revealed_by_the_menu_too(visit: Visit, qtbot: QtBot) -> None:
    await visit.type_key("lm-x")
    field = visit.page.key.field
    asked = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, field.rect().center())
    QApplication.sendEvent(field, asked)
    (menu,) = field.findChildren(QMenu)
    reveal = menu.actions()[-1]
    assert reveal.text() == "Reveal"
    reveal.trigger()
    assert field.echoMode() == QLineEdit.EchoMode.Normal
    menu.close()


async def test_the_key_is_masked_until_it_is_asked_for(visit: Visit) -> None:
    await visit.type_key("lm-x")
    field = visit.page.key.field
    assert field.echoMode() == QLineEdit.EchoMode.Password
    field.set_revealed(True)
    assert field.echoMode() == QLineEdit.EchoMode.Normal
    field.clear()
    assert field.echoMode() == QLineEdit.EchoMode.Password


@pytest.mark.parametrize(
    ("pasted", "key"),
    [
        ("  sk-abc \r\n", "sk-abc"),
        ("sk-ab\nc", "sk-abc"),
        ('export LUMEN_API_KEY="lm-1"', "lm-1"),
        ("Bearer lm-1", "lm-1"),
        ("\ufefflm-1\u200b\u00a0", "lm-1"),
        ("'lm-1',", "lm-1"),
    ],
)
def test_a_pasted_key_is_cleaned(pasted: str, key: str) -> None:
    assert clean_key(pasted) == key
