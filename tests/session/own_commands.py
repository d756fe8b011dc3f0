"""A session on a real folder, without a model, and what runs commands in it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from kinet.core.events import (
    Event,
    ToolFinished,
)
from kinet.core.own_command import typed_command
from kinet.runtime import Runtime, create_runtime
from kinet.session.session import Session
from tests.session.conftest import collect


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
async def runtime(tmp_path: Path, work: Path) -> AsyncIterator[Runtime]:
    """No model is chosen: a command needs none."""
    runtime = create_runtime(tmp_path / "home", cwd=work)
    yield runtime
    await runtime.close()


@pytest.fixture
def session(runtime: Runtime) -> Session:
    return runtime.open_session()


async def run(session: Session, text: str, approver: Any = None) -> list[Event]:
    """Runs what is typed."""
    command = typed_command(text)
    assert command is not None
    return await collect(session.run_command(command, approver))


def is_end(event: Event) -> bool:
    return isinstance(event, ToolFinished)


def end_of(events: list[Event]) -> ToolFinished:
    (ended,) = [event for event in events if isinstance(event, ToolFinished)]
    return ended


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
