"""Which questions are one and the same, so that one answer is right for all of them."""

from __future__ import annotations

from kinet.core.approval import ApprovalRequest, Decision

# An answer that comes sooner after a question was meant for something else.
DEAD_SECONDS = 0.3


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


def shared(decision: Decision) -> Decision:
    """The same answer for an equal question. A rule itself was saved with the first one."""
    return Decision(decision.allowed, reason=decision.reason, hunks=decision.hunks)
