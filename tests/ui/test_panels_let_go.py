"""What a panel showed goes with it, without waiting for the collector of garbage."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest

from kinet.ui.desks.session_desk import KEPT_PANELS
from kinet.ui.main_window import MainWindow
from kinet.ui.transcript.blocks.block_list import BlockList
from kinet.ui.transcript.entries.text_entry import TextEntry
from tests.support.fake_program import FakeProgram
from tests.support.shell_window import shell_window
from tests.support.window import until


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Nothing that hangs in a circle goes meanwhile."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


async def talk(window: MainWindow) -> None:
    """A new session with one short turn, seen to its end."""
    panel = window.desk.new()
    panel.send("Say something.")
    await until(lambda: not panel.runner.running and panel.transcript.is_idle())


def shown(window: MainWindow) -> list[weakref.ref[BlockList]]:
    """What is laid out of the texts on screen."""
    entries = window.panel.transcript.stage.flow.entries
    texts = [entry for entry in entries if isinstance(entry, TextEntry)]
    return [weakref.ref(text.blocks) for text in texts if text.blocks is not None]


@pytest.mark.usefixtures("uncollected")
async def test_a_conversation_goes_with_the_panel_that_showed_it(tmp_path: Path) -> None:
    async with shell_window(FakeProgram(tmp_path)) as window:
        await talk(window)
        blocks = shown(window)
        assert len(blocks) == 2
        for _ in range(KEPT_PANELS):
            await talk(window)
        assert all(block() is not None for block in blocks)
        await talk(window)
        assert [block() for block in blocks] == [None, None]
