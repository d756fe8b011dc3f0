"""The methods a client can call: the one list of their names, what they take and what they do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kinet.core.events import to_json
from kinet.serve import params
from kinet.serve.desk import Desk
from kinet.serve.messages import REFUSED, WRONG_PARAMS, RpcError, whole_text
from kinet.serve.session import queued

if TYPE_CHECKING:
    from kinet.session.attached import Attached
    from kinet.workspace.undoing import Act

# Characters of one page of events: a client asks for the next one.
_PAGE_CHARACTERS = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Method:
    """One of them; `act` gets the desk and what `takes` made of the parameters.

    `says` what it is for and `gives` the fields of its result, for `kinet serve --describe`. A
    result that may be `long` is made when there is room for it, one after the other.
    """

    name: str
    takes: type[params.Params]
    act: Callable[[Desk, Any], Awaitable[Any]]
    says: str
    gives: tuple[str, ...] = ()
    long: bool = False


async def new(desk: Desk, wanted: params.New) -> Any:
    """Makes a session."""
    return (await desk.new(wanted)).to_dict()


async def open_(desk: Desk, wanted: params.Open) -> Any:
    """Opens one."""
    return (await desk.open(wanted)).to_dict()


async def state(desk: Desk, of: params.OfSession) -> Any:
    """How it stands."""
    return desk.find(of.session_id).to_dict()


async def change(desk: Desk, wanted: params.Change) -> Any:
    """Other choices."""
    return desk.change(wanted).to_dict()


async def close(desk: Desk, of: params.OfSession) -> Any:
    """Gives it back."""
    await desk.close(of.session_id)
    return {}


async def listed(desk: Desk, page: params.Page) -> Any:
    """The saved sessions."""
    rows = await asyncio.to_thread(desk.host.sessions.list, page.limit, page.offset)
    return {
        "sessions": [
            {"id": row.id, "title": row.title, "folder": row.folder, "updated": row.updated}
            for row in rows
        ]
    }


async def events(desk: Desk, page: params.Events) -> Any:
    """What is saved of a session, in the words in which it was told."""
    session = desk.find(page.session_id).session
    found = await asyncio.to_thread(session.events)
    return await asyncio.to_thread(_page, found, page)


async def send(desk: Desk, message: params.Message) -> Any:
    """Takes a turn."""
    text, served = message.said(), desk.find(message.session_id)
    return await served.send(text, await _files(message))


async def steer(desk: Desk, message: params.Message) -> Any:
    """Gives the running turn a message."""
    text, session = message.said(), desk.find(message.session_id).session
    files = await _files(message)
    if not session.is_running:
        raise RpcError(REFUSED, "No turn is running; session/send begins one.", {"kind": "idle"})
    return queued(session.steer(text, files))


async def stop(desk: Desk, of: params.OfSession) -> Any:
    """Ends the running turn."""
    served = desk.find(of.session_id)
    was_running = served.stop()
    await served.ended()
    return {"was_running": was_running}


async def add(desk: Desk, message: params.Message) -> Any:
    """Puts a message into the queue."""
    text, served = message.said(), desk.find(message.session_id)
    return queued(served.add(text, await _files(message)))


async def remove(desk: Desk, message: params.Waiting) -> Any:
    """Takes one out of it."""
    session = desk.find(message.session_id).session
    return {"removed": session.remove_queued(message.message_id)}


async def run(desk: Desk, message: params.Waiting) -> Any:
    """Sends one of them now."""
    return {"begun": desk.find(message.session_id).take(message.message_id)}


async def undo(desk: Desk, of: params.Undo) -> Any:
    """Takes file changes back."""
    return await _take_back(desk, of, "undo")


async def redo(desk: Desk, of: params.Undo) -> Any:
    """Makes them again."""
    return await _take_back(desk, of, "redo")


async def back(desk: Desk, to: params.GoBack) -> Any:
    """Goes back to before a turn."""
    served = desk.find(to.session_id)
    await served.session.go_back(to.turn_id)
    return served.to_dict()


# A test compares these with what comes.
_STATE = (
    *("session_id", "title", "cwd", "mode", "profile", "preset", "effort", "state"),
    *("warnings", "queue"),
)
_WAITING = ("message_id", "text", "steering", "command", "attachments")
_ENDED = (
    *("turn_id", "reason", "error", "detail", "duration_s", "at", "text", "steps", "usage"),
    *("cost", "estimate", "exit_code"),
)
_TAKEN_BACK = ("act", "turn_id", "done", "kept", "failed", "changed")

METHODS = (
    Method(
        "session/new",
        params.New,
        new,
        "Begins a session on a folder; it is stored with its first message.",
        _STATE,
    ),
    Method("session/open", params.Open, open_, "Opens a stored session, to go on with it.", _STATE),
    Method("session/get", params.OfSession, state, "How an open session stands.", _STATE),
    Method(
        "session/set",
        params.Change,
        change,
        "Changes mode, profile, preset, effort or title; from the next turn on.",
        _STATE,
    ),
    Method(
        "session/close",
        params.OfSession,
        close,
        "Stops its turn, stores everything, and ends what it left running.",
    ),
    Method(
        "session/list",
        params.Page,
        listed,
        "The stored sessions, the newest first.",
        ("sessions",),
        long=True,
    ),
    Method(
        "session/events",
        params.Events,
        events,
        "The saved events of an open session from `offset` on; `next` is where to go on, or null.",
        ("events", "total", "next"),
        long=True,
    ),
    Method(
        "session/send",
        params.Message,
        send,
        "Takes a turn. Its events are told meanwhile; the result comes when it has ended.",
        _ENDED,
    ),
    Method(
        "session/steer",
        params.Message,
        steer,
        "Gives the running turn a message, for its next step.",
        _WAITING,
    ),
    Method(
        "session/stop",
        params.OfSession,
        stop,
        "Ends the running turn; returns when everything of it is stored.",
        ("was_running",),
    ),
    Method(
        "session/undo",
        params.Undo,
        undo,
        "Takes a turn's file changes back. With `changed` in the result nothing was done: those "
        "files were changed since, and need an answer.",
        _TAKEN_BACK,
        long=True,
    ),
    Method(
        "session/redo",
        params.Undo,
        redo,
        "Makes changes again that were taken back.",
        _TAKEN_BACK,
        long=True,
    ),
    Method(
        "session/back",
        params.GoBack,
        back,
        "Goes back to before a turn; what is sent next begins a branch beside it.",
        _STATE,
    ),
    Method(
        "queue/add",
        params.Message,
        add,
        "Lets a message wait for the end of the running turn; its turn then begins by itself.",
        _WAITING,
    ),
    Method("queue/remove", params.Waiting, remove, "Takes a waiting message out.", ("removed",)),
    Method(
        "queue/run",
        params.Waiting,
        run,
        "Sends a waiting message now, also while the queue is paused: after a stop, a failure, a "
        "spent budget or a restart. The rest follows it.",
        ("begun",),
    ),
)


async def _take_back(desk: Desk, of: params.Undo, act: Act) -> Any:
    served = desk.find(of.session_id)
    if served.is_busy:
        raise RpcError(REFUSED, "A turn is running; stop it first.", {"kind": "busy"})
    changes = served.session.changes
    plan = await changes.plan(act, of.turn_id, of.paths)
    if of.dry_run:
        rows = [
            {"path": item.path, "standing": item.standing, "note": item.note} for item in plan.items
        ]
        diff = await changes.diff(plan)
        return {"act": act, "turn_id": plan.turn_id, "files": rows, "diff": diff}
    does = changes.undo if act == "undo" else changes.redo
    # An answer that is not offered is none.
    asked = [item for item in plan.questions if of.changed.get(item.path) in item.answers]
    answers = {item.path: of.changed[item.path] for item in asked}
    outcome = await does(plan.turn_id, of.paths, answers)
    return {
        "act": act,
        "turn_id": plan.turn_id,
        "done": list(outcome.done),
        "kept": list(outcome.kept),
        "failed": dict(outcome.failed),
        "changed": [
            {"path": item.path, "note": item.note, "answers": list(item.answers)}
            for item in outcome.questions
        ],
    }


async def _files(message: params.Message) -> list[Attached]:
    return [await asyncio.to_thread(_attached, name) for name in message.attachments]


def _attached(name: str) -> Attached:
    """A file as a part of the message; in a thread."""
    from kinet.session.attached import attached_of, read_attached

    path = Path(name)
    if not path.is_absolute() or "\0" in name:
        raise RpcError(WRONG_PARAMS, f"attachments: {name!r} must be an absolute path.")
    return read_attached(attached_of(path))


def _page(found: list[Any], page: params.Events) -> Any:
    """At least one event; no more than a line should carry."""
    told: list[Any] = []
    size, place = 0, page.offset
    while place < len(found) and len(told) < page.limit and size < _PAGE_CHARACTERS:
        event = to_json(found[place])
        size += len(json.dumps(event, ensure_ascii=False))
        told.append(event)
        place += 1
    return {
        "events": told,
        "total": len(found),
        "next": place if place < len(found) else None,
    }


def named(name: str) -> Method:
    """The method of this name. RpcError if there is none."""
    from kinet.serve.messages import UNKNOWN_METHOD

    found = next((method for method in METHODS if method.name == name), None)
    if found is None:
        shown = whole_text(name)[:80]
        raise RpcError(UNKNOWN_METHOD, f"There is no method {shown!r}; initialize lists them.")
    return found
