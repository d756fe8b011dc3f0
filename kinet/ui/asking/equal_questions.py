"""Which questions are one and the same, so that one answer is right for all of them."""

from __future__ import annotations

from collections.abc import Sequence

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.messages import Message


def same_question(first: ApprovalRequest, second: ApprovalRequest) -> bool:
    """True if one answer is right for both: the same call on the same things, shown alike."""
    return (
        first.tool == second.tool
        and bool(first.call_id)
        and bool(second.call_id)
        and dict(first.arguments) == dict(second.arguments)
        and (first.folder, first.body) == (second.folder, second.body)
        and first.targets == second.targets
    )


def equal_calls(messages: Sequence[Message], call_id: str) -> tuple[str, ...]:
    """The later calls of the same reply that ask for exactly what this one asks for, by their ids.

    They are asked about one after the other, so that only the reply tells that they will come.
    """
    for message in reversed(messages):
        ids = [call.id for call in message.tool_calls]
        if call_id and call_id in ids:
            place = ids.index(call_id)
            call, later = message.tool_calls[place], message.tool_calls[place + 1 :]
            return tuple(
                item.id
                for item in later
                if (item.name, item.arguments) == (call.name, call.arguments)
            )
    return ()


def shared(decision: Decision) -> Decision:
    """The same answer for an equal question. A rule itself was saved with the first one."""
    return Decision(decision.allowed, reason=decision.reason, hunks=decision.hunks)
