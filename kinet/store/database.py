"""One writing connection in one thread, and connections that only read."""

from __future__ import annotations

import asyncio
import contextlib
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Generic, TypeVar

from kinet.core.errors import StoreError
from kinet.paths import ensure_private_dir
from kinet.store import backups, opening
from kinet.store.lock import InstanceLock
from kinet.store.salvage import salvage

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]

FILE_NAME = "kinet.db"
# Jobs that wait together share one commit; more would hold up the first of them.
_BATCH = 64


class Database:
    """The database of a data folder; `path` None keeps everything in memory.

    Opening it may raise StoreInUseError, or a StoreError in words for a person. A damaged file is
    set aside as it is and a new one begun; `problems` tells about that. With `read_only` there is
    no lock and nothing can be written. Safe to use from several threads.
    """

    def __init__(self, path: Path | None, *, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self.problems: list[str] = []
        # Why the newest change is not saved, "" when all is well again.
        self.trouble = ""
        self._jobs: queue.SimpleQueue[_Job[Any] | None] = queue.SimpleQueue()
        self._readers: queue.LifoQueue[sqlite3.Connection] = queue.LifoQueue()
        self._reading: set[sqlite3.Connection] = set()
        self._closed = False
        self._thread: threading.Thread | None = None
        self._copy: backups.DailyCopy | None = None
        self._lock: InstanceLock | None = None
        if read_only:
            self._check_readable()
            return
        if path is not None:
            with opening.in_words(path):
                ensure_private_dir(path.parent)
                self._lock = InstanceLock(path.parent)
                self._lock.acquire()
        try:
            with opening.in_words(path):
                self._connection = self._open()
        except BaseException:
            if self._lock is not None:
                self._lock.release()
            raise
        self._thread = threading.Thread(target=self._run, name="kinet-store", daemon=True)
        self._thread.start()

    @property
    def folder(self) -> Path | None:
        """The data folder, None in memory."""
        return self.path.parent if self.path is not None else None

    @property
    def closed(self) -> bool:
        """True from `close` on: nothing is taken any more."""
        return self._closed

    def submit(self, work: Work[T]) -> Future[T]:
        """Has `work` done by the writing thread, in order; the future tells when it is durable.

        `work` gets the connection inside a transaction and may be run a second time if it failed
        together with others. Errors of SQLite arrive as StoreError.
        """
        if self.read_only:
            raise StoreError(
                "This data folder is open for reading only.", hint="Close the other Kinet first."
            )
        if self._closed:
            raise _closed()
        job: _Job[T] = _Job(work)
        self._jobs.put(job)
        return job.future

    def write(self, work: Work[T]) -> asyncio.Future[T]:
        """Like `submit`, to be awaited. Cancelling the wait does not take the work back."""
        return awaitable(self.submit(work))

    def read(self, work: Work[T]) -> T:
        """What `work` reads, on a connection of its own. Raises StoreError. Blocks the caller."""
        if self.path is None and not self.read_only:
            return self.submit(work).result()
        connection = self._reader()
        self._reading.add(connection)
        try:
            with opening.in_words(self.path):
                return work(connection)
        except StoreError as exc:
            if self._closed:
                raise _closed() from exc
            self._told_of(exc)
            raise
        finally:
            self._reading.discard(connection)
            self._readers.put(connection)
            if self._closed:
                self._close_readers()

    async def reading(self, work: Work[T]) -> T:
        """Like `read`, in another thread."""
        return await asyncio.to_thread(self.read, work)

    def start_daily_copy(self) -> None:
        """Makes the backup of the day in the background, if it is due."""
        if self.path is not None and not self.read_only and self._copy is None:
            self._copy = backups.DailyCopy(self.path, self.problems)

    def flush(self) -> None:
        """Returns when everything submitted so far was tried. Blocks the caller."""
        if self._thread is not None and not self._closed:
            self.submit(_nothing).exception()

    def close(self) -> None:
        """Writes what waits, closes the file and frees the folder. A second call does nothing.

        What is being read in other threads ends with a StoreError.
        """
        if self._closed:
            return
        self._closed = True
        for reading in list(self._reading):
            # It may have ended by itself in this moment.
            with contextlib.suppress(sqlite3.ProgrammingError):
                reading.interrupt()
        if self._copy is not None:
            self._copy.end()
        # Readers first: the last connection to go is then the one that may tidy the log.
        self._close_readers()
        if self._thread is not None:
            self._jobs.put(None)
            self._thread.join()
        self._close_readers()
        if self._lock is not None:
            self._lock.release()

    def _open(self, again: bool = True) -> sqlite3.Connection:
        unclean = self.path is not None and Path(f"{self.path}-wal").exists()
        try:
            connection, warnings = opening.open_writer(self.path, _keep_older)
            if self.path is not None and not self._is_sound(self.path, connection, unclean):
                connection.close()
                raise opening.DamagedError(f"A check found damage in {self.path}.")
        except opening.DamagedError as exc:
            if self.path is None:
                raise
            if again:
                # A disk that failed to read once leaves no damaged file.
                return self._open(again=False)
            return self._start_afresh(self.path, exc)
        self.problems += warnings
        return connection

    def _is_sound(self, path: Path, connection: sqlite3.Connection, unclean: bool) -> bool:
        """Looks a small file over always, a larger one after an unclean end, any if damage showed
        itself since the last start."""
        suspected = opening.suspicion(path)
        size = path.stat().st_size
        if not suspected.exists():
            most = opening.CHECKED_AT_START if unclean else opening.CHECKED_ALWAYS
            if size > most:
                return True
        with opening.in_words(path):
            sound = opening.is_sound(connection)
            if sound:
                suspected.unlink(missing_ok=True)
        return sound

    def _told_of(self, error: StoreError) -> None:
        """Damage that shows itself in use is looked for at the next start, however large it is."""
        if isinstance(error, opening.DamagedError) and self.path is not None:
            with contextlib.suppress(OSError):
                opening.suspicion(self.path).touch(mode=0o600)

    def _start_afresh(self, path: Path, cause: opening.DamagedError) -> sqlite3.Connection:
        with opening.in_words(path):
            aside = opening.set_aside(path)
            opening.suspicion(path).unlink(missing_ok=True)
        connection, warnings = opening.open_writer(path)
        saved = salvage(aside, connection)
        kept = (
            f"{saved} conversations could be read and were taken over"
            if saved
            else "no conversation in it could be read"
        )
        self.problems.append(f"{cause.message} It was kept as {aside.name}, unchanged; {kept}.")
        self.problems += warnings
        return connection

    def _check_readable(self) -> None:
        if self.path is not None and not self.path.exists():
            # Nothing was ever saved here: an empty store in memory answers every question.
            self.path = None
        if self.path is not None:
            with opening.in_words(self.path):
                opening.look(self.path)

    def _reader(self) -> sqlite3.Connection:
        if self._closed:
            raise _closed()
        with contextlib.suppress(queue.Empty):
            return self._readers.get_nowait()
        with opening.in_words(self.path):
            connection = opening.connect(self.path, read_only=self.path is not None)
            if self.path is None:
                opening.migrate(connection)
            return connection

    def _close_readers(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._readers.get_nowait().close()

    def _run(self) -> None:
        connection = self._connection
        last = False
        while not last:
            batch = [self._jobs.get()]
            with contextlib.suppress(queue.Empty):
                while len(batch) < _BATCH:
                    batch.append(self._jobs.get_nowait())
            jobs = [job for job in batch if job is not None]
            last = len(jobs) < len(batch)
            self._do(connection, jobs)
        connection.close()

    def _do(self, connection: sqlite3.Connection, jobs: list[_Job[Any]]) -> None:
        """Does all jobs in one transaction; if one fails, each in its own."""
        if len(jobs) > 1 and self._commit(connection, jobs) is None:
            return
        for job in jobs:
            error = self._commit(connection, [job])
            if error is None:
                continue
            if isinstance(error, sqlite3.Error):
                cause, error = error, opening.explain(error, self.path)
                error.__cause__ = cause
            elif isinstance(error, OSError):
                # A large output goes to a file of its own, which may fail too.
                failed, error = error, opening.explain_system(error, self.path)
                error.__cause__ = failed
            if isinstance(error, StoreError):
                self._told_of(error)
                self.trouble = error.sentence()
            job.future.set_exception(error)

    def _commit(self, connection: sqlite3.Connection, jobs: list[_Job[Any]]) -> Exception | None:
        try:
            connection.execute("BEGIN IMMEDIATE")
            results = [job.work(connection) for job in jobs]
            connection.execute("COMMIT")
        except Exception as exc:  # noqa: BLE001 - handed on to the one who asked, by the future
            if connection.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
            return exc
        self.trouble = ""
        for job, result in zip(jobs, results, strict=True):
            job.future.set_result(result)
        return None


class _Job(Generic[T]):
    """Work that waits for the writing thread."""

    def __init__(self, work: Work[T]) -> None:
        self.work = work
        self.future: Future[T] = Future()
        # From here on it cannot be cancelled: what was said to be saved is saved.
        self.future.set_running_or_notify_cancel()


def awaitable(future: Future[T]) -> asyncio.Future[T]:
    """A future of the running loop that ends as `future` does."""
    loop = asyncio.get_running_loop()
    waiter: asyncio.Future[T] = loop.create_future()

    def hand_over() -> None:
        if waiter.done():
            return
        error = future.exception()
        if error is not None:
            waiter.set_exception(error)
        else:
            waiter.set_result(future.result())

    def tell(_: Future[T]) -> None:
        # A loop that was closed meanwhile has nobody left who waits.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(hand_over)

    future.add_done_callback(tell)
    return waiter


def _closed() -> StoreError:
    return StoreError("The data folder is closed.", hint="Start Kinet again.")


def _keep_older(path: Path, version: int) -> None:
    backups.back_up(path, mark=f"-v{version}")


def _nothing(connection: sqlite3.Connection) -> None:
    return None
