"""Hands a command's work to the window that holds the data folder, and prints what comes back."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import StoreError
from kinet.core.events import from_json
from kinet.local.handover import Exchange, hand_over
from kinet.paths import data_dir
from kinet.session.owner import GIVEN_UP
from kinet.settings.options import Options
from kinet.store.lock import InstanceLock, StoreInUseError

if TYPE_CHECKING:
    from kinet.headless import Task

# How long an owner may take to end and free the folder, and how often that is looked at.
_MOVING_SECONDS, _LOOK_SECONDS = 10.0, 0.05


def show_first_window(home: Path, session_id: str) -> bool:
    """Brings the window that is open on `home` forward; False if there is none.

    An owner without a window gives the folder up, if nothing runs there; then it is free.
    """

    async def show() -> bool:
        exchange = await hand_over(home, {"verb": "show", "session": session_id})
        if exchange is None:
            return False
        if await _outcome(exchange) != GIVEN_UP:
            return True
        await _free(home)
        return False

    return asyncio.run(show())


def ask_owner(problem: StoreInUseError, message: Mapping[str, Any]) -> Any:
    """What the owner of the data folder says to `message`; raises `problem` if none answers."""

    async def ask() -> Any:
        exchange = await hand_over(data_dir(), message)
        if exchange is None:
            raise problem
        return await _outcome(exchange)

    return asyncio.run(ask())


async def run_there(problem: StoreInUseError, task: Task, options: Options) -> int:
    """The turn of `kinet run`, taken by the owner; its exit code."""
    from kinet.headless import JsonPrinter, Printer, TextPrinter, approver_for, interrupts
    from kinet.runtime import create_runtime
    from kinet.session.outcome import Outcome

    exchange = await hand_over(data_dir(), _turn_message(task, options))
    if exchange is None:
        raise problem
    printer: Printer = JsonPrinter(sys.stdout) if task.as_json else TextPrinter()
    approver = approver_for(create_runtime(options=options))
    outcome = Outcome()
    questions: set[asyncio.Task[None]] = set()

    async def answer(raw: Mapping[str, Any]) -> None:
        decision = await approver.ask(ApprovalRequest.from_dict(raw))
        await exchange.tell({"id": raw["id"], "answer": decision.to_dict()})

    def stop() -> None:
        questions.add(asyncio.ensure_future(exchange.tell({"stop": True})))

    with interrupts(stop):
        async for message in exchange.messages():
            if "event" in message:
                event = from_json(message["event"])
                outcome.take(event)
                printer.show(event)
            elif "ask" in message:
                questions.add(asyncio.ensure_future(answer(message["ask"])))
            elif "error" in message:
                raise told_error(message["error"])
    for question in questions:
        question.cancel()
    exchange.close()
    if outcome.end is None:
        raise StoreError("The window was closed before the turn ended.", hint="Try again.")
    return outcome.code()


def options_message(options: Options) -> dict[str, Any]:
    """What the command line said, for the owner; with the key that only our environment holds."""
    values = asdict(options)
    # Paths mean what they mean here, not where the window was started.
    values["cwd"] = str(options.cwd or Path.cwd())
    return {
        "options": values,
        "key": os.environ.get(options.api_key_env, "") if options.api_key_env else "",
    }


def _turn_message(task: Task, options: Options) -> dict[str, Any]:
    return {
        **options_message(options),
        "verb": "run",
        "text": task.text,
        "session": task.session_id,
        "resume": task.resume,
        "attachments": [str(path.absolute()) for path in task.attachments],
    }


async def _free(home: Path) -> None:
    """Returns when nobody holds the data folder, or it takes too long: opening it says so then."""
    lock = InstanceLock(home)
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_MOVING_SECONDS):
            while not lock.held:
                try:
                    lock.acquire()
                except StoreInUseError:
                    await asyncio.sleep(_LOOK_SECONDS)
    lock.release()


async def _outcome(exchange: Exchange) -> Any:
    """The one answer to a piece of work. StoreError if it was refused."""
    message = await exchange.hear()
    exchange.close()
    if message is None:
        raise StoreError("The open window did not finish this.", hint="Try again.")
    if "error" in message:
        raise told_error(message["error"])
    return message.get("done")


def told_error(raw: Mapping[str, Any]) -> StoreError:
    """The error that the owner tells."""
    return StoreError(str(raw.get("message", "")), hint=str(raw.get("hint", "")))
