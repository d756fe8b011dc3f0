"""A budget that is used up, in the real window: its own words, its figures, and what each does."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDoubleSpinBox, QLabel, QPushButton, QWidget

from kinet.core.profile import Price
from tests.support.live_window import LiveWindow, live_window
from tests.support.scripted_server import Reply, ScriptedServer, asks_for, says
from tests.support.window import until

pytestmark = pytest.mark.window

# 100,000 tokens at 10 USD a million: each step costs 1 USD.
STEP = 100_000


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """An empty data folder."""
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a few files to read."""
    place = tmp_path / "work"
    place.mkdir()
    for number in range(9):
        (place / f"{number}.txt").write_text(f"{number}\n", encoding="utf-8")
    return place


def script(steps: int) -> list[Reply]:
    """So many steps of 1 USD, and an answer."""
    looks = [asks_for("read_file", path=f"{number}.txt") for number in range(steps)]
    return [reply.counting(STEP, 0) for reply in (*looks, says("Done."))]


def priced(live: LiveWindow, *, turn: float) -> None:
    """Gives the scripted model a price, and each turn a budget."""
    live.window.program.services.set_price("scripted", Price(10.0, 0.0, 10.0, 10.0))
    live.window.program.settings.set("limits.turn_usd", turn)
    live.window.program.settings.set("limits.day_usd", 0)


def texts(card: QWidget) -> list[str]:
    """Every word of a card."""
    return [label.text() for label in card.findChildren(QLabel) if label.text()]


def words(card: QWidget) -> list[str]:
    """The words of the buttons that can be seen, from the left."""
    return [item.text() for item in card.findChildren(QPushButton) if item.isVisible()]


async def test_the_card_of_a_budget_has_its_figures_and_words_of_its_own(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(*script(2)) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            priced(live, turn=1.0)
            await live.say("Look")
            card = await live.question()
            shown = texts(card)
            assert "This turn has cost 1.00 USD. Let it go on?" in shown
            for title, figure in (("Spent", "1.00 USD"), ("Counted for", "this turn")):
                assert figure in shown
                assert title in shown
            assert "equal" not in card.head.wait_text
            assert words(card) == ["Continue: 1.00 USD more", "Raise the limit…", "Stop here"]
            label = live.panel.status_row.label
            await until(lambda: label.text().startswith("1 request needs your answer"))
            await live.answer("stopHereButton")
            await live.ended()
            assert live.panel.status_row.label.text().startswith("Budget reached")
    assert len(server.bodies) == 1


async def test_continue_asks_again_after_as_much_and_a_raised_limit_does_not(
    home: Path, folder: Path
) -> None:
    with ScriptedServer(*script(6)) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            priced(live, turn=1.0)
            await live.say("Look")
            await live.answer("continueButton")
            await until(lambda: len(server.bodies) == 2)
            card = await live.question()
            assert "This turn has cost 2.00 USD. Let it go on?" in texts(card)
            button = card.findChild(QPushButton, "raiseLimitButton")
            assert button is not None
            button.click()
            field = card.findChild(QDoubleSpinBox, "raiseAmount")
            assert field is not None
            assert field.value() > 2
            field.setValue(0.5)
            assert field.value() > 2, "a limit that is used up already cannot be chosen"
            field.setValue(20)
            await until(lambda: card.takes_keys)
            QTest.keyClick(field, Qt.Key.Key_Return)
            await live.ended()
            assert "Done." in live.text
    assert len(server.bodies) == 7


async def test_the_keys_of_a_budget_card_are_those_of_any_card(home: Path, folder: Path) -> None:
    with ScriptedServer(*script(2)) as server:
        async with live_window(home, server_url=server.base_url, folder=folder) as live:
            priced(live, turn=1.5)
            await live.say("Look")
            card = await live.question()
            control = Qt.KeyboardModifier.ControlModifier
            card.setFocus()
            QTest.keyClick(card, Qt.Key.Key_Return, control)
            assert live.panel.approvals.cards() == (card,), "too soon"
            await until(lambda: card.takes_keys)
            QTest.keyClick(card, Qt.Key.Key_Return)
            assert live.panel.approvals.cards() == (card,), "Enter alone answers nothing"
            QTest.keyClick(card, Qt.Key.Key_Return, control)
            await live.ended()
            assert "Done." in live.text
