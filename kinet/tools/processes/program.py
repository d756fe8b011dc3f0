"""Runs a helper program of the app itself (ripgrep, git) and takes its bytes, within limits."""

from __future__ import annotations

import asyncio
import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_BLOCK = 256 * 1024
_ERROR_BYTES = 16 * 1024


@dataclass(frozen=True, slots=True)
class ProgramResult:
    """What came. `cut` says that the limit on bytes ended it, `timed_out` the one on time."""

    code: int
    stdout: bytes
    stderr: bytes
    cut: bool = False
    timed_out: bool = False


async def run_program(
    command: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    timeout_s: float = 60.0,
    limit_bytes: int = 64 * 1024 * 1024,
    stdin: bytes = b"",
    own_session: bool = True,
) -> ProgramResult:
    """Runs `command` without a shell. Raises OSError if it cannot start; a cancellation ends it.

    With a session of its own it has no terminal. A program that never looks for one is quicker
    without: Linux shares the processor between sessions, and a new one has to wait for its turn.
    """
    stop = threading.Event()
    work = asyncio.get_running_loop().run_in_executor(
        None, _run, list(command), folder, dict(environment), timeout_s, limit_bytes, stdin, stop,
        own_session,
    )  # fmt: skip
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        stop.set()
        await asyncio.wait([work], timeout=2.0)
        raise


def run_now(
    command: Sequence[str], *, folder: Path, environment: Mapping[str, str], timeout_s: float
) -> ProgramResult:
    """The same for a thread that may wait. Raises OSError if it cannot start."""
    stop = threading.Event()
    return _run(list(command), folder, dict(environment), timeout_s, _ERROR_BYTES, b"", stop)


def _run(
    command: list[str],
    folder: Path,
    environment: dict[str, str],
    timeout_s: float,
    limit_bytes: int,
    stdin: bytes,
    stop: threading.Event,
    own_session: bool = True,
) -> ProgramResult:
    posix = os.name != "nt"
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.PIPE if stdin else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=posix and own_session,
        process_group=0 if posix and not own_session else None,
        creationflags=int(getattr(subprocess, "CREATE_NO_WINDOW", 0)),
    )
    if stdin:
        threading.Thread(target=_feed, args=(process, stdin), daemon=True).start()
    try:
        return _read(process, time.monotonic() + timeout_s, limit_bytes, stop)
    finally:
        _kill(process)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        process.wait()


def _read(
    process: subprocess.Popen[bytes], deadline: float, limit_bytes: int, stop: threading.Event
) -> ProgramResult:
    assert process.stdout is not None
    assert process.stderr is not None
    pieces: dict[int, list[bytes]] = {process.stdout.fileno(): [], process.stderr.fileno(): []}
    out, err = pieces
    limits = {out: limit_bytes, err: _ERROR_BYTES}
    cut = timed_out = False
    with selectors.DefaultSelector() as selector:
        for descriptor in pieces:
            selector.register(descriptor, selectors.EVENT_READ)
        while selector.get_map() and not (cut or timed_out or stop.is_set()):
            for key, _ in selector.select(0.1):
                data = os.read(key.fd, _BLOCK)
                if not data:
                    selector.unregister(key.fd)
                    continue
                room = limits[key.fd]
                pieces[key.fd].append(data[:room])
                limits[key.fd] = room - min(room, len(data))
                cut = cut or (key.fd == out and len(data) > room)
            timed_out = time.monotonic() > deadline
    if cut or timed_out or stop.is_set():
        _kill(process)
    code = process.wait()
    return ProgramResult(code, b"".join(pieces[out]), b"".join(pieces[err]), cut, timed_out)


def _feed(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    # A program may end without having read all: that is its affair.
    with contextlib.suppress(OSError):
        process.stdin.write(data)
    with contextlib.suppress(OSError):
        process.stdin.close()


def _kill(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is not None:
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if os.name == "nt":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
