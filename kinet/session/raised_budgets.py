"""The budgets that the person raised or lifted in a session; read again from its events."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.budgets import Budget
from kinet.core.events import ApprovalRequested, ApprovalResolved, Event

if TYPE_CHECKING:
    from kinet.store.database import Database


@dataclass
class RaisedBudgets:
    """`raised` holds new limits, 0 for one that was lifted; `allowed` is USD that the session may
    cost before it is asked again."""

    raised: dict[str, float] = field(default_factory=dict)
    allowed: float = 0.0

    @classmethod
    def of(cls, events: Iterable[Event]) -> RaisedBudgets:
        """What the answers among `events` add up to."""
        budgets = cls()
        asked: dict[str, ApprovalRequest] = {}
        for event in events:
            if isinstance(event, ApprovalRequested) and event.request.kind == "budget":
                asked[event.request.id] = event.request
            elif isinstance(event, ApprovalResolved):
                request = asked.pop(event.id, None)
                if request is not None and event.decision.allowed:
                    budgets.allow(request, event.decision)
        return budgets

    @classmethod
    def kept(cls, database: Database, session_id: str, path: Iterable[Event]) -> RaisedBudgets:
        """Those of a session that is opened. `path` is the branch it stands on.

        What was answered on another branch holds as well: it was said of the session, and what was
        spent there counts in its total.
        """
        from kinet.store.branches import answers_on_all_branches

        answers = answers_on_all_branches(database, session_id)
        return cls.of(path if answers is None else answers)

    def limit(self, budget: Budget, usual: float) -> float:
        """The limit that holds now; 0 for none. A higher usual one wins over a raised one."""
        if not usual or budget not in self.raised:
            return usual
        raised = self.raised[budget]
        return max(usual, raised) if raised else 0.0

    def allow(self, request: ApprovalRequest, decision: Decision) -> None:
        """Takes in a yes to the question about a budget."""
        budget = str(request.arguments.get("budget", ""))
        if decision.scope != "once":
            self.raised[budget] = decision.raise_to
        elif budget == "session":
            values = request.arguments
            self.allowed = float(values.get("spent", 0.0)) + float(values.get("limit", 0.0))
