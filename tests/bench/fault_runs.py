"""Runs the tests that a small fault could break, in a fork of a process that has collected them.

Once, every test runs under a tracer that notes the lines of the gate it passes. A fault is then
planted in a fork, into the very functions that all importers hold, and only the tests that pass
its lines run, quickest first, until one fails. Linux and macOS only.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from small_faults import Fault, file_of

# Beyond its own usual time; then it is taken for one that does not end.
_MORE_SECONDS = 20
_LARGEST = 6 << 30
_MOST_TESTS = 3_000


@dataclass
class TestLines:
    """What the traced run gave for one test: its seconds, and the lines of the gate it passed."""

    seconds: float
    lines: set[tuple[str, int]] = field(default_factory=set)


class FaultRuns:
    """A plugin for pytest: takes the place of the run, and hands over to `work`."""

    def __init__(self, modules: Iterable[str], work: Callable[[FaultRuns], None]) -> None:
        self._files = {str(file_of(module)): module for module in modules}
        self._work = work
        self._items: list[Any] = []
        self._known: dict[int, TestLines] = {}
        self.session: Any = None

    def pytest_runtestloop(self, session: Any) -> bool:
        """Instead of running each test once."""
        self.session, self._items = session, session.items
        told = _in_fork(self._trace)
        if told is None:
            raise SystemExit("the tests fail without any fault: no score can be taken")
        for place, (seconds, lines) in enumerate(json.loads(told)):
            self._known[place] = TestLines(seconds, {(name, line) for name, line in lines})
        self._work(self)
        return True

    def noticed(self, fault: Fault) -> bool:
        """True if a test fails with it, or it does not end."""
        places = self._tests(fault)
        usual = sum(self._known[place].seconds for place in places)

        def run() -> str | None:
            limit = int(usual * 3) + _MORE_SECONDS
            resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
            resource.setrlimit(resource.RLIMIT_AS, (_LARGEST, _LARGEST))
            plant(fault)
            return "" if self._pass(places) else None

        return bool(places) and _in_fork(run, usual * 20 + 10 * _MORE_SECONDS) is None

    def _tests(self, fault: Fault) -> list[int]:
        def meets(test: TestLines) -> bool:
            if fault.lines is None:
                return any(module == fault.module for module, _ in test.lines)
            return any((fault.module, line) in test.lines for line in fault.lines)

        found = [place for place, test in self._known.items() if meets(test)]
        if not found and fault.lines is None:
            # A module of values alone is passed by no test, and used by any.
            found = list(self._known)
        # A fault that so many tests pass by counts as one that none notices.
        return sorted(found, key=lambda place: self._known[place].seconds)[:_MOST_TESTS]

    def _pass(self, places: list[int]) -> bool:
        items = [self._items[place] for place in places]
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self.session.testsfailed:
                return False
        return True

    def _trace(self) -> str | None:
        found = []
        for place in range(len(self._items)):
            lines: set[tuple[str, int]] = set()
            trace = _tracer(self._files, lines)
            began = time.process_time()
            threading.settrace(trace)
            sys.settrace(trace)
            good = self._pass([place])
            sys.settrace(None)
            threading.settrace(None)  # type: ignore[arg-type]
            if not good:
                print(f"fails without any fault: {self._items[place].nodeid}", file=sys.stderr)
                return None
            found.append((time.process_time() - began, sorted(lines)))
        return json.dumps(found)


def _tracer(files: dict[str, str], lines: set[tuple[str, int]]) -> Any:
    known: dict[CodeType, str | None] = {}

    def called(frame: FrameType, event: str, _: object) -> Any:
        code = frame.f_code
        if code not in known:
            known[code] = files.get(code.co_filename)
        module = known[code]
        if module is None:
            return None
        lines.add((module, frame.f_lineno))

        # The same function serves each line of the frame.
        return called

    return called


def plant(fault: Fault) -> None:
    """Puts the fault into the loaded module and into what others have taken from it by name."""
    module = sys.modules[fault.module]
    faulty = ModuleType(module.__name__)
    faulty.__file__ = module.__file__
    exec(compile(fault.make(), str(module.__file__), "exec"), faulty.__dict__)
    for name, new in vars(faulty).items():
        old = vars(module).get(name)
        if name.startswith("__") or isinstance(new, ModuleType):
            continue
        if isinstance(new, type):
            if new.__module__ == module.__name__:
                _exchange_class(old, new)
        elif (plain := _function(old)) and (other := _function(new)):
            if other.__module__ == module.__name__:
                _take_over(plain, other)
                getattr(old, "cache_clear", str)()
        elif fault.lines is None:
            # A value made with the import; whoever took it by name gets the new one.
            for user in list(sys.modules.values()):
                if getattr(user, "__dict__", {}).get(name, user) is old:
                    user.__dict__[name] = new


def _exchange_class(old: Any, new: type) -> None:
    for name, value in vars(new).items():
        before, after = _function(vars(old).get(name)), _function(value)
        if before is not None and after is not None:
            _take_over(before, after)


def _take_over(old: FunctionType, new: FunctionType) -> None:
    if len(old.__code__.co_freevars) == len(new.__code__.co_freevars):
        old.__code__ = new.__code__
    old.__defaults__, old.__kwdefaults__ = new.__defaults__, new.__kwdefaults__


def _function(value: Any) -> FunctionType | None:
    if isinstance(value, property):
        value = value.fget
    value = getattr(value, "__wrapped__", value)
    return value if isinstance(value, FunctionType) else None


def _in_fork(work: Callable[[], str | None], seconds: float = 3_600) -> str | None:
    """What `work` gives in a process of its own; None if it fails or does not end."""
    folder = tempfile.mkdtemp(prefix="kinet-faults-")
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        code = 1
        try:
            os.close(reader)
            os.setpgid(0, 0)
            # Temporary folders of the tests, taken away by the parent whatever becomes of them.
            os.environ["PYTEST_DEBUG_TEMPROOT"] = folder
            null = os.open(os.devnull, os.O_RDWR)
            os.dup2(null, 0)
            os.dup2(null, 1)
            said = work()
            if said is not None:
                with os.fdopen(writer, "w") as pipe:
                    pipe.write(said)
                code = 0
        finally:
            os._exit(code)
    os.close(writer)
    timer = threading.Timer(seconds, _end, (child,))
    timer.start()
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    timer.cancel()
    _end(child)
    shutil.rmtree(folder, ignore_errors=True)
    return said if os.waitstatus_to_exitcode(status) == 0 else None


def _end(group: int) -> None:
    try:
        os.killpg(group, 9)
    except (ProcessLookupError, PermissionError):
        return
