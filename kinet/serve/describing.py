"""The protocol as one JSON value, made of the very tables that serve it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_args

from kinet.core import events
from kinet.serve import messages, params
from kinet.serve.lines import LARGEST_LINE
from kinet.serve.methods import METHODS
from kinet.serve.server import PROTOCOL, version

_ASKED: dict[str, tuple[type[params.Params], str]] = {
    "approval/ask": (
        params.Approval,
        "Asked where a person decides: {session_id, request}. `request` has the words of "
        "approval_requested: question, body (the whole command, diff or address), folder, targets, "
        "reason, risk, scopes, choices. A question with choices is answered by the name of one.",
    ),
    "question/ask": (
        params.Said,
        "A question of the model: {session_id, question, choices}.",
    ),
}
_TOLD = {
    "session/event": "{session_id, event}: what happens, in the words of kinet run --json.",
    "queue/refused": "{session_id, message_id, text, message, hint}: a waiting message could not "
    "be sent; it waits again.",
    "$/cancelRequest": "{id}: a request needs no answer any more; both sides may tell it.",
}
_CODES = {
    messages.UNREADABLE: "no JSON, no UTF-8, or too long a line",
    messages.INVALID: "no request of JSON-RPC 2.0",
    messages.UNKNOWN_METHOD: "no such method",
    messages.WRONG_PARAMS: "the sentence names the field",
    messages.FAULT: "a fault of Kinet's own",
    messages.REFUSED: "it cannot be done; data has kind and hint",
    messages.NOT_INITIALIZED: "initialize comes first",
    messages.CANCELLED: "cancelled by $/cancelRequest",
}


def description() -> dict[str, Any]:
    """Methods with their schemas, what the client is asked and told, error codes."""
    return {
        "name": "kinet",
        "version": version(),
        "protocol": PROTOCOL,
        "transport": "JSON-RPC 2.0, one message or batch a line, UTF-8, on stdin and stdout; a "
        f"line has at most {LARGEST_LINE // 1024 // 1024} MB. The end of stdin stops all turns "
        "and ends the program when everything is stored.",
        "methods": {
            "initialize": {
                "says": "Comes first. Tells what can be called and chosen.",
                "params": params.Initialize.model_json_schema(),
            },
            **{
                method.name: {
                    "says": method.says,
                    "params": method.takes.model_json_schema(),
                    "result": list(method.gives),
                }
                for method in METHODS
            },
        },
        "asked_of_the_client": {
            name: {"says": says, "result": model.model_json_schema()}
            for name, (model, says) in _ASKED.items()
        },
        "told": _TOLD,
        "events": {
            events.type_word(cls): [item.name for item in fields(cls)]
            for cls in get_args(events.Event)
        },
        "errors": {str(code): says for code, says in _CODES.items()},
    }
