"""A question the engine asks a person, and the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

# What is to be judged, so that a face can draw it: a command line, a diff, an address, a budget of
# money or time that is used up, or other.
QuestionKind = Literal["command", "edit", "fetch", "budget", "other"]
Scope = Literal["once", "session", "folder", "always"]
# How far a saved answer reaches: exactly this call, or all commands that begin with `rule`.
Reach = Literal["exact", "prefix"]
ChoiceName = Literal["continue", "raise", "stop"]


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """Everything a person needs to decide about one call, or about going on with a turn.

    `question` is one line ("Run this command?"), `body` the whole command, diff or address,
    `folder` where it would act, `targets` the real paths or hosts, `reason` why it is asked.
    `scopes` are the scopes that may be offered; `rule` is what would be remembered. `claim` is what
    somebody else says of the call (the server whose tool it is): nobody has checked it; `changes`
    is what it says otherwise than at the last call, as a diff.
    `choices` are the answers of a question that is about no call, in their own words and order: a
    face offers these and nothing else. `arguments` of a budget say which `budget` it is (turn,
    session, day, time), its `limit` and what is `spent` of it, in USD or seconds.
    """

    id: str
    call_id: str
    tool: str
    kind: QuestionKind
    question: str
    body: str = ""
    folder: str = ""
    targets: tuple[str, ...] = ()
    reason: str = ""
    risk: str = ""
    scopes: tuple[Scope, ...] = ("once",)
    rule: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    choices: tuple[Choice, ...] = ()
    claim: str = ""
    changes: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {
            "id": self.id,
            "call_id": self.call_id,
            "tool": self.tool,
            "kind": self.kind,
            "question": self.question,
            "body": self.body,
            "folder": self.folder,
            "targets": list(self.targets),
            "reason": self.reason,
            "risk": self.risk,
            "scopes": list(self.scopes),
            "rule": self.rule,
            "arguments": dict(self.arguments),
            "choices": [choice.to_dict() for choice in self.choices],
            "claim": self.claim,
            "changes": self.changes,
        }

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> ApprovalRequest:
        """Reads what `to_dict` wrote."""
        values = {key: raw[key] for key in cls.__slots__ if key in raw}
        for key in ("targets", "scopes"):
            values[key] = tuple(values.get(key, ()))
        values["choices"] = tuple(Choice.from_dict(item) for item in values.get("choices", ()))
        return cls(**values)


@dataclass(frozen=True, slots=True)
class Decision:
    """The answer. `reason` is told to the model when the call is denied.

    With `reach` "prefix" a saved answer holds for commands that begin with `rule`. `hunks` are the
    numbers (from 1) of the hunks of a diff that were accepted, None for all of them. `raise_to` is
    the new limit of a budget, in USD or seconds, for the rest of the session; 0 with the scope
    "session" lifts the limit.
    """

    allowed: bool
    scope: Scope = "once"
    reason: str = ""
    # True when there was nobody to ask: `kinet run` ends with exit code 5 then.
    unasked: bool = False
    reach: Reach = "exact"
    rule: str = ""
    hunks: tuple[int, ...] | None = None
    raise_to: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON: `decision` is allow or deny."""
        return {
            "decision": "allow" if self.allowed else "deny",
            "scope": self.scope,
            "reason": self.reason,
            "unasked": self.unasked,
            "reach": self.reach,
            "rule": self.rule,
            "hunks": None if self.hunks is None else list(self.hunks),
            "raise_to": self.raise_to,
        }

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Decision:
        """Reads what `to_dict` wrote; what is missing is the narrowest."""
        hunks = raw.get("hunks")
        return cls(
            allowed=raw.get("decision") == "allow",
            scope=raw.get("scope", "once"),
            reason=raw.get("reason", ""),
            unasked=bool(raw.get("unasked", False)),
            reach="prefix" if raw.get("reach") == "prefix" else "exact",
            rule=str(raw.get("rule") or ""),
            hunks=tuple(hunks) if isinstance(hunks, list) else None,
            raise_to=float(raw.get("raise_to") or 0.0),
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer to a question about going on; `label` is the button, `decision` what it means."""

    name: ChoiceName
    label: str
    decision: Decision

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return {"name": self.name, "label": self.label, "decision": self.decision.to_dict()}

    @classmethod
    def from_dict(cls, raw: Mapping[str, Any]) -> Choice:
        """Reads what `to_dict` wrote."""
        return cls(raw["name"], raw["label"], Decision.from_dict(raw["decision"]))


class Approver(Protocol):
    """Someone who can be asked. The wait has no limit of its own; stopping the turn cancels it."""

    async def ask(self, request: ApprovalRequest) -> Decision:
        """The person's decision on `request`."""
        ...


@runtime_checkable
class Answerer(Protocol):
    """An approver that can answer in words too; where there is none, ask_user is not offered."""

    async def answer(self, question: str, choices: tuple[str, ...]) -> str:
        """What the person says, "" for nothing. Stopping the turn cancels the wait."""
        ...


class NobodyToAsk:
    """Denies at once and says why: there is nobody who could be asked."""

    async def ask(self, request: ApprovalRequest) -> Decision:
        """Always no."""
        reason = "Go on without it, or say at the end what is needed."
        return Decision(False, reason=reason, unasked=True)
