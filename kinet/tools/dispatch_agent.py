"""The tool that gives a task to a sub-agent with a history of its own."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import ToolError
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput


class DispatchAgentArguments(Arguments):
    """The task, and what the sub-agent should know."""

    task: str = Field(description="what to find out, and what to report")
    context: str = Field("", description="what it needs to know")


class DispatchAgent:
    """Starts a sub-agent that only reads, and returns its final text."""

    name: ClassVar[str] = "dispatch_agent"
    description: ClassVar[str] = (
        "Gives a question about the project to a sub-agent that reads on its own and reports back. "
        "Good for searches that would fill this conversation; several may run at once."
    )
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = DispatchAgentArguments

    def question(
        self, arguments: DispatchAgentArguments, context: ToolContext
    ) -> ApprovalRequest | None:
        """Never asks: each call of the sub-agent passes the same gate."""
        return None

    async def run(self, arguments: DispatchAgentArguments, context: ToolContext) -> ToolOutput:
        """The sub-agent's report. ToolError where none can be started, or for an empty task."""
        if context.agents is None:
            raise ToolError(
                "No sub-agent can be started here.",
                hint="Do the task with the other tools.",
                kind="unavailable",
            )
        if not arguments.task.strip():
            raise ToolError("The task is empty.", kind="arguments")
        return await context.agents.dispatch(arguments.task, arguments.context, context.call_id)
