"""Asks wire cases through `python -m kinet complete`, each in a process of its own."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from wire_answers import check_answer
from wire_replay import ReplayServer
from wire_rules import check_request

ROOT = Path(__file__).resolve().parents[2]
ASK = [{"role": "user", "content": "go"}]
Case = dict[str, Any]
# Seconds for one process, on a machine that does much else.
PATIENCE_S = 120.0


class Processes:
    """Asks the cases of one replay server. `most` processes run at a time."""

    def __init__(self, cases: dict[str, Case], home: Path, most: int = 2) -> None:
        self._cases = cases
        self._home = home
        self._free = asyncio.Semaphore(most)
        self.server = ReplayServer(cases)

    async def problems(self, id_: str, base_url: str) -> list[str]:
        """What is wrong with a case, [] if nothing is."""
        case = self._cases[id_]
        async with self._free:
            if "expect" in case:
                context = case["request_context"]
                document = {"messages": ASK, "tools": context.get("tools", [])}
                stall = context.get("idle_timeout_s", 10.0)
                return check_answer(
                    case["expect"], await self._ask(base_url, case, document, stall)
                )
            return await self._request_problems(base_url, case)

    async def _request_problems(self, base_url: str, case: Case) -> list[str]:
        settings = {
            key: case["settings"][key]
            for key in ("max_tokens", "temperature", "top_p", "thinking")
            if key in case["settings"]
        }
        messages = await self._history(base_url, case)
        document = {"messages": messages, "tools": case["tools"], "settings": settings}
        await self._ask(base_url, case, document, 10.0)
        seen = self.server.log[case["id"]]
        return check_request(case["expect_rules"], {**seen[-1], "count": len(seen)})

    async def _history(self, base_url: str, case: Case) -> list[Any]:
        out: list[Any] = []
        ids: list[str] = []
        for message in case["messages"]:
            if "_from_case" in message:
                other = self._cases[message["_from_case"]]
                tools = other["request_context"].get("tools", [])
                got = await self._ask(base_url, other, {"messages": ASK, "tools": tools}, 10.0)
                message = got["raw_assistant"]
                ids += [call["id"] for call in got["tool_calls"]]
            id_ = message.get("tool_call_id", "")
            if id_.startswith("{{call_id:"):
                message = {**message, "tool_call_id": ids[int(id_[10:-2])]}
            out.append(message)
        return out

    async def _ask(self, base_url: str, case: Case, document: Any, stall: float) -> Any:
        settings = case.get("settings", {})
        address = f"{base_url}/case/{case['id']}{settings.get('base_url_suffix', '')}"
        command = [sys.executable, "-m", "kinet", "complete", "--base-url", address]
        command += ["--model", settings.get("model", "test-model"), "--protocol", case["protocol"]]
        command += ["--retries", "0", "--stall-seconds", str(stall)]
        command += ["--api-key-env", "WIRE_KEY"]
        if "settings" in case and case.get("vendor"):
            command += ["--vendor", case["vendor"]]
        child = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={
                **os.environ,
                "KINET_HOME": str(self._home),
                "PYTHONPATH": str(ROOT),
                "WIRE_KEY": settings.get("api_key", "test-key"),
            },
        )
        try:
            async with asyncio.timeout(PATIENCE_S):
                out, err = await child.communicate(json.dumps(document).encode())
        finally:
            if child.returncode is None:
                child.kill()
        assert b"Traceback" not in err, err.decode()
        return json.loads(out)
