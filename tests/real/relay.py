"""Stands between Kinet and a real llama.cpp server: real token counts, scripted answers.

The small model calls no tools, so each prompt is printed by a template with its tools, read by the
server (one token is asked for), and answered with the next reply of a script. `prompt_tokens` and
`cached_tokens` of the answers are the server's own.
"""

from __future__ import annotations

import json
import threading
import urllib.request
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.replies import Reply
from tests.support.wire_forms import openai_stream

Change = Callable[[dict[str, Any]], dict[str, Any]]


class Relay:
    """Use it with `with`. `counts` holds (prompt tokens, of them cached) of each request.

    `change` may alter a body before it is printed: for comparing another way to build prompts.
    Without `reads` the server counts a prompt, which takes no time, and none of it is cached.
    """

    def __init__(
        self,
        server: str,
        script: Sequence[Reply],
        change: Change = lambda body: body,
        *,
        reads: bool = True,
    ) -> None:
        self._reads = reads
        self._server = server
        self._script = list(script)
        self._change = change
        self.counts: list[tuple[int, int]] = []
        self.prompts: list[str] = []
        self.base_url = ""

    def __enter__(self) -> Relay:
        relay = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._whole(b'{"object":"list","data":[{"id":"small"}]}')

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                answer = b"".join(relay.answer(json.loads(raw)))
                self._whole(answer, "text/event-stream")

            def _whole(self, data: bytes, kind: str = "application/json") -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.base_url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, body: dict[str, Any]) -> list[bytes]:
        """The stream for a request: the script's next reply with the server's counts."""
        prompt = printed(self._change(body))
        self.prompts.append(prompt)
        tokens, cached = self._read(prompt) if self._reads else (self._count(prompt), 0)
        self.counts.append((tokens, cached))
        reply = self._script[len(self.counts) - 1]
        return list(openai_stream(reply.counting(tokens, cache_read=cached), 0))

    def _read(self, prompt: str) -> tuple[int, int]:
        question = {"prompt": prompt, "max_tokens": 1, "temperature": 0, "cache_prompt": True}
        usage = self._ask("v1/completions", question)["usage"]
        details = usage.get("prompt_tokens_details") or {}
        return usage["prompt_tokens"], details.get("cached_tokens", 0)

    def _count(self, prompt: str) -> int:
        question = {"content": prompt, "add_special": True, "parse_special": True}
        return len(self._ask("tokenize", question)["tokens"])

    def _ask(self, path: str, question: dict[str, Any]) -> Any:
        request = urllib.request.Request(
            f"{self._server}/{path}",
            json.dumps(question).encode(),
            {"content-type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=600) as answer:
            return json.load(answer)


def printed(body: dict[str, Any]) -> str:
    """The prompt as a template with tools prints it."""
    tools = json.dumps(body.get("tools", []), ensure_ascii=False)
    out: list[str] = []
    for message in body["messages"]:
        text = message.get("content") or ""
        if not isinstance(text, str):
            text = "\n".join(part.get("text", "") for part in text)
        if message["role"] == "system":
            text = f"{text}\n\n# Tools\n{tools}"
        for call in message.get("tool_calls", ()):
            text += f"\n<tool_call>{json.dumps(call['function'], ensure_ascii=False)}</tool_call>"
        out.append(f"<|im_start|>{message['role']}\n{text}<|im_end|>\n")
    return "".join(out) + "<|im_start|>assistant\n"
