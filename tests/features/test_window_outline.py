"""The list of messages is there at once, however long it is, and grows where it is not whole."""

from __future__ import annotations

from pathlib import Path

import pytest

from kinet.core.events import Event, MessageCompleted, TurnFinished, TurnStarted
from kinet.core.messages import Message
from kinet.ui.kit import tasks
from kinet.ui.main_window import MainWindow
from kinet.ui.palette import palette as palettes
from kinet.ui.palette.palette import Palette
from kinet.ui.window import outline
from tests.support.fake_program import FakeProgram, Row
from tests.support.shell_window import shell_window
from tests.support.window import until

pytestmark = pytest.mark.window

TURNS = 120


@pytest.fixture(autouse=True)
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """In each turn of the loop one message is listed."""
    monkeypatch.setattr(outline, "_FIRST_SECONDS", -1.0)
    monkeypatch.setattr(outline, "_SLICE_SECONDS", -1.0)


def _program(tmp_path: Path) -> FakeProgram:
    program = FakeProgram(tmp_path, [Row("long", "The long one")])
    events: list[Event] = []
    for number in range(TURNS):
        asked = MessageCompleted(Message("user", f"Ask {number}", id=f"m{number}"))
        said = MessageCompleted(Message("assistant", f"Answer {number}"))
        events += [TurnStarted("long", f"m{number}"), asked, said, TurnFinished("completed")]
    session = program.open_session("long")
    for event in events:
        session._take(event)
    return program


def _opened(window: MainWindow) -> Palette:
    window.open_session("long")
    window.core.keys.actions["outline"].trigger()
    palette = window.findChild(Palette, "outline")
    assert palette is not None
    return palette


async def test_all_messages_are_listed_in_the_end(tmp_path: Path) -> None:
    async with shell_window(_program(tmp_path)) as window:
        palette = _opened(window)
        assert palette.count.text() == "Reading the messages…"
        await until(lambda: palette.count.text() == f"{2 * TURNS} results")
        assert palette.titles()[:3] == ["Ask 0", "Answer 0", "Ask 1"]
        palette.field.setText(f"answer {TURNS - 1}")
        assert palette.titles() == [f"Answer {TURNS - 1}"]
        palette.close_palette()


async def test_what_is_typed_meanwhile_holds_for_what_comes(tmp_path: Path) -> None:
    async with shell_window(_program(tmp_path)) as window:
        palette = _opened(window)
        palette.field.setText("answer 11")
        wanted = ["Answer 11", *(f"Answer {number}" for number in range(110, TURNS))]
        await until(lambda: palette.count.text() == f"{len(wanted)} results")
        assert palette.titles() == wanted[: palettes.MOST_OF_A_GROUP]
        palette.close_palette()


async def test_a_closed_list_is_read_no_further(tmp_path: Path) -> None:
    async with shell_window(_program(tmp_path)) as window:
        _opened(window).close_palette()
        await until(lambda: not [t for t in tasks.running() if t.get_name() == "outline"])
        assert not window.findChildren(Palette, "outline")


async def test_the_marked_row_stays_while_more_comes_below(tmp_path: Path) -> None:
    async with shell_window(_program(tmp_path)) as window:
        palette = _opened(window)
        await until(lambda: len(palette.titles()) == palettes.MOST_OF_A_GROUP)
        palette._step(1)
        marked = palette.list.currentRow()
        await until(lambda: palette.count.text() == f"{2 * TURNS} results")
        assert palette.list.currentRow() == marked
        palette.close_palette()


async def test_of_one_group_alone_no_more_rows_are_made_than_anybody_looks_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(palettes, "MOST_OF_ONE", 50)
    async with shell_window(_program(tmp_path)) as window:
        palette = _opened(window)
        await until(lambda: palette.count.text() == f"{2 * TURNS} results")
        palette._narrow()
        assert len(palette.titles()) == 50
        assert palette.count.text() == f"{2 * TURNS} results"
        palette.close_palette()
