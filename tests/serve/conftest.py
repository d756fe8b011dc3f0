"""A real `kinet serve --stdio` on a data folder of its own, with a scripted server behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.cli.conftest import environment
from tests.support.rpc_client import Answering, RpcClient
from tests.support.scripted_server import ScriptedServer

Serve = Callable[..., RpcClient]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "person").mkdir()
    return tmp_path / "home"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    place.mkdir()
    (place / "notes.md").write_bytes(b"# Notes\n\nMonday: bank\n")
    return place


@pytest.fixture
def model() -> Iterator[ScriptedServer]:
    """What answers as the model; a test adds its `replies`."""
    with ScriptedServer() as server:
        yield server
    assert server.problems == []


@pytest.fixture
def serve(home: Path, folder: Path, model: ScriptedServer) -> Iterator[Serve]:
    """Starts one; all are ended with the test, in order."""
    with ExitStack() as stack:

        def start(
            *arguments: str | Path,
            answering: Answering | None = None,
            reads: bool = True,
            greeted: bool = True,
        ) -> RpcClient:
            client = RpcClient(
                *("--base-url", model.base_url, "--model", "scripted"),
                *arguments,
                env=environment(home),
                cwd=folder,
                answering=answering,
                reads=reads,
            )
            stack.enter_context(client)
            if reads and greeted:
                client.greet()
            return client

        yield start


def new(client: RpcClient, **wanted: object) -> str:
    """A new session; its id."""
    session_id: str = client.call("session/new", **wanted)["session_id"]
    return session_id
