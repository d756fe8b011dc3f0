"""What each method takes, and one sentence for what does not fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from kinet.serve.messages import WRONG_PARAMS, RpcError

Mode = Literal["deny", "plan", "ask", "edits", "all"]
Effort = Literal["", "off", "low", "medium", "high"]
P = TypeVar("P", bound="Params")

# The longest id of a session or a message; ours are much shorter.
_Id = Annotated[str, Field(min_length=1, max_length=200)]


class Params(BaseModel):
    """Parameters by name; what is not known is refused, and nothing is turned into another type."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Abilities(Params):
    """What the client can do."""

    approvals: bool = Field(
        default=False, description="It answers approval/ask; else all is denied."
    )
    questions: bool = Field(
        default=False, description="It answers question/ask; else none is asked."
    )


class Client(Params):
    """Who asks, for the log."""

    name: str = Field(default="", max_length=200)
    version: str = Field(default="", max_length=200)


class Initialize(Params):
    """The first request."""

    protocol: Literal[1] = Field(default=1, description="The version of this protocol.")
    client: Client = Client()
    capabilities: Abilities = Abilities()


class Nothing(Params):
    """No parameters."""


class Choices(Params):
    """How a session works; what is left out stays as it is."""

    mode: Mode | None = Field(
        default=None,
        description="The approval mode; none that allows more than kinet serve was given.",
    )
    profile: str | None = Field(
        default=None, description="A saved profile; empty for the default one."
    )
    preset: str | None = Field(default=None, description="A preset; empty for the usual one.")
    effort: Effort | None = Field(
        default=None, description="How long the model thinks; empty: as usual."
    )
    title: str | None = Field(default=None, max_length=1000)


class New(Choices):
    """A new session."""

    cwd: str | None = Field(default=None, min_length=1, description="The folder, an absolute path.")


class OfSession(Params):
    """One session."""

    session_id: _Id


class Open(Choices):
    """A stored session, or one that is open already."""

    session_id: _Id
    cwd: str | None = Field(
        default=None, min_length=1, description="Another folder, an absolute path."
    )


class Change(Choices):
    """Other choices for an open session."""

    session_id: _Id


class Page(Params):
    """A part of a list."""

    offset: int = Field(default=0, ge=0, le=10**9)
    limit: int = Field(default=200, ge=1, le=1000)


class Events(Page):
    """Saved events of a session, in order."""

    session_id: _Id


class Message(OfSession):
    """A message for a session."""

    text: str
    attachments: list[str] = Field(
        default=[], max_length=100, description="Files to attach, absolute paths."
    )

    def said(self) -> str:
        """The text; RpcError if it is empty."""
        if not self.text.strip():
            raise RpcError(WRONG_PARAMS, "text must not be empty.")
        return self.text


class Waiting(OfSession):
    """A message that waits in the queue."""

    message_id: _Id


class Undo(OfSession):
    """A turn whose file changes are taken back, or made again."""

    turn_id: str = Field(default="", max_length=200, description="Empty: the newest one.")
    paths: list[str] | None = Field(default=None, description="Only these of its files.")
    changed: dict[str, Literal["keep", "restore", "merge"]] = Field(
        default={}, description="For files that were changed since: what to do, by path."
    )
    dry_run: bool = Field(default=False, description="Show the diff, do nothing.")


class GoBack(OfSession):
    """A turn to go back to before."""

    turn_id: _Id


class Approval(Params):
    """The answer to approval/ask."""

    decision: Literal["allow", "deny"] | None = None
    scope: Literal["once", "session", "folder", "always"] = "once"
    reason: str = ""
    hunks: list[int] | None = Field(
        default=None, description="Of an edit: the numbers, from 1, of the hunks that are accepted."
    )
    choice: str | None = Field(
        default=None, description="The name of one of the request's choices, where it has some."
    )


class Said(Params):
    """The answer to question/ask; empty for none."""

    answer: str = ""


def checked(model: type[P], values: Any, what: str = "") -> P:
    """The values as `model`. RpcError names the field that does not fit."""
    try:
        return model.model_validate(values)
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_context=False)[0]
        raise RpcError(WRONG_PARAMS, _sentence(first, what)) from exc


def _sentence(problem: Mapping[str, Any], what: str) -> str:
    name = ".".join(str(step) for step in problem["loc"]) or what or "params"
    match problem["type"]:
        case "missing":
            return f"{name} is missing."
        case "extra_forbidden":
            return f"{name} is not known here."
        case _:
            said = str(problem["msg"]).removeprefix("Input ").removeprefix("Value error, ")
            return f"{name}: it {said[:1].lower()}{said[1:]}."
