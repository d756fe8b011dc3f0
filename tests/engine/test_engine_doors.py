"""The doors that extensions will come through: tool table, hook points, event stream."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.support.replies import asks_for, says
from tests.support.scripted_server import ScriptedServer
from tests.support.wires import PROTOCOLS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_p27_a_tool_a_hook_and_a_listener_from_outside_take_part_without_a_window(protocol):
    with ScriptedServer(asks_for("count_letters", text="four"), says("It has 4.")) as server:
        url = server.base_url.removesuffix("/v1" if protocol == "anthropic" else "")
        program = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.engine.extension_program", url, protocol, cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        out, _ = await program.communicate()
    assert program.returncode == 0
    assert server.problems == []
    told = json.loads(out)
    assert told["window"] is False
    assert told["seen"] == ["count_letters {'text': 'four'}"]
    assert told["last"] == "It has 4."
    assert told["heard"] == told["events"]
    assert told["events"][-1] == "turn_finished"
    # The model was offered the tool, and got its result as the hook left it.
    assert '"count_letters"' in json.dumps(server.bodies[0]["tools"])
    assert "4 (counted)" in json.dumps(server.bodies[1])
