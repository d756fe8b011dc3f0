"""A program that is talked to in lines: its standard input and output, its last words, its end."""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from kinet.tools.processes import process_tree

_BLOCK = 64 * 1024
# Of what it writes to its error output the end is kept.
_LAST_WORDS = 8 * 1024
# How long it has to end by itself when its input ends.
GRACE_SECONDS = 2.0


class LineTooLongError(Exception):
    """A line of the program is longer than may be; the rest of its output is thrown away."""


class ServerProcess:
    """One program under the runner that ends its whole tree. Threads of its own read it.

    `take(line)` is called in one of them for each line that is not empty, without its end; while it
    waits the program has to wait too. `ended(None)` is called once when no further line comes, with
    a LineTooLongError where that is the reason.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        take: Callable[[bytes], None],
        ended: Callable[[LineTooLongError | None], None],
        longest: int,
    ) -> None:
        self._command, self._folder, self._environment = list(command), folder, dict(environment)
        self._take, self._told_end, self._longest = take, ended, longest
        self._last = b""
        self._guard = threading.Lock()
        self._writing = threading.Lock()
        self._input = -1
        self._process: process_tree.Process | None = None
        self._over = threading.Event()
        self.exit_code: int | None = None

    def start(self) -> None:
        """Starts it. OSError if it cannot be started."""
        reads, self._input = os.pipe()
        try:
            self._process, report = process_tree.start(
                self._command, self._folder, self._environment, reads=reads
            )
        except BaseException:
            self._close_input()
            raise
        finally:
            os.close(reads)
        threads = (("lines", self._read_lines), ("words", self._read_words))
        for name, work in threads:
            threading.Thread(target=work, name=f"server {name}", daemon=True).start()
        watch = self._wait if report is None else lambda: self._read_report(report)
        threading.Thread(target=watch, name="server end", daemon=True).start()

    @property
    def last_words(self) -> str:
        """The end of what it wrote to its error output."""
        with self._guard:
            return self._last.decode("utf-8", "replace").strip()

    def write(self, line: bytes) -> None:
        """Writes a line; blocks while the program does not read. OSError if it reads no more."""
        with self._writing:
            data = memoryview(line)
            while data:
                if self._input < 0:
                    raise BrokenPipeError("its input is closed")
                data = data[os.write(self._input, data) :]

    def close(self, grace: float = GRACE_SECONDS) -> None:
        """Ends its input, waits for `grace` seconds, then ends what is left of its tree.

        Blocks; may be called more than once.
        """
        process = self._process
        if process is None:
            return
        if self._writing.acquire(timeout=0.05):
            # Else a writer waits for a program that does not read: its tree has to be ended.
            self._close_input()
            self._writing.release()
            self._over.wait(grace)
        process_tree.end(process)
        self._over.set()
        self._close_input()

    def wait(self, seconds: float) -> bool:
        """True if the program has ended within `seconds`."""
        return self._over.wait(seconds)

    def end_soon(self) -> None:
        """Ends it with its tree; returns at once."""
        threading.Thread(target=self.close, args=(0.0,), name="server close", daemon=True).start()

    def _close_input(self) -> None:
        descriptor, self._input = self._input, -1
        if descriptor >= 0:
            os.close(descriptor)

    def _read_lines(self) -> None:
        process = self._process
        assert process is not None
        assert process.stdout is not None
        rest, trouble = bytearray(), None
        with process.stdout as pipe:
            while data := os.read(pipe.fileno(), _BLOCK):
                if trouble is not None:
                    continue
                *lines, last = data.split(b"\n")
                for line in lines:
                    self._hand_on(bytes(rest + line))
                    rest.clear()
                rest += last
                if len(rest) > self._longest:
                    trouble = LineTooLongError()
                    self._told_end(trouble)
        if trouble is None:
            self._hand_on(bytes(rest))
            # The exit code says more than the end of the pipe, and comes at the same time.
            self._over.wait(0.5)
            self._told_end(None)

    def _hand_on(self, line: bytes) -> None:
        if line := line.strip():
            self._take(line)

    def _read_words(self) -> None:
        process = self._process
        assert process is not None
        assert process.stderr is not None
        with process.stderr as pipe:
            while data := os.read(pipe.fileno(), _BLOCK):
                with self._guard:
                    self._last = (self._last + data)[-_LAST_WORDS:]

    def _read_report(self, report: int) -> None:
        """Follows the runner; when the program has ended, what it left running is ended too."""
        pending = b""
        with contextlib.closing(os.fdopen(report, "rb", buffering=0)) as pipe:
            while data := pipe.read(_BLOCK):
                *lines, pending = (pending + data).split(b"\n")
                for line in lines:
                    fact = json.loads(line)
                    if "ended" in fact:
                        self.exit_code = int(fact["ended"])
                        self._over.set()
                        if self._process is not None:
                            process_tree.end(self._process)
        self._over.set()

    def _wait(self) -> None:
        assert self._process is not None
        self.exit_code = self._process.wait()
        self._over.set()
