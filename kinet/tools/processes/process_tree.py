"""Starts a process and ends it with all that it started, on each system in its own way."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

Process = subprocess.Popen[bytes]

# A frozen app has no interpreter to run the runner with; it then ends trees as macOS does.
HAS_RUNNER = sys.platform == "linux" and not getattr(sys, "frozen", False)
# Longer than its sweep takes at most: a runner that is killed in the middle leaves what it had not
# reached, for ever.
_RUNNER_SECONDS = 6.0
_RUNNER = Path(__file__).with_name("process_runner.py")


def start(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    passed: Sequence[int] = (),
    *,
    reads: int | None = None,
) -> tuple[subprocess.Popen[bytes], int | None]:
    """The process and the descriptor of the runner's reports (None where there is no runner).

    `reads` is what the command reads as its standard input; it has none without. OSError if it
    cannot start; under a runner that a program does not exist is told by its exit code, 127.
    """
    if not HAS_RUNNER:
        return start_plain(command, folder, environment, passed, reads=reads), None
    reader, writer = os.pipe()
    order = os.memfd_create("command")
    try:
        # A file name may be any bytes: they travel as they are.
        words = [os.fsencode(word).decode("latin-1") for word in command]
        os.write(order, json.dumps(words).encode("ascii"))
        given = () if reads is None else (reads,)
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(_RUNNER), *map(str, (writer, order, *given))],
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(writer, order, *given, *passed),
            start_new_session=True,
        )
    except BaseException:
        os.close(reader)
        raise
    finally:
        os.close(writer)
        os.close(order)
    return process, reader


def start_plain(
    command: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    passed: Sequence[int] = (),
    *,
    reads: int | None = None,
) -> subprocess.Popen[bytes]:
    """Starts a command without a runner, in a group or session of its own and without a window."""
    return subprocess.Popen(
        list(command),
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL if reads is None else reads,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=os.name != "nt",
        pass_fds=passed,
        creationflags=_window_flags(),
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and its tree; returns when it has ended. Never raises."""
    if process.stdin is not None:
        # The runner takes the end of this pipe for the order to sweep.
        process.stdin.close()
    elif os.name == "nt":
        _end_on_windows(process)
    else:
        _end_group(process)
    try:
        _wait(process, _RUNNER_SECONDS)
    except subprocess.TimeoutExpired:
        # A runner that was stopped, or got no time, must not leave behind what it watched over.
        if os.name != "nt":
            _end_group(process)
        process.kill()
        process.wait()


def _wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Returns when it has ended; subprocess.TimeoutExpired if that takes longer.

    Popen.wait with a limit looks ever more rarely, so that a stop would be seen up to 50 ms late.
    """
    if process.poll() is None and sys.platform == "linux":
        try:
            handle = os.pidfd_open(process.pid)
        except OSError:
            handle = -1  # An old kernel: looked for from time to time, as elsewhere.
        if handle >= 0:
            try:
                ended = select.poll()
                ended.register(handle, select.POLLIN)
                ended.poll(seconds * 1000)
            finally:
                os.close(handle)
            seconds = 0
    process.wait(seconds)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    found = descendants(process.pid)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for pid in found:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _end_on_windows(process: subprocess.Popen[bytes]) -> None:
    subprocess.run(
        ["taskkill", "/T", "/F", "/PID", str(process.pid)],
        capture_output=True,
        check=False,
        creationflags=_window_flags(),
    )


def descendants(pid: int) -> list[int]:
    """The processes below `pid` as `ps` tells them; an empty list where there is no `ps`."""
    try:
        listing = subprocess.run(
            ["ps", "-axo", "pid=,ppid="], capture_output=True, text=True, check=False, timeout=5
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return []
    children: dict[int, list[int]] = {}
    for line in listing.splitlines():
        numbers = line.split()
        if len(numbers) == 2 and all(number.isdigit() for number in numbers):
            children.setdefault(int(numbers[1]), []).append(int(numbers[0]))
    found: list[int] = []
    todo = [pid]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def _window_flags() -> int:
    return int(getattr(subprocess, "CREATE_NO_WINDOW", 0))
