"""`kinet run`: one turn without a window, printed as it happens."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

from kinet.core.approval import ApprovalRequest, Approver, Decision, NobodyToAsk
from kinet.core.events import (
    ApprovalResolved,
    ContextCompacted,
    Event,
    MessageCompleted,
    Notice,
    RetryScheduled,
    SegmentReset,
    StepFinished,
    TextDelta,
    ToolFinished,
    TurnFinished,
    to_json,
)
from kinet.session.outcome import Outcome

if TYPE_CHECKING:
    from kinet.runtime import Runtime
    from kinet.session.session import Session

_ACTING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

# What a file tool's line on the terminal shows of its arguments, the first that is there.
_TELLING = ("command", "path", "pattern", "url", "query", "task", "name", "question")


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be done: the text, in which session, and how it is printed."""

    text: str
    session_id: str = ""
    resume: bool = False
    attachments: tuple[Path, ...] = ()
    as_json: bool = False


class Printer(Protocol):
    """Shows events on a terminal or to a program."""

    def show(self, event: Event) -> None:
        """Prints what is worth printing of this event."""
        ...


async def run_turn(runtime: Runtime, task: Task) -> int:
    """Takes the turn and returns the exit code. KinetError where it cannot even begin."""
    session = _session(runtime, task)
    for problem in (*runtime.problems, *session.warnings):
        print(problem, file=sys.stderr)
    printer: Printer = JsonPrinter(sys.stdout) if task.as_json else TextPrinter()
    approver = approver_for(runtime)
    outcome = Outcome()
    with interrupts(session.stop):
        sending = session.send(task.text, approver=approver, attachments=task.attachments)
        async with aclosing(sending) as events:
            async for event in events:
                outcome.take(event)
                printer.show(event)
    return outcome.code()


class JsonPrinter:
    """One event per line."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def show(self, event: Event) -> None:
        """Writes the line at once: a reader waits for it."""
        self._out.write(json.dumps(to_json(event), ensure_ascii=False) + "\n")
        self._out.flush()


class TextPrinter:
    """The answer to stdout; steps, notices and errors to stderr."""

    def __init__(self, out: TextIO | None = None, side: TextIO | None = None) -> None:
        self._out = out or sys.stdout
        self._side = side or sys.stderr
        self._calls: dict[str, str] = {}
        self._told = ""
        self._at_line_start = True
        self._written = False

    def show(self, event: Event) -> None:
        """Prints the event, or nothing."""
        match event:
            case TextDelta(text=text):
                self._write(text)
            case SegmentReset():
                self._aside("The answer broke off; it is asked for again.")
            case MessageCompleted(message=message):
                for call in message.tool_calls:
                    self._calls[call.id] = _shown(call.arguments)
                self._end_paragraph()
            case ToolFinished():
                self._tool(event)
            case RetryScheduled(delay=delay, reason=reason):
                self._aside(f"{reason} Trying again in {delay:.0f} s.")
            case ContextCompacted(before=before, after=after):
                self._aside(f"The conversation was shortened from {before:,} to {after:,} tokens.")
            case Notice(text=text):
                self._told = text
                self._aside(text)
            case StepFinished() | ApprovalResolved():
                pass
            case TurnFinished():
                self._end(event)
            case _:
                pass

    def _write(self, text: str) -> None:
        # On a terminal a model's text must not act: escape sequences could rewrite what was shown.
        self._out.write(_ACTING.sub("", text) if self._out.isatty() else text)
        self._out.flush()
        self._at_line_start = text.endswith("\n")
        self._written = True

    def _end_paragraph(self) -> None:
        if not self._at_line_start:
            self._write("\n")

    def _aside(self, text: str) -> None:
        self._end_paragraph()
        print(text, file=self._side, flush=True)

    def _tool(self, event: ToolFinished) -> None:
        indent = "    " if event.parent else "  "
        what = self._calls.get(event.call_id, "")
        mark = "✕" if event.is_error else "✓"
        said = event.preview or (event.content.strip().splitlines() or [""])[0][:120]
        parts = [event.name, what, f"— {said}" if said else ""]
        self._aside(f"{indent}{mark} {' '.join(part for part in parts if part)}")

    def _end(self, event: TurnFinished) -> None:
        self._end_paragraph()
        if event.error is not None:
            hint = f" {event.error.hint}" if event.error.hint else ""
            self._aside(f"{event.error.message}{hint}")
        elif event.reason != "completed" and not (event.detail and event.detail == self._told):
            words = {"stopped": "Stopped.", "step_limit": "Ended at the step limit."}
            words |= {"budget": "Ended at the budget.", "no_progress": "Ended without progress."}
            self._aside(f"{words.get(event.reason, event.reason)} {event.detail}".strip())


class TerminalApprover:
    """Asks on the terminal. Whatever is not a yes is a no, and its words go to the model."""

    def __init__(self, side: TextIO | None = None) -> None:
        self._side = side or sys.stderr
        self._turn = asyncio.Lock()

    async def ask(self, request: ApprovalRequest) -> Decision:
        """One question at a time; cancelling ends the wait."""
        async with self._turn:
            print(_question(request), file=self._side, end="", flush=True)
            answer = (await _line()).strip()
        match answer.lower():
            case "y" | "yes":
                return Decision(True)
            case "s" | "session" if "session" in request.scopes:
                return Decision(True, "session")
            case "f" | "folder" if "folder" in request.scopes:
                return Decision(True, "folder")
            case "" | "n" | "no":
                return Decision(False)
            case _:
                return Decision(False, reason=answer)

    async def answer(self, question: str, choices: tuple[str, ...]) -> str:
        """A line from the terminal; the number of a choice stands for it."""
        from kinet.policy.visible import visible

        async with self._turn:
            lines = ["", *(visible(line) for line in question.splitlines())]
            lines += [f"  {number}  {visible(item)}" for number, item in enumerate(choices, 1)]
            lines.append("Your answer (Enter for none): ")
            print("\n".join(lines), file=self._side, end="", flush=True)
            said = (await _line()).strip()
        if said.isdecimal() and 0 < int(said) <= len(choices):
            return choices[int(said) - 1]
        return said


def _question(request: ApprovalRequest) -> str:
    from kinet.policy.visible import visible

    lines = ["", visible(request.question)]
    if request.folder:
        lines.append(f"  in {visible(request.folder)}")
    lines += [f"  {visible(target)}" for target in request.targets if target not in request.body]
    lines += [f"  {visible(line)}" for line in request.body.splitlines()]
    if request.changes:
        lines.append("  Since the last call the server describes this tool otherwise:")
        lines += [f"    {visible(line)}" for line in request.changes.splitlines()]
    notes = [note for note in (request.reason, request.risk) if note]
    lines += [f"  {visible(note[:1].upper() + note[1:])}" for note in notes]
    choices = ["y = once"]
    choices += [f"{scope[0]} = for this {scope}" for scope in request.scopes if scope != "once"]
    lines.append(f"Allow? ({', '.join(choices)}; Enter or a reason = no) ")
    return "\n".join(lines)


async def _line() -> str:
    """A line from the terminal; "" at its end. The loop goes on meanwhile."""
    loop = asyncio.get_running_loop()
    ready: asyncio.Future[str] = loop.create_future()

    def read() -> None:
        if not ready.done():
            ready.set_result(sys.stdin.readline())

    if sys.platform == "win32":
        # Windows has no readiness for a console; the thread ends with its line.
        return await asyncio.to_thread(sys.stdin.readline)
    loop.add_reader(sys.stdin, read)
    try:
        return await ready
    finally:
        loop.remove_reader(sys.stdin)


def _session(runtime: Runtime, task: Task) -> Session:
    wanted = task.session_id or (runtime.newest_session_id() if task.resume else "")
    if not wanted:
        return runtime.open_session()
    session = runtime.open_session(wanted)
    if runtime.options.cwd is not None:
        session.set_folder(runtime.options.cwd)
    return session


def approver_for(runtime: Runtime) -> Approver:
    """Who is asked in a run without a window."""
    if runtime.options.approve != "deny" and sys.stdin.isatty():
        return TerminalApprover()
    return NobodyToAsk()


@contextmanager
def interrupts(stop: Callable[[], object]) -> Iterator[None]:
    """The first Ctrl+C stops the turn in order, the second ends the program where it is."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    presses = 0

    def pressed() -> None:
        nonlocal presses
        presses += 1
        if presses == 1:
            stop()
        elif task is not None:
            task.cancel()

    words = (signal.SIGINT, signal.SIGTERM)
    try:
        for word in words:
            loop.add_signal_handler(word, pressed)
    except NotImplementedError:
        # Windows: the loop raises KeyboardInterrupt, which ends the run with the same exit code.
        yield
        return
    try:
        yield
    finally:
        for word in words:
            loop.remove_signal_handler(word)


def _shown(arguments: str) -> str:
    try:
        values = json.loads(arguments)
    except ValueError:
        return ""
    if not isinstance(values, dict):
        return ""
    for name in _TELLING:
        if isinstance(values.get(name), str):
            text = values[name].splitlines()[0] if values[name] else ""
            return text if len(text) <= 80 else text[:79] + "…"
    return ""
