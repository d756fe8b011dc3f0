"""Commands that run in the background of a session: their output so far, their state, their end."""

from __future__ import annotations

import itertools
import threading
import time
from dataclasses import dataclass, field

from kinet.tools.processes.process import Ended, RunningCommand

MOST_JOBS = 16
# Output that nobody has fetched yet; of more than that the beginning and the end stay.
_HEAD = 64 * 1024
_TAIL = 192 * 1024


@dataclass(slots=True)
class _Unread:
    head: str = ""
    tail: str = ""
    dropped: int = 0


@dataclass
class Job:
    """One command. `id` is short and unique among the jobs of this run of the program."""

    id: str
    session_id: str
    call_id: str
    command: str
    running: RunningCommand | None = None
    began: float = field(default_factory=time.monotonic)
    _unread: _Unread = field(default_factory=_Unread)
    _guard: threading.Lock = field(default_factory=threading.Lock)

    def feed(self, text: str) -> None:
        """Takes output as it comes; from any thread."""
        with self._guard:
            unread = self._unread
            room = _HEAD - len(unread.head)
            if room > 0 and not unread.tail:
                unread.head += text[:room]
                text = text[room:]
            unread.tail += text
            if len(unread.tail) > 2 * _TAIL:
                unread.dropped += len(unread.tail) - _TAIL
                unread.tail = unread.tail[-_TAIL:]

    def take(self) -> str:
        """The output since the last time."""
        with self._guard:
            unread, self._unread = self._unread, _Unread()
        left_out = f"\n[{unread.dropped:,} characters left out]\n" if unread.dropped else ""
        return unread.head + left_out + unread.tail

    @property
    def has_output(self) -> bool:
        """True if there is output that was not fetched."""
        return bool(self._unread.head)

    @property
    def ended(self) -> Ended | None:
        """How the command ended; None while it runs."""
        result = self.running.result if self.running is not None else None
        if result is None or not result.done() or result.exception() is not None:
            return None
        return result.result()

    @property
    def is_running(self) -> bool:
        """True until the command and all that it started have ended."""
        return self.running is not None and not self.running.finished.is_set()

    @property
    def seconds(self) -> float:
        """How long it has run, or ran."""
        ended = self.ended
        return ended.seconds if ended is not None else time.monotonic() - self.began

    def stop(self) -> None:
        """Ends it with its tree; returns at once."""
        if self.running is not None:
            self.running.stop()


_guard = threading.Lock()
_jobs: dict[str, Job] = {}
_numbers = itertools.count(1)


def new_job(session_id: str, call_id: str, command: str) -> Job:
    """A job that is to be started; its `running` is set by the one who starts it."""
    return Job(f"job{next(_numbers)}", session_id, call_id, command)


def keep(job: Job) -> None:
    """Lists a started job. The oldest ended ones of its session are forgotten."""
    with _guard:
        _jobs[job.id] = job
        mine = [known for known in _jobs.values() if known.session_id == job.session_id]
        for known in mine[: max(0, len(mine) - 2 * MOST_JOBS)]:
            if not known.is_running:
                del _jobs[known.id]


def find(job_id: str, session_id: str) -> Job | None:
    """The job of this id, if it is the session's."""
    with _guard:
        job = _jobs.get(job_id)
    return job if job is not None and job.session_id == session_id else None


def listed(session_id: str | None = None, *, running: bool = False) -> tuple[Job, ...]:
    """The jobs of a session or of all, in order; with `running` only those that run."""
    with _guard:
        found = list(_jobs.values())
    return tuple(
        job
        for job in found
        if session_id in (None, job.session_id) and (job.is_running or not running)
    )


def end_all(session_id: str | None = None, *, seconds: float = 2.0) -> None:
    """Ends them, of one session or of all, and waits up to `seconds` for each."""
    found = listed(session_id, running=True)
    for job in found:
        job.stop()
    for job in found:
        if job.running is not None:
            job.running.finished.wait(seconds)
