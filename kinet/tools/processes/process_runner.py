"""Runs one command under processes that outlive it and can end everything it started (Linux).

Started as a script of its own, with the standard library only: `process_runner.py FD ORDER [INPUT]`
ORDER is a descriptor whose file holds the command as JSON: what stands in this process's own
arguments would be found, and ended, by a `pkill -f` of the command. Standard input is a pipe whose
end, or whose first byte, means: end the whole tree. FD takes reports, one JSON object a line:
{"pid"}, then {"ended", "survivors"}, then {"swept"} if it swept. INPUT is a descriptor that the
command reads as its own standard input; without one it has none.

There are two of them, one above the other: the upper one ends the tree if the lower one, which does
the work, is killed or stopped by what it runs. Both at once is more than can be met here.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import signal
import sys
import time

_SET_DEATH_SIGNAL = 1
_SET_NAME = 15
_SET_CHILD_SUBREAPER = 36
_SWEEP_SECONDS = 5.0
_LOOKS = 50
# How long the lower one has for its sweep before the upper one takes over; the tree has to be gone
# two seconds after the order.
_PATIENCE_SECONDS = 0.8
_NAME = b"kinet-runner"


def main(arguments: list[str]) -> int:
    """Returns when the command and everything below it has ended."""
    report, command = int(arguments[0]), _ordered(int(arguments[1]))
    given = int(arguments[2]) if len(arguments) > 2 else -1
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    # No `killall python` of the command is meant for its runner.
    prctl(_SET_NAME, _NAME, 0, 0, 0)
    above = os.getpid()
    wake = _wake_pipe()
    worker = os.fork()
    if worker:
        if given >= 0:
            os.close(given)
        _be_silent()
        return _guard(worker, report, wake)
    prctl(_SET_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)
    prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    wake = _wake_pipe()
    # Who ordered the command may be gone by now, or have changed its mind.
    if os.getppid() != above or select.select([0], [], [], 0)[0]:
        return 0
    child = os.fork()
    if child == 0:
        prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
        _become(command, report, given)
    if given >= 0:
        os.close(given)
    _be_silent()
    _tell(report, {"pid": child})
    _watch(child, report, wake)
    # Should the command have stopped the upper one, it could not end.
    _signal(above, signal.SIGCONT)
    return 0


def _ordered(descriptor: int) -> list[bytes]:
    with open(descriptor, "rb") as file:
        file.seek(0)
        return [word.encode("latin-1") for word in json.load(file)]


def _be_silent() -> None:
    # The command's pipes have to end with the command, not with this process.
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    os.close(nothing)


def _guard(worker: int, report: int, wake: int) -> int:
    """Waits for the lower one; sweeps in its place if it dies, or does not end after an order."""
    until: float | None = None
    while True:
        patience = None if until is None else max(0.0, until - time.monotonic())
        ready, _, _ = select.select([wake] if until else [0, wake], [], [], patience)
        ordered = 0 in ready
        if wake in ready:
            ordered = ordered or any(byte != signal.SIGCHLD for byte in os.read(wake, 4096))
        code = _reap(worker)
        if code == 0:
            return 0
        if code is not None or (until is not None and time.monotonic() >= until):
            _signal(worker, signal.SIGKILL)
            _end_all()
            _tell(report, {"swept": True, "survivors": _named(_descendants())})
            return 128 + signal.SIGKILL
        if ordered and until is None:
            until = time.monotonic() + _PATIENCE_SECONDS
            _signal(worker, signal.SIGTERM)


def _wake_pipe() -> int:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    return reader


def _become(command: list[bytes], report: int, given: int) -> None:
    """Never returns: the child becomes the command, in a session of its own, without a terminal."""
    try:
        os.setsid()
        reads = given if given >= 0 else os.open(os.devnull, os.O_RDONLY)
        os.dup2(reads, 0)
        os.close(reads)
        os.close(report)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        # Python ignores these two; a program that inherits that would not end with its reader.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        os.execv(command[0], command)
    except OSError as exc:
        os.write(2, command[0] + f": {exc.strerror}\n".encode())
    finally:
        os._exit(127)


def _watch(child: int, report: int, wake: int) -> None:
    ended = False
    while True:
        ready, _, _ = select.select([0, wake], [], [])
        stop = 0 in ready
        if wake in ready:
            stop = stop or any(byte != signal.SIGCHLD for byte in os.read(wake, 4096))
        code = _reap(child)
        if stop:
            _sweep(child, report, code, ended)
            return
        if code is not None and not ended:
            ended = True
            _tell(report, {"ended": code, "survivors": _named(_survivors(child))})
        if ended and not _has_children():
            return


def _reap(child: int) -> int | None:
    """Takes all ended children; the exit code of `child` if it is among them."""
    code = None
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return code
        if pid == 0:
            return code
        if pid == child:
            code = os.waitstatus_to_exitcode(status)


def _has_children() -> bool:
    """The kernel's own word. A look into /proc may miss a process that loses its parent just then;
    but whoever lives below this one is its child in the end."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True


def _survivors(child: int) -> list[int]:
    """Who lives on after the command; looked for again while /proc and the kernel disagree."""
    for _ in range(_LOOKS):
        found = _descendants()
        if found or not _has_children():
            return found
        select.select([], [], [], 0.001)
        _reap(child)
    return []


def _sweep(child: int, report: int, code: int | None, ended: bool) -> None:
    """Ends the tree and tells of it."""
    code = _end_all(child, code)
    if not ended:
        _tell(report, {"ended": -9 if code is None else code, "survivors": []})
    _tell(report, {"swept": True, "survivors": _named(_descendants())})


def _end_all(child: int = 0, code: int | None = None) -> int | None:
    """Stops and kills the tree until nothing is left; what forks meanwhile is found again.

    The exit code of `child`, if it ended now, else `code`.
    """
    deadline = time.monotonic() + _SWEEP_SECONDS
    while _has_children() and time.monotonic() < deadline:
        found = _descendants()
        for number in (signal.SIGSTOP, signal.SIGKILL):
            for pid in found:
                _signal(pid, number)
        select.select([], [], [], 0.001)
        got = _reap(child)
        code = got if got is not None else code
    got = _reap(child)
    return got if got is not None else code


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        return  # Gone, or another user's: the report names what is left.


def _descendants() -> list[int]:
    """All living processes below this one."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        parent = _parent(entry)
        if parent:
            children.setdefault(parent, []).append(int(entry))
    found: list[int] = []
    todo = [os.getpid()]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def _parent(entry: str) -> int:
    """The parent's number; 0 for a process that has ended."""
    try:
        with open(f"/proc/{entry}/stat", "rb") as file:
            # The name stands in brackets and may itself hold brackets and blanks.
            state, parent = file.read().rpartition(b")")[2].split()[:2]
    except (OSError, ValueError):
        return 0
    return 0 if state in (b"Z", b"X") else int(parent)


def _named(pids: list[int]) -> list[dict[str, object]]:
    out: list[dict[str, object]] = []
    for pid in pids[:50]:
        try:
            with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
                out.append({"pid": pid, "name": file.read().strip()})
        except OSError:
            continue
    return out


def _tell(report: int, fact: dict[str, object]) -> None:
    try:
        os.write(report, json.dumps(fact).encode() + b"\n")
    except OSError:
        return  # Nobody listens any more: the app has ended, and the pipe on stdin says so too.


if __name__ == "__main__":
    # Without the interpreter's own tidying: two of them, one after the other, took most of a stop.
    os._exit(main(sys.argv[1:]))
