"""Runs a command with live output, a time limit and an end that takes its whole tree along."""

from __future__ import annotations

import asyncio
import json
import os
import selectors
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kinet.tools.processes import process_tree
from kinet.tools.processes.holding import Holding
from kinet.tools.processes.kept_output import KeptOutput, PipeText
from kinet.tools.processes.working_folder import FolderNote

# Output that is still in the pipes when the command has ended is waited for this long.
_LAST_WORDS_SECONDS = 0.2
# A survivor may go on printing; nobody keeps it, but its pipe must not fill up.
_PROGRESS_SECONDS = 0.05
_PROGRESS_CHARACTERS = 64 * 1024
_BLOCK = 128 * 1024


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. `exit_code` is negative for a signal, None where it is not known.

    `output` is what memory held of it, `characters` the length of the whole, which lies in the kept
    file if `kept`; `trouble` says in words why it does not. `folder` is where the command ended,
    None where that is not known.
    """

    exit_code: int | None
    output: str
    seconds: float
    characters: int
    timed_out: bool = False
    stopped: bool = False
    survivors: tuple[Mapping[str, Any], ...] = ()
    kept: bool = False
    trouble: str = ""
    folder: Path | None = None
    # How it began, with its colours and moves; "" where it has none.
    printed: str = ""
    # True where its colours lie beside it; `gap` says what `output` leaves out, see `KeptOutput`.
    coloured: bool = False
    gap: tuple[int, int, int] = (0, 0, 0)


@dataclass(slots=True)
class _State:
    """What the watching thread knows so far."""

    kept: KeptOutput
    pending: list[str] = field(default_factory=list)
    pending_size: int = 0
    shown_at: float = 0.0
    exit_code: int | None = None
    ended_at: float | None = None
    survivors: tuple[Mapping[str, Any], ...] = ()
    reports: bytes = b""
    timed_out: bool = False
    stopped: bool = False


class RunningCommand:
    """One command. A thread of its own reads it, so no event loop has to know of processes."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        timeout_s: float,
        progress: Callable[[str], None] = lambda text: None,
        unread: Callable[[], bool] = lambda: False,
        output: KeptOutput | None = None,
        note: FolderNote | None = None,
        ended: Callable[[], None] | None = None,
        leaves_nothing: bool = False,
    ) -> None:
        """`output` takes what it prints; `note` is where its shell writes the folder it ends in,
        and is closed in the end. `ended` is called before `result` is set, in any case once. With
        `leaves_nothing` what the command leaves running is ended with it. While `unread` is true
        its pipes are left alone, so that it waits in its next write; its time limit waits too.
        """
        self._command = list(command)
        self._folder = folder
        self._environment = dict(environment)
        self._timeout_s = timeout_s
        self._progress, self._unread = progress, unread
        self._state = _State(output or KeptOutput())
        self._note = note
        self._ended = ended
        self._leaves_nothing = leaves_nothing
        self._wake, self._waker = os.pipe()
        self._stopping = threading.Event()
        self.result: Future[Ended] = Future()
        self.finished = threading.Event()
        # The same, for a loop to wait for.
        self.over: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, name="command", daemon=True)

    def start(self) -> None:
        """Starts the command; `result` is set when it has ended, `finished` when its tree has."""
        self._thread.start()

    def stop(self) -> None:
        """Ends the command and all below it; may be called from any thread, more than once."""
        if not self._stopping.is_set():
            self._stopping.set()
            try:
                os.write(self._waker, b"x")
            except OSError:
                return  # The thread has ended and closed it: nothing is left to stop.

    def _run(self) -> None:
        try:
            self._watch()
        except BaseException as exc:  # noqa: BLE001 - handed to whoever awaits the result
            if not self.result.done():
                self.result.set_exception(exc)
        finally:
            try:
                os.close(self._wake)
                os.close(self._waker)
                self._state.kept.close()
                self._tidy()
                if self._note is not None:
                    self._note.close()
            finally:
                # Whatever befalls the rest, nobody must wait for ever.
                self.finished.set()
                self.over.set_result(None)

    def _tidy(self) -> None:
        ended, self._ended = self._ended, None
        if ended is not None:
            ended()

    def _watch(self) -> None:
        began = time.monotonic()
        process, report = process_tree.start(
            self._command,
            self._folder,
            self._environment,
            () if self._note is None else (self._note.descriptor,),
        )
        assert process.stdout is not None
        assert process.stderr is not None
        with selectors.DefaultSelector() as selector:
            for pipe in (process.stdout, process.stderr):
                os.set_blocking(pipe.fileno(), False)
                selector.register(pipe, selectors.EVENT_READ, PipeText())
            selector.register(self._wake, selectors.EVENT_READ, "wake")
            if report is not None:
                selector.register(report, selectors.EVENT_READ, "report")
            try:
                self._read(selector, process, report, began)
            finally:
                if not self._state.survivors or self._stopping.is_set():
                    process_tree.end(process)
                if report is not None:
                    os.close(report)
                for stream in (process.stdout, process.stderr):
                    stream.close()

    def _read(
        self,
        selector: selectors.BaseSelector,
        process: subprocess.Popen[bytes],
        report: int | None,
        began: float,
    ) -> None:
        state = self._state
        pipes = 2
        holding = Holding(selector, self._unread)
        while True:
            goes_on = state.ended_at is None and not self._stopping.is_set()
            held = holding.look(goes_on=goes_on)
            # What it was held does not count to its time.
            started = began + holding.seconds(time.monotonic())
            patience = _PROGRESS_SECONDS if held else self._patience(started)
            for key, _ in selector.select(patience):
                if isinstance(key.data, PipeText):
                    pipes -= self._take(selector, key)
                elif key.data == "report":
                    if not self._take_report(key.fd):
                        selector.unregister(key.fd)
                        report = None
                else:
                    os.read(key.fd, 64)
            now = time.monotonic()
            if report is None and state.ended_at is None and process.poll() is not None:
                self._note_end(process.returncode, ())
            self._show(now, force=False)
            late = now - began - holding.seconds(now) > self._timeout_s
            ending = self._stopping.is_set() or late
            if ending and state.ended_at is None and not (state.stopped or state.timed_out):
                state.stopped = self._stopping.is_set()
                state.timed_out = not state.stopped
                process_tree.end(process)
                continue
            if state.ended_at is None:
                continue
            if not self.result.done() and (not pipes or now - state.ended_at > _LAST_WORDS_SECONDS):
                self._finish(now - began)
            over = not pipes or self._leaves_nothing or self._stopping.is_set()
            if self.result.done() and over:
                if state.survivors and not self._stopping.is_set() and process.poll() is None:
                    # Its pipes are closed but something lives on: it can still be stopped.
                    self._wait_for(selector, process)
                return

    def _wait_for(self, selector: selectors.BaseSelector, process: subprocess.Popen[bytes]) -> None:
        while not self._stopping.is_set() and process.poll() is None:
            for key, _ in selector.select(0.5):
                if key.data == "report" and not os.read(key.fd, 4096):
                    selector.unregister(key.fd)

    def _patience(self, began: float) -> float:
        """How long to wait for the next thing to happen."""
        state = self._state
        now = time.monotonic()
        if state.ended_at is not None:
            return 0.5 if self.result.done() else _LAST_WORDS_SECONDS / 4
        if state.pending:
            return _PROGRESS_SECONDS
        # Where no runner reports, the end of the process has to be looked for.
        longest = 1.0 if process_tree.HAS_RUNNER else 0.05
        return max(0.0, min(longest, began + self._timeout_s - now))

    def _take(self, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> int:
        """Reads one pipe; 1 if it has ended."""
        try:
            data = os.read(key.fd, _BLOCK)
        except BlockingIOError:
            return 0
        if not self.result.done():
            text = key.data.feed(data, final=not data)
            self._state.kept.add(text)
            if self._state.pending_size < _PROGRESS_CHARACTERS:
                self._state.pending.append(text)
                self._state.pending_size += len(text)
        if data:
            return 0
        selector.unregister(key.fileobj)
        return 1

    def _take_report(self, descriptor: int) -> bool:
        data = os.read(descriptor, 65_536)
        lines = (self._state.reports + data).split(b"\n")
        self._state.reports = lines.pop()
        for line in lines:
            fact = json.loads(line)
            if "ended" in fact:
                self._note_end(fact["ended"], fact["survivors"])
            elif "swept" in fact:
                self._state.survivors = tuple(fact["survivors"])
        return bool(data)

    def _note_end(self, exit_code: int, survivors: Sequence[Mapping[str, Any]]) -> None:
        self._state.exit_code = exit_code
        self._state.survivors = () if self._leaves_nothing else tuple(survivors)
        self._state.ended_at = time.monotonic()

    def _show(self, now: float, *, force: bool) -> None:
        state = self._state
        if state.pending and (force or now - state.shown_at >= _PROGRESS_SECONDS):
            text = "".join(state.pending)
            state.pending, state.pending_size, state.shown_at = [], 0, now
            if text:
                self._progress(text)

    def _finish(self, seconds: float) -> None:
        state = self._state
        self._show(time.monotonic(), force=True)
        kept = state.kept
        kept.close()
        self._tidy()
        self.result.set_result(
            Ended(
                exit_code=state.exit_code,
                output=kept.text(),
                seconds=seconds,
                characters=kept.total,
                timed_out=state.timed_out,
                stopped=state.stopped,
                survivors=state.survivors,
                kept=kept.is_whole_on_disk,
                trouble=kept.problem,
                printed=kept.printed(),
                coloured=kept.has_colours,
                gap=kept.gap(),
                folder=self._note.read() if self._note is not None else None,
            )
        )


async def finish(running: RunningCommand) -> Ended:
    """Starts the command and waits for its end. A cancellation ends the whole tree first."""
    running.start()
    try:
        return await asyncio.wrap_future(running.result)
    except asyncio.CancelledError:
        running.stop()
        await asyncio.get_running_loop().run_in_executor(None, running.finished.wait, 2.0)
        raise
