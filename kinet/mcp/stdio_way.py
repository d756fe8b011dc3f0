"""The way to a server that is a program: lines of its output become messages, ours its input."""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from kinet.core.errors import ToolError
from kinet.mcp.definition import ServerDefinition
from kinet.mcp.sdk import Sdk
from kinet.net.redact import redact
from kinet.policy.visible import visible
from kinet.tools.processes.environment import child_environment
from kinet.tools.processes.login_path import with_login_path
from kinet.tools.processes.server_process import LineTooLongError, ServerProcess

LONGEST_LINE = 32 * 1024 * 1024
_MOST_GARBAGE = 1_000
# A login shell may be asked meanwhile.
_STARTING_SECONDS = 10.0


class StdioWay:
    """One start of a server's program."""

    def __init__(self, server: ServerDefinition, folder: Path | None) -> None:
        self._server = server
        self._folder = folder
        self._process: ServerProcess | None = None
        self._starting_over = threading.Event()
        self.trouble: ToolError | None = None
        # What it wrote where only messages may stand.
        self.garbage = 0
        self.first_garbage = ""

    @property
    def exit_code(self) -> int | None:
        """How the program ended; None while it runs."""
        return self._process.exit_code if self._process is not None else None

    @property
    def last_words(self) -> str:
        """The end of its error output, for a person: without keys and hidden characters."""
        return visible(redact(self._process.last_words)) if self._process is not None else ""

    def wait(self, seconds: float) -> None:
        """Returns when the program has ended, or after `seconds`. Blocks."""
        if self._process is not None:
            self._process.wait(seconds)

    @asynccontextmanager
    async def streams(self, sdk: Sdk) -> AsyncIterator[tuple[Any, Any]]:
        """Starts the program; ends it with its tree. ToolError if it cannot be started."""
        loop = asyncio.get_running_loop()
        incoming, read = sdk.make_stream()
        write, outgoing = sdk.make_stream()

        async def deliver(message: Any) -> None:
            # Nobody listens any more when it is being ended.
            with suppress(*sdk.closed):
                await incoming.send(message)

        def take(line: bytes) -> None:
            for message in self._messages(sdk, line):
                work = deliver(message)
                try:
                    asyncio.run_coroutine_threadsafe(work, loop).result()
                except (RuntimeError, CancelledError):
                    # The loop is gone, or ends just now.
                    work.close()

        def ended(trouble: LineTooLongError | None) -> None:
            if trouble is not None:
                size = LONGEST_LINE // (1024 * 1024)
                self.trouble = ToolError(f"It wrote a line of more than {size} MB.")
            with suppress(RuntimeError):  # The loop may be gone by now.
                loop.call_soon_threadsafe(incoming.close)

        hands = ThreadPoolExecutor(1, "server input")
        starting = loop.run_in_executor(hands, self._started, take, ended)
        try:
            process = await asyncio.shield(starting)
            writing = asyncio.create_task(self._write(process, outgoing, hands))
            try:
                yield read, write
            finally:
                writing.cancel()
        finally:
            for stream in (incoming, read, write, outgoing):
                stream.close()
            # In a thread of its own: the other one may wait for a program that does not read.
            await asyncio.shield(asyncio.to_thread(self._end))
            hands.shutdown(wait=False)

    def _end(self) -> None:
        if not self._starting_over.wait(_STARTING_SECONDS):
            return
        if self._process is not None:
            self._process.close()

    def _started(self, take: Any, ended: Any) -> ServerProcess:
        try:
            return self._start(take, ended)
        finally:
            self._starting_over.set()

    def _start(self, take: Any, ended: Any) -> ServerProcess:
        command, folder, environment = self._prepared()
        process = ServerProcess(
            command,
            folder=folder,
            environment=environment,
            take=take,
            ended=ended,
            longest=LONGEST_LINE,
        )
        try:
            process.start()
        except OSError as exc:
            raise ToolError(f"It could not be started: {exc.strerror or exc}.") from exc
        self._process = process
        return process

    def _prepared(self) -> tuple[list[str], Path, dict[str, str]]:
        server = self._server
        folder = self._place()
        environment = with_login_path(child_environment(without=self._folder))
        environment["PWD"] = str(folder)
        environment.update(server.env)
        program = _program(server.command, folder, environment)
        return [program, *server.args], folder, environment

    def _place(self) -> Path:
        base = self._folder or Path.home()
        given = Path(self._server.cwd).expanduser() if self._server.cwd else base
        folder = base / given
        if not folder.is_dir():
            raise ToolError(f"There is no folder {folder}.", hint="Look at cwd in its settings.")
        return folder

    def _messages(self, sdk: Sdk, line: bytes) -> list[Any]:
        """The messages in a line; none for what is no message, which is counted."""
        messages = sdk.read_messages(line)
        if not messages:
            self.garbage += 1
            self.first_garbage = self.first_garbage or line[:200].decode("utf-8", "replace")
            if self.garbage == _MOST_GARBAGE:
                self.trouble = ToolError("It writes other things than messages without end.")
                if self._process is not None:
                    self._process.end_soon()
        return messages

    async def _write(
        self, process: ServerProcess, outgoing: Any, hands: ThreadPoolExecutor
    ) -> None:
        loop = asyncio.get_running_loop()
        try:
            async for item in outgoing:
                text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
                line = text.encode("utf-8", "replace") + b"\n"
                await loop.run_in_executor(hands, process.write, line)
        except OSError:
            # It reads no more; its end is told by its output.
            process.end_soon()


def _program(command: str, folder: Path, environment: Mapping[str, str]) -> str:
    """The whole path of the program, .cmd and .exe of Windows too. ToolError if there is none."""
    plain = os.path.expanduser(command)
    if os.path.dirname(plain):
        plain = str(folder / plain)
    found = shutil.which(plain, path=environment.get("PATH"))
    if found is None:
        raise ToolError(
            f"There is no program {command}.",
            hint="Install it, or write its whole path as the command.",
        )
    return found
