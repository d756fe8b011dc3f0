"""A client of `kinet serve --stdio` as an editor would write it: pipes and JSON, no Kinet."""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

PATIENCE = 30.0
Message = dict[str, Any]
# Answers a request of the server: what comes back is the result; an `Error` is told as one.
Answering = Callable[[str, Message], Any]


class Error(Exception):
    """An error that was answered, or is to be."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.data = code, message, data


class Silent:
    """Given back by an answering function: no answer is sent."""


SILENT = Silent()


class RpcClient:
    """One `kinet serve` and its client. Every line of stdout must be a message, else it fails."""

    def __init__(
        self,
        *arguments: str | Path,
        env: Mapping[str, str],
        cwd: Path,
        answering: Answering | None = None,
        reads: bool = True,
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kinet", "serve", "--stdio", *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(env),
            cwd=cwd,
        )
        self.answering = answering
        self.told: list[Message] = []
        self.asked: list[Message] = []
        self.broken: list[bytes] = []
        self.errors = ""
        self._ids = itertools.count(1)
        self._arrived = threading.Condition()
        self._answers: list[Any] = []
        self._ended = False
        self._writing = threading.Lock()
        self._work: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._read_errors, daemon=True)]
        if reads:
            self._threads.append(threading.Thread(target=self._read, daemon=True))
        threading.Thread(target=self._answer, daemon=True).start()
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> RpcClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None and fault is not None:
            self.process.kill()
        self.end()
        if fault is None:
            assert self.broken == []
            assert "Traceback" not in self.errors, self.errors

    def start_reading(self) -> None:
        """Reads from now on, if it did not."""
        thread = threading.Thread(target=self._read, daemon=True)
        self._threads.append(thread)
        thread.start()

    def raw(self, data: bytes) -> None:
        """Writes bytes as they are."""
        assert self.process.stdin is not None
        with self._writing:
            self.process.stdin.write(data)
            self.process.stdin.flush()

    def write(self, message: Any) -> None:
        """Writes one message."""
        self.raw(json.dumps(message).encode() + b"\n")

    def ask(self, method: str, **params: Any) -> int:
        """Sends a request; its id, for `answer`."""
        id_ = next(self._ids)
        self.write({"jsonrpc": "2.0", "id": id_, "method": method, "params": params})
        return id_

    def notify(self, method: str, **params: Any) -> None:
        """Sends a notification."""
        self.write({"jsonrpc": "2.0", "method": method, "params": params})

    def answer(self, id_: Any, patience: float = PATIENCE) -> Any:
        """The result of a request; `Error` where it was not done."""
        found = self.find(
            lambda item: (
                isinstance(item, dict)
                and item.get("id") == id_
                and type(item.get("id")) is type(id_)
            ),
            patience,
        )
        if "error" in found:
            error = found["error"]
            raise Error(error["code"], error["message"], error.get("data"))
        return found["result"]

    def call(self, method: str, **params: Any) -> Any:
        """A request and its result."""
        return self.answer(self.ask(method, **params))

    def find(self, fits: Callable[[Any], bool], patience: float = PATIENCE) -> Any:
        """Takes the first answer (or batch) that fits out of those that came."""
        found: list[Any] = []

        def here() -> bool:
            found[:] = [item for item in self._answers if fits(item)][:1]
            return bool(found) or self._ended

        with self._arrived:
            came = self._arrived.wait_for(here, patience)
            assert came, f"no answer came; {self._answers} {self.errors}"
            assert found, f"kinet serve ended without an answer: {self.errors}"
            self._answers.remove(found[0])
        return found[0]

    def next_answer(self) -> Any:
        """The next answer, whatever it is."""
        return self.find(lambda item: True)

    def wait(self, holds: Callable[[], bool]) -> None:
        """Returns when it holds, looked at after each message."""
        with self._arrived:
            assert self._arrived.wait_for(holds, PATIENCE), f"{self.told[-5:]} {self.errors}"

    def greet(self, approvals: bool = True, questions: bool = True) -> Any:
        """The first request."""
        abilities = {"approvals": approvals, "questions": questions}
        return self.call("initialize", capabilities=abilities)

    def events(self, session_id: str) -> list[Message]:
        """The events that were told of a session."""
        return [
            item["params"]["event"]
            for item in list(self.told)
            if item["method"] == "session/event" and item["params"]["session_id"] == session_id
        ]

    def types(self, session_id: str) -> list[str]:
        """The types of them."""
        return [event["type"] for event in self.events(session_id)]

    def close_stdin(self) -> None:
        """The client has nothing more to say."""
        assert self.process.stdin is not None
        with self._writing:
            self.process.stdin.close()

    def end(self, patience: float = PATIENCE) -> int:
        """Closes stdin and waits for the end; the exit code."""
        stdin = self.process.stdin
        assert stdin is not None
        if not stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                self.close_stdin()
        code = self.process.wait(patience)
        for thread in self._threads:
            thread.join(patience)
        return code

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                message = json.loads(line.decode("utf-8"), parse_constant=lambda _: 1 / 0)
            except (ValueError, ZeroDivisionError):
                self.broken.append(line)
                continue
            with self._arrived:
                self._sort(message)
                self._arrived.notify_all()
        with self._arrived:
            self._ended = True
            self._arrived.notify_all()
        # Nobody asks any more.
        self._work.put(None)

    def _sort(self, message: Any) -> None:
        if isinstance(message, dict) and "method" in message:
            if "id" in message:
                self.asked.append(message)
                self._work.put(message)
            else:
                self.told.append(message)
            return
        self._answers.append(message)

    def _answer(self) -> None:
        while (message := self._work.get()) is not None:
            reply: Message = {"jsonrpc": "2.0", "id": message["id"]}
            if self.answering is None:
                reply["error"] = {"code": -32601, "message": "not here"}
            else:
                try:
                    result = self.answering(message["method"], message["params"])
                except Error as exc:
                    reply["error"] = {"code": exc.code, "message": exc.message}
                else:
                    if result is SILENT:
                        continue
                    reply["result"] = result
            try:
                self.write(reply)
            except (OSError, ValueError):
                return

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors += line.decode("utf-8", "replace")
