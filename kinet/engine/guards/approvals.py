"""Decides whether a call may run: policy first, then what was remembered, then the person."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from kinet.core.approval import ApprovalRequest, Decision
from kinet.core.errors import SettingsError
from kinet.core.events import ApprovalRequested, ApprovalResolved, Event, Notice
from kinet.engine.base import TurnRequest
from kinet.engine.guards.equal_calls import EqualCalls
from kinet.policy.gate import CallFacts, Verdict, gather, grant_for, judge
from kinet.tools.base import Accepted, Arguments, Tool, ToolContext
from kinet.tools.files.file_access import digest_of, reduced

NOT_IN_TIME = "the user did not answer in time"


@dataclass(frozen=True, slots=True)
class Admission:
    """`grant` is the token for the tool; `refusal` is what the model is told of a refused call.

    `unasked` says that it was refused for want of someone to ask. `accepted` names the part of a
    change that was approved, None for the whole; the token is made from the call so reduced.
    """

    allowed: bool
    grant: str = ""
    refusal: str = ""
    unasked: bool = False
    accepted: Accepted | None = None
    # The call was allowed because it runs in the sandbox.
    boxed: bool = False


class Approvals:
    """The gate of one turn. Questions are asked one after the other, in the order they came up."""

    def __init__(self, turn: TurnRequest, emit: Callable[[Event], None]) -> None:
        self._turn = turn
        self._emit = emit
        self._one_at_a_time = asyncio.Lock()
        # Told by the runner which calls came together.
        self.equal = EqualCalls()
        # Why there is no sandbox, "" where there is one, None before it was looked for.
        self._no_sandbox: str | None = None

    async def admit(self, tool: Tool, arguments: Arguments, context: ToolContext) -> Admission:
        """May this call run. ToolError if the tool knows that it cannot succeed."""
        turn = self._turn
        values = arguments.model_dump()
        # Looking at paths is file I/O, and a diff reads the file: neither belongs on the loop.
        facts = await asyncio.to_thread(
            gather,
            tool.name,
            tool.access.value,
            values,
            turn.folder,
            data_dir=turn.data_dir,
            readable=turn.readable,
            start=context.start,
            local_permits=turn.local_permits,
            definition=getattr(tool, "definition", ""),
            claims_read=getattr(tool, "claims_read", False),
        )
        await self._look_for_sandbox(tool)
        verdict = self._judge(facts)
        boxed = self._is_boxed(facts)
        if verdict.verdict == "allow":
            return Admission(True, facts.grant, boxed=boxed)
        if verdict.verdict == "deny":
            unasked = self._turn.mode == "deny" and facts.judgement.verdict != "deny"
            return Admission(False, refusal=f"Not run: {verdict.reason}.", unasked=unasked)
        async with self._one_at_a_time:
            # While this call waited its turn, an answer may have been remembered that covers it.
            verdict = self._judge(facts)
            if verdict.verdict == "allow":
                return Admission(True, facts.grant, boxed=boxed)
            question = await asyncio.to_thread(tool.question, arguments, context)
            request = _complete(question, facts, verdict, context)
            request = self.equal.told(request, facts.arguments)
            decision = self.equal.answer_to(request, facts.arguments)
            if decision is None:
                decision = await self.ask(request)
                self.equal.answered(request, facts.arguments, decision)
                if decision.allowed:
                    await self._remember(facts, verdict, decision)
        if not decision.allowed:
            return Admission(False, refusal=_refusal(decision), unasked=decision.unasked)
        return replace(_admitted(facts, request, decision), boxed=boxed)

    async def _look_for_sandbox(self, tool: Tool) -> None:
        """Finds out, once in a turn, whether commands of mode all have a sandbox to run in."""
        turn = self._turn
        wanted = turn.mode == "all" and not turn.unsandboxed and self._no_sandbox is None
        if wanted and turn.folder is not None and tool.name == "shell":
            self._no_sandbox = await asyncio.to_thread(turn.sandbox, turn.folder)

    def _is_boxed(self, facts: CallFacts) -> bool:
        """True if the command runs in the sandbox, whatever it may do there."""
        outside = facts.arguments.get("outside_sandbox") is True
        return facts.tool == "shell" and self._no_sandbox == "" and not outside

    async def _remember(self, facts: CallFacts, verdict: Verdict, decision: Decision) -> None:
        """Keeps the answer as far as it may reach; a failure is told, and the call still runs."""
        book = self._turn.remembered
        # Where nothing but "once" was offered, nothing may be remembered.
        if book is None or decision.scope == "once" or verdict.scopes == ("once",):
            return
        folder = self._places(facts)[-1]
        try:
            await asyncio.to_thread(
                book.remember, facts.tool, facts.arguments, folder, decision, facts.definition
            )
        except SettingsError as exc:
            self._emit(Notice(f"Allowed this once; no rule was saved. {exc.sentence()}", "warning"))

    async def ask(self, request: ApprovalRequest) -> Decision:
        """Asks the person and tells both question and answer as events."""
        self._emit(ApprovalRequested(request))
        decision = await self._answer(request)
        self._emit(ApprovalResolved(request.id, request.call_id, decision))
        return decision

    async def ask_to_go_on(self, request: ApprovalRequest) -> Decision:
        """A guard's question. With nobody to ask it is no."""
        self._emit(ApprovalRequested(request))
        decision = await self._answer(request)
        # No call was denied here: "nobody to ask" must not count as a denied call.
        told = replace(decision, unasked=False)
        self._emit(ApprovalResolved(request.id, "", told))
        return told

    async def _answer(self, request: ApprovalRequest) -> Decision:
        limit = self._turn.limits.approval_seconds or None
        try:
            return await asyncio.wait_for(self._turn.approver.ask(request), limit)
        except TimeoutError:
            return Decision(False, reason=NOT_IN_TIME)

    def _judge(self, facts: CallFacts) -> Verdict:
        turn = self._turn
        remembered = None
        if turn.remembered:
            answers = [
                turn.remembered.decision(facts.tool, facts.arguments, place, facts.definition)
                for place in self._places(facts)
            ]
            no = next((answer for answer in answers if answer and not answer.allowed), None)
            remembered = no or answers[-1]
        return judge(
            facts,
            turn.mode,
            remembered=remembered,
            unsandboxed=turn.unsandboxed,
            sandbox=self._no_sandbox == "",
            no_sandbox=f"no sandbox works here ({self._no_sandbox})" if self._no_sandbox else "",
        )

    def _places(self, facts: CallFacts) -> tuple[str, ...]:
        """Whose rules count: a no of the project everywhere, a yes only where the command begins.

        The same words do something else in another folder.
        """
        folder = str(self._turn.folder or "")
        if facts.tool != "shell" or facts.start is None or not folder:
            return (folder,)
        return (folder,) if facts.start == Path(folder).resolve() else (folder, str(facts.start))


def _admitted(facts: CallFacts, request: ApprovalRequest, decision: Decision) -> Admission:
    """The token for what was allowed: the whole call, or the call reduced to some hunks."""
    hunks = decision.hunks
    heads = sum(line.startswith("@@ ") for line in request.body.split("\n"))
    if hunks is None or request.kind != "edit" or set(range(1, heads + 1)) <= set(hunks):
        return Admission(True, facts.grant)
    if not hunks:
        return Admission(False, refusal="Not run: the user skipped every hunk of this change.")
    accepted = Accepted(hunks, digest_of(request.body.encode("utf-8", "replace")))
    values = reduced(facts.arguments, accepted)
    grant = grant_for(facts.tool, values, facts.judgement.targets)
    return Admission(True, grant, accepted=accepted)


def new_id() -> str:
    """A fresh id for a question."""
    return uuid.uuid4().hex


def _complete(
    question: ApprovalRequest | None, facts: CallFacts, verdict: Verdict, context: ToolContext
) -> ApprovalRequest:
    """The tool's question with what the gate knows; a plain one where the tool has none."""
    if question is None:
        question = ApprovalRequest(
            id="",
            call_id=context.call_id,
            tool=facts.tool,
            kind="other",
            question=f"Allow {facts.tool}?",
            body="\n".join(f"{name}: {value}" for name, value in facts.arguments.items()),
            arguments=facts.arguments,
        )
    return replace(
        question,
        id=new_id(),
        call_id=context.call_id,
        tool=facts.tool,
        folder=question.folder or str(facts.folder or ""),
        targets=facts.targets or question.targets,
        # Of an ordinary change the question says all; a reason is for what is out of the ordinary.
        reason="" if _ordinary_change(facts) else verdict.reason,
        scopes=verdict.scopes,
        rule=verdict.rule,
    )


def _ordinary_change(facts: CallFacts) -> bool:
    return facts.access == "write" and facts.judgement.verdict == "allow"


def _refusal(decision: Decision) -> str:
    if decision.unasked:
        return "Not run: this needs the person's permission, and nobody could be asked."
    if decision.reason == NOT_IN_TIME:
        return f"Not run: {NOT_IN_TIME}."
    said = f" They said: {decision.reason}" if decision.reason else ""
    return f"Not run: the user denied this call.{said}"
