"""The tool that looks up facts kept from earlier conversations."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from kinet.core.approval import ApprovalRequest
from kinet.core.errors import ToolError
from kinet.tools.base import Access, Arguments, ToolContext, ToolOutput


class RecallMemoryArguments(Arguments):
    """What to look for."""

    query: str = Field(description="a few words")


class RecallMemory:
    """Asks the memory that the session brought along."""

    name: ClassVar[str] = "recall_memory"
    description: ClassVar[str] = (
        "Looks up what is known about the person or this project from earlier conversations."
    )
    access: ClassVar[Access] = Access.READ
    arguments: ClassVar[type[Arguments]] = RecallMemoryArguments

    def question(
        self, arguments: RecallMemoryArguments, context: ToolContext
    ) -> ApprovalRequest | None:
        """Never asks: what is kept was kept for this."""
        return None

    async def run(self, arguments: RecallMemoryArguments, context: ToolContext) -> ToolOutput:
        """What fits, as text. ToolError where memory is switched off."""
        if context.memory is None:
            raise ToolError("Memory is switched off in this session.", kind="unavailable")
        text = await context.memory.recall(arguments.query, context.folder)
        if not text.strip():
            return ToolOutput("Nothing is known about that.", "nothing known")
        count = len(text.strip().split("\n"))
        return ToolOutput(text, f"{count} line{'' if count == 1 else 's'}")
