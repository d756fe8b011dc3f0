"""Tool servers that others wrote, in Python and in Node: started, asked, ended."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from tool_server_programs import node_servers, python_servers

from kinet.mcp.definition import read_definition
from kinet.mcp.servers import Servers, Standing
from kinet.policy.gate import grant_for
from kinet.tools.base import ToolContext, ToolOutput
from tests.support.ports import free_port, wait_for

SESSION = "session"


@pytest.fixture(scope="session")
def cache(pytestconfig: pytest.Config) -> Path:
    return pytestconfig.cache.mkdir("tool-servers")  # type: ignore[union-attr]


class Project:
    """A folder, and the servers that are asked for it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._entries: dict[str, Any] = {}
        self._servers = Servers(
            lambda folder: [read_definition(*item) for item in self._entries.items()]
        )

    async def start(self, **entries: Any) -> Standing:
        self._entries |= entries
        self._servers.wake(SESSION, self.folder)
        await self._servers.settled(SESSION, 90.0)
        standing = self._servers.standing(SESSION)
        assert (standing.failed, standing.starting) == ((), ())
        return standing

    async def call(self, name: str, told: list[str] | None = None, **values: Any) -> ToolOutput:
        tools = {tool.name: tool for tool in self._servers.standing(SESSION).tools}
        tool = tools[name]
        grant = grant_for(name, values, (tool.definition,))
        progress = told.append if told is not None else (lambda text: None)
        context = ToolContext(self.folder, grant=grant, progress=progress)
        return await tool.run(tool.arguments.model_validate(values), context)

    def close(self) -> None:
        self._servers.close()


@pytest_asyncio.fixture
async def project(tmp_path: Path) -> AsyncIterator[Project]:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "notes.md").write_text("# Notes 漢字\n")
    made = Project(folder)
    yield made
    made.close()


@pytest.fixture
def repository(project: Project) -> Path:
    subprocess.run(["git", "init", "-q"], cwd=project.folder, check=True)
    return project.folder


async def test_servers_written_in_python(project: Project, repository: Path, cache: Path) -> None:
    programs = python_servers(cache)
    standing = await project.start(
        time={
            "command": str(programs / "mcp-server-time"),
            "args": ["--local-timezone", "Europe/Berlin"],
        },
        git={"command": str(programs / "mcp-server-git")},
        fetch={"command": str(programs / "mcp-server-fetch")},
    )
    names = {tool.name for tool in standing.tools}
    assert {"time__get_current_time", "git__git_status", "fetch__fetch"} <= names
    told = json.loads((await project.call("time__get_current_time", timezone="UTC")).content)
    assert told["timezone"] == "UTC"
    wrong = await project.call("time__get_current_time", timezone="Nowhere/Land")
    assert wrong.is_error
    assert "Nowhere/Land" in wrong.content
    status = await project.call("git__git_status", repo_path=str(repository))
    assert "notes.md" in status.content


async def test_servers_that_run_in_node(project: Project, cache: Path) -> None:
    programs = node_servers(cache)
    standing = await project.start(
        every={"command": str(programs / "mcp-server-everything")},
        files={
            "command": str(programs / "mcp-server-filesystem"),
            "args": [str(project.folder)],
        },
    )
    assert len(standing.tools) > 20
    read = await project.call("files__read_text_file", path=str(project.folder / "notes.md"))
    assert read.content == "# Notes 漢字\n"
    outside = await project.call("files__list_directory", path="/etc")
    assert outside.is_error
    assert (await project.call("every__echo", message="grüß")).content == "Echo: grüß"
    picture = await project.call("every__get-tiny-image")
    assert picture.pictures[0].startswith("data:image/png;base64,")
    value = await project.call("every__get-structured-content", location="Chicago")
    assert set(value.details["structured"]) == {"temperature", "conditions", "humidity"}
    links = await project.call("every__get-resource-links", count=3)
    assert links.content.count("[link to demo://") == 3
    roots = await project.call("every__get-roots-list")
    assert project.folder.as_uri() in roots.content
    told: list[str] = []
    long = await project.call("every__trigger-long-running-operation", told, duration=1, steps=2)
    assert "completed" in long.content
    assert told[0] == "1 of 2\n"


async def test_a_server_that_npx_starts(project: Project, cache: Path) -> None:
    node_servers(cache)
    await project.start(
        every={"command": "npx", "args": ["mcp-server-everything"], "cwd": str(cache / "node")}
    )
    assert (await project.call("every__echo", message="hi")).content == "Echo: hi"


@pytest.fixture
def port(cache: Path) -> Iterator[int]:
    """A server that listens there."""
    programs, port = node_servers(cache), free_port()
    with subprocess.Popen(
        [str(programs / "mcp-server-everything"), "streamableHttp"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PORT": str(port)},
    ) as process:
        try:
            wait_for(port)
            yield port
        finally:
            process.kill()


async def test_the_same_server_over_http(port: int, project: Project) -> None:
    await project.start(every={"url": f"http://127.0.0.1:{port}/mcp"})
    assert (await project.call("every__echo", message="hi")).content == "Echo: hi"
    roots = await project.call("every__get-roots-list")
    assert project.folder.as_uri() in roots.content
    project.close()
