"""JSON-RPC 2.0 as values: what a line says, and how an answer is written."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

Id = str | int | float | None

# The words of JSON-RPC 2.0.
UNREADABLE, INVALID, UNKNOWN_METHOD, WRONG_PARAMS, FAULT = -32700, -32600, -32601, -32602, -32603
# What could not be done, for a reason that the sentence says.
REFUSED = -32000
# As editors know them from their language servers.
NOT_INITIALIZED, CANCELLED = -32002, -32800
# Never written: there is nobody left who could answer.
GONE = -32099

# Items of a batch; more of them would make a long answer of a short line.
LARGEST_BATCH = 1000


class RpcError(Exception):
    """What is answered instead of a result: a code, and a sentence for a person."""

    def __init__(self, code: int, message: str, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data = code, message, data

    def to_dict(self) -> dict[str, Any]:
        """The error object."""
        told: dict[str, Any] = {"code": self.code, "message": self.message}
        return told if self.data is None else {**told, "data": dict(self.data)}


@dataclass(frozen=True, slots=True)
class Request:
    """What the other side wants done; one that `is_told` is a notification and gets no answer."""

    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    id: Id = None
    is_told: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What the other side says to a request of ours; `error` is None where it was done."""

    id: Id
    result: Any = None
    error: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Wrong:
    """What is no message: only an error can be answered."""

    error: RpcError
    id: Id = None


Item = Request | Answer | Wrong


def read(text: str) -> Item | tuple[Item, ...]:
    """What a line says; a batch is a tuple. Never raises."""
    try:
        return _read(text)
    except RecursionError:
        return Wrong(RpcError(UNREADABLE, "This line is nested too deeply."))
    except ValueError as exc:
        said = exc.msg if isinstance(exc, json.JSONDecodeError) else str(exc)
        return Wrong(RpcError(UNREADABLE, f"This line is no JSON: {said}."))


def written(message: Any) -> str:
    """One line of JSON that is legal UTF-8; halves of characters and NaN are replaced."""
    try:
        text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        text.encode("utf-8")
    except (UnicodeEncodeError, ValueError, TypeError):
        text = json.dumps(_legal(message), ensure_ascii=False, separators=(",", ":"))
    return text


def request(method: str, params: Mapping[str, Any], id_: Id) -> dict[str, Any]:
    """A request of ours."""
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def notification(method: str, params: Mapping[str, Any]) -> dict[str, Any]:
    """Something that is told and not answered."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def result(id_: Id, value: Any) -> dict[str, Any]:
    """The answer to a request that was done."""
    return {"jsonrpc": "2.0", "id": id_, "result": value}


def error(id_: Id, problem: RpcError) -> dict[str, Any]:
    """The answer to one that was not."""
    return {"jsonrpc": "2.0", "id": id_, "error": problem.to_dict()}


def whole_text(text: str) -> str:
    """The same text without halves of characters; two that belong together become one again."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def _read(text: str) -> Item | tuple[Item, ...]:
    raw = json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    if not isinstance(raw, list):
        return _item(raw)
    if not raw:
        return Wrong(RpcError(INVALID, "A batch must not be empty."))
    if len(raw) > LARGEST_BATCH:
        return Wrong(RpcError(INVALID, f"A batch holds at most {LARGEST_BATCH:,} messages."))
    return tuple(_item(item) for item in raw)


def _item(raw: Any) -> Item:
    if not isinstance(raw, dict):
        return Wrong(RpcError(INVALID, "A message must be an object."))
    id_ = raw.get("id")
    if not _is_id(id_):
        return Wrong(RpcError(INVALID, "id must be a text or a number."))
    if raw.get("jsonrpc") != "2.0":
        return Wrong(RpcError(INVALID, 'jsonrpc must be "2.0".'), id_)
    if "method" not in raw:
        return _answer(raw, id_)
    method, params = raw["method"], raw.get("params", {})
    if not isinstance(method, str):
        return Wrong(RpcError(INVALID, "method must be a text."), id_)
    if not isinstance(params, dict | list):
        return Wrong(RpcError(INVALID, "params must be an object."), id_)
    is_told = "id" not in raw
    if isinstance(params, list):
        if params and is_told:
            # Nobody waits for an answer that could say so.
            return Request(method, {}, is_told=True)
        if params:
            said = "Parameters go by their names: params must be an object."
            return Wrong(RpcError(WRONG_PARAMS, said), id_)
        params = {}
    return Request(method, _whole(params), id_, is_told)


def _answer(raw: Mapping[str, Any], id_: Id) -> Item:
    failed = raw.get("error")
    if ("result" in raw) == ("error" in raw) or "id" not in raw:
        wrong = RpcError(INVALID, "A message needs a method, or an id with result or error.")
        # The id of an answer is one of ours: told back, it could be taken for one of theirs.
        return Wrong(wrong, None if "result" in raw else id_)
    if "error" in raw and not isinstance(failed, dict):
        failed = {}
    return Answer(id_, _whole(raw.get("result")), failed)


def _is_id(value: Any) -> bool:
    if isinstance(value, str):
        # Half a character could not be given back.
        return whole_text(value) == value
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _whole(value: Any) -> Any:
    """The same values without halves of characters, for what is looked up and stored."""
    match value:
        case str():
            return whole_text(value)
        case dict():
            return {whole_text(key): _whole(item) for key, item in value.items()}
        case list():
            return [_whole(item) for item in value]
        case _:
            return value


def _legal(value: Any) -> Any:
    """What JSON can say, in the place of what it cannot."""
    match value:
        case str():
            return value.encode("utf-8", "replace").decode("utf-8")
        case float():
            return value if math.isfinite(value) else None
        case Mapping():
            return {_legal(str(key)): _legal(item) for key, item in value.items()}
        case list() | tuple():
            return [_legal(item) for item in value]
        case None | bool() | int():
            return value
        case _:
            # Nobody waits in vain because of one odd value.
            return _legal(str(value))


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is too large a number")
    return number


def _no_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")
