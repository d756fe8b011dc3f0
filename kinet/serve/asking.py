"""Asks the client what a turn asks a person; whatever is not a clear yes is a no."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from kinet.core.approval import ApprovalRequest, Approver, Decision, NobodyToAsk
from kinet.serve import messages, params
from kinet.serve.messages import RpcError

_log = logging.getLogger(__name__)
Ask = Callable[[str, Mapping[str, Any]], Awaitable[Any]]


class ClientApprover:
    """Sends each question of one session as a request."""

    def __init__(self, session_id: str, ask: Ask, *, approves: bool) -> None:
        self._session_id, self._ask, self._approves = session_id, ask, approves

    async def ask(self, request: ApprovalRequest) -> Decision:
        """The client's decision; with nobody there, or one that cannot answer, it is denied."""
        if not self._approves:
            return await NobodyToAsk().ask(request)
        told = {"session_id": self._session_id, "request": request.to_dict()}
        try:
            said = params.checked(params.Approval, await self._ask("approval/ask", told), "result")
            return _decision(request, said)
        except RpcError as exc:
            return await self._no(request, exc)

    async def _no(self, request: ApprovalRequest, why: RpcError) -> Decision:
        if why.code in (messages.UNKNOWN_METHOD, messages.GONE):
            return await NobodyToAsk().ask(request)
        if why.code == messages.WRONG_PARAMS:
            _log.warning("an answer to approval/ask counts as no: %s", why.message)
            return Decision(False, reason="the answer could not be understood")
        return Decision(False, reason=messages.whole_text(why.message))


class AnsweringApprover(ClientApprover):
    """One whose client answers in words too, so that the model may ask."""

    async def answer(self, question: str, choices: tuple[str, ...]) -> str:
        """What the client says; "" where it says nothing."""
        told = {
            "session_id": self._session_id,
            "question": question,
            "choices": list(choices),
        }
        try:
            said = await self._ask("question/ask", told)
            return params.checked(params.Said, said, "result").answer
        except RpcError as exc:
            _log.warning("question/ask was not answered: %s", exc.message)
            return ""


def approver_for(session_id: str, ask: Ask, abilities: params.Abilities) -> Approver:
    """Who is asked in a session of this client."""
    kind = AnsweringApprover if abilities.questions else ClientApprover
    return kind(session_id, ask, approves=abilities.approvals)


def _decision(request: ApprovalRequest, said: params.Approval) -> Decision:
    """What the answer means. RpcError if it is no answer to this question."""
    if said.choice is not None:
        found = [item.decision for item in request.choices if item.name == said.choice]
        if not found:
            names = ", ".join(item.name for item in request.choices) or "none"
            raise RpcError(messages.WRONG_PARAMS, f"choice must be one of: {names}.")
        return found[0]
    if said.decision is None:
        raise RpcError(messages.WRONG_PARAMS, "decision is missing.")
    if said.decision == "allow" and request.choices:
        raise RpcError(messages.WRONG_PARAMS, "this question is answered by a choice.")
    if said.scope not in (*request.scopes, "once"):
        raise RpcError(messages.WRONG_PARAMS, f"scope {said.scope} is not offered.")
    hunks = None if said.hunks is None else tuple(said.hunks)
    allowed = said.decision == "allow"
    return Decision(allowed, said.scope, messages.whole_text(said.reason), hunks=hunks)
