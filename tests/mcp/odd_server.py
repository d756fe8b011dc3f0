"""A server with the standard library only, as good or as bad as its argument says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

MODE = sys.argv[1] if len(sys.argv) > 1 else "good"
NOTES = Path(sys.argv[2]) if len(sys.argv) > 2 else None
TOOLS: list[Any] = [
    {
        "name": "echo",
        "title": "Say it again",
        "description": "Gives back what it gets.",
        "inputSchema": {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
        },
        "annotations": {"readOnlyHint": True},
    },
    {"name": "wait", "description": "Takes its time.", "inputSchema": {"type": "object"}},
    {"name": "die", "description": "Ends the server.", "inputSchema": {"type": "object"}},
    {"name": "show", "description": "Anything.", "inputSchema": {"type": "object"}},
    {"name": "write", "description": "Writes.", "inputSchema": {"type": "object"}},
    {"name": "ask", "description": "Asks the client.", "inputSchema": {"type": "object"}},
]


def say(message: Any) -> None:
    sys.stdout.buffer.write(json.dumps(message, ensure_ascii=False).encode() + b"\n")
    sys.stdout.buffer.flush()


def answer(id_: Any, result: Any) -> None:
    say({"jsonrpc": "2.0", "id": id_, "result": result})


def note(what: str) -> None:
    if NOTES is not None:
        with NOTES.open("a") as file:
            file.write(what + "\n")


def ask_client(method: str, params: Any = None) -> Any:
    say({"jsonrpc": "2.0", "id": f"from-server-{method}", "method": method, "params": params or {}})
    for line in sys.stdin:
        message = json.loads(line)
        if message.get("id") == f"from-server-{method}":
            return message.get("result", message.get("error"))
    return None


def call(id_: Any, params: dict[str, Any]) -> None:
    name, given = params["name"], params.get("arguments") or {}
    token = params.get("_meta", {}).get("progressToken")
    note(f"call {name} {json.dumps(given)}")
    if name == "echo":
        answer(id_, {"content": [{"type": "text", "text": given["text"]}]})
    elif name == "wait":
        for step in range(int(given.get("steps", 0))):
            told = {"progressToken": token, "progress": step, "total": 9, "message": "reading"}
            say({"jsonrpc": "2.0", "method": "notifications/progress", "params": told})
        note("waiting")
        for line in sys.stdin:
            message = json.loads(line)
            if message.get("method") == "notifications/cancelled":
                note(f"cancelled {message['params']['requestId'] == id_}")
                return
    elif name == "die":
        print("out of luck, key sk-abcdefghijklmnop123456", file=sys.stderr, flush=True)
        os._exit(7)
    elif name == "write":
        Path(given["path"]).write_text("from the server\n")
        answer(id_, {"content": [{"type": "text", "text": "written"}]})
    elif name == "show":
        answer(id_, given["result"])
    elif name == "ask":
        told = ask_client(given["method"], given.get("params"))
        answer(id_, {"content": [{"type": "text", "text": json.dumps(told)}]})
    else:
        error = {"code": -32602, "message": f"Unknown tool: {name}"}
        say({"jsonrpc": "2.0", "id": id_, "error": error})


def listed(cursor: str | None) -> dict[str, Any]:
    if MODE == "pages":
        page = int(cursor or 0)
        tools = [{"name": f"tool{page}_{n}", "inputSchema": {"type": "object"}} for n in range(3)]
        return {"tools": tools, **({"nextCursor": str(page + 1)} if page < 2 else {})}
    if MODE == "circle":
        return {"tools": [{"name": f"t{cursor or 0}"}], "nextCursor": "1"}
    if MODE == "many":
        return {"tools": [{"name": f"tool{n:05}", "inputSchema": {}} for n in range(10_000)]}
    if MODE == "one":
        return {"tools": TOOLS[:1]}
    if MODE == "not-a-list":
        return {"tools": "none"}
    if MODE == "described" and NOTES is not None:
        # The test says how its tool is described.
        return {"tools": [{**TOOLS[0], "description": NOTES.with_name("described").read_text()}]}
    if MODE == "changing" and NOTES is not None and "changed" in NOTES.read_text():
        return {"tools": [{**TOOLS[0], "description": "Something else."}]}
    return {"tools": TOOLS}


def early() -> None:
    """What a bad server does before it reads anything."""
    note("begun")
    if MODE == "exits":
        print("no configuration found", file=sys.stderr)
        sys.exit(3)
    if MODE == "silent":
        time.sleep(600)
    if MODE == "endless-line":
        while True:
            sys.stdout.write("x" * 1_000_000)
    if MODE == "garbage-for-ever":
        while True:
            print("hello, this is no message")
    if MODE == "banner":
        print("Welcome to the server, version 1")
        print("⸻ ready ⸻")
        sys.stdout.flush()
    if MODE == "stubborn":
        # A grandchild that holds the output open, and a server that does not end with its input.
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        note(f"pids {os.getpid()} {child.pid}")
    if MODE == "pid":
        note(f"pids {os.getpid()}")


def respond(message: dict[str, Any]) -> None:
    method, id_ = message.get("method"), message.get("id")
    if method == "initialize":
        version = "1999-01-01" if MODE == "old" else "2025-06-18"
        info = {"name": "odd", "version": "1.2"}
        result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}
        if MODE == "refuses":
            error = {"code": -32600, "message": "not today"}
            say({"jsonrpc": "2.0", "id": id_, "error": error})
        elif MODE == "wrong-ids":
            answer(12_345, result)
        elif MODE == "two-lines-in-one-write":
            note("greeted")
            both = [{"jsonrpc": "2.0", "id": id_, "result": result}]
            sys.stdout.buffer.write(json.dumps(both).encode() + b"\n")
            sys.stdout.buffer.flush()
        elif MODE == "split":
            info["name"] = "schön 漢字"
            for byte in (
                json.dumps(
                    {"jsonrpc": "2.0", "id": id_, "result": result}, ensure_ascii=False
                ).encode()
                + b"\r\n"
            ):
                sys.stdout.buffer.write(bytes([byte]))
                sys.stdout.buffer.flush()
        else:
            answer(id_, result)
        if MODE == "ends-after-greeting":
            time.sleep(0.2)
            sys.exit(0)
    elif method == "notifications/initialized" and MODE == "ends-when-ready":
        note("started")
    elif method == "tools/list":
        note("listed")
        answer(id_, listed((message.get("params") or {}).get("cursor")))
        if MODE == "deaf":
            time.sleep(600)
        if MODE == "ends-when-ready":
            sys.exit(5)
        if MODE == "changing" and NOTES is not None:
            NOTES.write_text("changed\n")
            say({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"})
    elif method == "tools/call":
        call(id_, message["params"])


def main() -> None:
    early()
    for line in sys.stdin:
        respond(json.loads(line))
    if MODE == "stubborn":
        time.sleep(600)


main()
