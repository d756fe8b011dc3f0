"""What the tests of the tools share: a project folder, and calls as the engine makes them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tool_calls import Call, KnownFiles

from kinet.policy.gate import gather
from kinet.tools.base import ToolContext, ToolOutput
from kinet.tools.catalog import builtin_tools
from kinet.tools.toolbox import Toolbox


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def context(project: Path, tmp_path: Path) -> ToolContext:
    return ToolContext(folder=project, files=KnownFiles(), data_dir=tmp_path / "data")


@pytest.fixture
def call(context: ToolContext) -> Call:
    """Prepares, judges and runs one call; a person says yes to whatever is asked."""
    box = Toolbox(builtin_tools())

    async def run(name: str, given: ToolContext | None = None, **arguments: Any) -> ToolOutput:
        used = given or context
        tool, checked = box.prepare(name, arguments)
        values = checked.model_dump()
        facts = gather(tool.name, tool.access.value, values, used.folder, data_dir=used.data_dir)
        return await tool.run(checked, replace(used, grant=facts.grant))

    return run
