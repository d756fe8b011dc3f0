"""Both directions of one JSON-RPC conversation: requests side by side, answers matched by id."""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

from kinet.core.errors import KinetError
from kinet.net.redact import redact
from kinet.serve import messages
from kinet.serve.lines import Line, Lines
from kinet.serve.messages import Answer, Item, Request, RpcError, Wrong
from kinet.serve.outbox import Outbox, first_of

# Requests at work at once; one more is refused.
MOST = 1000
# Seconds for the other side to read its last answers.
_LAST_WORDS = 2.0

_log = logging.getLogger(__name__)
Give = Callable[[dict[str, Any]], None]
# Does what a request asks for; what comes back is the result. RpcError or KinetError if it cannot.
Work = Callable[[Request], Coroutine[Any, Any, Any]]


class Peer:
    """The other side of the lines. `ended` may be set to hear no more."""

    def __init__(self, lines: Lines, work: Work) -> None:
        self._lines, self._work = lines, work
        self.ended = asyncio.Event()
        self._outbox = Outbox(lines)
        self._at_work: dict[asyncio.Task[Any], Request] = {}
        self._asked: dict[messages.Id, asyncio.Future[Answer]] = {}
        self._numbers = itertools.count(1)

    @property
    def was_deaf(self) -> bool:
        """True if it counts as gone because it left too much unread."""
        return self._outbox.was_unread

    @property
    def has_room(self) -> asyncio.Event:
        """Cleared while the other side has much to read yet: who tells much waits for it."""
        return self._outbox.has_room

    @property
    def is_busy(self) -> bool:
        """True while a request is at work."""
        return bool(self._at_work)

    async def run(self) -> None:
        """Hears and answers until one side ends. What is at work then goes on."""
        hearing = asyncio.create_task(self._hear(), name="hears requests")
        hearing.add_done_callback(lambda _task: self.ended.set())
        try:
            await first_of(self.ended, self._outbox.gone)
        finally:
            hearing.cancel()
            for asked in self._asked.values():
                if not asked.done():
                    asked.set_exception(RpcError(messages.GONE, "nobody is there any more"))
        if hearing.done() and not hearing.cancelled():
            hearing.result()

    async def finish(self) -> None:
        """Returns when all that is at work was answered, as far as somebody still reads."""
        while self._at_work:
            await asyncio.wait(set(self._at_work))
            # Their answers are put out by callbacks, one turn of the loop later.
            await asyncio.sleep(0)
        await self._outbox.end(_LAST_WORDS)

    def tell(self, method: str, params: Mapping[str, Any]) -> None:
        """Tells something that needs no answer."""
        self._outbox.put(messages.notification(method, params))

    async def ask(self, method: str, params: Mapping[str, Any]) -> Any:
        """The result of a request of ours. RpcError if it is refused or nobody is there.

        Cancelling the wait tells the other side that it need not answer.
        """
        if self.ended.is_set() or self._outbox.gone.is_set():
            raise RpcError(messages.GONE, "nobody is there any more")
        id_ = next(self._numbers)
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._asked[id_] = answered
        self._outbox.put(messages.request(method, params, id_))
        try:
            answer = await answered
        except asyncio.CancelledError:
            self._outbox.put(messages.notification("$/cancelRequest", {"id": id_}))
            raise
        finally:
            del self._asked[id_]
        if answer.error is not None:
            code, said = answer.error.get("code"), str(answer.error.get("message") or "no reason")
            raise RpcError(code if isinstance(code, int) else messages.REFUSED, said)
        return answer.result

    async def _hear(self) -> None:
        while (line := await self._lines.hear()) is not None:
            self._take(line)

    def _take(self, line: Line) -> None:
        if line.problem:
            wrong = RpcError(messages.UNREADABLE, line.problem)
            self._outbox.put(messages.error(None, wrong))
            return
        said = messages.read(line.text)
        if not isinstance(said, tuple):
            self._begin(said, self._outbox.put)
            return
        batch = _Batch(sum(_is_answered(item) for item in said), self._outbox.put)
        for item in said:
            self._begin(item, batch.give)

    def _begin(self, item: Item, give: Give) -> None:
        match item:
            case Wrong(error=wrong, id=id_):
                give(messages.error(id_, wrong))
            case Answer():
                self._match(item)
            case Request(method="$/cancelRequest", is_told=True):
                self._cancel(item.params.get("id"))
            case Request():
                self._start(item, give)

    def _start(self, request: Request, give: Give) -> None:
        problem = self._objection(request)
        if problem is not None:
            if not request.is_told:
                give(messages.error(None if _is_used(problem) else request.id, problem))
            return
        task = asyncio.create_task(self._work(request), name=f"works on {request.method}")
        self._at_work[task] = request
        task.add_done_callback(lambda done: self._done(done, give))

    def _objection(self, request: Request) -> RpcError | None:
        if len(self._at_work) >= MOST:
            return RpcError(messages.REFUSED, f"{MOST:,} requests are at work; wait for answers.")
        if request.id is None or self._task_of(request.id) is None:
            return None
        # Answered without the id: with it, this would be taken for the answer to the first one.
        said = f"The id {request.id!r} is that of a request that is still at work."
        return RpcError(messages.INVALID, said)

    def _done(self, task: asyncio.Task[Any], give: Give) -> None:
        request = self._at_work.pop(task)
        problem = _problem(task, request)
        if request.is_told:
            if problem is not None:
                _log.warning("%s was not done: %s", request.method, problem.message)
        elif problem is not None:
            give(messages.error(request.id, problem))
        else:
            give(messages.result(request.id, task.result()))

    def _cancel(self, id_: Any) -> None:
        task = None if id_ is None else self._task_of(id_)
        if task is not None:
            task.cancel()

    def _match(self, answer: Answer) -> None:
        waiting = None if isinstance(answer.id, str) else self._asked.get(answer.id)
        if waiting is None:
            # Also one that comes after the question was taken back.
            _log.info("an answer to no question came: id %r", answer.id)
        elif not waiting.done():
            waiting.set_result(answer)

    def _task_of(self, id_: Any) -> asyncio.Task[Any] | None:
        for task, request in self._at_work.items():
            same = request.id == id_ and isinstance(request.id, str) == isinstance(id_, str)
            if same and not request.is_told:
                return task
        return None


class _Batch:
    """Answers that go out together, when all of them are there."""

    def __init__(self, count: int, put: Callable[[Any], None]) -> None:
        self._count, self._put = count, put
        self._answers: list[dict[str, Any]] = []

    def give(self, answer: dict[str, Any]) -> None:
        """Keeps one; with the last one all go out."""
        self._answers.append(answer)
        if len(self._answers) == self._count:
            self._put(self._answers)


def _is_answered(item: Item) -> bool:
    return isinstance(item, Wrong) or (isinstance(item, Request) and not item.is_told)


def _is_used(problem: RpcError) -> bool:
    return problem.code == messages.INVALID


def _problem(task: asyncio.Task[Any], request: Request) -> RpcError | None:
    """Why it was not done, None if it was."""
    if task.cancelled():
        return RpcError(messages.CANCELLED, "This request was cancelled.")
    fault = task.exception()
    if fault is None or isinstance(fault, RpcError):
        return fault
    if isinstance(fault, KinetError):
        kind = type(fault).__name__.removesuffix("Error").lower()
        data = {"kind": kind, "hint": redact(fault.hint)}
        return RpcError(messages.REFUSED, redact(fault.message), data)
    _log.error("a fault of Kinet's own in %s", request.method, exc_info=fault)
    said = f"Kinet failed by a fault of its own ({type(fault).__name__}); the log has the details."
    return RpcError(messages.FAULT, said)
