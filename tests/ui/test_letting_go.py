"""What a session showed is gone with its panel, whatever still hangs on that; a lot goes slowly."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from kinet.core.events import MessageCompleted
from kinet.core.messages import Message
from kinet.ui.kit import letting_go
from kinet.ui.kit.garbage import Keeper
from tests.support.fake_program import FakeProgram, Row
from tests.support.shell_window import shell_window
from tests.support.window import until


class Thing:
    """Counts those of its kind."""

    count = 0

    def __init__(self) -> None:
        Thing.count += 1

    def __del__(self) -> None:
        Thing.count -= 1


def test_a_lot_goes_bit_by_bit(app: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letting_go, "AT_ONCE", 10)
    things = [Thing() for _ in range(35)]
    letting_go.let_go(things)
    assert Thing.count == 25
    app.processEvents()
    assert 0 < Thing.count < 25
    for _ in range(10):
        app.processEvents()
    assert Thing.count == 0


@pytest.mark.window
async def test_what_a_panel_showed_goes_with_it_though_it_was_in_use_at_a_long_look(
    tmp_path: Path,
) -> None:
    program = FakeProgram(tmp_path, [Row("one", "First"), Row("two", "Second")])
    session = program.open_session("one")
    for number in range(50):
        session._take(MessageCompleted(Message("user", f"unmistakable {number}")))
    keeper = Keeper()
    keeper.begin()
    try:
        async with shell_window(program) as window:
            window.open_session("one")
            panel = window.panel
            entries = panel.transcript.stage.flow.entries
            await until(panel.transcript.is_idle)
            assert len(entries) >= 50
            # As after a look that took long: nothing of the panel is ever looked at again.
            gc.freeze()
            window.open_session("two")
            window.desk._drop(panel)
            await until(lambda: not entries)
            assert not panel.transcript.stage.flow.entries
            assert not panel.runner.steps.records()
    finally:
        keeper.end()
