"""Equal calls of one reply are asked about once: the question says so, its answer holds for all."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from kinet.core.approval import ApprovalRequest, Decision


class EqualCalls:
    """What was asked in the step that runs now.

    Only the very same question is not asked again; one that looks different by then (an edit whose
    place is gone, a command in another folder) is.
    """

    def __init__(self) -> None:
        self._left: Counter[str] = Counter()
        self._answers: dict[str, tuple[ApprovalRequest, Decision]] = {}

    def begin_step(self, calls: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
        """These calls (tool and arguments) came in one reply."""
        self._left = Counter(_key(tool, arguments) for tool, arguments in calls)
        self._answers.clear()

    def told(self, request: ApprovalRequest, arguments: Mapping[str, Any]) -> ApprovalRequest:
        """The question about a call with these arguments, with how many equal ones it is for."""
        count = self._left[_key(request.tool, arguments)]
        if count < 2:
            return request
        words = f"the same call is made {count} times here; the answer holds for all"
        return replace(request, reason=f"{request.reason}; {words}" if request.reason else words)

    def answer_to(self, request: ApprovalRequest, arguments: Mapping[str, Any]) -> Decision | None:
        """What the person said to the same question in this step; None if it was not asked."""
        found = self._answers.get(_key(request.tool, arguments))
        return found[1] if found is not None and found[0] == _nameless(request) else None

    def answered(
        self, request: ApprovalRequest, arguments: Mapping[str, Any], decision: Decision
    ) -> None:
        """Keeps the answer for the equal calls; some hunks of a diff are chosen for one call."""
        if self._left[_key(request.tool, arguments)] > 1 and decision.hunks is None:
            self._answers[_key(request.tool, arguments)] = (_nameless(request), decision)


def _nameless(request: ApprovalRequest) -> ApprovalRequest:
    return replace(request, id="", call_id="")


def _key(tool: str, arguments: Mapping[str, Any]) -> str:
    return f"{tool} {json.dumps(arguments, sort_keys=True, default=str)}"
